package api_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/test/apitest"
)

// A node without places for anonymous callers refuses them, except at health endpoints and at endpoints that need
// a token anyway.
func TestRouter_AnonymousRequestsNeedTheAnonymousShare(t *testing.T) {
	t.Parallel()
	closed := apitest.NewWithCoin(t, apitest.Options{
		Limits: admission.New(admission.Options{AnonymousRequests: -1}),
	})
	open := closed.Twin(apitest.Options{})
	router, ok := closed.Handler.(chi.Routes)
	require.True(t, ok)
	vital := map[string]bool{
		"/livez": true, "/readyz": true, "/metrics": true, "/health/liveness": true, "/health/readiness": true,
	}
	anonymous, all := 0, 0
	err := chi.Walk(router, func(
		method, pattern string, handler http.Handler, _ ...func(http.Handler) http.Handler,
	) error {
		all++
		require.True(t, endpoint.IsLimited(handler), "%s %s is served past the limits: mount it as an endpoint", method,
			pattern)
		path := fill(pattern, "alice")
		status, _, text := askWithoutToken(t, open.Handler, method, path)
		switch {
		case strings.Contains(text, "Expected WebSocket Upgrade"):
			path += "#stream" // only for askWithoutToken
		case status == http.StatusUnauthorized:
			return nil
		case vital[pattern]:
			status, _, _ := askWithoutToken(t, closed.Handler, method, path)
			require.Equal(t, http.StatusOK, status, path)
			return nil
		}
		anonymous++
		status, header, text := askWithoutToken(t, closed.Handler, method, path)
		require.Equal(t, http.StatusTooManyRequests, status, "%s %s: %s", method, path, text)
		require.Equal(t, "1", header.Get("Retry-After"), path)
		require.Contains(t, text, "without a valid token", path)
		require.Contains(t, header.Get("Content-Type"), "application/json", path)
		if strings.HasPrefix(path, "/v2/") || strings.HasPrefix(path, "/docs") {
			require.Contains(t, text, `"code":"SERVER_OVERLOADED"`, path)
		} else {
			require.Contains(t, text, `{"error":`, path)
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, all, 200)
	require.Greater(t, anonymous, 30, "of all that need no token")
	require.Equal(t, http.StatusOK, closed.Call(apitest.Admin, http.MethodGet, "/v2/version", nil).Status,
		"callers with a token are served")
}

// askWithoutToken sends a request without a token. If the path ends with #stream, it opens a WebSocket.
func askWithoutToken(t *testing.T, handler http.Handler, method, path string) (int, http.Header, string) {
	t.Helper()
	path, isStream := strings.CutSuffix(path, "#stream")
	var body io.Reader
	if method != http.MethodGet {
		body = strings.NewReader("{}")
	}
	request := httptest.NewRequestWithContext(t.Context(), method, path, body)
	if isStream {
		request.Header.Set("Connection", "Upgrade")
		request.Header.Set("Upgrade", "websocket")
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder.Code, recorder.Header(), recorder.Body.String()
}
