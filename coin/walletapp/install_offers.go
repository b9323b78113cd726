package walletapp

import (
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// InstallCreateTransferOffer offers coin of the user to a receiver.
type InstallCreateTransferOffer struct {
	_           struct{}               `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_CreateTransferOffer"`
	Receiver    Party                  `lf:"receiver"`
	Amount      payments.PaymentAmount `lf:"amount"`
	Description string                 `lf:"description"`
	ExpiresAt   lf.Timestamp           `lf:"expiresAt"`
	TrackingID  string                 `lf:"trackingId"`
}

// InstallCreateTransferOfferResult is the result of [InstallCreateTransferOffer].
type InstallCreateTransferOfferResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_CreateTransferOfferResult"`

	TransferOffer lf.CID[TransferOffer] `lf:"transferOffer"`
}

// InstallTransferOfferAccept accepts an offer.
type InstallTransferOfferAccept struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_TransferOffer_Accept"`

	CID lf.CID[TransferOffer] `lf:"cid"`
}

// InstallTransferOfferAcceptResult is the result of [InstallTransferOfferAccept].
type InstallTransferOfferAcceptResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_TransferOffer_AcceptResult"`

	AcceptedTransferOffer lf.CID[AcceptedTransferOffer] `lf:"acceptedTransferOffer"`
}

// InstallTransferOfferReject declines an offer.
type InstallTransferOfferReject struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_TransferOffer_Reject"`

	CID lf.CID[TransferOffer] `lf:"cid"`
}

// InstallTransferOfferRejectResult is the result of [InstallTransferOfferReject].
type InstallTransferOfferRejectResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_TransferOffer_RejectResult"`

	TrackingInfo OfferTrackingInfo `lf:"trackingInfo"`
}

// InstallTransferOfferWithdraw takes an offer of the user back.
type InstallTransferOfferWithdraw struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_TransferOffer_Withdraw"`

	CID    lf.CID[TransferOffer] `lf:"cid"`
	Reason string                `lf:"reason"`
}

// InstallTransferOfferWithdrawResult is the result of [InstallTransferOfferWithdraw].
type InstallTransferOfferWithdrawResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_TransferOffer_WithdrawResult"`

	TrackingInfo OfferTrackingInfo `lf:"trackingInfo"`
}

// InstallTransferOfferExpire ends an offer that has expired.
type InstallTransferOfferExpire struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_TransferOffer_Expire"`

	CID lf.CID[TransferOffer] `lf:"cid"`
}

// InstallTransferOfferExpireResult is the result of [InstallTransferOfferExpire].
type InstallTransferOfferExpireResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_TransferOffer_ExpireResult"`

	TrackingInfo OfferTrackingInfo `lf:"trackingInfo"`
}

// InstallAcceptedTransferOfferAbort cancels an accepted offer of the user.
type InstallAcceptedTransferOfferAbort struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_AcceptedTransferOffer_Abort"`

	CID    lf.CID[AcceptedTransferOffer] `lf:"cid"`
	Reason string                        `lf:"reason"`
}

// InstallAcceptedTransferOfferAbortResult is the result of [InstallAcceptedTransferOfferAbort].
type InstallAcceptedTransferOfferAbortResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_AcceptedTransferOffer_AbortResult"`

	TrackingInfo OfferTrackingInfo `lf:"trackingInfo"`
}

// InstallAcceptedTransferOfferWithdraw cancels an offer that the user accepted.
type InstallAcceptedTransferOfferWithdraw struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_AcceptedTransferOffer_Withdraw"`

	CID    lf.CID[AcceptedTransferOffer] `lf:"cid"`
	Reason string                        `lf:"reason"`
}

// InstallAcceptedTransferOfferWithdrawResult is the result of [InstallAcceptedTransferOfferWithdraw].
type InstallAcceptedTransferOfferWithdrawResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_AcceptedTransferOffer_WithdrawResult"`

	TrackingInfo OfferTrackingInfo `lf:"trackingInfo"`
}

