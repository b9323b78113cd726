package validator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/wallet/plan"
)

// Composed is a change before it is made: [Composed.Submit] makes it, [Composed.Preview] previews it.
type Composed[R any] struct {
	// Wallet is the party whose coin a preview counts.
	Wallet ledger.Party
	// Payer is the party whose coin the change names; empty if it names none.
	Payer ledger.Party
	// Name is the caller's name for the change; nil for none.
	Name *Name
	// Compose composes the change from the state of the ledger. If there is a payer it may be called again, and must
	// return the same command id.
	Compose func(plan.View) (Change, error)
	// Decode reads the answer from the transaction.
	Decode func(ledger.Update) (R, error)
	// Explain converts an error for the caller; nil leaves it.
	Explain func(error) error
	// Later is the change that automation makes afterwards; nil for none. Only previews use it.
	Later *LaterChange
}

// LaterChange is a change that automation makes after another one.
type LaterChange struct {
	Payer   ledger.Party
	Compose func(plan.View) (Change, error)
	// Awaited is true if another party has to decide first. Then the cost is not part of the preview.
	Awaited bool
	// Explain converts an error for the caller.
	Explain func(error) error
}

// ComposedOf is a fixed change with one choice, whose result is the answer.
func ComposedOf[R any](b *Base, w Owner, made Change) Composed[R] {
	return Composed[R]{
		Wallet: w.Party, Compose: func(plan.View) (Change, error) { return made, nil },
		Decode: func(update ledger.Update) (R, error) { return ResultOf[R](b, update) },
	}
}

// MapAnswer converts the answer of a change.
func MapAnswer[R, S any](c Composed[R], answer func(R) (S, error)) Composed[S] {
	return Composed[S]{
		Wallet: c.Wallet, Payer: c.Payer, Name: c.Name, Compose: c.Compose, Explain: c.Explain, Later: c.Later,
		Decode: func(update ledger.Update) (none S, err error) {
			result, err := c.Decode(update)
			if err != nil {
				return none, err
			}
			return answer(result)
		},
	}
}

// Endpoint is an endpoint that makes or previews the change that compose returns.
func Endpoint[Req, R any](
	b *Base, info endpoint.Info, compose func(context.Context, Req) (Composed[R], error),
) endpoint.Endpoint {
	handle := func(ctx context.Context, req Req) (none R, err error) {
		c, err := compose(ctx, req)
		if err != nil {
			return none, err
		}
		return c.Submit(ctx, b)
	}
	preview := func(ctx context.Context, req Req) (none changes.Preview, err error) {
		c, err := compose(ctx, req)
		if err != nil {
			return none, err
		}
		return c.Preview(ctx, b)
	}
	return endpoint.WithPreview(endpoint.New(info, handle), preview)
}

// Submit makes the change and waits for it.
func (c Composed[R]) Submit(ctx context.Context, b *Base) (none R, err error) {
	made := &ledgerMaker{base: b, name: c.Name}
	if err := carryOut(ctx, made, c.Payer, c.Compose); err != nil {
		return none, c.explain(err)
	}
	return c.Decode(made.update)
}

// Preview returns the effect of the change. The error is the one that the change would get.
func (c Composed[R]) Preview(ctx context.Context, b *Base) (changes.Preview, error) {
	t := newTrial(ctx, b, c.Wallet)
	if err := carryOut(ctx, t, c.Payer, c.Compose); err != nil {
		return t.preview, c.explain(err)
	}
	request := t.preview
	if c.Later == nil {
		return request, nil
	}
	err := carryOut(ctx, t, c.Later.Payer, func(v plan.View) (Change, error) {
		made, err := c.Later.Compose(v)
		made.Urgent = true // the traffic at that time is unknown
		return made, err
	})
	switch {
	case err != nil:
		request.Later = true
		return request, c.Later.Explain(err)
	case c.Later.Awaited:
		return request, nil
	default:
		return t.preview, nil
	}
}

func (c Composed[R]) explain(err error) error {
	if c.Explain == nil {
		return err
	}
	return c.Explain(err)
}

// maker makes changes: on the ledger ([ledgerMaker]), or in a dry run ([trial]).
type maker interface {
	// view is the ledger before the next change.
	view(ctx context.Context) plan.View
	// make makes a change. The error is its refusal.
	make(ctx context.Context, c Change) error
	// alone waits until no other contended payment of the payer is in progress.
	alone(ctx context.Context, payer ledger.Party) (leave func(), err error)
	// merge merges the payer's coin before a change. It is no error if other requests have spent some of this coin.
	merge(ctx context.Context, payer ledger.Party, c Change) error
}

