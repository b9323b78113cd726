package payments

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// SubscriptionInitialPayment is the first payment of a subscription, locked and not collected yet.
type SubscriptionInitialPayment struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionInitialPayment"`

	SubscriptionData SubscriptionData    `lf:"subscriptionData"`
	PayData          SubscriptionPayData `lf:"payData"`
	// TargetAmount is what the receiver will get, in coin.
	TargetAmount decimal.Decimal             `lf:"targetAmount"`
	LockedAmulet lf.CID[coin.LockedAmulet]   `lf:"lockedAmulet"`
	Round        coin.Round                  `lf:"round"`
	Reference    lf.CID[SubscriptionRequest] `lf:"reference"`
}

// SubscriptionInitialPaymentCollect pays the receiver and starts the subscription; all parties agree.
type SubscriptionInitialPaymentCollect struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionInitialPayment_Collect"`

	TransferContext coin.AppTransferContext `lf:"transferContext"`
}

// SubscriptionInitialPaymentCollectResult is the result of [SubscriptionInitialPaymentCollect].
type SubscriptionInitialPaymentCollectResult struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionInitialPayment_CollectResult"`

	Subscription      lf.CID[Subscription]          `lf:"subscription"`
	SubscriptionState lf.CID[SubscriptionIdleState] `lf:"subscriptionState"`
	Amulet            lf.CID[coin.Amulet]           `lf:"amulet"`
}

// SubscriptionInitialPaymentReject gives the coin back at once; the receiver decides.
type SubscriptionInitialPaymentReject struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionInitialPayment_Reject"`

	TransferContext coin.AppTransferContext `lf:"transferContext"`
}

// SubscriptionInitialPaymentRejectResult is the result of [SubscriptionInitialPaymentReject].
type SubscriptionInitialPaymentRejectResult struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionInitialPayment_RejectResult"`

	AmuletSum AmuletSummary `lf:"amuletSum"`
}

// SubscriptionInitialPaymentExpire gives the coin back once its lock has expired; any signatory may.
type SubscriptionInitialPaymentExpire struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionInitialPayment_Expire"`

	Actor           Party                   `lf:"actor"`
	TransferContext coin.AppTransferContext `lf:"transferContext"`
}

// SubscriptionInitialPaymentExpireResult is the result of [SubscriptionInitialPaymentExpire].
type SubscriptionInitialPaymentExpireResult struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionInitialPayment_ExpireResult"`

	AmuletSum AmuletSummary `lf:"amuletSum"`
}

func subscriptionInitialPaymentTemplate() ledger.TemplateSource {
	type payment = SubscriptionInitialPayment
	return ledger.Template[payment]{
		Network:     ledger.DSONamed(func(p payment) Party { return p.SubscriptionData.DSO }),
		Signatories: func(p payment) []Party { return p.SubscriptionData.signatories() },
		Ensure: ledger.That("the amount is more than 0, and the interval and the duration are longer than a microsecond",
			func(p payment) bool { return p.PayData.valid() }),
		Choices: []ledger.ChoiceOf[payment]{
			consuming(func(p payment, _ SubscriptionInitialPaymentCollect) []Party {
				return p.SubscriptionData.signatories()
			}, collectInitialPayment),
			consuming(func(p payment, _ SubscriptionInitialPaymentReject) []Party {
				return []Party{p.SubscriptionData.Receiver}
			}, func(tx *ledger.Tx, _ lf.CID[payment], p payment, arg SubscriptionInitialPaymentReject,
			) (SubscriptionInitialPaymentRejectResult, error) {
				amulet, err := p.giveBack(tx, arg.TransferContext, true)
				return SubscriptionInitialPaymentRejectResult{AmuletSum: amulet}, err
			}),
			consuming(func(_ payment, arg SubscriptionInitialPaymentExpire) []Party { return []Party{arg.Actor} },
				func(tx *ledger.Tx, _ lf.CID[payment], p payment, arg SubscriptionInitialPaymentExpire,
				) (result SubscriptionInitialPaymentExpireResult, err error) {
					if err := requireSignatory(arg.Actor, p.SubscriptionData); err != nil {
						return result, err
					}
					result.AmuletSum, err = p.giveBack(tx, arg.TransferContext, false)
					return result, err
				}),
		},
	}
}

func collectInitialPayment(
	tx *ledger.Tx, _ lf.CID[SubscriptionInitialPayment], p SubscriptionInitialPayment,
	arg SubscriptionInitialPaymentCollect,
) (result SubscriptionInitialPaymentCollectResult, err error) {
	data := p.SubscriptionData
	err = requireSameRound(tx, data.DSO, data.Provider, arg.TransferContext, "subscription request", p.Round)
	if err != nil {
		return result, err
	}
	result.Subscription, err = ledger.Create(tx, Subscription{SubscriptionData: data, Reference: p.Reference})
	if err != nil {
		return result, err
	}
	result.SubscriptionState, err = ledger.Create(tx, SubscriptionIdleState{
		Subscription: result.Subscription, SubscriptionData: data, PayData: p.PayData,
		NextPaymentDueAt: tx.Now().Add(p.PayData.PaymentInterval), Reference: p.Reference,
	})
	if err != nil {
		return result, err
	}
	amount := ReceiverAmuletAmount{Receiver: data.Receiver, AmuletAmount: p.TargetAmount}
	result.Amulet, err = collectSubscriptionPayment(tx, data, arg.TransferContext, amount, p.LockedAmulet)
	return result, err
}

func (p SubscriptionInitialPayment) giveBack(
	tx *ledger.Tx, context coin.AppTransferContext, agreed bool,
) (AmuletSummary, error) {
	data := p.SubscriptionData
	if _, err := terminate(tx, data, p.Reference); err != nil {
		return AmuletSummary{}, err
	}
	return release(tx, data.DSO, data.Sender, context.OpenMiningRound, p.LockedAmulet, agreed)
}
