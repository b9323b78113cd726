package tracing

import (
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Quiet is a span that keeps no error text: those of workflows may contain payloads.
func Quiet(span trace.Span) trace.Span { return quietSpan{span} }

type quietSpan struct{ trace.Span }

// RecordError implements [trace.Span] and does nothing: the status has the fact that there was an error.
func (quietSpan) RecordError(error, ...trace.EventOption) {}

// SetStatus implements [trace.Span].
func (q quietSpan) SetStatus(code codes.Code, _ string) { q.Span.SetStatus(code, "") }
