package endpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/coder/websocket"
	"github.com/go-chi/chi/v5"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger/fault"
)

// Send sends the next element to the client. It returns when the connection has taken the element, so a slow client
// slows the stream down. It returns an error when the stream has to end: return that error.
type Send[Elem any] func(element Elem) error

// Stream is an operation with one request and many elements, over a WebSocket. The client's first message is the
// request. Each element is a frame; so is the error that ends a stream, in the format of the API family. Make it with
// [NewStream].
type Stream struct {
	Info

	request, element reflect.Type
	run              func(ctx context.Context, request reflect.Value, send func(any) error) error
}

// NewStream makes a stream from its description, whose method is always GET, and its function. Req is the type of the
// request message, as in the package comment; Elem is a wire type. The function returns at the end of the stream, or as
// soon as its context ends.
func NewStream[Req, Elem any](info Info, run func(context.Context, Req, Send[Elem]) error) Stream {
	info.Method = http.MethodGet
	return Stream{
		Info:    info,
		request: reflect.TypeFor[Req](),
		element: reflect.TypeFor[Elem](),
		run: func(ctx context.Context, request reflect.Value, send func(any) error) error {
			decoded, ok := reflect.TypeAssert[Req](request)
			if !ok {
				return fmt.Errorf("stream %s was opened with a %s", info.OperationID, request.Type())
			}
			return run(ctx, decoded, func(element Elem) error { return send(element) })
		},
	}
}

// String names the stream in errors.
func (s Stream) String() string { return "stream " + s.Path }

func (s Stream) check() error {
	switch {
	case s.run == nil:
		return fmt.Errorf("%s was not made with NewStream", s)
	case s.OperationID == "" || s.Summary == "" || s.Tag == "":
		return fmt.Errorf("%s lacks an operation id, a summary or a tag", s)
	case s.request.Kind() != reflect.Struct:
		return fmt.Errorf("%s: the request type %s is not a struct", s, s.request)
	}
	return nil
}

// MountStreams adds the streams to the router. The error names an incomplete stream.
func (f *Server) MountStreams(router chi.Router, streams []Stream) error {
	if f.options.Streams == nil {
		return errors.New("a server with streams needs Options.Streams")
	}
	for _, stream := range streams {
		if err := stream.check(); err != nil {
			return err
		}
		handler := &streamHandler{Stream: stream, server: f, shapes: shapes{}}
		if err := handler.shapes.add(stream.request); err != nil {
			return fmt.Errorf("%s: %w", stream, err)
		}
		router.Method(stream.Method, stream.Path, handler)
	}
	return nil
}

// streamHandler serves one stream.
type streamHandler struct {
	Stream
	server *Server
	shapes shapes
}

// errNoUpgrade is upstream's answer to a plain GET, with a next step.
var errNoUpgrade = &textError{
	status: http.StatusBadRequest,
	text:   "Expected WebSocket Upgrade request. Open a WebSocket here, or send a POST request for a list.",
}

// ServeHTTP implements [http.Handler]. A token whose user may not call gets an error before the upgrade; all other
// errors come in the stream (contract, "WebSocket channels").
func (s *streamHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	current := callOf(ctx)
	current.pattern = s.Path
	streams := s.server.options.Streams
	changes := streams.seen()
	var plain error
	switch {
	case !wantsWebSocket(r):
		plain = errNoUpgrade
	case !s.server.ownPage(r):
		plain = foreignPage(r)
	}
	caller, busy, refused := s.server.admit(ctx, current, r)
	if err := cmp.Or(busy, plain, refused); err != nil {
		s.refuse(ctx, w, err)
		return
	}
	ctx, end, open, err := s.server.join(ctx, current, caller, changes)
	if err != nil {
		s.refuse(ctx, w, err)
		return
	}
	defer open.leave()
	socket, err := s.server.accept(w, r, current, caller, end)
	if err != nil {
		current.failure = err // the client has been answered
		return
	}
	defer socket.close()
	if open.refusal != nil {
		socket.finish(ctx, open.refusal)
		return
	}
	socket.finish(ctx, s.serve(ctx, socket))
}

