package walletapp

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// AcceptedTransferOffer is an offer with the agreement of both sides. The sender's wallet must complete it in time.
type AcceptedTransferOffer struct {
	_          struct{}               `lf:"splice-wallet:Splice.Wallet.TransferOffer:AcceptedTransferOffer"`
	Sender     Party                  `lf:"sender"`
	Receiver   Party                  `lf:"receiver"`
	DSO        Party                  `lf:"dso"`
	Amount     payments.PaymentAmount `lf:"amount"`
	ExpiresAt  lf.Timestamp           `lf:"expiresAt"`
	TrackingID string                 `lf:"trackingId"`
}

func (o AcceptedTransferOffer) tracking() OfferTrackingInfo {
	return OfferTrackingInfo{TrackingID: o.TrackingID, Sender: o.Sender, Receiver: o.Receiver}
}

// AcceptedTransferOfferComplete transfers the coin. An amount in US dollars becomes coin at the price of the round.
type AcceptedTransferOfferComplete struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.TransferOffer:AcceptedTransferOffer_Complete"`

	Inputs          []coin.TransferInput        `lf:"inputs"`
	TransferContext coin.PaymentTransferContext `lf:"transferContext"`
	// WalletProvider runs the sender's wallet and is the provider of the transfer.
	WalletProvider Party `lf:"walletProvider"`
}

// AcceptedTransferOfferCompleteResult is the result of [AcceptedTransferOfferComplete].
type AcceptedTransferOfferCompleteResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.TransferOffer:AcceptedTransferOffer_CompleteResult"`

	TransferResult     coin.TransferResult  `lf:"transferResult"`
	TrackingInfo       OfferTrackingInfo    `lf:"trackingInfo"`
	SenderChangeAmulet *lf.CID[coin.Amulet] `lf:"senderChangeAmulet"`
}

// AcceptedTransferOfferWithdraw ends the offer; the receiver decides.
type AcceptedTransferOfferWithdraw struct {
	_      struct{} `lf:"splice-wallet:Splice.Wallet.TransferOffer:AcceptedTransferOffer_Withdraw"`
	Reason string   `lf:"reason"`
}

// AcceptedTransferOfferWithdrawResult is the result of [AcceptedTransferOfferWithdraw].
type AcceptedTransferOfferWithdrawResult struct {
	_            struct{}          `lf:"splice-wallet:Splice.Wallet.TransferOffer:AcceptedTransferOffer_WithdrawResult"`
	TrackingInfo OfferTrackingInfo `lf:"trackingInfo"`
}

// AcceptedTransferOfferAbort ends the offer; the sender decides, for example for lack of coin.
type AcceptedTransferOfferAbort struct {
	_      struct{} `lf:"splice-wallet:Splice.Wallet.TransferOffer:AcceptedTransferOffer_Abort"`
	Reason string   `lf:"reason"`
}

// AcceptedTransferOfferAbortResult is the result of [AcceptedTransferOfferAbort].
type AcceptedTransferOfferAbortResult struct {
	_            struct{}          `lf:"splice-wallet:Splice.Wallet.TransferOffer:AcceptedTransferOffer_AbortResult"`
	TrackingInfo OfferTrackingInfo `lf:"trackingInfo"`
}

// AcceptedTransferOfferExpire ends an accepted offer that has expired; either side may.
type AcceptedTransferOfferExpire struct {
	_     struct{} `lf:"splice-wallet:Splice.Wallet.TransferOffer:AcceptedTransferOffer_Expire"`
	Actor Party    `lf:"actor"`
}

// AcceptedTransferOfferExpireResult is the result of [AcceptedTransferOfferExpire].
type AcceptedTransferOfferExpireResult struct {
	_            struct{}          `lf:"splice-wallet:Splice.Wallet.TransferOffer:AcceptedTransferOffer_ExpireResult"`
	TrackingInfo OfferTrackingInfo `lf:"trackingInfo"`
}

func acceptedTransferOfferTemplate() ledger.TemplateSource {
	type offer = AcceptedTransferOffer
	return ledger.Template[offer]{
		Network:     ledger.DSONamed(func(o offer) Party { return o.DSO }),
		Signatories: func(o offer) []Party { return []Party{o.Sender, o.Receiver} },
		Choices: []ledger.ChoiceOf[offer]{
			consuming(func(o offer, arg AcceptedTransferOfferComplete) []Party {
				return []Party{o.Sender, arg.WalletProvider}
			}, completeOffer),
			ending(func(o offer, _ AcceptedTransferOfferWithdraw) []Party { return []Party{o.Receiver} },
				func(o offer) AcceptedTransferOfferWithdrawResult {
					return AcceptedTransferOfferWithdrawResult{TrackingInfo: o.tracking()}
				}),
			ending(func(o offer, _ AcceptedTransferOfferAbort) []Party { return []Party{o.Sender} },
				func(o offer) AcceptedTransferOfferAbortResult {
					return AcceptedTransferOfferAbortResult{TrackingInfo: o.tracking()}
				}),
			consuming(func(_ offer, arg AcceptedTransferOfferExpire) []Party { return []Party{arg.Actor} },
				expireAcceptedOffer),
		},
	}
}

func completeOffer(
	tx *ledger.Tx, _ lf.CID[AcceptedTransferOffer], o AcceptedTransferOffer, arg AcceptedTransferOfferComplete,
) (none AcceptedTransferOfferCompleteResult, err error) {
	if err := requireNotExpired(tx, "Offer", o.ExpiresAt); err != nil {
		return none, err
	}
	round, err := coin.ReadOpenMiningRound(tx, o.DSO, o.Sender, arg.TransferContext.Context.OpenMiningRound)
	if err != nil {
		return none, err
	}
	amount, err := o.Amount.InCoin(o.DSO, round)
	if err != nil {
		return none, err
	}
	result, err := arg.TransferContext.Transfer(tx, o.DSO, coin.Transfer{
		Sender: o.Sender, Provider: arg.WalletProvider, Inputs: arg.Inputs,
		Outputs: []coin.TransferOutput{{Receiver: o.Receiver, Amount: amount}},
	})
	return AcceptedTransferOfferCompleteResult{
		TransferResult: result, TrackingInfo: o.tracking(), SenderChangeAmulet: result.SenderChangeAmulet,
	}, err
}

func expireAcceptedOffer(
	tx *ledger.Tx, _ lf.CID[AcceptedTransferOffer], o AcceptedTransferOffer, arg AcceptedTransferOfferExpire,
) (result AcceptedTransferOfferExpireResult, err error) {
	if err := requireExpired(tx, o.ExpiresAt); err != nil {
		return result, err
	}
	return AcceptedTransferOfferExpireResult{TrackingInfo: o.tracking()},
		requireStakeholder(arg.Actor, o.Sender, o.Receiver)
}
