package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/florinledger/florin/auth"
	"github.com/florinledger/florin/fault"
)

// The defaults of the settings of a frame, as upstream's.
const (
	DefaultMaxBodyBytes   = 10 * 1024 * 1024
	DefaultRequestTimeout = 20 * time.Second
)

// FailureEncoder turns an error into the JSON answer of an API family: the one place where errors become HTTP. A body
// that is [Content] is sent as it is, with the status.
type FailureEncoder func(ctx context.Context, err error) (status int, body any)

// Options are the parts and settings of a [Frame].
type Options struct {
	// Auth finds out who calls; required.
	Auth auth.Authenticator
	// Failures writes the errors of this family; required.
	Failures FailureEncoder
	// Unreadable begins the plain text for requests that cannot be read; "" means "Invalid value for: ".
	Unreadable string
	// Logger gets one line for each request; required.
	Logger *slog.Logger
	// Now is the clock that requests are timed with; required.
	Now func() time.Time
	// MaxBodyBytes bounds request bodies; zero means DefaultMaxBodyBytes.
	MaxBodyBytes int64
	// RequestTimeout bounds the time to answer; zero means DefaultRequestTimeout. It does not apply to streams.
	RequestTimeout time.Duration
	// Measure is told of every request when it ends; nil tells nobody. The route is "" for paths that do not exist.
	Measure func(method, route string, status int, took time.Duration)
	// Streams knows the streams that are open; required where there are streams.
	Streams *Streams
	// Limits are those of the node; nil makes usual ones.
	Limits *Limits
	// Around, if set, is between the frame and the endpoints: it is shown every request that was read and admitted, and
	// calls the endpoint, or answers in its place.
	Around func(ctx context.Context, exchange Exchange) Content
}

// Exchange is a request to an endpoint, for [Options.Around].
type Exchange struct {
	Info Info
	// Request is the request, whose body has been read: it is Body.
	Request *http.Request
	Body    []byte
	// Serve calls the endpoint and returns its answer, be it an error or not. It may be called again: what an earlier
	// call set is forgotten.
	Serve func(ctx context.Context) Content
	// Refuse is an error as the family writes it.
	Refuse func(ctx context.Context, err error) Content
}

// Frame serves the endpoints of one API family.
type Frame struct{ options Options }

// NewFrame makes a frame. The error names the part that is missing.
func NewFrame(options Options) (*Frame, error) {
	if options.Auth == nil || options.Failures == nil || options.Logger == nil || options.Now == nil {
		return nil, errors.New("a frame needs an authenticator, a failure encoder, a logger and a clock")
	}
	if options.MaxBodyBytes == 0 {
		options.MaxBodyBytes = DefaultMaxBodyBytes
	}
	if options.RequestTimeout == 0 {
		options.RequestTimeout = DefaultRequestTimeout
	}
	if options.Limits == nil {
		options.Limits = NewLimits(LimitOptions{Now: options.Now})
	}
	return &Frame{options: options}, nil
}

// Mount adds the endpoints to the router. The error names an endpoint that is not put together properly.
func (f *Frame) Mount(router chi.Router, endpoints []Endpoint) error {
	for _, e := range endpoints {
		handler, err := f.handler(e)
		if err != nil {
			return err
		}
		router.Method(e.Method, e.Path, handler)
	}
	return nil
}

// served is an endpoint with what the frame worked out about it.
type served struct {
	Endpoint
	frame  *Frame
	shapes shapes
	// bodyIndex is the body's field in the request, -1 without one.
	bodyIndex int
	// bodyOptional tells that an empty body means {}.
	bodyOptional bool
	// bodyRaw tells that the body is taken as it is.
	bodyRaw bool
}

func (f *Frame) handler(e Endpoint) (http.Handler, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	if err := checkParams(e.request); err != nil {
		return nil, fmt.Errorf("endpoint %s: %w", e, err)
	}
	s := &served{Endpoint: e, frame: f, shapes: shapes{}, bodyIndex: -1}
	body, ok := e.body()
	if !ok {
		return s, nil
	}
	s.bodyIndex = body.Index[0]
	if isRawBody(body) {
		s.bodyRaw = true
		return s, nil
	}
	if err := s.shapes.add(body.Type); err != nil {
		return nil, fmt.Errorf("endpoint %s: %w", e, err)
	}
	s.bodyOptional = true
	for _, field := range s.shapes[body.Type].fields {
		s.bodyOptional = s.bodyOptional && !field.required
	}
	return s, nil
}

// ServeHTTP implements [http.Handler]. The order of the steps is the API's: parameters, token, body, right, call. What
// is one too many is refused as early as that is known, and a request takes up a place only when it has been read, so
// that clients who send slowly take none.
func (s *served) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	if !s.Long {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.frame.options.RequestTimeout)
		defer cancel()
	}
	callOf(ctx).pattern = s.Path
	response, err := s.serve(ctx, w, r)
	s.frame.options.Limits.hold(ctx, err)
	switch {
	case err != nil:
		s.frame.fail(ctx, w, err)
	case response != nil:
		s.frame.answer(ctx, w, response)
	}
}

