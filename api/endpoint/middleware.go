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
)

// statusClientGone is logged for requests whose client did not wait for the answer.
const statusClientGone = 499

// Observe wraps the whole server: it gives every request its trace context and the headers that browsers want, answers
// panics, and writes one log line when the request ends, which has the bytes that were sent.
func (f *Server) Observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := f.options.Now()
		current := &call{request: r}
		ctx, endSpan := f.traced(r.Context(), r, current)
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

// tell gives the client the trace of its request, which it may not have chosen itself, in the form of the request's own
// headers.
func tell(header http.Header, trace ledger.TraceContext) {
	header.Set("Traceparent", trace.Traceparent)
	if trace.Tracestate != "" {
		header.Set("Tracestate", trace.Tracestate)
	}
}

// secure sets the headers that keep answers from being cached, sniffed or framed.
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
	if w.Status() != 0 { // the answer has begun: all that is left is to say so in the log
		current.failure = err
		return
	}
	f.fail(ctx, w, fault.Internal(err))
}

// log writes the line about a request, and returns the status that it has.
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
	if f.options.Measure != nil {
		f.options.Measure(current.request.Method, current.pattern, status, took)
	}
	facts := []slog.Attr{
		slog.String("method", current.request.Method), slog.String("pattern", current.pattern),
		slog.Int("status", status), slog.Float64("duration_ms", milliseconds(took)), slog.Int("bytes", w.BytesWritten()),
		slog.String("user_id", current.claims.UserID()), slog.String("trace_id", current.trace.TraceID()),
	}
	if current.ignored.count > 0 {
		facts = append(facts, slog.Int("ignored_fields", current.ignored.count))
	}
	level := f.level(ctx, current, status)
	if current.failure != nil {
		facts = append(facts, slog.String("error", current.loggedFailure(status)))
		if hidden := fault.Hidden(current.failure); hidden != "" {
			facts = append(facts, slog.String("cause", hidden))
		}
		if status >= http.StatusInternalServerError {
			level = slog.LevelError
		}
	}
	f.options.Logger.LogAttrs(ctx, level, "request", facts...)
	return status
}

// gone reports whether the request failed because its client did not wait for the answer, as far as anybody knows.
func (c *call) gone() bool {
	return errors.Is(c.failure, context.Canceled)
}

// level is that of the line about a request. What anybody can ask for without end has none by default, but its part in
// one line in ten seconds: more would make an overload worse. Nor has what load balancers ask every second: it is
// counted with all requests, and whoever answers it logs what changes.
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
	if current.vital {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// tellInterval is how often the log says what was refused: refusing must cost less than serving.
const tellInterval = 10 * time.Second

// tally counts by status the answers to what anybody can ask for so much that a line each would fill the log. It is safe
// for concurrent use.
type tally struct {
	mu       sync.Mutex
	told     time.Time
	byStatus map[int]int64
}

// count counts one more, and returns all that were not told yet when it is time to tell.
func (t *tally) count(status int, now time.Time) []any {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byStatus == nil {
		t.byStatus = make(map[int]int64)
	}
	t.byStatus[status]++
	if now.Sub(t.told) < tellInterval {
		return nil
	}
	t.told = now
	var counts []any
	for _, status := range slices.Sorted(maps.Keys(t.byStatus)) {
		counts = append(counts, slog.Int64(strconv.Itoa(status), t.byStatus[status]))
	}
	clear(t.byStatus)
	return counts
}

// loggedFailure is the error as it is logged: not the path that no route matched, which the client is told. It may be a
// secret that was sent to the wrong place.
func (c *call) loggedFailure(status int) string {
	if c.pattern == "" && status == http.StatusNotFound {
		return "no route matches the path"
	}
	return c.failure.Error()
}

// milliseconds is the duration for people: to the microsecond.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// PlainPath decodes those characters of the path that need no encoding, which then means the same (RFC 3986, 6.2.2.2):
// some clients encode more than they must.
func PlainPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if raw := decodeUnreserved(r.URL.RawPath); raw != r.URL.RawPath {
			r = r.Clone(r.Context())
			r.URL.RawPath = raw
		}
		next.ServeHTTP(w, r)
	})
}

// encodedChar is a character as paths encode it.
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

// isUnreserved reports whether a character has no meaning of its own in a path (RFC 3986, 2.3).
func isUnreserved(char byte) bool {
	switch {
	case 'a' <= char && char <= 'z', 'A' <= char && char <= 'Z', '0' <= char && char <= '9':
		return true
	default:
		return char == '-' || char == '.' || char == '_' || char == '~'
	}
}

// CollapseSlashes removes repeated slashes at the beginning of the path: some clients open //v2/updates and would not
// follow a redirect.
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
