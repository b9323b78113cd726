package endpoint

import (
	"context"
	"net/http"
	"reflect"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// TakesTurns reports whether requests to a mounted handler read in turns: those that change nothing do.
func TakesTurns(handler http.Handler) bool {
	s, ok := handler.(*endpointHandler)
	return ok && s.readsInTurns()
}

// IsStream reports whether a mounted handler serves a stream.
func IsStream(handler http.Handler) bool {
	switch handler.(type) {
	case *streamHandler, *eventsHandler:
		return true
	default:
		return false
	}
}

func (s *endpointHandler) readsInTurns() bool { return !s.Changes() && !s.Vital }

// work returns the answer of an endpoint to an admitted request. finish encodes the answer in the turn of the request,
// for encoding is work, too.
func (s *endpointHandler) work(
	ctx context.Context, current *call, caller admission.Caller, request reflect.Value, exchange Exchange,
	finish func(ctx context.Context, response any) (any, error),
) (any, error) {
	ctx, visit, err := s.server.options.Limits.Enter(ctx, caller)
	if err != nil {
		return nil, err
	}
	defer visit.Leave()
	current.visit = visit
	if s.readsInTurns() {
		end, err := ReadInTurn(ctx)
		if err != nil {
			return nil, err
		}
		defer end()
	}
	current.budget = visit.Budget()
	ctx, endCode := visit.Compute(ledger.WithViews(budget.With(ctx, current.budget)))
	defer endCode()
	if s.Authorize != nil {
		asked := ctx
		if ctx, err = withNewRights(ctx, func() (context.Context, error) { return s.Authorize(asked) }); err != nil {
			return nil, err
		}
	}
	response, err := s.call(ctx, current, request, exchange)
	if err != nil || response == nil {
		return nil, err
	}
	return finish(ctx, response)
}

// finishHTTP renders the answer for HTTP; nil if it is already sent.
func (s *endpointHandler) finishHTTP(current *call, w http.ResponseWriter) func(context.Context, any) (any, error) {
	return func(ctx context.Context, response any) (any, error) {
		if written, ok := response.(Content); ok && written.Stream != nil {
			s.server.write(ctx, w, written) // a streamed answer needs its place until its end
			return nil, nil
		}
		return s.server.render(ctx, current, response), nil
	}
}

// call calls the endpoint, through [Options.Around] if set.
func (s *endpointHandler) call(
	ctx context.Context, current *call, request reflect.Value, exchange Exchange,
) (any, error) {
	around := s.server.options.Around
	if around == nil {
		serve := s.handleNow
		if s.Changes() && exchange.Request != nil {
			dry, problem := DryRunAsked(exchange.Request, s.Info, s.preview != nil)
			if problem != "" {
				return nil, fault.InvalidArgumentf("%s", problem)
			}
			if dry {
				serve = s.previewNow
			}
		}
		return withNewRights(ctx, func() (any, error) { return serve(ctx, current, request) })
	}
	exchange.Refuse = s.server.failure
	exchange.Serve = func(ctx context.Context) Content {
		current.begin()
		response, err := withNewRights(ctx, func() (any, error) { return s.handleNow(ctx, current, request) })
		if err != nil {
			return s.server.failure(ctx, err)
		}
		return s.server.render(ctx, current, response)
	}
	if s.preview != nil {
		exchange.Preview = func(ctx context.Context) (any, error) {
			current.begin()
			return withNewRights(ctx, func() (any, error) {
				if err := checkRights(ctx); err != nil {
					return nil, err
				}
				return s.preview(ctx, request)
			})
		}
	}
	return around(ctx, exchange), nil
}

// previewNow runs the dry run in the turn of a read, because it changes nothing.
func (s *endpointHandler) previewNow(ctx context.Context, _ *call, request reflect.Value) (any, error) {
	end, err := ReadInTurn(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	return s.preview(ctx, request)
}

// handleNow calls the endpoint unless the caller has lost a right since the check.
func (s *endpointHandler) handleNow(ctx context.Context, current *call, request reflect.Value) (any, error) {
	if err := checkRights(ctx); err != nil {
		return nil, err
	}
	if s.Changes() {
		ctx = inCallersName(ctx, current)
	}
	return s.handle(ctx, request)
}
