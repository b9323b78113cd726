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

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger/fault"
)

// Send gives the client of a stream its next element. It returns when the connection has taken the element, which is
// what holds a stream back whose client is slow, and with an error when the stream has to end: return that error.
type Send[Elem any] func(element Elem) error

// Stream is one operation of the API that answers one request with many elements, over a WebSocket: the second kind of
// endpoint. The client's first message is the request. Each element is a frame of its own; so is the error that a
// stream ends with, in the form of all errors of the family. Make it with [NewStream].
type Stream struct {
	Info

	request, element reflect.Type
	run              func(ctx context.Context, request reflect.Value, send func(any) error) error
}

// NewStream makes a stream from its description, whose method is always GET, and its function. Req is the type of the
// request message, a struct of a body as the package comment says; Elem is a wire type. The function returns when the
// stream has come to its end, or as soon as its context ends.
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

// MountStreams adds the streams to the router. The error names a stream that is not put together properly.
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

// streamHandler is a stream with what the server worked out about it.
type streamHandler struct {
	Stream
	server *Server
	shapes shapes
}

// errNoUpgrade is the answer to a plain GET, as upstream's with what to do.
var errNoUpgrade = &textError{
	status: http.StatusBadRequest,
	text:   "Expected WebSocket Upgrade request. Open a WebSocket here, or send a POST request for a list.",
}

// ServeHTTP implements [http.Handler]. Whose token names nobody who may call is refused before the upgrade; everything
// else is said in the stream (contract, "WebSocket channels").
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
	who, busy, refused := s.server.admit(ctx, current, r)
	if err := cmp.Or(busy, plain, refused); err != nil {
		s.refuse(ctx, w, err)
		return
	}
	visit, refusal, unopened := s.server.options.Limits.Open(who)
	if unopened != nil {
		s.refuse(ctx, w, unopened)
		return
	}
	current.visit = visit
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	open := &openStream{
		claims: current.claims, end: end, authenticate: func() (auth.Claims, error) { return current.authenticate(false) },
	}
	current.regranted = func(claims auth.Claims) { streams.renew(open, claims) }
	remove, stopping := streams.add(open, changes)
	defer remove()
	defer visit.Leave()

	socket, err := s.server.accept(w, r, current, who, end)
	if err != nil {
		current.failure = err // the client has been answered
		return
	}
	defer socket.close()
	if refusal := cmp.Or(stopping, refusal); refusal != nil {
		socket.finish(ctx, refusal)
		return
	}
	defer s.server.expire(open).Stop()
	socket.finish(ctx, s.serve(ctx, socket))
}

// refuse answers a request that does not become a stream.
func (s *streamHandler) refuse(ctx context.Context, w http.ResponseWriter, err error) {
	s.server.options.Limits.Hold(ctx, err)
	s.server.fail(ctx, w, err)
}

// again authenticates the same token again, and asks no issuer for keys.
func (f *Server) again(ctx context.Context, token string) (auth.Claims, error) {
	ctx, cancel := context.WithTimeout(auth.WithKnownKeys(ctx), recheckTimeout)
	defer cancel()
	return f.options.Auth.Authenticate(ctx, token)
}

func wantsWebSocket(r *http.Request) bool {
	return strings.EqualFold(strings.TrimSpace(r.Header.Get("Upgrade")), "websocket")
}

// serve reads the request and runs the stream to its end.
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
	began := false
	err = doWithNewRights(ctx, func() error {
		if began { // what was sent is not sent again
			return err
		}
		if err = s.checkAccess(current.claims); err != nil {
			return err
		}
		err = s.run(ctx, request, func(element any) error {
			began = true
			return socket.send(ctx, element)
		})
		return err
	})
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, errClientGone) {
		return cause // why the stream ended says more than how the function noticed
	}
	return err
}

// checkAccess checks the right that the description names.
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

// accessTokenExpired ends a stream whose token has come to its end.
func accessTokenExpired(open *openStream) error {
	return fault.AccessTokenExpired.New("The access token of user %q expired at %s while the stream was open.",
		open.claims.UserID(), Timestamp(open.claims.ExpiresAt()))
}
