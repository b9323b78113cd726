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
	"reflect"
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

// ServeHTTP implements [http.Handler]. The order of the steps is the API's: parameters, token, body, right, call.
func (s *served) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), s.frame.options.RequestTimeout)
	defer cancel()
	callOf(ctx).pattern = s.Path
	response, err := s.serve(ctx, w, r)
	if err != nil {
		s.frame.fail(ctx, w, err)
		return
	}
	s.frame.answer(ctx, w, response)
}

func (s *served) serve(ctx context.Context, w http.ResponseWriter, r *http.Request) (any, error) {
	request := reflect.New(s.request).Elem()
	if err := decodeParams(r, request); err != nil {
		return nil, err
	}
	if err := s.frame.authenticate(ctx, r); err != nil {
		return nil, err
	}
	if s.bodyIndex >= 0 {
		if err := s.decode(w, r, request.Field(s.bodyIndex)); err != nil {
			return nil, err
		}
	}
	if err := s.checkAccess(callOf(ctx).claims); err != nil {
		return nil, err
	}
	return s.handle(ctx, request)
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

func (s *served) decode(w http.ResponseWriter, r *http.Request, target reflect.Value) error {
	limit := s.frame.options.MaxBodyBytes
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		if _, exceeded := errors.AsType[*http.MaxBytesError](err); exceeded {
			return tooLarge(0, limit)
		}
		return badRequest("body", "the body ended too early")
	}
	if s.bodyRaw {
		target.SetBytes(body)
		return nil
	}
	if len(body) == 0 && s.bodyOptional {
		return nil
	}
	if err := s.shapes.decodeBody(body, target); err != nil {
		return badRequest("body", err.Error())
	}
	return nil
}

func (f *Frame) answer(ctx context.Context, w http.ResponseWriter, response any) {
	if content, ok := response.(Content); ok {
		f.write(ctx, w, content)
		return
	}
	body, err := encodeBody(response)
	if err != nil {
		f.fail(ctx, w, fault.Internal(err))
		return
	}
	f.write(ctx, w, Content{Type: jsonType, Body: body})
}

// fail answers with an error. It is the only place that does.
func (f *Frame) fail(ctx context.Context, w http.ResponseWriter, err error) {
	callOf(ctx).failure = err
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && errors.Is(err, context.DeadlineExceeded) {
		err = timedOut("")
	}
	if timeout, ok := errors.AsType[*TimeoutError](err); ok {
		err = timedOut(timeout.Advice)
	}
	if text, ok := errors.AsType[*textError](err); ok {
		f.write(ctx, w, TextContent(text.status, f.unreadable(text)))
		return
	}
	status, answer := f.options.Failures(ctx, err)
	if content, ok := answer.(Content); ok {
		content.Status = status
		f.write(ctx, w, content)
		return
	}
	body, err := encodeBody(answer)
	if err != nil { // error bodies are plain structs: this is a mistake in the encoder
		f.write(ctx, w, TextContent(http.StatusInternalServerError, "The error could not be written."))
		return
	}
	f.write(ctx, w, Content{Status: status, Type: jsonType, Body: body})
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
	maps.Copy(w.Header(), content.Header)
	if content.Status == 0 {
		content.Status = http.StatusOK
	}
	w.WriteHeader(content.Status)
	_, err := w.Write(content.Body)
	if err != nil && !errors.Is(err, http.ErrBodyNotAllowed) && callOf(ctx).failure == nil {
		callOf(ctx).failure = fmt.Errorf("the client did not take the answer: %w", err)
	}
}

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
