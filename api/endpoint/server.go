package endpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/telemetry/tracing"
)

// The default settings of a server, as upstream's.
const (
	DefaultMaxBodyBytes   = 10 * 1024 * 1024
	DefaultRequestTimeout = 20 * time.Second
)

// FailureEncoder encodes an error as the JSON answer of an API family. A body of type [Content] goes out as it is, with
// the status.
type FailureEncoder func(ctx context.Context, err error) (status int, body any)

// Options are the parts and settings of a [Server].
type Options struct {
	// Auth authenticates the caller; required.
	Auth auth.Authenticator
	// Failures encodes the errors of this family; required.
	Failures FailureEncoder
	// Unreadable begins the plain text for unreadable requests; "" means "Invalid value for: ".
	Unreadable string
	// WrongMethod begins the plain text for a wrong method, before the list of methods; "" means "Method Not Allowed"
	// without a list.
	WrongMethod string
	// EncodesTimeouts means that Failures encodes a [TimeoutError] too; otherwise the answer is plain text.
	EncodesTimeouts bool
	// Logger gets one line for each request; required.
	Logger *slog.Logger
	// Now is the clock; required.
	Now func() time.Time
	// MaxBodyBytes limits request bodies; zero means DefaultMaxBodyBytes.
	MaxBodyBytes int64
	// RequestTimeout limits the time of an answer, but not of streams; zero means DefaultRequestTimeout.
	RequestTimeout time.Duration
	// Tracer makes a span of every request; nil makes none.
	Tracer *tracing.Tracer
	// Measure receives every finished request; nil for none. The route is "" for unknown paths.
	Measure func(method, route string, status int, took time.Duration)
	// Streams is the registry of open streams; required for a server with streams.
	Streams *Streams
	// AllowOrigin reports whether pages of a web origin may open streams, beside those of the node; nil allows no other.
	AllowOrigin func(origin string) bool
	// PlainTexts refuses bodies with NUL in a text, for endpoints that do not check texts themselves.
	PlainTexts bool
	// MaxTextBytes is the maximum length of a text in a body, in bytes, for texts that go on the ledger; 0 for no limit.
	// Base64 data has no such limit.
	MaxTextBytes int
	// Limits are the limits of the node; nil means the defaults.
	Limits *admission.Limits
	// MaxDepth, MaxElements and MaxValues limit the JSON of a request; zero means the defaults.
	MaxDepth, MaxElements, MaxValues int
	// Around, if set, wraps the endpoints: it gets every admitted request with its body, and calls the endpoint or answers
	// itself.
	Around func(ctx context.Context, exchange Exchange) Content
}

// Exchange is a request to an endpoint, for [Options.Around].
type Exchange struct {
	Info Info
	// Request is the request; its body is already in Body.
	Request *http.Request
	Body    []byte
	// Serve calls the endpoint and returns its answer or error. A second call starts from a clean state.
	Serve func(ctx context.Context) Content
	// Preview runs the dry run (see [WithPreview]); nil without one.
	Preview func(ctx context.Context) (any, error)
	// Refuse encodes an error in the format of the API family.
	Refuse func(ctx context.Context, err error) Content
}

// Server serves the endpoints of one API family.
type Server struct {
	options Options
	// lookups limits concurrent reads of rights after a refusal.
	lookups    chan struct{}
	compressor *compressor
	// vital are the paths of health checks, which get no spans.
	vital map[string]bool
	// refusals counts answers above a limit, unserved answers to unknown paths.
	refusals, unserved tally
}

// NewServer makes a server. The error names the part that is missing.
func NewServer(options Options) (*Server, error) {
	if options.Auth == nil || options.Failures == nil || options.Logger == nil || options.Now == nil {
		return nil, errors.New("a server needs an authenticator, a failure encoder, a logger and a clock")
	}
	if options.MaxBodyBytes == 0 {
		options.MaxBodyBytes = DefaultMaxBodyBytes
	}
	if options.RequestTimeout == 0 {
		options.RequestTimeout = DefaultRequestTimeout
	}
	if options.Limits == nil {
		options.Limits = admission.New(admission.Options{Now: options.Now})
	}
	options.MaxDepth = cmp.Or(options.MaxDepth, DefaultMaxDepth)
	options.MaxElements = cmp.Or(options.MaxElements, DefaultMaxElements)
	options.MaxValues = cmp.Or(options.MaxValues, DefaultMaxValues)
	compressor, err := newCompressor()
	if err != nil {
		return nil, err
	}
	return &Server{
		options: options, lookups: make(chan struct{}, secondLooks), compressor: compressor, vital: map[string]bool{},
	}, nil
}

