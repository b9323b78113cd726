package endpoint

import (
	"context"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
)

// takeTurn waits for a turn of the request's visit, and checks the rights of the caller when it has come. A request that
// needs no turn ends none.
func takeTurn(
	ctx context.Context, take func(*admission.Visit, context.Context) (func(), error), check func(context.Context) error,
) (end func(), err error) {
	end, err = take(visitOf(ctx), ctx)
	if err != nil || end == nil {
		return func() {}, err
	}
	if err := check(ctx); err != nil {
		end()
		return nil, err
	}
	return end, nil
}

// ReadInTurn waits for the turn to read of a request that has none: for what requests that change something read before
// they do, which costs as much as what others read. Call end before the change is made: making it has bounds of its
// own.
func ReadInTurn(ctx context.Context) (end func(), err error) {
	return takeTurn(ctx, (*admission.Visit).Read, checkRights)
}

// commitTurn waits for the turn to commit of the user who sent the request.
func commitTurn(ctx context.Context) (end func(), err error) {
	return takeTurn(ctx, (*admission.Visit).Commit, checkRightsInRecord)
}

// OnboardInTurn onboards in the turn of the user who sent the request. Onboardings wait for a workflow, and changes that
// need the database alone do not wait for them.
func OnboardInTurn[T any](ctx context.Context, onboard func() (T, error)) (out T, err error) {
	end, err := takeTurn(ctx, (*admission.Visit).Onboard, checkRightsInRecord)
	if err != nil {
		return out, err
	}
	defer end()
	return onboard()
}

// ReadPage reads a part of a stream's answer when it is the stream's turn, and sends it after that. What was read counts
// until the client has it.
func ReadPage(ctx context.Context, read func(context.Context) error, send func() error) error {
	visit := visitOf(ctx)
	end, err := visit.ReadPage(ctx)
	if err != nil {
		return err
	}
	page := ctx
	if visit != nil {
		held := visit.Budget()
		defer held.Release()
		page = ledger.WithViews(budget.With(ctx, held))
	}
	err = read(page)
	if end != nil {
		end()
	}
	if err != nil {
		return err
	}
	return send()
}

// Wait is [Pause] for requests that wait for news. They have places of their own from then on, so that they take none
// of those of requests that work. The error is the refusal to wait.
func Wait(ctx context.Context) (resume func() error, err error) {
	if err := visitOf(ctx).Wait(ctx); err != nil {
		return nil, err
	}
	return Pause(ctx), nil
}

// Pause lets others read while a request waits for what takes neither the database nor a processor, such as its client:
// for news there is [Wait]. Call resume before going on; it waits for the request's next turn, and fails when ctx ends.
func Pause(ctx context.Context) (resume func() error) { return visitOf(ctx).Pause(ctx) }
