package endpoint_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/telemetry/tracing"
)

// The test calls an endpoint that refuses, and a health endpoint.
func TestServer_TracesEachRequest(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewSpanRecorder()
	server, err := endpoint.NewServer(endpoint.Options{
		Auth: tokens{}, Failures: encodeFailure, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
		Tracer: tracing.New(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))),
	})
	require.NoError(t, err)
	router := chi.NewRouter()
	router.Use(server.Observe)
	nothing := func(context.Context, endpoint.NoRequest) (endpoint.Empty, error) { return endpoint.Empty{}, nil }
	vital := info(http.MethodGet, "/livez", endpoint.Public)
	vital.Vital = true
	require.NoError(t, server.Mount(router, []endpoint.Endpoint{
		endpoint.New(info(http.MethodGet, "/admin/{id}", endpoint.Admin), nothing), endpoint.New(vital, nothing),
	}))
	router.ServeHTTP(httptest.NewRecorder(), request(t, http.MethodGet, "/livez", "", ""))
	require.Empty(t, spans.Ended(), "it is asked every second")

	const trace = "0af7651916cd43dd8448eb211c80319c"
	const parent = "00-" + trace + "-b7ad6b7169203331-01"
	asked := request(t, http.MethodGet, "/admin/secret?token=secret", "alice", "")
	asked.Header.Set("Traceparent", parent)
	recorder := httptest.NewRecorder()
	router.ServeHTTP(recorder, asked)
	require.Equal(t, http.StatusForbidden, recorder.Code)
	require.Equal(t, parent, recorder.Header().Get("Traceparent"), "the client's, as it came")
	require.Len(t, spans.Ended(), 1)
	span := spans.Ended()[0]
	require.Equal(t, "GET /admin/{id}", span.Name())
	require.Equal(t, trace, span.SpanContext().TraceID().String())
	require.Equal(t, codes.Unset, span.Status().Code, "the client is at fault")
	found := map[string]string{}
	for _, fact := range span.Attributes() {
		found[string(fact.Key)] = fact.Value.String()
	}
	require.Equal(t, map[string]string{
		"http.request.method": "GET", "http.route": "/admin/{id}", "http.response.status_code": "403",
		"florin.user": "alice", "error.type": "PERMISSION_DENIED",
	}, found)

	router.ServeHTTP(recorder, request(t, http.MethodGet, "/nowhere", "", ""))
	require.Equal(t, "GET", spans.Ended()[1].Name(), "a path that nobody serves may be a secret")
}
