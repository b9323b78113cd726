package automation

import (
	"slices"
	"time"

	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// AutoAccept lists, by receiver, the senders whose offers are accepted without asking.
type AutoAccept map[ledger.Party][]ledger.Party

// Accept accepts the offers that the configuration names, that have not expired, and that can be paid at all: an offer
// of nothing, or of less, would be given up right after it.
func (c AutoAccept) Accept(offers []plan.Contract[walletapp.TransferOffer], now time.Time) []Intent {
	var intents []Intent
	for _, offer := range offers {
		o := offer.Payload
		if !slices.Contains(c[o.Receiver], o.Sender) || !now.Before(o.ExpiresAt.Time()) ||
			o.Amount.Amount.Sign() <= 0 {
			continue
		}
		intents = append(intents, Intent{
			CommandID: commandID("accept-offer", offer.ID), Wallet: o.Receiver, Contract: offer.ID,
			Accept: &walletapp.InstallTransferOfferAccept{CID: lf.CID[walletapp.TransferOffer](offer.ID)},
		})
	}
	return intents
}