// carryOut makes a change. If another change of the same wallet has used its coin, it composes the change again, one
// contended payment of the payer at a time. If one transaction cannot take enough coin and the wallet has more, it
// first merges coin.
func carryOut(
	ctx context.Context, on maker, payer ledger.Party, compose func(plan.View) (Change, error),
) error {
	leave := func() {}
	defer func() { leave() }()
	var gone error
	for try, merges := 1, 0; ; try++ {
		made, err := composeInTurn(ctx, payer, func() (Change, error) { return compose(on.view(ctx)) })
		if err != nil {
			return err
		}
		refusal := on.make(ctx, made)
		if refusal == nil || payer == "" {
			return refusal
		}
		if fault.ContractNotFound.Matches(refusal) {
			switch {
			case gone != nil && gone.Error() == refusal.Error(): // a contract that the request names, not chosen coin
				return refusal
			case try == changes.MaxTries:
				return contentionError(payer)
			case gone == nil:
				if leave, err = takePaymentTurn(ctx, on, payer); err != nil {
					return err
				}
			}
			gone = refusal
		} else {
			merge, failed := planMerge(on.view(ctx), payer, made.Purse, refusal)
			switch {
			case failed != nil || merge == nil:
				return cmp.Or(failed, refusal)
			case try == changes.MaxTries:
				return withMergeHint(refusal, merges)
			}
			if err := on.merge(ctx, payer, asChange(*merge)); err != nil {
				return err
			}
			merges++
		}
		changes.AttemptOf(ctx).Again()
	}
}

// takePaymentTurn waits for the other contended payments of the payer.
func takePaymentTurn(ctx context.Context, on maker, payer ledger.Party) (leave func(), err error) {
	leave, err = on.alone(ctx, payer)
	if errors.Is(err, context.DeadlineExceeded) {
		return func() {}, contentionError(payer)
	}
	if err != nil {
		return func() {}, err
	}
	return leave, nil
}

// contentionError is upstream's error for a payment that contends with too many others; nothing was paid.
func contentionError(payer ledger.Party) error {
	return v0.Refuse(http.StatusTooManyRequests, "Aborted operation - likely because there are too many operations "+
		"already in flight: other payments of %s used the coin that this one chose. Nothing was paid: send it again.",
		payer)
}

// withMergeHint adds the next step for a payment that needs more merges than one request makes.
func withMergeHint(refusal error, merges int) error {
	lacking, ok := fault.As(refusal)
	if !ok {
		return refusal
	}
	return lacking.WithHint(fmt.Sprintf("The wallet has the coin, but in more contracts than one payment takes. This "+
		"request merged coin %d times, the limit for one request: send it again to continue.", merges))
}

// composeInTurn composes a payment in a read slot: its reads cost as much as those of a read request, also if the
// change fails.
func composeInTurn(ctx context.Context, payer ledger.Party, compose func() (Change, error)) (Change, error) {
	if payer == "" {
		return compose()
	}
	end, err := endpoint.ReadInTurn(ctx)
	if err != nil {
		return Change{}, err
	}
	defer end()
	return compose()
}

// planMerge composes a merge of the largest coin of a party's wallet after a payment failed for lack of coin. It is nil
// if a merge does not help. Each merge lowers the number of coins, so that the loop ends.
func planMerge(v plan.View, payer ledger.Party, purse plan.Purse, refusal error) (*plan.Action, error) {
	const payment = "payment"
	lacking, ok := fault.As(refusal)
	if !ok {
		return nil, nil
	}
	w, ok, err := plan.WalletOf(v, payer)
	if err != nil || !ok {
		return nil, err
	}
	return plan.MergeFirst(v, w, purse, payment, &plan.Refusal{CommandID: payment, Fault: lacking})
}

// ledgerMaker makes changes on the ledger.
type ledgerMaker struct {
	base *Base
	name *Name
	// update is the transaction of the change.
	update ledger.Update
}

func (s *ledgerMaker) view(ctx context.Context) plan.View { return s.base.View(ctx) }

func (s *ledgerMaker) make(ctx context.Context, c Change) (err error) {
	c.Name = s.name
	s.update, err = s.base.Submit(ctx, c)
	return err
}

func (s *ledgerMaker) alone(ctx context.Context, payer ledger.Party) (leave func(), err error) {
	return s.base.paying.Take(ctx, turns.Account{Name: string(payer)})
}

func (s *ledgerMaker) merge(ctx context.Context, _ ledger.Party, c Change) error {
	c.CommandID = "" // a new id, so that concurrent merges of the same coin are no duplicates
	_, err := s.base.Submit(changes.Without(ctx), c)
	if fault.ContractNotFound.Matches(err) {
		return nil
	}
	return err
}
