// Package tracing makes the spans of the node: one trace goes from a client's request through its submission to those
// who read what came of it. Without a [Tracer] there are none, and asking for them costs a look into a context.
//
// A span holds what operators search for, and nothing else: a [Fact] is made by this package alone, and there is none
// for amounts, tokens or payloads, nor for the text of an error, which may tell of them.
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

// Tracer makes the spans at which a part of the node begins; nil makes none.
type Tracer struct {
	provider trace.TracerProvider
	tracer   trace.Tracer
}

// New makes a tracer of a provider.
func New(provider trace.TracerProvider) *Tracer { return &Tracer{provider, provider.Tracer(Scope)} }

// Provider is what the tracer was made of, for the interceptors of others; nil without a tracer.
func (t *Tracer) Provider() trace.TracerProvider {
	if t == nil {
		return nil
	}
	return t.provider
}

// Span is a span under way. The zero value is none, and all of its methods do nothing.
type Span struct{ span trace.Span }

// Recorded reports whether anything is kept of the span: facts that are dear to find are only found then.
func (s Span) Recorded() bool { return s.span != nil && s.span.IsRecording() }

// Note adds facts.
func (s Span) Note(facts ...Fact) {
	if s.Recorded() {
		s.span.SetAttributes(attributes(facts)...)
	}
}

// Name names the span anew, once it is known what it is.
func (s Span) Name(name string) {
	if s.Recorded() {
		s.span.SetName(name)
	}
}

// Fail notes that what the span shows has failed. The facts say how.
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

// Serve begins the span of a request: within the trace that the client names, or else with one of its own. It returns
// the trace that the request is of, which is the client's as it came.
func (t *Tracer) Serve(
	ctx context.Context, given ledger.TraceContext, name string,
) (context.Context, Span, ledger.TraceContext) {
	if t == nil {
		return ctx, Span{}, given
	}
	ctx = context.WithValue(ctx, tracerKey{}, t)
	ctx, span := t.tracer.Start(remote(ctx, given), name, trace.WithSpanKind(trace.SpanKindServer))
	if given.Traceparent == "" {
		given = Of(ctx, span.SpanContext())
	}
	return ctx, Span{span}, given
}

// Recorded reports whether the span of the context is kept.
func Recorded(ctx context.Context) bool { return trace.SpanFromContext(ctx).IsRecording() }

// Current is the trace of the context's span, for what is done by itself; empty where none is kept.
func Current(ctx context.Context) ledger.TraceContext {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		return Of(ctx, span.SpanContext())
	}
	return ledger.TraceContext{}
}

// Link links the span of the context to what caused the work: what the node does by itself has a trace of its own, for
// what caused it may be long over.
func Link(ctx context.Context, causes ...ledger.TraceContext) {
	span := trace.SpanFromContext(ctx)
	for _, cause := range causes {
		found := trace.SpanContextFromContext(remote(trace.ContextWithSpan(ctx, nil), cause))
		if found.IsValid() {
			span.AddLink(trace.Link{SpanContext: found})
		}
	}
}

type tracerKey struct{}

// Start begins a span within the one of the context; none where that is not recorded.
func Start(ctx context.Context, name string) (context.Context, Span) {
	within := trace.SpanFromContext(ctx)
	if !within.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := within.TracerProvider().Tracer(Scope).Start(ctx, name)
	return ctx, Span{span}
}

// StartFor begins a span of one submission within work for several: in the trace of the submission, where it links to
// the work. What is done in the trace of the work anyway is within it.
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

// Together begins a span of work for all of those that wait: within the first one that is recorded, with links to and
// from the others. The context has it in place of any other span.
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
		if trace.SpanFromContext(ctx).SpanContext().IsValid() { // that of whoever happens to do the work
			ctx = trace.ContextWithSpan(ctx, nil)
			if len(waiting) > 0 && waiting[0].span != nil {
				ctx = trace.ContextWithSpan(ctx, waiting[0].span) // which says that it is not recorded
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

// Waiting begins a span that no context has: of a submission that waits until others take it along. It is not recorded
// where the span of the context is not.
func Waiting(ctx context.Context, name string) Span {
	within := trace.SpanFromContext(ctx)
	if !within.SpanContext().IsValid() {
		return Span{}
	}
	_, span := within.TracerProvider().Tracer(Scope).Start(ctx, name)
	return Span{span}
}

// Deliver notes that a request of the context is answered with what came of a submission: in the trace of the
// submission, with a link to the reader's.
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

// Of writes a context of the SDK as the record has it.
func Of(ctx context.Context, from trace.SpanContext) ledger.TraceContext {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(trace.ContextWithSpanContext(ctx, from), carrier)
	return ledger.TraceContext{Traceparent: carrier["traceparent"], Tracestate: carrier["tracestate"]}
}

// remote is a context within a trace that came from elsewhere; as it was when the trace cannot be read.
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
