package tracing

import (
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Quiet is a span that keeps no text of an error: those of workflows may tell of payloads.
func Quiet(span trace.Span) trace.Span { return quietSpan{span} }

type quietSpan struct{ trace.Span }

// RecordError implements [trace.Span]: that there was one is in the status.
func (quietSpan) RecordError(error, ...trace.EventOption) {}

// SetStatus implements [trace.Span].
func (q quietSpan) SetStatus(code codes.Code, _ string) { q.Span.SetStatus(code, "") }
