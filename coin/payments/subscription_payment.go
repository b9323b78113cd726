package payments

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// SubscriptionPayment is a later payment of a subscription, locked and not collected yet. It replaces the
// [SubscriptionIdleState] until then.
type SubscriptionPayment struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionPayment"`

	Subscription     lf.CID[Subscription] `lf:"subscription"`
	SubscriptionData SubscriptionData     `lf:"subscriptionData"`
	PayData          SubscriptionPayData  `lf:"payData"`
	ThisPaymentDueAt lf.Timestamp         `lf:"thisPaymentDueAt"`
	// TargetAmount is what the receiver will get, in coin.
	TargetAmount decimal.Decimal             `lf:"targetAmount"`
	LockedAmulet lf.CID[coin.LockedAmulet]   `lf:"lockedAmulet"`
	Round        coin.Round                  `lf:"round"`
	Reference    lf.CID[SubscriptionRequest] `lf:"reference"`
}

// SubscriptionPaymentCollect pays the receiver; the next payment is due an interval after this one was. All parties
// agree.
type SubscriptionPaymentCollect struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionPayment_Collect"`

	TransferContext coin.AppTransferContext `lf:"transferContext"`
}

// SubscriptionPaymentCollectResult is the result of [SubscriptionPaymentCollect].
type SubscriptionPaymentCollectResult struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionPayment_CollectResult"`

	SubscriptionState lf.CID[SubscriptionIdleState] `lf:"subscriptionState"`
	Amulet            lf.CID[coin.Amulet]           `lf:"amulet"`
}

// SubscriptionPaymentReject gives the coin back at once, and the payment is due again; the receiver decides.
type SubscriptionPaymentReject struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionPayment_Reject"`

	TransferContext coin.AppTransferContext `lf:"transferContext"`
}

// SubscriptionPaymentRejectResult is the result of [SubscriptionPaymentReject].
type SubscriptionPaymentRejectResult struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionPayment_RejectResult"`

	SubscriptionState lf.CID[SubscriptionIdleState] `lf:"subscriptionState"`
	AmuletSum         AmuletSummary                 `lf:"amuletSum"`
}

// SubscriptionPaymentExpire gives the coin back once its lock has expired, and the payment is due again; any signatory
// may.
type SubscriptionPaymentExpire struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionPayment_Expire"`

	Actor           Party                   `lf:"actor"`
	TransferContext coin.AppTransferContext `lf:"transferContext"`
}

// SubscriptionPaymentExpireResult is the result of [SubscriptionPaymentExpire].
type SubscriptionPaymentExpireResult struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionPayment_ExpireResult"`

	SubscriptionState lf.CID[SubscriptionIdleState] `lf:"subscriptionState"`
	AmuletSum         AmuletSummary                 `lf:"amuletSum"`
}

func subscriptionPaymentTemplate() ledger.TemplateSource {
	type payment = SubscriptionPayment
	return ledger.Template[payment]{
		Network:     ledger.DSONamed(func(p payment) Party { return p.SubscriptionData.DSO }),
		Signatories: func(p payment) []Party { return p.SubscriptionData.signatories() },
		Ensure: ledger.That("the amount is more than 0, and the interval and the duration are longer than a microsecond",
			func(p payment) bool { return p.PayData.valid() }),
		Choices: []ledger.ChoiceOf[payment]{
			consuming(func(p payment, _ SubscriptionPaymentCollect) []Party {
				return p.SubscriptionData.signatories()
			}, collectLaterPayment),
			consuming(func(p payment, _ SubscriptionPaymentReject) []Party {
				return []Party{p.SubscriptionData.Receiver}
			}, func(tx *ledger.Tx, _ lf.CID[payment], p payment, arg SubscriptionPaymentReject,
			) (SubscriptionPaymentRejectResult, error) {
				state, amulet, err := p.giveBack(tx, arg.TransferContext, true)
				return SubscriptionPaymentRejectResult{SubscriptionState: state, AmuletSum: amulet}, err
			}),
			consuming(func(_ payment, arg SubscriptionPaymentExpire) []Party { return []Party{arg.Actor} },
				func(tx *ledger.Tx, _ lf.CID[payment], p payment, arg SubscriptionPaymentExpire,
				) (none SubscriptionPaymentExpireResult, err error) {
					if err := requireSignatory(arg.Actor, p.SubscriptionData); err != nil {
						return none, err
					}
					state, amulet, err := p.giveBack(tx, arg.TransferContext, false)
					return SubscriptionPaymentExpireResult{SubscriptionState: state, AmuletSum: amulet}, err
				}),
		},
	}
}

func collectLaterPayment(
	tx *ledger.Tx, _ lf.CID[SubscriptionPayment], p SubscriptionPayment, arg SubscriptionPaymentCollect,
) (result SubscriptionPaymentCollectResult, err error) {
	data := p.SubscriptionData
	err = requireSameRound(tx, data.DSO, data.Provider, arg.TransferContext, "subscription payment", p.Round)
	if err != nil {
		return result, err
	}
	result.SubscriptionState, err = p.becomeIdle(tx, p.ThisPaymentDueAt.Add(p.PayData.PaymentInterval))
	if err != nil {
		return result, err
	}
	amount := ReceiverAmuletAmount{Receiver: data.Receiver, AmuletAmount: p.TargetAmount}
	result.Amulet, err = collectSubscriptionPayment(tx, data, arg.TransferContext, amount, p.LockedAmulet)
	return result, err
}

func (p SubscriptionPayment) giveBack(
	tx *ledger.Tx, context coin.AppTransferContext, agreed bool,
) (lf.CID[SubscriptionIdleState], AmuletSummary, error) {
	state, err := p.becomeIdle(tx, p.ThisPaymentDueAt)
	if err != nil {
		return "", AmuletSummary{}, err
	}
	data := p.SubscriptionData
	amulet, err := release(tx, data.DSO, data.Sender, context.OpenMiningRound, p.LockedAmulet, agreed)
	return state, amulet, err
}

func (p SubscriptionPayment) becomeIdle(
	tx *ledger.Tx, nextPaymentDueAt lf.Timestamp,
) (lf.CID[SubscriptionIdleState], error) {
	expected := Subscription{SubscriptionData: p.SubscriptionData, Reference: p.Reference}
	if err := requireSubscription(tx, p.Subscription, expected); err != nil {
		return "", err
	}
	return ledger.Create(tx, SubscriptionIdleState{
		Subscription: p.Subscription, SubscriptionData: p.SubscriptionData, PayData: p.PayData,
		NextPaymentDueAt: nextPaymentDueAt, Reference: p.Reference,
	})
}
