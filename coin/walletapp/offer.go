package walletapp

import (
	"unicode/utf8"

	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// TransferOffer is a sender's offer of coin to a receiver. It locks nothing: the coin moves when the sender's wallet
// completes the accepted offer.
type TransferOffer struct {
	_           struct{}               `lf:"splice-wallet:Splice.Wallet.TransferOffer:TransferOffer"`
	Sender      Party                  `lf:"sender"`
	Receiver    Party                  `lf:"receiver"`
	DSO         Party                  `lf:"dso"`
	Amount      payments.PaymentAmount `lf:"amount"`
	Description string                 `lf:"description"`
	ExpiresAt   lf.Timestamp           `lf:"expiresAt"`
	// TrackingID is the sender's own name for the offer, to ask for its state.
	TrackingID string `lf:"trackingId"`
}

// OfferTrackingInfo is the offer of a choice, for transaction histories.
type OfferTrackingInfo struct {
	_          struct{} `lf:"splice-wallet:Splice.Wallet.TransferOffer:TransferOfferTrackingInfo"`
	TrackingID string   `lf:"trackingId"`
	Sender     Party    `lf:"sender"`
	Receiver   Party    `lf:"receiver"`
}

func (o TransferOffer) tracking() OfferTrackingInfo {
	return OfferTrackingInfo{TrackingID: o.TrackingID, Sender: o.Sender, Receiver: o.Receiver}
}

// TransferOfferAccept is the receiver's agreement.
type TransferOfferAccept struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.TransferOffer:TransferOffer_Accept"`
}

// TransferOfferAcceptResult is the result of [TransferOfferAccept].
type TransferOfferAcceptResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.TransferOffer:TransferOffer_AcceptResult"`

	AcceptedTransferOffer lf.CID[AcceptedTransferOffer] `lf:"acceptedTransferOffer"`
}

// TransferOfferReject declines the offer.
type TransferOfferReject struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.TransferOffer:TransferOffer_Reject"`
}

// TransferOfferRejectResult is the result of [TransferOfferReject].
type TransferOfferRejectResult struct {
	_            struct{}          `lf:"splice-wallet:Splice.Wallet.TransferOffer:TransferOffer_RejectResult"`
	TrackingInfo OfferTrackingInfo `lf:"trackingInfo"`
}

// TransferOfferWithdraw takes the offer back.
type TransferOfferWithdraw struct {
	_      struct{} `lf:"splice-wallet:Splice.Wallet.TransferOffer:TransferOffer_Withdraw"`
	Reason string   `lf:"reason"`
}

// TransferOfferWithdrawResult is the result of [TransferOfferWithdraw].
type TransferOfferWithdrawResult struct {
	_            struct{}          `lf:"splice-wallet:Splice.Wallet.TransferOffer:TransferOffer_WithdrawResult"`
	TrackingInfo OfferTrackingInfo `lf:"trackingInfo"`
}

// TransferOfferExpire ends an offer that has expired; either side may.
type TransferOfferExpire struct {
	_     struct{} `lf:"splice-wallet:Splice.Wallet.TransferOffer:TransferOffer_Expire"`
	Actor Party    `lf:"actor"`
}

// TransferOfferExpireResult is the result of [TransferOfferExpire].
type TransferOfferExpireResult struct {
	_            struct{}          `lf:"splice-wallet:Splice.Wallet.TransferOffer:TransferOffer_ExpireResult"`
	TrackingInfo OfferTrackingInfo `lf:"trackingInfo"`
}

func transferOfferTemplate() ledger.TemplateSource {
	type offer = TransferOffer
	return ledger.Template[offer]{
		Network:     ledger.DSONamed(func(o offer) Party { return o.DSO }),
		Signatories: func(o offer) []Party { return []Party{o.Sender} },
		Observers:   func(o offer) []Party { return []Party{o.Receiver} },
		Ensure: ledger.That("the description has fewer than 280 characters", func(o offer) bool {
			return utf8.RuneCountInString(o.Description) < MaxTextLength
		}).And("the tracking id has fewer than 280 characters", func(o offer) bool {
			return utf8.RuneCountInString(o.TrackingID) < MaxTextLength
		}),
		Choices: []ledger.ChoiceOf[offer]{
			consuming(func(o offer, _ TransferOfferAccept) []Party { return []Party{o.Receiver} }, acceptOffer),
			ending(func(o offer, _ TransferOfferReject) []Party { return []Party{o.Receiver} },
				func(o offer) TransferOfferRejectResult { return TransferOfferRejectResult{TrackingInfo: o.tracking()} }),
			ending(func(o offer, _ TransferOfferWithdraw) []Party { return []Party{o.Sender} },
				func(o offer) TransferOfferWithdrawResult {
					return TransferOfferWithdrawResult{TrackingInfo: o.tracking()}
				}),
			consuming(func(_ offer, arg TransferOfferExpire) []Party { return []Party{arg.Actor} }, expireOffer),
		},
	}
}

func acceptOffer(
	tx *ledger.Tx, _ lf.CID[TransferOffer], o TransferOffer, _ TransferOfferAccept,
) (result TransferOfferAcceptResult, err error) {
	if err := requireNotExpired(tx, "Offer", o.ExpiresAt); err != nil {
		return result, err
	}
	result.AcceptedTransferOffer, err = ledger.Create(tx, AcceptedTransferOffer{
		Sender: o.Sender, Receiver: o.Receiver, DSO: o.DSO, Amount: o.Amount, ExpiresAt: o.ExpiresAt,
		TrackingID: o.TrackingID,
	})
	return result, err
}

func expireOffer(
	tx *ledger.Tx, _ lf.CID[TransferOffer], o TransferOffer, arg TransferOfferExpire,
) (result TransferOfferExpireResult, err error) {
	if err := requireExpired(tx, o.ExpiresAt); err != nil {
		return result, err
	}
	return TransferOfferExpireResult{TrackingInfo: o.tracking()}, requireStakeholder(arg.Actor, o.Sender, o.Receiver)
}