// serve is what an endpoint answers; nil once it has answered.
func (s *served) serve(ctx context.Context, w http.ResponseWriter, r *http.Request) (any, error) {
	limits := s.frame.options.Limits
	if !s.Vital {
		if err := limits.crowded(); err != nil {
			return nil, err
		}
	}
	request := reflect.New(s.request).Elem()
	if err := decodeParams(r, request); err != nil {
		return nil, err
	}
	if err := s.frame.authenticate(ctx, r); err != nil {
		return nil, err
	}
	user := callOf(ctx).claims.UserID()
	if err := limits.admit(user, r.RemoteAddr); err != nil {
		return nil, err
	}
	var content []byte
	if s.bodyIndex >= 0 {
		body := limits.meter(http.MaxBytesReader(w, r.Body, s.frame.options.MaxBodyBytes))
		defer body.release()
		var err error
		if content, err = s.decode(body, request.Field(s.bodyIndex)); err != nil {
			return nil, err
		}
	}
	if err := s.checkAccess(callOf(ctx).claims); err != nil {
		return nil, err
	}
	if s.Vital {
		return s.handle(ctx, request)
	}
	leave, err := limits.enter(user)
	if err != nil {
		return nil, err
	}
	defer leave()
	response, err := s.call(ctx, request, Exchange{Info: s.Info, Request: r, Body: content})
	if written, ok := response.(Content); ok && err == nil && written.Stream != nil {
		s.frame.write(ctx, w, written) // what is made while it is sent needs its place until it is
		return nil, nil
	}
	return response, err
}

// call calls the endpoint, through what is around it if there is something.
func (s *served) call(ctx context.Context, request reflect.Value, exchange Exchange) (any, error) {
	around := s.frame.options.Around
	if around == nil {
		return s.handle(ctx, request)
	}
	exchange.Refuse = s.frame.failure
	exchange.Serve = func(ctx context.Context) Content {
		callOf(ctx).header, callOf(ctx).failure = nil, nil
		response, err := s.handle(ctx, request)
		if err != nil {
			return s.frame.failure(ctx, err)
		}
		return s.frame.render(ctx, response)
	}
	return around(ctx, exchange), nil
}

func (f *Frame) authenticate(ctx context.Context, r *http.Request) error {
	token, err := auth.TokenFrom(r.Header)
	if err != nil {
		return badRequest("header Authorization", "")
	}
	claims, err := f.options.Auth.Authenticate(ctx, token)
	if err != nil {
		return err
	}
	callOf(ctx).claims = claims
	return nil
}

// decode reads the body and returns it as it came.
func (s *served) decode(from io.Reader, target reflect.Value) ([]byte, error) {
	body, err := io.ReadAll(from)
	if err != nil {
		return nil, s.frame.unreadableBody(err)
	}
	if s.bodyRaw {
		target.SetBytes(body)
		return body, nil
	}
	if len(body) == 0 && s.bodyOptional {
		return nil, nil
	}
	if err := s.shapes.decodeBody(body, target, s.frame.options.Limits.bounds()); err != nil {
		return nil, badRequest("body", err.Error())
	}
	return body, nil
}

// unreadableBody is the answer to a body that could not be read to its end.
func (f *Frame) unreadableBody(err error) error {
	if _, exceeded := errors.AsType[*http.MaxBytesError](err); exceeded {
		return tooLarge(0, f.options.MaxBodyBytes)
	}
	if overloaded, ok := errors.AsType[*OverloadedError](err); ok {
		return overloaded
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &textError{
			status: http.StatusRequestTimeout, text: "The body did not come in time. Send it faster, or send less.",
		}
	}
	return badRequest("body", "the body ended too early")
}

func (f *Frame) answer(ctx context.Context, w http.ResponseWriter, response any) {
	f.write(ctx, w, f.render(ctx, response))
}

// render is the answer of an endpoint as it is sent.
func (f *Frame) render(ctx context.Context, response any) Content {
	if content, ok := response.(Content); ok {
		return content
	}
	body, err := encodeBody(response)
	if err != nil {
		return f.failure(ctx, fault.Internal(err))
	}
	return Content{Type: jsonType, Body: body}
}

// fail answers with an error.
func (f *Frame) fail(ctx context.Context, w http.ResponseWriter, err error) {
	f.write(ctx, w, f.failure(ctx, err))
}

