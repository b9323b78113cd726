package payments

import (
	"fmt"
	"slices"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// SubscriptionIdleState is a subscription between two payments.
type SubscriptionIdleState struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionIdleState"`

	Subscription     lf.CID[Subscription]        `lf:"subscription"`
	SubscriptionData SubscriptionData            `lf:"subscriptionData"`
	PayData          SubscriptionPayData         `lf:"payData"`
	NextPaymentDueAt lf.Timestamp                `lf:"nextPaymentDueAt"`
	Reference        lf.CID[SubscriptionRequest] `lf:"reference"`
}

// SubscriptionIdleStateMakePayment locks the next payment, from paymentDuration before it is due. There is no end: the
// provider decides how long to wait, and may end the subscription instead.
type SubscriptionIdleStateMakePayment struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionIdleState_MakePayment"`

	Inputs         []coin.TransferInput        `lf:"inputs"`
	Context        coin.PaymentTransferContext `lf:"context"`
	WalletProvider Party                       `lf:"walletProvider"`
}

// SubscriptionIdleStateMakePaymentResult is the result of [SubscriptionIdleStateMakePayment].
type SubscriptionIdleStateMakePaymentResult struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionIdleState_MakePaymentResult"`

	SubscriptionPayment lf.CID[SubscriptionPayment] `lf:"subscriptionPayment"`
	SenderChange        *lf.CID[coin.Amulet]        `lf:"senderChange"`
}

// SubscriptionIdleStateExpireSubscription ends a subscription after a missed payment; any signatory may.
type SubscriptionIdleStateExpireSubscription struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionIdleState_ExpireSubscription"`

	Actor Party `lf:"actor"`
}

// SubscriptionIdleStateExpireSubscriptionResult is the result of [SubscriptionIdleStateExpireSubscription].
type SubscriptionIdleStateExpireSubscriptionResult struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionIdleState_ExpireSubscriptionResult"`

	TerminatedSubscription lf.CID[TerminatedSubscription] `lf:"terminatedSubscription"`
}

// SubscriptionIdleStateCancelSubscription ends a subscription at any time; the sender decides.
type SubscriptionIdleStateCancelSubscription struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionIdleState_CancelSubscription"`
}

// SubscriptionIdleStateCancelSubscriptionResult is the result of [SubscriptionIdleStateCancelSubscription].
type SubscriptionIdleStateCancelSubscriptionResult struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionIdleState_CancelSubscriptionResult"`

	TerminatedSubscription lf.CID[TerminatedSubscription] `lf:"terminatedSubscription"`
}

func subscriptionIdleStateTemplate() ledger.TemplateSource {
	type state = SubscriptionIdleState
	return ledger.Template[state]{
		Network:     ledger.DSONamed(func(s state) Party { return s.SubscriptionData.DSO }),
		Signatories: func(s state) []Party { return s.SubscriptionData.signatories() },
		Ensure: ledger.That("the amount is more than 0, and the interval and the duration are longer than a microsecond",
			func(s state) bool { return s.PayData.valid() }),
		Choices: []ledger.ChoiceOf[state]{
			consuming(func(s state, arg SubscriptionIdleStateMakePayment) []Party {
				return []Party{s.SubscriptionData.Sender, arg.WalletProvider}
			}, makePayment),
			consuming(func(_ state, arg SubscriptionIdleStateExpireSubscription) []Party { return []Party{arg.Actor} },
				expireSubscription),
			consuming(func(s state, _ SubscriptionIdleStateCancelSubscription) []Party {
				return []Party{s.SubscriptionData.Sender}
			}, func(tx *ledger.Tx, _ lf.CID[state], s state, _ SubscriptionIdleStateCancelSubscription,
			) (result SubscriptionIdleStateCancelSubscriptionResult, err error) {
				result.TerminatedSubscription, err = s.end(tx)
				return result, err
			}),
		},
	}
}

func makePayment(
	tx *ledger.Tx, _ lf.CID[SubscriptionIdleState], s SubscriptionIdleState, arg SubscriptionIdleStateMakePayment,
) (none SubscriptionIdleStateMakePaymentResult, err error) {
	data := s.SubscriptionData
	if err := s.requireOwn(tx); err != nil {
		return none, err
	}
	payableFrom := s.NextPaymentDueAt.Earlier(s.PayData.PaymentDuration)
	err = ledger.Require("The next due date is close enough to make the next payment.", !tx.IsBefore(payableFrom))
	if err != nil {
		return none, err
	}
	paid, amount, err := lockSubscriptionPayment(tx, data, s.PayData, arg.WalletProvider, arg.Context, arg.Inputs)
	if err != nil {
		return none, err
	}
	payment, err := ledger.Create(tx, SubscriptionPayment{
		Subscription: s.Subscription, SubscriptionData: data, PayData: s.PayData, ThisPaymentDueAt: s.NextPaymentDueAt,
		TargetAmount: amount.AmuletAmount, LockedAmulet: paid.amulet, Round: paid.round, Reference: s.Reference,
	})
	return SubscriptionIdleStateMakePaymentResult{SubscriptionPayment: payment, SenderChange: paid.change}, err
}

func expireSubscription(
	tx *ledger.Tx, _ lf.CID[SubscriptionIdleState], s SubscriptionIdleState, arg SubscriptionIdleStateExpireSubscription,
) (result SubscriptionIdleStateExpireSubscriptionResult, err error) {
	if err := requireSignatory(arg.Actor, s.SubscriptionData); err != nil {
		return result, err
	}
	missed := !tx.IsBefore(s.NextPaymentDueAt + 1) // strictly after the due time
	if err := ledger.Require("Last subscription payment was missed", missed); err != nil {
		return result, err
	}
	result.TerminatedSubscription, err = s.end(tx)
	return result, err
}

func (s SubscriptionIdleState) end(tx *ledger.Tx) (lf.CID[TerminatedSubscription], error) {
	if err := s.requireOwn(tx); err != nil {
		return "", err
	}
	ended, err := ledger.Exercise[SubscriptionArchiveResult](tx, s.Subscription, SubscriptionArchive{})
	return ended.TerminatedSubscription, err
}

func (s SubscriptionIdleState) requireOwn(tx *ledger.Tx) error {
	return requireSubscription(tx, s.Subscription,
		Subscription{SubscriptionData: s.SubscriptionData, Reference: s.Reference})
}

func requireSignatory(actor Party, data SubscriptionData) error {
	return ledger.Require(fmt.Sprintf("Actor '%s' is a signatory", actor),
		slices.Contains(data.signatories(), actor))
}
