package api_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/telemetry"
)

// A process without an API serves only health and metrics.
func TestHealthRouter_ServesOnlyHealth(t *testing.T) {
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
	require.Contains(t, body, "[-] database failed (it is away) [FlorinDatabase]")

	_, err = api.NewHealthRouter(api.HealthOptions{})
	require.ErrorContains(t, err, "needs the readiness")
}

// A load balancer asks every second. The log has only changes, and the metrics count the answers.
func TestHealthRouter_LogsReadinessChangesOnly(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var broken error
	warning := ""
	logger := slog.New(slog.NewTextHandler(&log, nil))
	router, err := api.NewHealthRouter(api.HealthOptions{
		Readiness: api.WatchReadiness(func(context.Context) []api.Part {
			return []api.Part{{Name: "database", Err: broken}, {Name: "clock", Warning: warning}}
		}, logger),
		Metrics: telemetry.New(), Logger: logger, Now: time.Now,
	})
	require.NoError(t, err)
	lines := func(reason error) string {
		broken = reason
		log.Reset()
		for range 5 {
			for _, path := range []string{"/readyz", "/livez", "/health/readiness"} {
				router.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil))
			}
		}
		return log.String()
	}
	require.Empty(t, lines(nil))
	away := lines(errors.New("it is away"))
	require.Equal(t, 1, strings.Count(away, "\n"), away)
	require.Regexp(t, `level=WARN msg="not ready: .*broken=database error="database: it is away" alarms=FlorinDatabase`, away)
	require.Empty(t, lines(errors.New("it is still away")), "the same part is broken")
	back := lines(nil)
	require.Equal(t, 1, strings.Count(back, "\n"), back)
	require.Regexp(t, `level=INFO msg="ready again: .*was_broken=database`, back)
	warning = "ten seconds ahead"
	warns := lines(nil)
	require.Equal(t, 1, strings.Count(warns, "\n"), warns)
	require.Regexp(t, `level=WARN msg="a part of /readyz warns" part=clock alarm=FlorinClock warning="ten seconds ahead"`, warns)
	warning = "twenty seconds ahead"
	require.Empty(t, lines(nil), "the same part warns")
	warning = ""
	require.Regexp(t, `level=INFO msg="a part of /readyz warns no more" part=clock`, lines(nil))
	require.Regexp(t, `level=INFO msg="not ready: .*the node is stopping`, lines(api.ErrStopping))

	answer := httptest.NewRecorder()
	router.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Contains(t, answer.Body.String(),
		`florin_http_requests_total{method="GET",route="/readyz",status="503"} 15`)
}
