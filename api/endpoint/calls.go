package endpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"runtime/debug"
	"strings"
	"time"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger/fault"
)

// CallMethod is the method of calls in logs, metrics and traces.
const CallMethod = "gRPC"

// Call is a request in another encoding than JSON over HTTP. Admission, rights, turns, logs, metrics and traces are
// those of HTTP.
type Call struct {
	// Name names the operation: /com.daml.ledger.api.v2.StateService/GetLedgerEnd.
	Name string
	// Header has the token and the trace.
	Header http.Header
	// Receive reads the message, once the caller is known. It also returns after the call has ended.
	Receive func() ([]byte, error)
	// MaxMessage is the maximum length of the message in bytes.
	MaxMessage int
	// Decode fills the request, a struct as in the package comment, as far as it can also with an error.
	Decode func(ctx context.Context, message []byte, request reflect.Value) error
	// Fail encodes an error.
	Fail func(ctx context.Context, err error) error
}

// Operation is an endpoint for calls.
type Operation struct{ handler *endpointHandler }

// Operation prepares an endpoint for calls. The error names an incomplete endpoint.
func (f *Server) Operation(e Endpoint) (*Operation, error) {
	handler, err := f.handler(e)
	if err != nil {
		return nil, err
	}
	return &Operation{handler}, nil
}

// Serve calls the endpoint; encode gets its answer while the request has its turn.
// A read ends at the request timeout; a change ends with its context. Call release when the client has the answer: until
// then its bytes count.
func (o *Operation) Serve(
	ctx context.Context, in Call, encode func(ctx context.Context, answer any) error,
) (release func(), err error) {
	s := o.handler
	ctx, current, end := s.server.beginCall(ctx, in)
	defer func() {
		if err = end(err, recover()); err != nil {
			current.budget.Release()
		}
	}()
	if !s.Changes() && !s.Long {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.server.options.RequestTimeout)
		defer cancel()
	}
	err = o.serve(ctx, current, in, encode)
	s.server.options.Limits.Hold(ctx, err)
	return func() { current.budget.Release() }, timely(ctx, err)
}

func (o *Operation) serve(
	ctx context.Context, current *call, in Call, encode func(ctx context.Context, answer any) error,
) error {
	s, limits := o.handler, o.handler.server.options.Limits
	if err := limits.Crowded(false); err != nil {
		return err
	}
	caller, busy, refused := s.server.admit(ctx, current, current.request)
	if err := cmp.Or(busy, refused); err != nil {
		return err
	}
	current.claims = current.claims.Noting()
	if caller.Anonymous {
		if err := limits.Crowded(true); err != nil {
			return err
		}
		if s.Access != Open {
			return current.claims.Require()
		}
	}
	body := limits.Body(caller, strings.NewReader(""))
	defer body.Release()
	message, err := s.server.receive(ctx, caller, body, in)
	if err != nil {
		return err
	}
	if len(message) > admission.FreeBody { // large messages are decoded only for callers with the right
		if err := doWithNewRights(ctx, func() error { return s.checkCaller(ctx, current) }); err != nil {
			return err
		}
	}
	request := reflect.New(s.request).Elem()
	if err := in.Decode(ctx, message, request); err != nil {
		return cmp.Or(s.checkAsked(ctx, current, request), err) // a missing right is told before a missing field
	}
	_, err = s.perform(ctx, current, caller, request, Exchange{Info: s.Info},
		func(ctx context.Context, answer any) (any, error) { return nil, encode(ctx, answer) })
	return err
}

// prompt is the time in which a message usually comes after the head of its call.
const prompt = time.Second

// receive reads the message of a call until ctx ends, and counts its bytes. They are known only at the end, so a message
// that does not come promptly counts as the longest one.
func (f *Server) receive(
	ctx context.Context, caller admission.Caller, body *admission.Body, in Call,
) (message []byte, err error) {
	release, err := f.options.Limits.Receive(ctx, caller)
	if err != nil {
		return nil, err
	}
	arrived := make(chan error, 1)
	var received []byte
	go func() {
		defer release()
		var err error
		received, err = in.Receive()
		arrived <- err
	}()
	isHere, err := awaitEnd(ctx, arrived, prompt)
	if !isHere {
		if err := body.Take(int64(in.MaxMessage)); err != nil {
			return nil, err
		}
		defer body.Give(int64(in.MaxMessage))
		isHere, err = awaitEnd(ctx, arrived, f.streams().RequestWait)
	}
	switch {
	case err != nil:
		return nil, err
	case !isHere:
		return nil, &TimeoutError{Advice: "Send the message right after the head of the call."}
	default:
		return received, body.Take(int64(len(received)))
	}
}

// awaitEnd waits for the end of a reception; false if it has not ended in time.
func awaitEnd(ctx context.Context, arrived <-chan error, patience time.Duration) (isOver bool, err error) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case err := <-arrived:
		return true, err
	case <-waiting.Done():
	}
	switch cause := context.Cause(ctx); {
	case cause == nil:
		return false, nil
	case errors.Is(cause, context.Canceled):
		return true, <-arrived // the connection or the library has ended the call, and says why
	default:
		return true, cause
	}
}

