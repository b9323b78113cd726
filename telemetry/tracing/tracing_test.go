package tracing_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/telemetry/tracing"
)

const (
	clientTrace  = "0af7651916cd43dd8448eb211c80319c"
	clientSpan   = "b7ad6b7169203331"
	clientParent = "00-" + clientTrace + "-" + clientSpan + "-01"
)

// recorder makes a tracer and keeps its spans.
func recorder(sampler sdktrace.Sampler) (*tracing.Tracer, *tracetest.SpanRecorder) {
	spans := tracetest.NewSpanRecorder()
	return tracing.New(sdktrace.NewTracerProvider(
		sdktrace.WithSampler(sampler), sdktrace.WithSpanProcessor(spans),
	)), spans
}

func byDefault() sdktrace.Sampler { return sdktrace.ParentBased(sdktrace.AlwaysSample()) }

func named(t *testing.T, spans *tracetest.SpanRecorder, name string) sdktrace.ReadOnlySpan {
	t.Helper()
	for _, span := range spans.Ended() {
		if span.Name() == name {
			return span
		}
	}
	require.Fail(t, "no span has the name", name)
	return nil
}

func TestServe_ContinuesTheTraceOfTheClient(t *testing.T) {
	t.Parallel()
	tracer, spans := recorder(byDefault())
	given := ledger.TraceContext{Traceparent: clientParent, Tracestate: "vendor=1"}
	_, span, of := tracer.Serve(t.Context(), given, "GET")
	span.End()
	require.Equal(t, given, of, "it stays unchanged")
	require.Equal(t, clientTrace, named(t, spans, "GET").SpanContext().TraceID().String())
	require.Equal(t, clientSpan, named(t, spans, "GET").Parent().SpanID().String())

	_, span, of = tracer.Serve(t.Context(), ledger.TraceContext{}, "POST")
	span.End()
	own := named(t, spans, "POST")
	require.False(t, own.Parent().IsValid())
	require.Equal(t, tracing.Of(t.Context(), own.SpanContext()), of)
}

func TestTracer_NilAllocatesNothing(t *testing.T) { //nolint:paralleltest // allocations are counted alone
	var tracer *tracing.Tracer
	ctx := t.Context()
	served, span, of := tracer.Serve(ctx, ledger.TraceContext{}, "GET")
	require.Equal(t, ctx, served)
	require.Empty(t, of)
	require.Nil(t, tracer.Provider())
	require.Zero(t, testing.AllocsPerRun(10, func() {
		inner, child := tracing.Start(ctx, "database")
		child.End()
		inner, child = tracing.StartFor(inner, ledger.TraceContext{Traceparent: clientParent}, "interpret")
		child.End()
		tracing.Deliver(inner, ledger.TraceContext{Traceparent: clientParent}, "deliver")
		tracing.Link(inner)
		tracing.Waiting(inner, "wait").End()
	}), "it costs nothing")
	span.Fail()
	span.End()
}

func TestTracer_UnsampledRequestHasNoSpans(t *testing.T) {
	t.Parallel()
	tracer, spans := recorder(byDefault())
	ctx, span, _ := tracer.Serve(t.Context(), ledger.TraceContext{
		Traceparent: "00-" + clientTrace + "-" + clientSpan + "-00",
	}, "GET")
	waiting := tracing.Waiting(ctx, "wait")
	together, batch := tracing.Together(context.WithoutCancel(ctx), "start workflow", []tracing.Span{waiting})
	_, child := tracing.Start(together, "database")
	child.End()
	batch.End()
	waiting.End()
	span.End()
	require.Empty(t, spans.Ended())
}

