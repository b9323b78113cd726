package api_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/telemetry"
)

// A process without an API tells how it is, and serves nothing else.
func TestAProcessWithoutAnAPITellsHowItIs(t *testing.T) {
	t.Parallel()
	var broken error
	router, err := api.NewHealthRouter(api.HealthOptions{
		Readiness: func(context.Context) []api.Part { return []api.Part{{Name: "database", Err: broken}} },
		Metrics:   telemetry.New(), Logger: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	require.NoError(t, err)
	ask := func(method, path string) (int, string) {
		answer := httptest.NewRecorder()
		router.ServeHTTP(answer, httptest.NewRequest(method, path, nil))
		return answer.Code, answer.Body.String()
	}
	for path, text := range map[string]string{
		"/livez": "", "/readyz": "readyz check passed", "/health/liveness": "", "/health/readiness": "passed",
		"/metrics": "go_goroutines", "/livez/": "", "//readyz": "readyz check passed", "/readyz/": "readyz check passed",
	} {
		status, body := ask(http.MethodGet, path)
		require.Equal(t, http.StatusOK, status, "%s: %s", path, body)
		require.Contains(t, body, text)
	}
	for _, path := range []string{"/", "/v2/version", "/v0/admin/audit", "/docs/openapi"} {
		status, _ := ask(http.MethodGet, path)
		require.Equal(t, http.StatusNotFound, status, path)
	}
	status, body := ask(http.MethodHead, "/readyz/")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "readyz check passed", "the server leaves the body out")
	status, _ = ask(http.MethodPost, "/metrics")
	require.Equal(t, http.StatusMethodNotAllowed, status)
	broken = errors.New("it is away")
	status, body = ask(http.MethodGet, "/readyz")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Contains(t, body, "[-] database failed (it is away)")

	_, err = api.NewHealthRouter(api.HealthOptions{})
	require.ErrorContains(t, err, "needs the readiness")
}
