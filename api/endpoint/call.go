package endpoint

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"regexp"

	"github.com/florinledger/florin/auth"
	"github.com/florinledger/florin/ledger"
)

// call is what is known of the request being served. The middleware makes it and logs it, the frame fills it.
type call struct {
	trace  ledger.TraceContext
	claims auth.Claims
	// pattern is the route, such as "POST /v2/users".
	pattern string
	// failure is the error that was answered; nil for success.
	failure error
	// outcome is the status of the error that a stream ended with, 0 without one: the stream itself was answered 101.
	outcome int
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	current, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		return &call{}
	}
	return current
}

// Trace is the trace context of the request: the client's, or a new one.
func Trace(ctx context.Context) ledger.TraceContext { return callOf(ctx).trace }

// Claims are the caller's claims.
func Claims(ctx context.Context) auth.Claims { return callOf(ctx).claims }

// WithClaims is a context in which [Claims] are these: for tests of endpoint functions.
func WithClaims(ctx context.Context, claims auth.Claims) context.Context {
	return context.WithValue(ctx, callKey{}, &call{claims: claims, trace: newTrace()})
}

var traceparentPattern = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

const (
	zeroTrace = "00000000000000000000000000000000"
	zeroSpan  = "0000000000000000"
	// maxTracestate is the longest tracestate that must be passed on (W3C trace context, 3.3.1.5).
	maxTracestate = 512
)

// traceOf reads the W3C headers; a request without valid ones gets a new trace.
func traceOf(header http.Header) ledger.TraceContext {
	parent := header.Get("Traceparent")
	if !traceparentPattern.MatchString(parent) || parent[:2] == "ff" ||
		parent[3:35] == zeroTrace || parent[36:52] == zeroSpan {
		return newTrace()
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
