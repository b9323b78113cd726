package automation

import (
	"slices"
	"time"

	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// AutoAccept lists, by receiver, the senders whose offers the node accepts by itself.
type AutoAccept map[ledger.Party][]ledger.Party

// Accept accepts the configured offers that have not expired and have a positive amount: the node would give up any
// other accepted offer at once.
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