// InstallAcceptedTransferOfferExpire ends an accepted offer that has expired.
type InstallAcceptedTransferOfferExpire struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_AcceptedTransferOffer_Expire"`

	CID lf.CID[AcceptedTransferOffer] `lf:"cid"`
}

// InstallAcceptedTransferOfferExpireResult is the result of [InstallAcceptedTransferOfferExpire].
type InstallAcceptedTransferOfferExpireResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_AcceptedTransferOffer_ExpireResult"`

	TrackingInfo OfferTrackingInfo `lf:"trackingInfo"`
}

func offerChoices() []ledger.ChoiceOf[WalletAppInstall] {
	return []ledger.ChoiceOf[WalletAppInstall]{
		byValidator(func(
			tx *ledger.Tx, w WalletAppInstall, arg InstallCreateTransferOffer,
		) (InstallCreateTransferOfferResult, error) {
			offer, err := ledger.Create(tx, TransferOffer{
				Sender: w.EndUserParty, Receiver: arg.Receiver, DSO: w.DSOParty, Amount: arg.Amount,
				Description: arg.Description, ExpiresAt: arg.ExpiresAt, TrackingID: arg.TrackingID,
			})
			return InstallCreateTransferOfferResult{TransferOffer: offer}, err
		}),
		byValidator(func(
			tx *ledger.Tx, _ WalletAppInstall, arg InstallTransferOfferAccept,
		) (InstallTransferOfferAcceptResult, error) {
			result, err := ledger.Exercise[TransferOfferAcceptResult](
				tx, arg.CID, TransferOfferAccept{})
			return InstallTransferOfferAcceptResult(result), err
		}),
		byValidator(func(
			tx *ledger.Tx, _ WalletAppInstall, arg InstallTransferOfferReject,
		) (InstallTransferOfferRejectResult, error) {
			result, err := ledger.Exercise[TransferOfferRejectResult](
				tx, arg.CID, TransferOfferReject{})
			return InstallTransferOfferRejectResult(result), err
		}),
		byValidator(func(
			tx *ledger.Tx, _ WalletAppInstall, arg InstallTransferOfferWithdraw,
		) (InstallTransferOfferWithdrawResult, error) {
			result, err := ledger.Exercise[TransferOfferWithdrawResult](
				tx, arg.CID, TransferOfferWithdraw{Reason: arg.Reason})
			return InstallTransferOfferWithdrawResult(result), err
		}),
		byValidator(func(
			tx *ledger.Tx, w WalletAppInstall, arg InstallTransferOfferExpire,
		) (InstallTransferOfferExpireResult, error) {
			result, err := ledger.Exercise[TransferOfferExpireResult](
				tx, arg.CID, TransferOfferExpire{Actor: w.EndUserParty})
			return InstallTransferOfferExpireResult(result), err
		}),
		byValidator(func(
			tx *ledger.Tx, _ WalletAppInstall, arg InstallAcceptedTransferOfferAbort,
		) (InstallAcceptedTransferOfferAbortResult, error) {
			result, err := ledger.Exercise[AcceptedTransferOfferAbortResult](
				tx, arg.CID, AcceptedTransferOfferAbort{Reason: arg.Reason})
			return InstallAcceptedTransferOfferAbortResult(result), err
		}),
		byValidator(func(
			tx *ledger.Tx, _ WalletAppInstall, arg InstallAcceptedTransferOfferWithdraw,
		) (InstallAcceptedTransferOfferWithdrawResult, error) {
			result, err := ledger.Exercise[AcceptedTransferOfferWithdrawResult](
				tx, arg.CID, AcceptedTransferOfferWithdraw{Reason: arg.Reason})
			return InstallAcceptedTransferOfferWithdrawResult(result), err
		}),
		byValidator(func(
			tx *ledger.Tx, w WalletAppInstall, arg InstallAcceptedTransferOfferExpire,
		) (InstallAcceptedTransferOfferExpireResult, error) {
			result, err := ledger.Exercise[AcceptedTransferOfferExpireResult](
				tx, arg.CID, AcceptedTransferOfferExpire{Actor: w.EndUserParty})
			return InstallAcceptedTransferOfferExpireResult(result), err
		}),
	}
}
