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

// lockedPayment describes how contracts of T end when nobody collects their locked coin. A is the argument of the
// choice.
type lockedPayment[T, A any] struct {
	// lock holds the coin. The contract may end when the lock has expired.
	lock func(T) lf.CID[coin.LockedAmulet]
	// actors may end the contract; the first one with a wallet does.
	actors func(T) []ledger.Party
	// deadline makes a simulated clock stop there. Unset if the payer repeats a returned payment at once.
	deadline bool
	// choice returns the coin.
	choice   string
	argument func(actor ledger.Party, context coin.AppTransferContext) A
}

// ofPayments registers payments that nobody collected before their lock expired. Their coin returns.
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

// subscribers may end contracts of a subscription. The payer comes first.
func subscribers(d payments.SubscriptionData) []ledger.Party {
	return []ledger.Party{d.Sender, d.Receiver, d.Provider}
}

// uncollected registers how contracts of T end. The lock has the time, so a new contract is due at once.
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
		if err != nil || !ok { // other nodes end it
			return plan.Step{}, err
		}
		return p.plan(s, c, w.User)
	}
}

// plan waits for the end of the lock, and returns the coin. Without the lock there is nothing to do.
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
