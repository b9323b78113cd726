package api_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/internal/hosts"
	"github.com/florinledger/florin/test/apitest"
)

// The test calls every route like a page of a foreign host name that resolves to the node.
func TestHosts_RefuseEveryRouteUnderForeignName(t *testing.T) {
	t.Parallel()
	names, err := hosts.Parse([]string{"node.example"}, "127.0.0.1:7575")
	require.NoError(t, err)
	s := apitest.New(t, apitest.Options{Hosts: names})
	routes, ok := s.Handler.(chi.Routes)
	require.True(t, ok)
	ask := func(method, path, host string) *httptest.ResponseRecorder {
		request := httptest.NewRequest(method, path, http.NoBody)
		request.Host = host
		request.Header.Set("Origin", "http://"+host)
		answer := httptest.NewRecorder()
		s.Handler.ServeHTTP(answer, request)
		return answer
	}
	calls := 0
	require.NoError(t, chi.Walk(routes, func(
		method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler,
	) error {
		calls++
		answer := ask(method, route, "evil.example:7575")
		require.Equal(t, http.StatusMisdirectedRequest, answer.Code, "%s %s", method, route)
		require.Contains(t, answer.Body.String(), "--hosts", "%s %s", method, route)
		require.Empty(t, answer.Header().Get("Access-Control-Allow-Origin"), "%s %s", method, route)
		return nil
	}))
	require.Greater(t, calls, 100)
	require.Equal(t, http.StatusMisdirectedRequest, ask(http.MethodGet, "/nothing", "evil.example").Code)
	require.Equal(t, http.StatusMisdirectedRequest, ask(http.MethodOptions, "/v2/version", "evil.example").Code)
	require.JSONEq(t, `{"error": "This server does not answer to the host name \"evil.example\". Use localhost or its `+
		`address, or add the host with --hosts."}`, ask(http.MethodPost, "/v0/register", "evil.example").Body.String())
	for _, host := range []string{"localhost:7575", "127.0.0.1:7575", "wallet.localhost:3000", "node.example"} {
		require.Equal(t, http.StatusOK, ask(http.MethodGet, "/v2/version", host).Code, host)
	}
}
