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

// Composed is a change that an endpoint has composed and not made: [Composed.Submit] makes it, [Composed.Preview] says
// what it would come to.
type Composed[R any] struct {
	// Wallet is whose coin a preview counts.
	Wallet ledger.Party
	// Payer is whose coin the change names; empty where it names none.
	Payer ledger.Party
	// Name is what the caller calls the change; nil for nothing.
	Name *Name
	// Compose makes the change of what the ledger holds. Where there is a payer it may be called again; all that it
	// returns must have the same command id.
	Compose func(plan.View) (Change, error)
	// Decode reads the answer in the transaction that was made.
	Decode func(ledger.Update) (R, error)
	// Explain makes of a refusal what the caller is told; nil leaves it as it is.
	Explain func(error) error
	// Later is what automation does then; nil for nothing. Only previews ask.
	Later *LaterChange
}

// LaterChange is a change that automation makes after another one.
type LaterChange struct {
	Payer   ledger.Party
	Compose func(plan.View) (Change, error)
	// Awaited changes come only after somebody else has decided: what they cost is not the request's doing.
	Awaited bool
	// Explain makes of a refusal what the caller would be told of it.
	Explain func(error) error
}

// ComposedOf is a change that is composed once, and whose answer is the result of the choice that it consists of.
func ComposedOf[R any](b *Base, w Owner, made Change) Composed[R] {
	return Composed[R]{
		Wallet: w.Party, Compose: func(plan.View) (Change, error) { return made, nil },
		Decode: func(update ledger.Update) (R, error) { return ResultOf[R](b, update) },
	}
}

// MapAnswer is the same change with another answer, made of the one that it has.
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

// Endpoint is an endpoint that makes the change which compose returns, or says what it would come to.
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

// Preview says what the change would come to. The error is the refusal that it would get.
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
		made.Urgent = true // how much traffic there is then is not known
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
	// view is the ledger as the next change finds it.
	view(ctx context.Context) plan.View
	// make makes a change. The error is its refusal.
	make(ctx context.Context, c Change) error
	// alone waits until no other payment of the payer that was refused is made again.
	alone(ctx context.Context, payer ledger.Party) (leave func(), err error)
	// merge makes a merge of the payer's coin that a change needs first. Others that use the wallet at once may have spent
	// some of its coin: that is no failure.
	merge(ctx context.Context, payer ledger.Party, c Change) error
}

// carryOut makes a change. Coin that it names may be used up by another change of the same wallet before it is made:
// then it is composed anew, while others of the payer that had the same fate wait. Where the coin that it can take is
// too little and the wallet has more, that is merged first.
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
			case gone != nil && gone.Error() == refusal.Error(): // what the request names, and not coin that is chosen
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

// takePaymentTurn waits until the payer's other payments that were in each other's way are made.
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

// contentionError is upstream's refusal of a payment for which too many others are on their way; nothing was paid.
func contentionError(payer ledger.Party) error {
	return v0.Refuse(http.StatusTooManyRequests, "Aborted operation - likely because there are too many operations "+
		"already in flight: other payments of %s used the coin that this one chose. Nothing was paid: send it again.",
		payer)
}

// withMergeHint says what to do about a payment that needs more merges than one request makes.
func withMergeHint(refusal error, merges int) error {
	lacking, ok := fault.As(refusal)
	if !ok {
		return refusal
	}
	return lacking.WithHint(fmt.Sprintf("The wallet has the coin, but in more contracts than one payment takes. This "+
		"request merged coin %d times, the limit for one request: send it again to continue.", merges))
}

// composeInTurn composes a change that somebody pays for in a turn of those who read: what it reads costs as much, whether or
// not the change is made.
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

// planMerge composes the merge of the largest coin of a party's wallet after a payment was refused for want of coin.
// It is nil where that does not help. Each time there are fewer coins, so that it comes to an end.
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
	return plan.MergeFirst(v, w, purse, payment, &plan.Refused{CommandID: payment, Fault: lacking})
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
	c.CommandID = "" // requests that merge the same coin at once must not be in each other's way
	_, err := s.base.Submit(changes.Without(ctx), c)
	if fault.ContractNotFound.Matches(err) {
		return nil
	}
	return err
}
