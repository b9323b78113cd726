package endpoint

import (
	"context"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
)

// takeTurn waits for a turn of the request's visit and then checks the caller's rights. end does nothing if the request
// needs no turn.
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

// ReadInTurn waits for a turn to read, for changes that read first, which costs as much as any read. Call end before
// the change, which has limits of its own.
func ReadInTurn(ctx context.Context) (end func(), err error) {
	return takeTurn(ctx, (*admission.Visit).Read, checkRights)
}

// commitTurn waits for the user's turn to commit.
func commitTurn(ctx context.Context) (end func(), err error) {
	return takeTurn(ctx, (*admission.Visit).Commit, checkRightsInRecord)
}

// OnboardInTurn onboards in the user's turn. Onboardings wait for a workflow; changes that need only the database do
// not wait for onboardings.
func OnboardInTurn[T any](ctx context.Context, onboard func() (T, error)) (out T, err error) {
	end, err := takeTurn(ctx, (*admission.Visit).Onboard, checkRightsInRecord)
	if err != nil {
		return out, err
	}
	defer end()
	return onboard()
}

// ReadPage reads a part of a stream in the stream's turn, then sends it. The budget counts the part until the client
// has it.
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
		var endCode func()
		page, endCode = visit.Compute(ledger.WithViews(budget.With(ctx, held)))
		defer endCode()
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

// Wait is [Pause] for requests that wait for new entries. They then use places of their own and none of the working
// requests. It returns an error if there is no place.
func Wait(ctx context.Context) (resume func() error, err error) {
	if err := visitOf(ctx).Wait(ctx); err != nil {
		return nil, err
	}
	return Pause(ctx), nil
}

// Pause gives up the turn while a request waits for its client. Use [Wait] for new entries. Call resume before going
// on; it waits for the next turn, and fails when ctx ends.
func Pause(ctx context.Context) (resume func() error) { return visitOf(ctx).Pause(ctx) }
