package instruments

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseRegistries_RefusesOtherAddresses(t *testing.T) {
	t.Parallel()
	for setting, reason := range map[string]string{
		"":                                       "is not PARTY=URL",
		"acme::1220aa":                           "is not a URL",
		"=https://acme.example":                  "is not PARTY=URL",
		"acme::1220aa=http://acme.example":       "neither https nor on this machine",
		"acme::1220aa=http://10.0.0.1":           "neither https nor on this machine",
		"acme::1220aa=https://u:p@acme.example":  "is not a URL",
		"acme::1220aa=https://acme.example/?a=b": "is not a URL",
		"acme::1220aa=file:///etc/passwd":        "is not a URL",
	} {
		_, err := ParseRegistries([]string{setting})
		require.ErrorContains(t, err, reason, setting)
	}
	_, err := ParseRegistries([]string{"acme::1220aa=https://one.example", "acme::1220aa=https://two.example"})
	require.ErrorContains(t, err, "two registries")
	registries, err := ParseRegistries([]string{"acme::1220aa=https://acme.example/api/", "b::1=http://127.0.0.1:80"})
	require.NoError(t, err)
	require.True(t, registries.has("acme::1220aa"))
	require.False(t, registries.has("other::1220aa"))
	require.Equal(t, "https://acme.example/api", registries.places["acme::1220aa"])
	var none *Registries
	require.False(t, none.has("acme::1220aa"))
}
