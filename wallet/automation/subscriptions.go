package automation

import (
	"time"

	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// KindSubscriptions is the automation that pays for subscriptions.
const KindSubscriptions = "subscriptions"

type idleSubscription = plan.Contract[payments.SubscriptionIdleState]

// NewSubscriptions makes the agreed payments of subscriptions, between the earliest payment time and the due time, and
// ends subscriptions after a missed payment (upstream: subscriptions ready for payment).
func NewSubscriptions(packages *ledger.Packages) (Automation, error) {
	idle, err := Following(packages, func(c idleSubscription, _ time.Time) []Due {
		return []Due{{Subject: string(c.ID), At: payableFrom(c.Payload), Deadline: true}}
	})
	if err != nil {
		return Automation{}, err
	}
	paid, err := paidFor(packages)
	return Automation{
		Kind: KindSubscriptions, Summary: "Pays for subscriptions, and ends those that were not paid.",
		Follow: []Follow{idle, paid}, Plan: planSubscription,
	}, err
}

// payableFrom returns the earliest time of the next payment.
func payableFrom(s payments.SubscriptionIdleState) time.Time {
	return s.NextPaymentDueAt.Earlier(s.PayData.PaymentDuration).Time()
}

func planSubscription(s Situation) (plan.Step, error) {
	contract, ok, err := s.Record.Contract(ledger.ContractID(s.Subject))
	if err != nil || !ok {
		return plan.Step{}, err
	}
	idle, err := plan.Decode[payments.SubscriptionIdleState](s.Packages, contract)
	if err != nil {
		return plan.Step{}, err
	}
	payload, data := idle.Payload, idle.Payload.SubscriptionData
	missedAt := payload.NextPaymentDueAt.Time().Add(time.Microsecond) // the ledger's next instant
	if !s.Now.Before(missedAt) {
		w, ok, err := plan.WalletOf(s.View, data.Provider, data.Receiver, data.Sender)
		if err != nil || !ok {
			return plan.Step{}, err
		}
		action, err := expireAs(s, idle, w.User, "SubscriptionIdleState_ExpireSubscription",
			payments.SubscriptionIdleStateExpireSubscription{Actor: w.User})
		return plan.Step{Action: action}, err
	}
	if from := payableFrom(payload); s.Now.Before(from) {
		return plan.Step{Until: from, Deadline: true, WaitsFor: "the time of its next payment"}, nil
	}
	step := plan.Step{Until: missedAt, Deadline: true, WaitsFor: "its payment, or its end without one"}
	w, ok, err := plan.WalletOf(s.View, data.Sender)
	if err != nil || !ok { // the payer has no wallet here
		return step, err
	}
	return s.paySubscription(w, idle, step)
}

// paySubscription pays with the sender's coin. It retries a refused payment (for example for lack of coin) until the
// payment is due.
func (s Situation) paySubscription(w plan.Wallet, idle idleSubscription, step plan.Step) (plan.Step, error) {
	sooner := func(at time.Time, what string) (plan.Step, error) {
		if at.Before(step.Until) {
			return plan.Step{Until: at, WaitsFor: what}, nil
		}
		return step, nil
	}
	if low, err := s.lowTraffic(); err != nil || low != "" {
		if err != nil {
			return plan.Step{}, err
		}
		return sooner(s.Now.Add(PollingInterval), low)
	}
	id := lf.CID[payments.SubscriptionIdleState](idle.ID)
	action, err := s.throughWallet(w, Intent{
		CommandID: "pay-subscription:" + plan.Short(idle.ID), Wallet: w.User, Contract: idle.ID,
		Operation: &walletapp.AmuletOperation{SubscriptionMakePayment: &id},
	})
	if err != nil {
		return plan.Step{}, err
	}
	if action == nil {
		return sooner(s.Now.Add(aMinute), "an open round")
	}
	step.Action, step.Spends = action, w.User
	return step, nil
}
