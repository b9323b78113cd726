package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/api/apitest"
)

func TestOrigins(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		list            []string
		allowed, others []string
	}{
		{[]string{"none"}, nil, []string{"none", "http://localhost"}},
		{nil, nil, []string{"", "null", "http://localhost", "https://wallet.example"}},
		{
			[]string{"https://wallet.example", " http://localhost:3000 "},
			[]string{"https://wallet.example", "https://WALLET.example", "http://localhost:3000"},
			[]string{
				"http://wallet.example", "https://wallet.example:444", "https://wallet.example.evil.example",
				"https://evil.example/https://wallet.example", "http://localhost:3001", "null", "",
			},
		},
		{
			[]string{"loopback"},
			[]string{
				"http://localhost", "http://localhost:5173", "https://app.localhost", "http://127.0.0.1:8080",
				"http://127.1.2.3", "http://[::1]:3000",
			},
			[]string{
				"http://localhost.evil.example", "http://evil.example", "http://127.0.0.1.evil.example", "null",
				"file://localhost", "http://10.0.0.1", "http://0.0.0.0", "",
			},
		},
		{[]string{"*"}, []string{"https://any.example", "null"}, []string{""}},
	} {
		origins, err := api.ParseOrigins(test.list)
		require.NoError(t, err)
		for _, origin := range test.allowed {
			require.True(t, origins.Allow(origin), "%v allows %q", test.list, origin)
		}
		for _, origin := range test.others {
			require.False(t, origins.Allow(origin), "%v does not allow %q", test.list, origin)
		}
	}
	for _, wrong := range []string{
		"wallet.example", "https://wallet.example/", "https://a.example/path", "https://", "://",
	} {
		_, err := api.ParseOrigins([]string{wrong})
		require.ErrorContains(t, err, "is no origin: write a scheme, a host", wrong)
	}
}

// TestPagesOfConfiguredOriginsMayCallTheNode does what a browser does: it asks first, then calls, whatever the answer
// is, refusals and unknown paths included.
func TestPagesOfConfiguredOriginsMayCallTheNode(t *testing.T) {
	t.Parallel()
	const page, other = "https://wallet.example", "https://evil.example"
	s := apitest.New(t, apitest.Options{Origins: []string{page}})
	for _, path := range []string{"/v2/users", "/v0/wallet/balance", "/registry/metadata/v1/info", "/livez", "/nowhere"} {
		asked := s.Send(http.MethodOptions, path, http.Header{
			"Origin": {page}, "Access-Control-Request-Method": {"POST"},
			"Access-Control-Request-Headers": {"authorization,content-type,idempotency-key"},
		}, nil)
		require.Equal(t, http.StatusNoContent, asked.Status, path)
		require.Equal(t, page, asked.Header.Get("Access-Control-Allow-Origin"))
		require.Equal(t, "POST", asked.Header.Get("Access-Control-Allow-Methods"))
		require.Equal(t, "authorization,content-type,idempotency-key", asked.Header.Get("Access-Control-Allow-Headers"))
		require.Empty(t, asked.Header.Get("Access-Control-Allow-Credentials"), "no cookie is ever of use here")

		called := s.Send(http.MethodGet, path, http.Header{"Origin": {page}}, nil)
		require.Equal(t, page, called.Header.Get("Access-Control-Allow-Origin"), "%s answers %d", path, called.Status)
		require.Contains(t, called.Header.Get("Access-Control-Expose-Headers"), "Traceparent")
		require.Contains(t, called.Header.Values("Vary"), "Origin")

		require.Empty(t, s.Send(http.MethodOptions, path, http.Header{
			"Origin": {other}, "Access-Control-Request-Method": {"POST"},
		}, nil).Header.Get("Access-Control-Allow-Origin"))
		require.Empty(t, s.Send(http.MethodGet, path, http.Header{"Origin": {other}}, nil).
			Header.Get("Access-Control-Allow-Origin"))
	}
	plain := s.Send(http.MethodOptions, "/v2/users", nil, nil)
	require.Equal(t, http.StatusMethodNotAllowed, plain.Status, "without an origin it is a method like any other")
}

func TestTheHealthPathsOfLaterVersions(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	for known, other := range map[string]string{"/livez": "/health/liveness", "/readyz": "/health/readiness"} {
		for _, prefix := range []string{"", "/api/validator", "/api/scan"} {
			answer := s.Undocumented(apitest.Admin, http.MethodGet, prefix+other)
			require.Equal(t, http.StatusOK, answer.Status, prefix+other)
			require.Equal(t, s.Call(apitest.Admin, http.MethodGet, known, nil).Text, answer.Text)
		}
	}
}
