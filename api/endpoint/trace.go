package endpoint

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"regexp"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/telemetry/tracing"
)

// trace sets the trace of a request, the client's or a new one, and starts a span. Call end with the status of the
// answer.
func (f *Server) trace(ctx context.Context, r *http.Request, current *call) (_ context.Context, end func(status int)) {
	current.trace = traceOf(r.Header)
	var span tracing.Span
	if !f.vital[r.URL.Path] {
		ctx, span, current.trace = f.options.Tracer.Serve(ctx, current.trace, r.Method)
	}
	if current.trace.Traceparent == "" {
		current.trace = newTrace()
	}
	return ctx, func(status int) {
		if !span.Recorded() {
			span.End()
			return
		}
		span.Note(tracing.Method(r.Method), tracing.Status(status))
		if current.pattern != "" {
			span.Name(r.Method + " " + current.pattern)
			span.Note(tracing.Route(current.pattern))
		}
		if current.claims.Authenticated() {
			span.Note(tracing.User(current.claims.UserID()))
		}
		if refusal, ok := fault.As(current.failure); ok {
			span.Note(tracing.ErrorCode(refusal.Code))
		}
		if status >= http.StatusInternalServerError {
			span.Fail()
		}
		span.End()
	}
}

var traceparentPattern = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

const (
	zeroTrace = "00000000000000000000000000000000"
	zeroSpan  = "0000000000000000"
	// maxTracestate is the longest tracestate that must be passed on (W3C trace context, 3.3.1.5).
	maxTracestate = 512
)

// traceOf reads the W3C headers; without valid ones there is no trace yet. It keeps valid ones as they are.
// OpenTelemetry's propagator does not: it writes every version as 00 and drops unknown flags.
func traceOf(header http.Header) ledger.TraceContext {
	parent := header.Get("Traceparent")
	if !traceparentPattern.MatchString(parent) || parent[:2] == "ff" ||
		parent[3:35] == zeroTrace || parent[36:52] == zeroSpan {
		return ledger.TraceContext{}
	}
	trace := ledger.TraceContext{Traceparent: parent}
	if state := header.Get("Tracestate"); len(state) <= maxTracestate {
		trace.Tracestate = state
	}
	return trace
}

func newTrace() ledger.TraceContext {
	const version, sampled = "00", "01"
	var ids [24]byte
	_, _ = rand.Read(ids[:]) // never fails: the runtime ends the program instead
	return ledger.TraceContext{
		Traceparent: version + "-" + hex.EncodeToString(ids[:16]) + "-" + hex.EncodeToString(ids[16:]) + "-" + sampled,
	}
}
