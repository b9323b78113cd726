package walletapp

import (
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// InstallAppPaymentRequestReject refuses to pay an app.
type InstallAppPaymentRequestReject struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_AppPaymentRequest_Reject"`

	CID lf.CID[payments.AppPaymentRequest] `lf:"cid"`
}

// InstallAppPaymentRequestRejectResult is the result of [InstallAppPaymentRequestReject].
type InstallAppPaymentRequestRejectResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_AppPaymentRequest_RejectResult"`

	TerminatedAppPayment lf.CID[payments.TerminatedAppPayment] `lf:"terminatedAppPayment"`
}

// InstallAppPaymentRequestExpire ends a request for payment that has expired.
type InstallAppPaymentRequestExpire struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_AppPaymentRequest_Expire"`

	CID lf.CID[payments.AppPaymentRequest] `lf:"cid"`
}

// InstallAppPaymentRequestExpireResult is the result of [InstallAppPaymentRequestExpire].
type InstallAppPaymentRequestExpireResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_AppPaymentRequest_ExpireResult"`

	TerminatedAppPayment lf.CID[payments.TerminatedAppPayment] `lf:"terminatedAppPayment"`
}

// InstallSubscriptionRequestReject refuses to subscribe.
type InstallSubscriptionRequestReject struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_SubscriptionRequest_Reject"`

	CID lf.CID[payments.SubscriptionRequest] `lf:"cid"`
}

// InstallSubscriptionRequestRejectResult is the result of [InstallSubscriptionRequestReject].
type InstallSubscriptionRequestRejectResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_SubscriptionRequest_RejectResult"`

	TerminatedSubscription lf.CID[payments.TerminatedSubscription] `lf:"terminatedSubscription"`
}

// InstallCancelSubscription ends a subscription.
type InstallCancelSubscription struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_SubscriptionIdleState_CancelSubscription"`

	CID lf.CID[payments.SubscriptionIdleState] `lf:"cid"`
}

// InstallCancelSubscriptionResult is the result of [InstallCancelSubscription].
type InstallCancelSubscriptionResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_SubscriptionIdleState_CancelSubscriptionResult"`

	TerminatedSubscription lf.CID[payments.TerminatedSubscription] `lf:"terminatedSubscription"`
}

// paymentChoices are the choices of a wallet on requests of apps.
func paymentChoices() []ledger.ChoiceOf[WalletAppInstall] {
	return []ledger.ChoiceOf[WalletAppInstall]{
		byValidator(func(
			tx *ledger.Tx, _ WalletAppInstall, arg InstallAppPaymentRequestReject,
		) (InstallAppPaymentRequestRejectResult, error) {
			result, err := ledger.Exercise[payments.AppPaymentRequestRejectResult](
				tx, arg.CID, payments.AppPaymentRequestReject{})
			return InstallAppPaymentRequestRejectResult{TerminatedAppPayment: result.TerminatedAppPayment}, err
		}),
		byValidator(func(
			tx *ledger.Tx, w WalletAppInstall, arg InstallAppPaymentRequestExpire,
		) (InstallAppPaymentRequestExpireResult, error) {
			result, err := ledger.Exercise[payments.AppPaymentRequestExpireResult](
				tx, arg.CID, payments.AppPaymentRequestExpire{Actor: w.EndUserParty})
			return InstallAppPaymentRequestExpireResult{TerminatedAppPayment: result.TerminatedAppPayment}, err
		}),
		byValidator(func(
			tx *ledger.Tx, _ WalletAppInstall, arg InstallSubscriptionRequestReject,
		) (InstallSubscriptionRequestRejectResult, error) {
			result, err := ledger.Exercise[payments.SubscriptionRequestRejectResult](
				tx, arg.CID, payments.SubscriptionRequestReject{})
			return InstallSubscriptionRequestRejectResult{TerminatedSubscription: result.TerminatedSubscription}, err
		}),
		byValidator(func(
			tx *ledger.Tx, _ WalletAppInstall, arg InstallCancelSubscription,
		) (InstallCancelSubscriptionResult, error) {
			result, err := ledger.Exercise[payments.SubscriptionIdleStateCancelSubscriptionResult](
				tx, arg.CID, payments.SubscriptionIdleStateCancelSubscription{})
			return InstallCancelSubscriptionResult{TerminatedSubscription: result.TerminatedSubscription}, err
		}),
	}
}
