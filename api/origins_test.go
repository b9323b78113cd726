package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/test/apitest"
)

func TestOrigins_MatchExactly(t *testing.T) {
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
		require.ErrorContains(t, err, "is not an origin: write a scheme, a host", wrong)
	}
}

// The test acts like a browser: a preflight, then the call, also for refusals and unknown paths.
func TestOrigins_AllowCallsOfConfiguredPages(t *testing.T) {
	t.Parallel()
	const page, other = "https://wallet.example", "https://evil.example"
	s := apitest.New(t, apitest.Options{Origins: []string{page}})
	for _, path := range []string{"/v2/users", "/v0/wallet/balance", "/registry/metadata/v1/info", "/livez", "/nowhere"} {
		preflight := s.Send(http.MethodOptions, path, http.Header{
			"Origin": {page}, "Access-Control-Request-Method": {"POST"},
			"Access-Control-Request-Headers": {"authorization,content-type,idempotency-key"},
		}, nil)
		require.Equal(t, http.StatusNoContent, preflight.Status, path)
		require.Equal(t, page, preflight.Header.Get("Access-Control-Allow-Origin"))
		require.Equal(t, "POST", preflight.Header.Get("Access-Control-Allow-Methods"))
		require.Equal(t, "authorization,content-type,idempotency-key", preflight.Header.Get("Access-Control-Allow-Headers"))
		require.Empty(t, preflight.Header.Get("Access-Control-Allow-Credentials"), "no cookie is ever of use here")

		answer := s.Send(http.MethodGet, path, http.Header{"Origin": {page}}, nil)
		require.Equal(t, page, answer.Header.Get("Access-Control-Allow-Origin"), "%s answers %d", path, answer.Status)
		require.Contains(t, answer.Header.Get("Access-Control-Expose-Headers"), "Traceparent")
		require.Contains(t, answer.Header.Values("Vary"), "Origin")

		require.Empty(t, s.Send(http.MethodOptions, path, http.Header{
			"Origin": {other}, "Access-Control-Request-Method": {"POST"},
		}, nil).Header.Get("Access-Control-Allow-Origin"))
		require.Empty(t, s.Send(http.MethodGet, path, http.Header{"Origin": {other}}, nil).
			Header.Get("Access-Control-Allow-Origin"))
	}
	plain := s.Send(http.MethodOptions, "/v2/users", nil, nil)
	require.Equal(t, http.StatusMethodNotAllowed, plain.Status, "without an origin it is a method like any other")
}

// An allowed page can read every header with information: those of this node, and HTTP headers that need permission.
//
// contract: http-origins
func TestOrigins_ExposeEveryHeader(t *testing.T) {
	t.Parallel()
	const page = "https://wallet.example"
	s := apitest.NewWithCoin(t, apitest.Options{Origins: []string{page}})
	s.Onboard("alice").Tap("10")
	owner := http.Header{
		"Origin": {page}, "Authorization": {"Bearer " + apitest.Token(t, "alice")}, "Idempotency-Key": {"one"},
		"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}, "Tracestate": {"a=b"},
	}
	// Headers that every page may read (Fetch, CORS-safelisted response headers), and headers only for the browser.
	withoutMention := []string{
		"Cache-Control", "Content-Type", "Content-Length", "Content-Security-Policy", "Cross-Origin-Resource-Policy",
		"Referrer-Policy", "X-Content-Type-Options", "X-Frame-Options", "Vary", "Access-Control-Allow-Origin",
		"Access-Control-Expose-Headers",
	}
	seen := map[string]bool{}
	for _, request := range []struct {
		method, path string
		header       http.Header
		body         any
	}{
		{http.MethodPost, "/v0/wallet/tap", owner, map[string]any{"amount": "1", "amout": "2"}},
		{http.MethodPost, "/v0/wallet/tap", owner, map[string]any{"amount": "1", "amout": "2"}},
		{http.MethodGet, "/v0/wallet/balance", http.Header{"Origin": {page}}, nil},
		{http.MethodPut, "/v2/users", http.Header{"Origin": {page}}, nil},
		{http.MethodGet, "/v0/wallet/transactions", owner, nil},
		{http.MethodGet, "/nowhere", http.Header{"Origin": {page}}, nil},
	} {
		header := request.header.Clone()
		if request.path == "/v0/wallet/transactions" {
			header.Set("Accept", "text/csv")
		}
		answer := s.Send(request.method, request.path, header, request.body)
		exposed := strings.Split(answer.Header.Get("Access-Control-Expose-Headers"), ", ")
		for name := range answer.Header {
			if !slices.Contains(withoutMention, name) {
				seen[name] = true
				require.Contains(t, exposed, name, "%s %s answers %d", request.method, request.path, answer.Status)
			}
		}
	}
	for _, name := range []string{
		"Traceparent", "Tracestate", "Florin-Workflow-Id", "Idempotency-Replayed", "Florin-Ignored-Fields", "Allow",
		"Www-Authenticate", "Content-Disposition",
	} {
		require.True(t, seen[name], "no answer has %s", name)
	}
}

func TestHealth_ServesPathsOfLaterVersions(t *testing.T) {
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