// Mount adds the endpoints to the router. The error names an incomplete endpoint.
func (f *Server) Mount(router chi.Router, endpoints []Endpoint) error {
	for _, e := range endpoints {
		handler, err := f.handler(e)
		if err != nil {
			return err
		}
		if f.options.Around != nil && e.Changes() && e.Authorize == nil && e.Access != Admin {
			return fmt.Errorf("endpoint %s changes something but has no Authorize: without it, Options.Around runs for any "+
				"caller", e)
		}
		f.vital[e.Path] = e.Vital
		router.Method(e.Method, e.Path, handler)
	}
	return nil
}

// IsLimited reports whether the node's limits apply to a handler: a server has mounted it.
func IsLimited(handler http.Handler) bool {
	switch handler.(type) {
	case *endpointHandler, *streamHandler, *eventsHandler:
		return true
	default:
		return false
	}
}

// endpointHandler serves one endpoint.
type endpointHandler struct {
	Endpoint
	server *Server
	shapes shapes
	// bodyIndex is the field of the body, -1 without one.
	bodyIndex    int
	bodyOptional bool
	bodyRaw      bool
}

func (f *Server) handler(e Endpoint) (*endpointHandler, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	if err := checkParams(e.request); err != nil {
		return nil, fmt.Errorf("endpoint %s: %w", e, err)
	}
	s := &endpointHandler{Endpoint: e, server: f, shapes: shapes{}, bodyIndex: -1}
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
// [Options.Around] comes after the right. Limits are checked as early as possible. A request takes a place only after
// the server has read it, so that slow clients take none.
func (s *endpointHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	if !s.Long {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.server.options.RequestTimeout)
		defer cancel()
	}
	current := callOf(ctx)
	current.pattern, current.vital = s.Path, s.Vital
	defer func() { current.budget.Release() }()
	response, err := s.serve(ctx, current, w, r)
	s.server.options.Limits.Hold(ctx, err)
	switch {
	case err != nil:
		s.server.fail(ctx, w, err)
	case response != nil:
		s.server.write(ctx, w, s.server.render(ctx, current, response))
	}
}

// serve returns the answer of an endpoint; nil if it is already sent.
func (s *endpointHandler) serve(
	ctx context.Context, current *call, w http.ResponseWriter, r *http.Request,
) (any, error) {
	limits := s.server.options.Limits
	if !s.Vital {
		if err := limits.Crowded(false); err != nil {
			return nil, err
		}
	}
	request := reflect.New(s.request).Elem()
	unreadable := decodeParams(r, request, s.server.bounds().plainTexts)
	caller, busy, refused := s.server.admit(ctx, current, r)
	if err := cmp.Or(busy, unreadable, refused); err != nil {
		return nil, err
	}
	current.claims = current.claims.Noting()
	if caller.Anonymous && !s.Vital {
		if err := limits.Crowded(true); err != nil {
			return nil, err
		}
	}
	var content []byte
	var err error
	if s.bodyIndex < 0 { // call the endpoint only after the whole request has come
		if _, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, s.maxBody(caller))); err != nil {
			return nil, unreadableBody(err)
		}
	} else {
		if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
			return nil, unsupportedEncoding(encoding)
		}
		body := limits.Body(caller, http.MaxBytesReader(w, r.Body, s.maxBody(caller)))
		defer body.Release()
		if content, err = s.decode(ctx, current, body, request.Field(s.bodyIndex)); err != nil {
			return nil, err
		}
	}
	return s.perform(ctx, current, caller, request, Exchange{Info: s.Info, Request: r, Body: content}, s.finishHTTP(current, w))
}

