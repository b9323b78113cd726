package endpoint

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5/middleware"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/telemetry/tracing"
)

// statusClientGone is the logged status of requests whose client disconnected.
const statusClientGone = 499

// Observe wraps the whole server. It sets the trace context and the security headers of each request, answers panics,
// and writes one log line at the end.
func (f *Server) Observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := f.options.Now()
		current := &call{request: r}
		ctx, endSpan := f.trace(r.Context(), r, current)
		ctx = context.WithValue(ctx, callKey{}, current)
		recorder := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		secure(recorder.Header())
		tell(recorder.Header(), current.trace)
		defer func() {
			if reason := recover(); reason != nil {
				f.answerPanic(ctx, current, recorder, reason)
			}
			endSpan(f.log(ctx, current, recorder, f.options.Now().Sub(started)))
		}()
		next.ServeHTTP(recorder, r.WithContext(ctx))
	})
}

// tell sends the trace of the request in the headers of the request.
func tell(header http.Header, trace ledger.TraceContext) {
	header.Set("Traceparent", trace.Traceparent)
	if trace.Tracestate != "" {
		header.Set("Tracestate", trace.Tracestate)
	}
}

// secure sets headers against caching, sniffing and framing.
func secure(header http.Header) {
	header.Set("Cache-Control", "no-store")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
}

func (f *Server) answerPanic(ctx context.Context, current *call, w middleware.WrapResponseWriter, reason any) {
	err := fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
	if w.Status() != 0 { // the answer has begun: only the log can have the error
		current.failure = err
		return
	}
	f.fail(ctx, w, fault.Internal(err))
}

// log writes the log line of a request and returns its status.
func (f *Server) log(
	ctx context.Context, current *call, w middleware.WrapResponseWriter, took time.Duration,
) (status int) {
	status = w.Status()
	switch {
	case current.gone():
		status = statusClientGone
	case current.outcome != 0:
		status = current.outcome
	case status == 0:
		status = http.StatusOK
	}
	f.report(ctx, current, status, w.BytesWritten(), took)
	return status
}

// report counts a finished request, and writes its log line.
func (f *Server) report(ctx context.Context, current *call, status, written int, took time.Duration) {
	if f.options.Measure != nil {
		f.options.Measure(current.request.Method, current.pattern, status, took)
	}
	level := f.level(ctx, current, status)
	if !f.options.Logger.Enabled(ctx, level) {
		return
	}
	facts := []slog.Attr{
		slog.String("method", current.request.Method), slog.String("pattern", current.pattern),
		slog.Int("status", status), slog.Float64("duration_ms", milliseconds(took)), slog.Int("bytes", written),
		slog.String("user_id", current.claims.UserID()), slog.String("trace_id", current.trace.TraceID()),
	}
	if current.ignored.count > 0 {
		facts = append(facts, slog.Int("ignored_fields", current.ignored.count))
	}
	if current.concerns != nil && status >= http.StatusBadRequest {
		facts = append(facts, tracing.LogFacts(current.concerns())...)
	}
	if current.failure != nil {
		facts = append(facts, slog.String("error", current.loggedFailure(status)))
		if hidden := fault.Hidden(current.failure); hidden != "" {
			facts = append(facts, slog.String("cause", hidden))
		}
	}
	f.options.Logger.LogAttrs(ctx, level, "request", facts...)
}

// gone reports whether the request failed because its client disconnected, as far as the error tells.
func (c *call) gone() bool {
	return errors.Is(c.failure, context.Canceled)
}

// level is the log level of a request: error for failures, info for refusals, debug for the rest. Reads that find nothing
// are ordinary answers, and the commit has logged its own refusals. Refusals above a limit and unknown paths have level
// debug, because anybody can cause any number of them: a summary every ten seconds counts them. Failed health checks have
// level debug too, because load balancers call them every second; health.go logs their changes.
func (f *Server) level(ctx context.Context, current *call, status int) slog.Level {
	if admission.IsOverloaded(current.failure) {
		if counts := f.refusals.count(status, f.options.Now()); counts != nil {
			f.options.Logger.WarnContext(ctx, "requests above a limit were refused",
				slog.Group("by_status", counts...), slog.String("last_reason", current.failure.Error()))
		}
		return slog.LevelDebug
	}
	if current.pattern == "" { // no endpoint serves it
		if counts := f.unserved.count(status, f.options.Now()); counts != nil {
			f.options.Logger.InfoContext(ctx, "requests without an endpoint were answered",
				slog.Group("by_status", counts...))
		}
		return slog.LevelDebug
	}
	isRead := current.request.Method == http.MethodGet || current.request.Method == http.MethodHead
	switch {
	case current.failure != nil && status >= http.StatusInternalServerError:
		return slog.LevelError
	case current.vital, status < http.StatusBadRequest, status == statusClientGone, current.isCommitRefusal,
		isRead && status == http.StatusNotFound:
		return slog.LevelDebug
	default:
		return slog.LevelInfo
	}
}

// tellInterval is the pause between two summaries: a refusal must cost less than an answer.
const tellInterval = 10 * time.Second

// tally counts answers by status, for summaries in the log. It is safe for concurrent use.
type tally struct {
	mu       sync.Mutex
	lastTime time.Time
	byStatus map[int]int64
}

// count counts one answer, and returns all counts since the last summary when the next one is due.
func (t *tally) count(status int, now time.Time) []any {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byStatus == nil {
		t.byStatus = make(map[int]int64)
	}
	t.byStatus[status]++
	if now.Sub(t.lastTime) < tellInterval {
		return nil
	}
	t.lastTime = now
	var counts []any
	for _, status := range slices.Sorted(maps.Keys(t.byStatus)) {
		counts = append(counts, slog.Int64(strconv.Itoa(status), t.byStatus[status]))
	}
	clear(t.byStatus)
	return counts
}

// loggedFailure is the error text for the log. It leaves out unknown paths, which the client sees: a path can be a
// misplaced secret.
func (c *call) loggedFailure(status int) string {
	if c.pattern == "" && status == http.StatusNotFound {
		return "no route matches the path"
	}
	return c.failure.Error()
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// PlainPath decodes unreserved characters of the path, which mean the same encoded (RFC 3986, 6.2.2.2): some clients
// encode more than necessary.
func PlainPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if raw := decodeUnreserved(r.URL.RawPath); raw != r.URL.RawPath {
			r = r.Clone(r.Context())
			r.URL.RawPath = raw
		}
		next.ServeHTTP(w, r)
	})
}

var encodedChar = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

func decodeUnreserved(path string) string {
	return encodedChar.ReplaceAllStringFunc(path, func(char string) string {
		decoded, err := hex.DecodeString(char[1:])
		if err != nil || !isUnreserved(decoded[0]) {
			return char
		}
		return string(decoded)
	})
}

// isUnreserved reports whether a character has no special meaning in a path (RFC 3986, 2.3).
func isUnreserved(char byte) bool {
	switch {
	case 'a' <= char && char <= 'z', 'A' <= char && char <= 'Z', '0' <= char && char <= '9':
		return true
	default:
		return char == '-' || char == '.' || char == '_' || char == '~'
	}
}

// CollapseSlashes removes repeated slashes at the start of the path: some clients open //v2/updates and follow no
// redirect.
func CollapseSlashes(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "//") {
			r = r.Clone(r.Context())
			r.URL.Path = "/" + strings.TrimLeft(r.URL.Path, "/")
			if r.URL.RawPath != "" {
				r.URL.RawPath = "/" + strings.TrimLeft(r.URL.RawPath, "/")
			}
		}
		next.ServeHTTP(w, r)
	})
}
