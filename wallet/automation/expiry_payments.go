package automation

import (
	"cmp"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// lockedPayment says how contracts of T end whose coin is locked for somebody who does not collect it: by a choice of
// which A is the argument.
type lockedPayment[T, A any] struct {
	// lock is what holds the coin; the contract may end when the lock has expired.
	lock func(T) lf.CID[coin.LockedAmulet]
	// actors are those who may end it, in the order in which they are asked.
	actors func(T) []ledger.Party
	// deadline: a simulated clock stops there. Not where a payment that was given back is made again at once.
	deadline bool
	// choice gives the coin back.
	choice   string
	argument func(actor ledger.Party, context coin.AppTransferContext) A
}

// ofPayments are payments that were made and not collected before their lock expired; the coin returns.
func (e *expiry) ofPayments() {
	uncollected(e, lockedPayment[payments.AcceptedAppPayment, payments.AcceptedAppPaymentExpire]{
		lock:     func(p payments.AcceptedAppPayment) lf.CID[coin.LockedAmulet] { return p.LockedAmulet },
		actors:   func(p payments.AcceptedAppPayment) []ledger.Party { return []ledger.Party{p.Sender} },
		deadline: true,
		choice:   "AcceptedAppPayment_Expire",
		argument: func(_ ledger.Party, context coin.AppTransferContext) payments.AcceptedAppPaymentExpire {
			return payments.AcceptedAppPaymentExpire{Context: context}
		},
	})
	uncollected(e, lockedPayment[payments.SubscriptionInitialPayment, payments.SubscriptionInitialPaymentExpire]{
		lock:     func(p payments.SubscriptionInitialPayment) lf.CID[coin.LockedAmulet] { return p.LockedAmulet },
		actors:   func(p payments.SubscriptionInitialPayment) []ledger.Party { return subscribers(p.SubscriptionData) },
		deadline: true,
		choice:   "SubscriptionInitialPayment_Expire",
		argument: func(actor ledger.Party, context coin.AppTransferContext) payments.SubscriptionInitialPaymentExpire {
			return payments.SubscriptionInitialPaymentExpire{Actor: actor, TransferContext: context}
		},
	})
	uncollected(e, lockedPayment[payments.SubscriptionPayment, payments.SubscriptionPaymentExpire]{
		lock:   func(p payments.SubscriptionPayment) lf.CID[coin.LockedAmulet] { return p.LockedAmulet },
		actors: func(p payments.SubscriptionPayment) []ledger.Party { return subscribers(p.SubscriptionData) },
		choice: "SubscriptionPayment_Expire",
		argument: func(actor ledger.Party, context coin.AppTransferContext) payments.SubscriptionPaymentExpire {
			return payments.SubscriptionPaymentExpire{Actor: actor, TransferContext: context}
		},
	})
}

// subscribers are who may end what belongs to a subscription, the one whose coin it is first.
func subscribers(d payments.SubscriptionData) []ledger.Party {
	return []ledger.Party{d.Sender, d.Receiver, d.Provider}
}

// uncollected registers how contracts of T end. When, their locks say, so they are looked at as soon as they are there.
func uncollected[T, A any](e *expiry, p lockedPayment[T, A]) {
	name, err := ledger.TemplateName[T](e.packages)
	follow, other := Following(e.packages, func(c plan.Contract[T], _ time.Time) []Due {
		return []Due{{Subject: string(c.ID)}}
	})
	e.failed = cmp.Or(e.failed, err, other)
	e.follow = append(e.follow, follow)
	e.plan[name] = func(s Situation, contract ledger.Contract) (plan.Step, error) {
		c, err := plan.Decode[T](s.Packages, contract)
		if err != nil {
			return plan.Step{}, err
		}
		w, ok, err := plan.WalletOf(s.View, p.actors(c.Payload)...)
		if err != nil || !ok { // it is theirs to end, elsewhere
			return plan.Step{}, err
		}
		return p.plan(s, c, w.User)
	}
}

// plan waits for the end of the lock, and gives the coin back. Without the lock nothing can be done any more.
func (p lockedPayment[T, A]) plan(s Situation, c plan.Contract[T], actor ledger.Party) (plan.Step, error) {
	contract, ok, err := s.Record.Contract(ledger.ContractID(p.lock(c.Payload)))
	if err != nil || !ok {
		return plan.Step{}, err
	}
	locked, err := ledger.DecodePayload[coin.LockedAmulet](s.Packages, contract)
	if err != nil {
		return plan.Step{}, err
	}
	if at := locked.Lock.ExpiresAt.Time().Add(plan.ExpiryPatience); s.Now.Before(at) {
		return plan.Step{Until: at, Deadline: p.deadline, WaitsFor: "its collection, or the end of its lock"}, nil
	}
	context, open, err := plan.PaymentContext(s.View)
	if err != nil || !open {
		return plan.Step{Until: s.Now.Add(aMinute), WaitsFor: "an open round"}, err
	}
	action, err := expireAs(s, c, actor, p.choice, p.argument(actor, coin.AppTransferContext{
		AmuletRules: context.AmuletRules, OpenMiningRound: context.Context.OpenMiningRound,
	}))
	return plan.Step{Action: action}, err
}