// join counts and registers a stream until leave. It ends the context of the stream when the caller's rights change, its
// token expires or the node stops. A stream with a refusal is registered until its client has the refusal.
func (f *Server) join(
	ctx context.Context, current *call, caller admission.Caller, changes uint64,
) (within context.Context, end context.CancelCauseFunc, open *openStream, err error) {
	visit, refusal, unopened := f.options.Limits.Open(caller)
	if unopened != nil {
		return ctx, nil, nil, unopened
	}
	current.visit = visit
	ctx, end = context.WithCancelCause(ctx)
	streams := f.options.Streams
	open = &openStream{
		claims: current.claims, end: end, authenticate: func() (auth.Claims, error) { return current.authenticate(false) },
	}
	current.onNewRights = func(claims auth.Claims) { streams.renew(open, claims) }
	remove, stopping := streams.add(open, changes)
	open.refusal = cmp.Or(stopping, refusal)
	expiry := f.expire(open)
	open.leave = func() {
		expiry.Stop()
		visit.Leave()
		remove()
		end(nil)
	}
	return ctx, end, open, nil
}

func (s *streamHandler) refuse(ctx context.Context, w http.ResponseWriter, err error) {
	s.server.options.Limits.Hold(ctx, err)
	s.server.fail(ctx, w, err)
}

// again authenticates the same token again, without fetching keys from an issuer.
func (f *Server) again(ctx context.Context, token string) (auth.Claims, error) {
	ctx, cancel := context.WithTimeout(auth.WithKnownKeys(ctx), recheckTimeout)
	defer cancel()
	return f.options.Auth.Authenticate(ctx, token)
}

func wantsWebSocket(r *http.Request) bool {
	return strings.EqualFold(strings.TrimSpace(r.Header.Get("Upgrade")), "websocket")
}

// serve reads the request and runs the stream.
func (s *streamHandler) serve(ctx context.Context, socket *socket) error {
	message, err := socket.request(ctx)
	if err != nil {
		return err
	}
	current := socket.call
	if current.claims.Authenticated() { // the request may have come long after the head
		if err := CheckStill(ctx); err != nil {
			return stale(current.claims, err)
		}
	}
	request := reflect.New(s.request).Elem()
	ignored, err := s.shapes.decodeBody(message, request, s.server.bounds())
	current.ignore(ignored)
	if err != nil {
		return &closeError{websocket.StatusInvalidFramePayloadData, badRequest("body", err.Error()).text}
	}
	return s.feed(ctx, current, request, func(element any) error { return socket.send(ctx, element) })
}

// feed runs the stream with its decoded request.
func (s *streamHandler) feed(ctx context.Context, current *call, request reflect.Value, send func(any) error) error {
	began := false
	var err error
	err = doWithNewRights(ctx, func() error {
		if began { // sent elements are not sent again
			return err
		}
		if err = s.checkAccess(current.claims); err != nil {
			return err
		}
		err = s.run(ctx, request, func(element any) error {
			began = true
			return send(element)
		})
		return err
	})
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, errClientGone) {
		return cause // the cause of the end says more than the function's error
	}
	return err
}

// checkAccess checks the right in the description.
func (i Info) checkAccess(claims auth.Claims) error {
	switch i.Access {
	case Public:
		return claims.Require()
	case Admin:
		return claims.RequireAdmin()
	default:
		return nil
	}
}

func accessTokenExpired(open *openStream) error {
	return fault.AccessTokenExpired.New("The access token of user %q expired at %s while the stream was open.",
		open.claims.UserID(), Timestamp(open.claims.ExpiresAt()))
}

// Types are the types of the request and the elements.
func (s Stream) Types() (request, element reflect.Type) { return s.request, s.element }