// Keep counts the bytes of an encoded answer until the end of the call.
func Keep(ctx context.Context, bytes int) error {
	Sent(ctx, bytes)
	return callOf(ctx).budget.Keep(int64(bytes))
}

// Sent notes bytes that go to the client, for the log.
func Sent(ctx context.Context, bytes int) { callOf(ctx).sent += bytes }

// Feed is a stream for calls.
type Feed struct{ handler *streamHandler }

// Feed prepares a stream for calls. The error names an incomplete stream.
func (f *Server) Feed(s Stream) (*Feed, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return &Feed{&streamHandler{Stream: s, server: f}}, nil
}

// Serve runs the stream until its end. send waits until the connection has taken the element.
func (o *Feed) Serve(ctx context.Context, in Call, send func(ctx context.Context, element any) error) (err error) {
	s := o.handler
	ctx, current, end := s.server.beginCall(ctx, in)
	defer func() { err = end(err, recover()) }()
	changes := s.server.options.Streams.seen()
	caller, busy, refused := s.server.admit(ctx, current, current.request)
	if err := cmp.Or(busy, refused); err != nil {
		s.server.options.Limits.Hold(ctx, err)
		return err
	}
	within, _, open, err := s.server.join(ctx, current, caller, changes)
	if err != nil {
		s.server.options.Limits.Hold(ctx, err)
		return err
	}
	defer open.leave()
	if open.refusal != nil {
		return open.refusal
	}
	if caller.Anonymous && s.Access != Open {
		return current.claims.Require()
	}
	body := s.server.options.Limits.Asked(caller, strings.NewReader(""))
	defer body.Release() // the request counts as long as the stream is open
	message, err := s.server.receive(within, caller, body, in)
	if err != nil {
		return err
	}
	request := reflect.New(s.request).Elem()
	if err := in.Decode(within, message, request); err != nil {
		return err
	}
	return s.feed(within, current, request, func(element any) error {
		if err := context.Cause(within); err != nil {
			return err
		}
		return send(within, element)
	})
}

// Attend runs a stream that needs no token and has no operation, such as of health, until it returns or the node stops.
// It counts as a stream of a caller without a token. run goes on after an early end, until it finds that its stream is
// gone.
func (f *Server) Attend(ctx context.Context, in Call, run func(ctx context.Context)) (err error) {
	ctx, current, end := f.beginCall(ctx, in)
	defer func() { err = end(err, recover()) }()
	changes := f.options.Streams.seen()
	caller, busy, refused := f.admit(ctx, current, current.request)
	if err := cmp.Or(busy, refused); err != nil {
		return err
	}
	within, _, open, err := f.join(ctx, current, caller, changes)
	if err != nil {
		return err
	}
	defer open.leave()
	if open.refusal != nil {
		return open.refusal
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(within)
	}()
	select {
	case <-done:
		return nil
	case <-within.Done():
		return context.Cause(within)
	}
}

// beginCall starts the trace of a call. end writes its log line, and turns a panic into an error.
func (f *Server) beginCall(
	ctx context.Context, in Call,
) (_ context.Context, _ *call, end func(err error, panicked any) error) {
	started := f.options.Now()
	current := &call{
		request: &http.Request{Method: CallMethod, URL: &url.URL{Path: in.Name}, Header: in.Header}, pattern: in.Name,
	}
	ctx, endSpan := f.trace(ctx, current.request, current)
	ctx = context.WithValue(ctx, callKey{}, current)
	return ctx, current, func(err error, panicked any) error {
		if panicked != nil {
			err = fault.Internal(fmt.Errorf("panic: %v\n%s", panicked, debug.Stack()))
		}
		status := http.StatusOK
		if err != nil {
			if !isUsualEnd(err) {
				current.failure = err
			}
			status = FaultOf(err).HTTP()
		}
		if current.gone() || ctx.Err() != nil && errors.Is(err, context.DeadlineExceeded) {
			status = statusClientGone // it left, or its own deadline is over
		}
		f.report(ctx, current, status, current.sent, f.options.Now().Sub(started))
		endSpan(status)
		if err == nil {
			return nil
		}
		return in.Fail(ctx, err)
	}
}

// timely is the error of a call that ran out of time.
func timely(ctx context.Context, err error) error {
	if OutOfTime(ctx) && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
		return &TimeoutError{}
	}
	return err
}

// FaultOf is the fault in an error of this package or of an endpoint, for encodings that have no plain text answers.
func FaultOf(err error) *fault.Fault {
	if timeout, ok := errors.AsType[*TimeoutError](err); ok {
		return fault.RequestTimeOut.New("The request took longer than the server waits.").
			WithDefiniteAnswer(false).WithHint(timeout.Advice)
	}
	text, ok := errors.AsType[*textError](err)
	switch {
	case !ok:
		return fault.From(err)
	case errors.Is(err, auth.ErrTwoAuthorizations), strings.Contains(text.text, "header Authorization"):
		return fault.Unauthenticated.New("%s", text.text)
	default:
		return fault.InvalidArgumentf("%s", strings.TrimPrefix(text.text, invalidValue))
	}
}