// perform checks the rights of the caller of a decoded request, and then works on it.
func (s *endpointHandler) perform(
	ctx context.Context, current *call, caller admission.Caller, request reflect.Value, exchange Exchange,
	finish func(ctx context.Context, response any) (any, error),
) (any, error) {
	if s.bodyIndex >= 0 {
		if body, ok := reflect.TypeAssert[ForSubmission](request.Field(s.bodyIndex)); ok {
			current.concerns = body.Requested
		}
	}
	if err := renew(ctx); err != nil {
		return nil, err
	}
	if err := s.checkAsked(ctx, current, request); err != nil {
		return nil, err
	}
	if s.Vital {
		return s.handle(ctx, request)
	}
	current.permits = func(ctx context.Context) error {
		return cmp.Or(s.checkCaller(ctx, current), s.checkParties(current.claims, request))
	}
	return s.work(ctx, current, caller, request, exchange, finish)
}

// checkAsked refuses a caller without the access, or without a right for the parties that the request names.
func (s *endpointHandler) checkAsked(ctx context.Context, current *call, request reflect.Value) error {
	return doWithNewRights(ctx, func() error {
		return cmp.Or(s.checkAccess(current.claims), s.checkParties(current.claims, request))
	})
}

func (f *Server) authenticate(ctx context.Context, current *call, r *http.Request) error {
	token, err := auth.TokenFrom(r.Header)
	switch {
	case errors.Is(err, auth.ErrTwoAuthorizations):
		return badRequest("header Authorization", err.Error())
	case err != nil:
		return badRequest("header Authorization", "")
	}
	ctx = auth.WithOneVerification(ctx)
	claims, err := f.options.Auth.Authenticate(ctx, token)
	if fault.ServerOverloaded.Matches(err) {
		return &admission.OverloadedError{Err: err, After: admission.RetryAfter}
	}
	if err != nil {
		return err
	}
	current.claims = claims
	lasting := context.WithoutCancel(ctx) // work that goes on after the client has left checks rights, too
	current.authenticate = func(anew bool) (auth.Claims, error) {
		if anew {
			return f.again(auth.Anew(lasting), token)
		}
		return f.again(lasting, token)
	}
	current.lookAgain = func(ctx context.Context) (auth.Claims, error) { return f.lookAgain(ctx, token) }
	return nil
}

// decode reads the body and returns its bytes.
func (s *endpointHandler) decode(
	ctx context.Context, current *call, from io.Reader, target reflect.Value,
) ([]byte, error) {
	body, err := io.ReadAll(from)
	if _, exceeded := errors.AsType[*http.MaxBytesError](err); exceeded && s.Access != Open {
		if refusal := current.claims.Require(); refusal != nil {
			return nil, refusal // a token would help
		}
	}
	if err != nil {
		return nil, unreadableBody(err)
	}
	if len(body) > admission.FreeBody { // large bodies are decoded only for callers with the right
		if err := doWithNewRights(ctx, func() error { return s.checkCaller(ctx, current) }); err != nil {
			return nil, err
		}
	}
	if s.bodyRaw {
		target.SetBytes(body)
		return body, nil
	}
	if len(body) == 0 && s.bodyOptional {
		return nil, nil
	}
	ignored, err := s.shapes.decodeBody(body, target, s.server.bounds())
	if err != nil {
		return nil, badRequest("body", err.Error())
	}
	current.ignore(ignored)
	return body, nil
}

// checkCaller checks the rights that do not depend on the body.
func (s *endpointHandler) checkCaller(ctx context.Context, current *call) error {
	claims := current.claims
	if s.Access != Open {
		if err := claims.Require(); err != nil {
			return err
		}
	}
	if err := s.checkAccess(claims); err != nil {
		return err
	}
	if s.AsParty != "" {
		if err := claims.RequireAsSome(s.AsParty); err != nil {
			return err
		}
	}
	if s.Authorize == nil {
		return nil
	}
	_, err := s.Authorize(ctx)
	return err
}
