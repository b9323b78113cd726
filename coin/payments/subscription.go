package payments

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// SubscriptionData is the constant part of a subscription.
type SubscriptionData struct {
	_        struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionData"`
	Sender   Party    `lf:"sender"`
	Receiver Party    `lf:"receiver"`
	// Provider is the app that collects the payments, and the provider of the transfers.
	Provider    Party  `lf:"provider"`
	DSO         Party  `lf:"dso"`
	Description string `lf:"description"`
}

func (d SubscriptionData) signatories() []Party { return []Party{d.Sender, d.Receiver, d.Provider} }

// SubscriptionPayData is the amount and the times of payments.
type SubscriptionPayData struct {
	_             struct{}      `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionPayData"`
	PaymentAmount PaymentAmount `lf:"paymentAmount"`
	// PaymentInterval is the time from one payment to the next.
	PaymentInterval lf.RelTime `lf:"paymentInterval"`
	// PaymentDuration is the time before the due date in which the payer can pay.
	PaymentDuration lf.RelTime `lf:"paymentDuration"`
}

// valid requires an amount above zero and times longer than a microsecond, the shortest time.
func (d SubscriptionPayData) valid() bool {
	return d.PaymentAmount.Amount.Sign() > 0 && d.PaymentInterval.Microseconds > 1 && d.PaymentDuration.Microseconds > 1
}

// Subscription is the stable contract of a subscription, from the first collected payment to its end.
type Subscription struct {
	_                struct{}                    `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:Subscription"`
	SubscriptionData SubscriptionData            `lf:"subscriptionData"`
	Reference        lf.CID[SubscriptionRequest] `lf:"reference"`
}

// SubscriptionArchive ends a subscription; all parties agree.
type SubscriptionArchive struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:Subscription_Archive"`
}

// SubscriptionArchiveResult is the result of [SubscriptionArchive].
type SubscriptionArchiveResult struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:Subscription_ArchiveResult"`

	TerminatedSubscription lf.CID[TerminatedSubscription] `lf:"terminatedSubscription"`
}

// TerminatedSubscription tells the app that its subscription is over, so that it can end contracts that depend on it.
type TerminatedSubscription struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:TerminatedSubscription"`

	SubscriptionData SubscriptionData            `lf:"subscriptionData"`
	Reference        lf.CID[SubscriptionRequest] `lf:"reference"`
}

func subscriptionTemplate() ledger.TemplateSource {
	return ledger.Template[Subscription]{
		Network:     ledger.DSONamed(func(s Subscription) Party { return s.SubscriptionData.DSO }),
		Signatories: func(s Subscription) []Party { return s.SubscriptionData.signatories() },
		Choices: []ledger.ChoiceOf[Subscription]{
			consuming(func(s Subscription, _ SubscriptionArchive) []Party { return s.SubscriptionData.signatories() },
				func(tx *ledger.Tx, _ lf.CID[Subscription], s Subscription, _ SubscriptionArchive,
				) (SubscriptionArchiveResult, error) {
					ended, err := ledger.Create(tx, TerminatedSubscription(s))
					return SubscriptionArchiveResult{TerminatedSubscription: ended}, err
				}),
		},
	}
}

func terminatedSubscriptionTemplate() ledger.TemplateSource {
	return ledger.Template[TerminatedSubscription]{
		Network:     ledger.DSONamed(func(t TerminatedSubscription) Party { return t.SubscriptionData.DSO }),
		Signatories: func(t TerminatedSubscription) []Party { return t.SubscriptionData.signatories() },
	}
}

// requireSubscription checks that a subscription matches its state.
func requireSubscription(tx *ledger.Tx, id lf.CID[Subscription], expected Subscription) error {
	actual, err := ledger.Fetch(tx, id)
	if err != nil || actual == expected {
		return err
	}
	return ledger.Abort(
		"Contract mismatch: expected the subscription of request %s, got that of request %s referenced by %s",
		expected.Reference, actual.Reference, id)
}

// lockSubscriptionPayment locks one payment of a subscription and returns the receiver's amount.
func lockSubscriptionPayment(
	tx *ledger.Tx, data SubscriptionData, pay SubscriptionPayData, walletProvider Party,
	context coin.PaymentTransferContext, inputs []coin.TransferInput,
) (paid lockedPayment, amount ReceiverAmuletAmount, err error) {
	round, err := coin.ReadOpenMiningRound(tx, data.DSO, data.Sender, context.Context.OpenMiningRound)
	if err != nil {
		return paid, amount, err
	}
	amount.Receiver = data.Receiver
	if amount.AmuletAmount, err = pay.PaymentAmount.InCoin(data.DSO, round); err != nil {
		return paid, amount, err
	}
	order := lockOrder{
		dso: data.DSO, sender: data.Sender, walletProvider: walletProvider,
		holders: []Party{data.Provider, data.Receiver}, amount: amount.AmuletAmount,
		purpose: "amulet-subscription: " + data.Description,
	}
	paid, err = order.lock(tx, context, inputs, round)
	return paid, amount, err
}

func collectSubscriptionPayment(
	tx *ledger.Tx, data SubscriptionData, context coin.AppTransferContext, amount ReceiverAmuletAmount,
	id lf.CID[coin.LockedAmulet],
) (lf.CID[coin.Amulet], error) {
	paid, err := collect(tx, context, data.DSO, data.Sender, data.Provider, id, []ReceiverAmuletAmount{amount})
	if err != nil {
		return "", err
	}
	return paid[0], nil
}
