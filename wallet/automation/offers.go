package automation

import (
	"fmt"
	"slices"
	"time"

	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Contract is a contract and its payload.
type Contract[T any] struct {
	ID      ledger.ContractID
	Payload T
}

// AutoAccept lists, by receiver, the senders whose offers are accepted without asking.
type AutoAccept map[ledger.Party][]ledger.Party

// Accept accepts the offers that the configuration names and that have not expired.
func (c AutoAccept) Accept(offers []Contract[walletapp.TransferOffer], now time.Time) []Action {
	var actions []Action
	for _, offer := range offers {
		o := offer.Payload
		if !slices.Contains(c[o.Receiver], o.Sender) || !now.Before(o.ExpiresAt.Time()) {
			continue
		}
		actions = append(actions, Action{
			CommandID: commandID("accept-offer", offer.ID), Wallet: o.Receiver, Contract: offer.ID,
			Choice: walletapp.InstallTransferOfferAccept{CID: lf.CID[walletapp.TransferOffer](offer.ID)},
		})
	}
	return actions
}

// CompleteOffers pays the receivers of accepted offers of a sender that have not expired.
func CompleteOffers(
	sender ledger.Party, offers []Contract[walletapp.AcceptedTransferOffer], now time.Time,
) []Action {
	var actions []Action
	for _, offer := range offers {
		if offer.Payload.Sender != sender || !now.Before(offer.Payload.ExpiresAt.Time()) {
			continue
		}
		id := lf.CID[walletapp.AcceptedTransferOffer](offer.ID)
		actions = append(actions, Action{
			CommandID: commandID("complete-offer", offer.ID), Wallet: sender, Contract: offer.ID,
			Operation: &walletapp.AmuletOperation{CompleteAcceptedTransfer: &id},
		})
	}
	return actions
}

// CompleteTrafficRequests buys the traffic that a user asked for and that has not expired.
func CompleteTrafficRequests(
	user ledger.Party, requests []Contract[walletapp.BuyTrafficRequest], now time.Time,
) []Action {
	var actions []Action
	for _, request := range requests {
		if request.Payload.EndUserParty != user || !now.Before(request.Payload.ExpiresAt.Time()) {
			continue
		}
		actions = append(actions, Action{
			CommandID: commandID("complete-traffic-request", request.ID), Wallet: user, Contract: request.ID,
			Operation: &walletapp.AmuletOperation{
				CompleteBuyTrafficRequest: &walletapp.OperationCompleteTrafficRequest{
					TrafficRequestCid: lf.CID[walletapp.BuyTrafficRequest](request.ID),
				},
			},
		})
	}
	return actions
}

// Error ids of the coin's failures that give a request up.
const (
	insufficientFunds       = "splice.lfdecentralizedtrust.org/insufficient-funds"
	unknownSynchronizer     = "splice.lfdecentralizedtrust.org/unknown-synchronizer"
	insufficientTopUpAmount = "splice.lfdecentralizedtrust.org/insufficient-topup-amount"
)

// AfterOffer is what to do after the completion of an offer was refused: abort it for want of coin. After any other
// refusal nothing is due but to try again, until the offer expires.
func AfterOffer(offer Contract[walletapp.AcceptedTransferOffer], refusal *fault.Fault) (Action, bool) {
	if refusal.Context["error_id"] != insufficientFunds {
		return Action{}, false
	}
	return Action{
		CommandID: commandID("abort-offer", offer.ID), Wallet: offer.Payload.Sender, Contract: offer.ID,
		Choice: walletapp.InstallAcceptedTransferOfferAbort{
			CID: lf.CID[walletapp.AcceptedTransferOffer](offer.ID), Reason: outOfFunds(refusal),
		},
	}, true
}

// AfterTrafficRequest is what to do after a purchase was refused: cancel the request when it can never succeed or there
// is no coin for it. After any other refusal nothing is due but to try again, until the request expires.
func AfterTrafficRequest(request Contract[walletapp.BuyTrafficRequest], refusal *fault.Fault) (Action, bool) {
	var reason string
	switch refusal.Context["error_id"] {
	case insufficientFunds:
		reason = outOfFunds(refusal)
	case unknownSynchronizer:
		reason = "unknown synchronizerId " + request.Payload.SynchronizerID
	case insufficientTopUpAmount:
		reason = fmt.Sprintf("not enough traffic requested (trafficAmount %d < minTopupAmount %s)",
			request.Payload.TrafficAmount, refusal.Context["minTopupAmount"])
	default:
		return Action{}, false
	}
	return Action{
		CommandID: commandID("cancel-traffic-request", request.ID), Wallet: request.Payload.EndUserParty,
		Contract: request.ID,
		Choice: walletapp.InstallBuyTrafficRequestCancel{
			RequestCid: lf.CID[walletapp.BuyTrafficRequest](request.ID), Reason: reason,
		},
	}, true
}

func outOfFunds(refusal *fault.Fault) string {
	return fmt.Sprintf("out of funds (missing %s CC)", refusal.Context["requiredAmount"])
}
