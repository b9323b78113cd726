package payments

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// SubscriptionRequest asks a sender to pay a receiver regularly.
type SubscriptionRequest struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionRequest"`

	SubscriptionData SubscriptionData    `lf:"subscriptionData"`
	PayData          SubscriptionPayData `lf:"payData"`
}

// SubscriptionRequestAcceptAndMakePayment agrees to a subscription and locks its first payment.
type SubscriptionRequestAcceptAndMakePayment struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionRequest_AcceptAndMakePayment"`

	Inputs         []coin.TransferInput        `lf:"inputs"`
	Context        coin.PaymentTransferContext `lf:"context"`
	WalletProvider Party                       `lf:"walletProvider"`
}

// SubscriptionRequestAcceptAndMakePaymentResult is the result of [SubscriptionRequestAcceptAndMakePayment].
type SubscriptionRequestAcceptAndMakePaymentResult struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionRequest_AcceptAndMakePaymentResult"`

	SubscriptionPayment lf.CID[SubscriptionInitialPayment] `lf:"subscriptionPayment"`
	SenderChange        *lf.CID[coin.Amulet]               `lf:"senderChange"`
}

// SubscriptionRequestWithdraw takes the request back; the receiver decides.
type SubscriptionRequestWithdraw struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionRequest_Withdraw"`
}

// SubscriptionRequestWithdrawResult is the result of [SubscriptionRequestWithdraw].
type SubscriptionRequestWithdrawResult struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionRequest_WithdrawResult"`

	TerminatedSubscription lf.CID[TerminatedSubscription] `lf:"terminatedSubscription"`
}

// SubscriptionRequestReject refuses to subscribe.
type SubscriptionRequestReject struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionRequest_Reject"`
}

// SubscriptionRequestRejectResult is the result of [SubscriptionRequestReject].
type SubscriptionRequestRejectResult struct {
	_ struct{} `lf:"splice-wallet-payments:Splice.Wallet.Subscriptions:SubscriptionRequest_RejectResult"`

	TerminatedSubscription lf.CID[TerminatedSubscription] `lf:"terminatedSubscription"`
}

func subscriptionRequestTemplate() ledger.TemplateSource {
	type request = SubscriptionRequest
	return ledger.Template[request]{
		Network:     ledger.DSONamed(func(r request) Party { return r.SubscriptionData.DSO }),
		Signatories: func(r request) []Party { return r.SubscriptionData.signatories() },
		Ensure: ledger.That("the amount is more than 0, and the interval and the duration are longer than a microsecond",
			func(r request) bool { return r.PayData.valid() }),
		Choices: []ledger.ChoiceOf[request]{
			consuming(func(r request, arg SubscriptionRequestAcceptAndMakePayment) []Party {
				return []Party{r.SubscriptionData.Sender, arg.WalletProvider}
			}, acceptSubscription),
			consuming(func(r request, _ SubscriptionRequestWithdraw) []Party {
				return []Party{r.SubscriptionData.Receiver}
			}, func(tx *ledger.Tx, self lf.CID[request], r request, _ SubscriptionRequestWithdraw,
			) (SubscriptionRequestWithdrawResult, error) {
				ended, err := terminate(tx, r.SubscriptionData, self)
				return SubscriptionRequestWithdrawResult{TerminatedSubscription: ended}, err
			}),
			consuming(func(r request, _ SubscriptionRequestReject) []Party {
				return []Party{r.SubscriptionData.Sender}
			}, func(tx *ledger.Tx, self lf.CID[request], r request, _ SubscriptionRequestReject,
			) (SubscriptionRequestRejectResult, error) {
				ended, err := terminate(tx, r.SubscriptionData, self)
				return SubscriptionRequestRejectResult{TerminatedSubscription: ended}, err
			}),
		},
	}
}

func terminate(
	tx *ledger.Tx, data SubscriptionData, reference lf.CID[SubscriptionRequest],
) (lf.CID[TerminatedSubscription], error) {
	return ledger.Create(tx, TerminatedSubscription{SubscriptionData: data, Reference: reference})
}

func acceptSubscription(
	tx *ledger.Tx, self lf.CID[SubscriptionRequest], r SubscriptionRequest, arg SubscriptionRequestAcceptAndMakePayment,
) (none SubscriptionRequestAcceptAndMakePaymentResult, err error) {
	paid, amount, err := lockSubscriptionPayment(
		tx, r.SubscriptionData, r.PayData, arg.WalletProvider, arg.Context, arg.Inputs)
	if err != nil {
		return none, err
	}
	payment, err := ledger.Create(tx, SubscriptionInitialPayment{
		SubscriptionData: r.SubscriptionData, PayData: r.PayData, TargetAmount: amount.AmuletAmount,
		LockedAmulet: paid.amulet, Round: paid.round, Reference: self,
	})
	return SubscriptionRequestAcceptAndMakePaymentResult{SubscriptionPayment: payment, SenderChange: paid.change}, err
}
