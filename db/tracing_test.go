package db_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/telemetry/tracing"
)

// The test runs a query with a secret argument, outside of a span and within one.
func TestTracing_SpansOmitArguments(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewSpanRecorder()
	tracer := tracing.New(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)))
	traced, err := db.Open(t.Context(), dbtest.URL(t), db.Options{Tracer: db.QueryTracer{}})
	require.NoError(t, err)
	t.Cleanup(traced.Close)
	_, err = traced.CompletionsByKey(t.Context(), []string{"a secret"})
	require.NoError(t, err)
	require.Empty(t, spans.Ended(), "without a parent there is no span")

	ctx, span, _ := tracer.Serve(t.Context(), ledger.TraceContext{}, "GET")
	_, err = traced.CompletionsByKey(ctx, []string{"a secret"})
	require.NoError(t, err)
	span.End()
	ended := spans.Ended()
	require.NotEmpty(t, ended)
	require.Equal(t, "database ListCompletionsByKey", ended[0].Name())
	require.Equal(t, ended[len(ended)-1].SpanContext().SpanID(), ended[0].Parent().SpanID())
	for _, one := range ended {
		require.NotContains(t, one.Name(), "secret")
		for _, fact := range one.Attributes() {
			require.Contains(t, tracing.Keys(), string(fact.Key))
			require.NotContains(t, fact.Value.String(), "secret")
		}
	}
}
