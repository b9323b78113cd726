package node

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Everybody who can reach the node can guess the development secret.
func TestTokenSettings_SharedSecretIsForThisMachineAlone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		settings tokenSettings
		address  string
		allowed  bool
	}{
		"an address of this machine":         {address: "127.0.0.1:7575", allowed: true},
		"another one":                        {address: "127.1.2.3:0", allowed: true},
		"its IPv6 address":                   {address: "[::1]:7575", allowed: true},
		"its IPv4 address as one of IPv6":    {address: "[::ffff:127.0.0.1]:7575", allowed: true},
		"its name":                           {address: "localhost:7575", allowed: true},
		"every address":                      {address: ":7575"},
		"every IPv4 address":                 {address: "0.0.0.0:7575"},
		"every IPv6 address":                 {address: "[::]:7575"},
		"an address of a network":            {address: "192.168.1.4:7575"},
		"a name that may lead anywhere":      {address: "florin.example:7575"},
		"a name that begins like this one's": {address: "localhost.example:7575"},
		"insisted": {
			settings: tokenSettings{AuthAllowUnsafe: true}, address: ":7575", allowed: true,
		},
		"keys of an issuer at a URL": {
			settings: tokenSettings{AuthJWKSURL: "https://issuer.example/keys"}, address: ":7575", allowed: true,
		},
		"keys of an issuer in a file": {
			settings: tokenSettings{AuthKeyFile: "keys.json"}, address: "0.0.0.0:7575", allowed: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := test.settings.CheckListen(test.address)
			if test.allowed {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, "--listen="+test.address+" can be reached from other machines")
			require.ErrorContains(t, err, "--auth-jwks-url")
		})
	}
}

func TestTokenSettings_RefusesInvalidValues(t *testing.T) {
	t.Parallel()
	require.NoError(t, tokenSettings{}.check())
	for want, settings := range map[string]tokenSettings{
		"neither https nor on this machine": {AuthJWKSURL: "http://issuer.example/keys"},
		"are both given":                    {AuthJWKSURL: "https://issuer.example/keys", AuthKeyFile: "keys.pem"},
		"must not be negative":              {AuthMaxLife: -1},
	} {
		require.ErrorContains(t, settings.check(), want)
	}
}
