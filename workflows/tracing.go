package workflows

import (
	"context"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.temporal.io/sdk/contrib/opentelemetry"
	"go.temporal.io/sdk/interceptor"

	"github.com/florinledger/florin/telemetry/tracing"
)

// Traced makes interceptors that make spans of workflows and activities, below the span of their caller. They belong
// into the options of the client, which workers share. For a nil tracer there are none.
func Traced(tracer *tracing.Tracer) ([]interceptor.ClientInterceptor, error) {
	if tracer == nil {
		return nil, nil
	}
	spans, err := opentelemetry.NewTracingInterceptor(opentelemetry.TracerOptions{
		Tracer: tracer.Provider().Tracer(tracing.Scope), DisableQueryTracing: true, DisableBaggage: true,
		// A header that is not readable must not stop a workflow.
		AllowInvalidParentSpans: true, TextMapPropagator: propagation.TraceContext{},
		SpanStarter: func(
			ctx context.Context, t trace.Tracer, name string, options ...trace.SpanStartOption,
		) trace.Span {
			_, span := t.Start(ctx, name, options...)
			return tracing.Quiet(span)
		},
	})
	if err != nil {
		return nil, err
	}
	return []interceptor.ClientInterceptor{spans}, nil
}

// wait begins the span of a submission's wait for a workflow.
func (p *pending) wait(ctx context.Context) {
	if p.span = tracing.Waiting(ctx, "wait for a workflow"); p.span.Recorded() {
		p.span.Note(tracing.Submission(p.submission)...)
	}
}