// failure is an error as it is sent. It is the only place where errors become answers.
func (f *Frame) failure(ctx context.Context, err error) Content {
	callOf(ctx).failure = err
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && errors.Is(err, context.DeadlineExceeded) {
		err = timedOut("")
	}
	if timeout, ok := errors.AsType[*TimeoutError](err); ok {
		err = timedOut(timeout.Advice)
	}
	if text, ok := errors.AsType[*textError](err); ok {
		return TextContent(text.status, f.unreadable(text))
	}
	status, answer := f.options.Failures(ctx, err)
	content, ok := answer.(Content)
	if !ok {
		body, err := encodeBody(answer)
		if err != nil { // error bodies are plain structs: this is a mistake in the encoder
			return TextContent(http.StatusInternalServerError, "The error could not be written.")
		}
		content = Content{Type: jsonType, Body: body}
	}
	content.Header = maps.Clone(content.Header)
	if content.Header == nil {
		content.Header = http.Header{}
	}
	content.Status = retryLater(content.Header, status, err)
	return content
}

// retryLater tells clients in a header when to try again what may succeed then, and returns the status of the answer:
// 429 for what was one too many.
func retryLater(header http.Header, status int, err error) int {
	if overloaded, ok := errors.AsType[*OverloadedError](err); ok {
		header.Set("Retry-After", strconv.Itoa(int(fullSeconds(overloaded.After)/time.Second)))
		return http.StatusTooManyRequests
	}
	refusal, ok := fault.As(err)
	if ok && refusal.Category.Retry() != "" &&
		(status == http.StatusConflict || status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable) {
		header.Set("Retry-After", strconv.Itoa(int(overloadPause/time.Second)))
	}
	return status
}

// unreadable is the text of an error as this family begins it.
func (f *Frame) unreadable(text *textError) string {
	if detail, ok := strings.CutPrefix(text.text, invalidValue); ok && f.options.Unreadable != "" {
		return f.options.Unreadable + detail
	}
	return text.text
}

// Refuse answers a request that did not reach an endpoint with an error.
func (f *Frame) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	f.fail(r.Context(), w, err)
}

func (f *Frame) write(ctx context.Context, w http.ResponseWriter, content Content) {
	if content.Type != "" {
		w.Header().Set("Content-Type", content.Type)
	}
	maps.Copy(w.Header(), callOf(ctx).header)
	maps.Copy(w.Header(), content.Header)
	if content.Status == 0 {
		content.Status = http.StatusOK
	}
	w.WriteHeader(content.Status)
	if content.Stream != nil {
		f.stream(ctx, w, content.Stream)
		return
	}
	_, err := w.Write(content.Body)
	if err != nil && !errors.Is(err, http.ErrBodyNotAllowed) && callOf(ctx).failure == nil {
		callOf(ctx).failure = fmt.Errorf("the client did not take the answer: %w", err)
	}
}

// streamPause is how long a client may take nothing of an answer that is made while it is sent.
const streamPause = time.Minute

// stream writes a body that is made while it is sent. The client must not take a part for the whole: a connection that
// cannot be written to any more is closed before the body has its end.
func (f *Frame) stream(ctx context.Context, w http.ResponseWriter, write func(io.Writer) error) {
	connection := http.NewResponseController(w)
	err := write(writerFunc(func(bytes []byte) (int, error) {
		// Not every connection knows deadlines: tests have some that are none.
		_ = connection.SetWriteDeadline(f.options.Now().Add(streamPause))
		return w.Write(bytes)
	}))
	if err != nil {
		callOf(ctx).failure = fmt.Errorf("the answer broke off: %w", err)
		_ = connection.SetWriteDeadline(time.Unix(1, 0))
	}
}

type writerFunc func([]byte) (int, error)

// Write implements [io.Writer].
func (w writerFunc) Write(bytes []byte) (int, error) { return w(bytes) }

// notFound is the body of the answer to a path that does not exist. It is older than the API's other errors.
type notFound struct {
	Errors         []string        `json:"errors"`
	Status         int             `json:"status"`
	LedgerAPIError json.RawMessage `json:"ledgerApiError"`
}

// NotFound answers paths that do not exist.
func (f *Frame) NotFound(w http.ResponseWriter, r *http.Request) {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	address := scheme + "://" + r.Host + r.URL.EscapedPath()
	message := fmt.Sprintf("HttpMethod(%s), uri: %s", r.Method, address)
	body, err := encodeBody(notFound{Errors: []string{message}, Status: http.StatusNotFound})
	if err != nil {
		f.fail(r.Context(), w, fault.Internal(err))
		return
	}
	f.write(r.Context(), w, Content{Status: http.StatusNotFound, Type: jsonType, Body: body})
}

// MethodNotAllowed answers existing paths that do not take the method, and says which they do.
func (f *Frame) MethodNotAllowed(w http.ResponseWriter, r *http.Request) {
	routes := chi.RouteContext(r.Context()).Routes
	path := r.URL.EscapedPath()
	for _, method := range []string{
		http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodPatch, http.MethodPost, http.MethodPut,
	} {
		if routes.Match(chi.NewRouteContext(), method, path) {
			w.Header().Add("Allow", method)
		}
	}
	f.write(r.Context(), w, TextContent(http.StatusMethodNotAllowed, "Method Not Allowed"))
}
