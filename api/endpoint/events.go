package endpoint

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/florinledger/florin/ledger/fault"
)

// EventsType is the media type of server-sent events.
const EventsType = "text/event-stream"

// MountEvents adds streams to the router as server-sent events. A request has no message but parameters. An error before
// the first element is an ordinary answer; a later one only ends the stream, and the client opens it again.
func (f *Server) MountEvents(router chi.Router, streams []Stream) error {
	for _, stream := range streams {
		if err := cmp.Or(stream.check(), checkParams(stream.request)); err != nil {
			return fmt.Errorf("%s: %w", stream, err)
		}
		router.Method(stream.Method, stream.Path, &eventsHandler{streamHandler{Stream: stream, server: f}})
	}
	return nil
}

type eventsHandler struct{ streamHandler }

// errNoEvents answers clients that would wait for the end of the answer.
var errNoEvents = &textError{
	status: http.StatusNotAcceptable,
	text:   "This answer is a stream of events that does not end. Send the header Accept: " + EventsType + ".",
}

// ServeHTTP implements [http.Handler].
func (s *eventsHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	current := callOf(ctx)
	current.pattern = s.Path
	changes := s.server.options.Streams.seen()
	request := reflect.New(s.request).Elem()
	unreadable := decodeParams(r, request, s.server.bounds().plainTexts)
	caller, busy, refused := s.server.admit(ctx, current, r)
	var plain error
	if !strings.Contains(r.Header.Get("Accept"), EventsType) {
		plain = errNoEvents
	}
	if err := cmp.Or(busy, unreadable, refused, current.claims.Require(), plain); err != nil {
		s.refuse(ctx, w, err)
		return
	}
	ctx, _, open, err := s.server.join(ctx, current, caller, changes)
	if err != nil {
		s.refuse(ctx, w, err)
		return
	}
	defer open.leave()
	if open.refusal != nil {
		s.refuse(ctx, w, open.refusal)
		return
	}
	out := &eventWriter{to: w, control: http.NewResponseController(w), options: s.server.streams()}
	out.pings = time.AfterFunc(never, out.ping)
	defer out.close()
	err = s.feed(ctx, current, request, out.send)
	switch {
	case err == nil:
	case !out.hasBegun():
		s.refuse(ctx, w, err)
	case !isUsualEnd(err):
		current.failure = err
		current.outcome = fault.From(err).HTTP()
	}
}

// mostSilence is the time between pings to clients of events. A client of events answers no ping, so it alone can notice
// that the connection is lost.
const mostSilence = 10 * time.Second

// eventWriter writes events. An idle connection gets events of type ping, without data, so that no proxy closes it and
// the client knows that the node is there.
type eventWriter struct {
	control *http.ResponseController
	options StreamOptions
	pings   *time.Timer

	mu       sync.Mutex
	to       http.ResponseWriter
	isClosed bool
	begun    bool
}

func (e *eventWriter) hasBegun() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.begun
}

func (e *eventWriter) send(element any) error {
	data, err := json.Marshal(element)
	if err != nil {
		return fault.Internal(err)
	}
	return e.write("data: " + string(data) + "\n\n")
}

// ping writes an event of type ping. If it fails, the next event fails too, and net/http ends the request's context.
func (e *eventWriter) ping() { _ = e.write("event: ping\ndata:\n\n") }

func (e *eventWriter) write(text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.isClosed {
		return errClientGone
	}
	if !e.begun {
		e.begun = true
		e.to.Header().Set("Content-Type", EventsType)
		e.to.Header().Set("X-Accel-Buffering", "no") // nginx passes each event on at once
		_ = e.control.SetReadDeadline(time.Time{})   // the server's read timeout is for requests
	}
	_ = e.control.SetWriteDeadline(time.Now().Add(e.options.ClientPatience)) //nolint:forbidigo // of the connection
	_, err := e.to.Write([]byte(text))
	if err == nil {
		err = e.control.Flush()
	}
	e.pings.Reset(min(e.options.PingInterval, mostSilence))
	if err != nil {
		return fmt.Errorf("%w: %w", errClientGone, err)
	}
	return nil
}

func (e *eventWriter) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.isClosed = true
	e.pings.Stop()
}