// Two submissions of different traces go through one workflow.
func TestTogether_IsInTheFirstTraceAndLinksTheOthers(t *testing.T) {
	t.Parallel()
	tracer, spans := recorder(byDefault())
	first, one, _ := tracer.Serve(t.Context(), ledger.TraceContext{Traceparent: clientParent}, "first")
	second, other, ofSecond := tracer.Serve(t.Context(), ledger.TraceContext{}, "second")
	waits := []tracing.Span{tracing.Waiting(first, "first waits"), tracing.Waiting(second, "second waits")}
	ctx, batch := tracing.Together(context.WithoutCancel(second), "start workflow", waits)
	waits[0].End()
	waits[1].End()
	_, own := tracing.StartFor(ctx, ledger.TraceContext{Traceparent: clientParent}, "interpret first")
	own.End()
	_, others := tracing.StartFor(ctx, ofSecond, "interpret second")
	others.End()
	batch.End()
	one.End()
	other.End()

	started := named(t, spans, "start workflow")
	require.Equal(t, clientTrace, started.SpanContext().TraceID().String())
	require.Equal(t, named(t, spans, "first waits").SpanContext().SpanID(), started.Parent().SpanID())
	require.Len(t, started.Links(), 1)
	waited := named(t, spans, "second waits")
	require.Equal(t, waited.SpanContext(), started.Links()[0].SpanContext)
	require.Equal(t, started.SpanContext(), waited.Links()[0].SpanContext)

	require.Equal(t, started.SpanContext().SpanID(), named(t, spans, "interpret first").Parent().SpanID())
	decided := named(t, spans, "interpret second")
	require.Equal(t, ofSecond.TraceID(), decided.SpanContext().TraceID().String())
	require.Equal(t, started.SpanContext(), decided.Links()[0].SpanContext)
}

func TestDeliver_UsesTheTraceOfTheUpdateAndLinksTheReader(t *testing.T) {
	t.Parallel()
	tracer, spans := recorder(byDefault())
	ctx, span, _ := tracer.Serve(t.Context(), ledger.TraceContext{}, "reader")
	tracing.Deliver(ctx, ledger.TraceContext{Traceparent: clientParent}, "deliver", tracing.Offset(7))
	span.End()
	delivered := named(t, spans, "deliver")
	require.Equal(t, clientTrace, delivered.SpanContext().TraceID().String())
	require.Equal(t, named(t, spans, "reader").SpanContext(), delivered.Links()[0].SpanContext)
}

func TestLink_AddsReadableCauses(t *testing.T) {
	t.Parallel()
	tracer, spans := recorder(byDefault())
	ctx, span, own := tracer.Serve(t.Context(), ledger.TraceContext{}, "plan")
	require.Equal(t, own, tracing.Current(ctx))
	tracing.Link(ctx, ledger.TraceContext{Traceparent: clientParent}, ledger.TraceContext{Traceparent: "unreadable"})
	span.End()
	links := named(t, spans, "plan").Links()
	require.Len(t, links, 1)
	require.Equal(t, clientTrace, links[0].SpanContext.TraceID().String())
}

// A span says who submits and which rules, but no argument.
func TestSubmission_OmitsArguments(t *testing.T) {
	t.Parallel()
	tracer, spans := recorder(byDefault())
	ctx, span, _ := tracer.Serve(t.Context(), ledger.TraceContext{}, "request")
	_, waiting := tracing.Start(ctx, "interpret")
	template := lf.TypeName{Package: "#app", Module: "Main", Entity: "Iou"}
	waiting.Note(tracing.Submission(ledger.Submission{
		Key: "sealed-key", Identity: ledger.DefaultUser("alice"), CommandID: "pay", ActAs: []ledger.Party{"alice::1220"},
		Seal: "seal", Commands: []ledger.Command{
			{Create: &ledger.CreateCommand{Template: template, Argument: []byte(`{"amount":"77.0"}`)}},
			{Exercise: &ledger.ExerciseCommand{Template: template, Choice: "Transfer", Argument: []byte(`"77.0"`)}},
		},
	})...)
	waiting.End()
	span.End()
	found := map[string]string{}
	for _, fact := range named(t, spans, "interpret").Attributes() {
		require.Contains(t, tracing.Keys(), string(fact.Key))
		found[string(fact.Key)] = fact.Value.String()
	}
	require.Equal(t, map[string]string{
		"florin.user": "alice", "florin.command_id": "pay", "florin.submission_id": "", "florin.kind": "",
		"florin.act_as": `["alice::1220"]`, "florin.rules": `["#app:Main:Iou","#app:Main:Iou Transfer"]`,
	}, found)
}
