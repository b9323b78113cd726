// Package tracing makes the spans of the node: one trace goes from a client's request through its submission to the
// readers of the result. Without a [Tracer] there are no spans, and a call costs only a look into the context.
//
// A span holds only what operators search for: only this package makes a [Fact], and there is none for amounts, tokens
// or payloads, nor for error texts, which may contain them.
package tracing

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/florinledger/florin/ledger"
)

// Scope is the name under which spans are made.
const Scope = "github.com/florinledger/florin"

// Tracer makes the first spans of a part of the node; nil makes none.
type Tracer struct {
	provider trace.TracerProvider
	tracer   trace.Tracer
}

// New makes a tracer of a provider.
func New(provider trace.TracerProvider) *Tracer { return &Tracer{provider, provider.Tracer(Scope)} }

// Provider is the provider of the tracer, for interceptors of other libraries; nil without a tracer.
func (t *Tracer) Provider() trace.TracerProvider {
	if t == nil {
		return nil
	}
	return t.provider
}

// Span is a span that has begun. The zero value is no span; its methods do nothing.
type Span struct{ span trace.Span }

// Recorded reports whether the span is kept. Find expensive facts only then.
func (s Span) Recorded() bool { return s.span != nil && s.span.IsRecording() }

// Note adds facts.
func (s Span) Note(facts ...Fact) {
	if s.Recorded() {
		s.span.SetAttributes(attributes(facts)...)
	}
}

// Name renames the span.
func (s Span) Name(name string) {
	if s.Recorded() {
		s.span.SetName(name)
	}
}

// Fail notes that the work of the span has failed. The facts say how.
func (s Span) Fail() {
	if s.Recorded() {
		s.span.SetStatus(codes.Error, "")
	}
}

// End ends the span.
func (s Span) End() {
	if s.span != nil {
		s.span.End()
	}
}

// Serve begins the span of a request: within the trace that the client names, or else in a new one. It returns the
// trace of the request; a trace of the client stays unchanged.
func (t *Tracer) Serve(
	ctx context.Context, client ledger.TraceContext, name string,
) (context.Context, Span, ledger.TraceContext) {
	if t == nil {
		return ctx, Span{}, client
	}
	ctx = context.WithValue(ctx, tracerKey{}, t)
	ctx, span := t.tracer.Start(remote(ctx, client), name, trace.WithSpanKind(trace.SpanKindServer))
	if client.Traceparent == "" {
		client = Of(ctx, span.SpanContext())
	}
	return ctx, Span{span}, client
}

// Recorded reports whether the span of the context is kept.
func Recorded(ctx context.Context) bool { return trace.SpanFromContext(ctx).IsRecording() }

// Current is the trace of the context's span, for work that the node does by itself; empty if the span is not kept.
func Current(ctx context.Context) ledger.TraceContext {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		return Of(ctx, span.SpanContext())
	}
	return ledger.TraceContext{}
}

// Link links the span of the context to the causes of its work. Work that the node does by itself has its own trace,
// because the trace of its cause may have ended long ago.
func Link(ctx context.Context, causes ...ledger.TraceContext) {
	span := trace.SpanFromContext(ctx)
	for _, cause := range causes {
		linked := trace.SpanContextFromContext(remote(trace.ContextWithSpan(ctx, nil), cause))
		if linked.IsValid() {
			span.AddLink(trace.Link{SpanContext: linked})
		}
	}
}

type tracerKey struct{}

// Start begins a span within the span of the context; none if that is not recorded.
func Start(ctx context.Context, name string) (context.Context, Span) {
	within := trace.SpanFromContext(ctx)
	if !within.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := within.TracerProvider().Tracer(Scope).Start(ctx, name)
	return ctx, Span{span}
}

// StartFor begins a span of one submission within work for several: in the trace of the submission, with a link to the
// work. If both have the same trace, the span is within the work.
func StartFor(ctx context.Context, of ledger.TraceContext, name string) (context.Context, Span) {
	within := trace.SpanFromContext(ctx)
	if !within.IsRecording() {
		return ctx, Span{}
	}
	if of.TraceID() == "" || of.TraceID() == within.SpanContext().TraceID().String() {
		return Start(ctx, name)
	}
	ctx, span := within.TracerProvider().Tracer(Scope).Start(remote(ctx, of), name,
		trace.WithLinks(trace.Link{SpanContext: within.SpanContext()}))
	return ctx, Span{span}
}

// Together begins a span of work for several waiting spans: within the first one that is recorded, with links to and
// from the others. It replaces the span of the context.
func Together(ctx context.Context, name string, waiting []Span) (context.Context, Span) {
	var first trace.Span
	var links []trace.Link
	for _, one := range waiting {
		switch {
		case !one.Recorded():
		case first == nil:
			first = one.span
		default:
			links = append(links, trace.Link{SpanContext: one.span.SpanContext()})
		}
	}
	if first == nil {
		if trace.SpanFromContext(ctx).SpanContext().IsValid() { // of the request that happens to do the work
			ctx = trace.ContextWithSpan(ctx, nil)
			if len(waiting) > 0 && waiting[0].span != nil {
				ctx = trace.ContextWithSpan(ctx, waiting[0].span) // it is not recorded, so its children are not either
			}
		}
		return ctx, Span{}
	}
	ctx, span := first.TracerProvider().Tracer(Scope).Start(trace.ContextWithSpan(ctx, first), name,
		trace.WithLinks(links...))
	for _, one := range waiting {
		if one.Recorded() && one.span != first {
			one.span.AddLink(trace.Link{SpanContext: span.SpanContext()})
		}
	}
	return ctx, Span{span}
}

// Waiting begins a span outside of any context: of a submission that waits for a batch. It is not recorded if the span
// of the context is not.
func Waiting(ctx context.Context, name string) Span {
	within := trace.SpanFromContext(ctx)
	if !within.SpanContext().IsValid() {
		return Span{}
	}
	_, span := within.TracerProvider().Tracer(Scope).Start(ctx, name)
	return Span{span}
}

// Deliver notes that the request of the context gets the outcome of a submission: in the trace of the submission, with
// a link to the reader's trace.
func Deliver(ctx context.Context, of ledger.TraceContext, name string, facts ...Fact) {
	t, ok := ctx.Value(tracerKey{}).(*Tracer)
	if !ok || of.TraceID() == "" {
		return
	}
	reader := trace.SpanContextFromContext(ctx)
	if reader.TraceID().String() == of.TraceID() {
		_, span := Start(ctx, name)
		span.Note(facts...)
		span.End()
		return
	}
	_, span := t.tracer.Start(remote(ctx, of), name, trace.WithSpanKind(trace.SpanKindProducer),
		trace.WithLinks(trace.Link{SpanContext: reader}))
	Span{span}.Note(facts...)
	span.End()
}

// Of encodes a span context of the SDK as the record stores it.
func Of(ctx context.Context, from trace.SpanContext) ledger.TraceContext {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(trace.ContextWithSpanContext(ctx, from), carrier)
	return ledger.TraceContext{Traceparent: carrier["traceparent"], Tracestate: carrier["tracestate"]}
}

// remote returns a context within a trace from another process; ctx itself if the trace is unreadable.
func remote(ctx context.Context, of ledger.TraceContext) context.Context {
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{
		"traceparent": of.Traceparent, "tracestate": of.Tracestate,
	})
}

func attributes(facts []Fact) []attribute.KeyValue {
	all := make([]attribute.KeyValue, len(facts))
	for i, fact := range facts {
		all[i] = fact.attribute
	}
	return all
}
