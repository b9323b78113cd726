package automation

import (
	"time"

	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Expirable are the contracts of a wallet that end at a time.
type Expirable struct {
	Offers          []Contract[walletapp.TransferOffer]
	AcceptedOffers  []Contract[walletapp.AcceptedTransferOffer]
	TrafficRequests []Contract[walletapp.BuyTrafficRequest]
	PaymentRequests []Contract[payments.AppPaymentRequest]
	// MintingProposals and MintingDelegations are ended by their delegate, directly and not through a wallet.
	MintingProposals   []Contract[walletapp.MintingDelegationProposal]
	MintingDelegations []Contract[walletapp.MintingDelegation]
}

// Expire ends what has expired, as the wallet of a party. Offers are ended by either side, so both have the action:
// whoever comes second finds the contract gone, which is no failure.
func (e Expirable) Expire(party ledger.Party, now time.Time) []Action {
	var actions []Action
	end := func(deadline lf.Timestamp, mine bool, kind string, id ledger.ContractID, choice any) {
		if mine && passed(deadline.Time(), now) {
			actions = append(actions, Action{
				CommandID: commandID(kind, party, id), Wallet: party, Contract: id, Choice: choice,
			})
		}
	}
	for _, c := range e.Offers {
		end(c.Payload.ExpiresAt, party == c.Payload.Sender || party == c.Payload.Receiver, "expire-offer", c.ID,
			walletapp.InstallTransferOfferExpire{CID: lf.CID[walletapp.TransferOffer](c.ID)})
	}
	for _, c := range e.AcceptedOffers {
		end(c.Payload.ExpiresAt, party == c.Payload.Sender || party == c.Payload.Receiver, "expire-accepted-offer", c.ID,
			walletapp.InstallAcceptedTransferOfferExpire{CID: lf.CID[walletapp.AcceptedTransferOffer](c.ID)})
	}
	for _, c := range e.TrafficRequests {
		end(c.Payload.ExpiresAt, party == c.Payload.EndUserParty, "expire-traffic-request", c.ID,
			walletapp.InstallBuyTrafficRequestExpire{RequestCid: lf.CID[walletapp.BuyTrafficRequest](c.ID)})
	}
	for _, c := range e.PaymentRequests {
		end(c.Payload.ExpiresAt, party == c.Payload.Sender, "expire-payment-request", c.ID,
			walletapp.InstallAppPaymentRequestExpire{CID: lf.CID[payments.AppPaymentRequest](c.ID)})
	}
	for _, c := range e.MintingProposals {
		end(c.Payload.Delegation.ExpiresAt, party == c.Payload.Delegation.Delegate, "expire-minting-proposal", c.ID,
			walletapp.MintingDelegationProposalReject{})
	}
	for _, c := range e.MintingDelegations {
		end(c.Payload.ExpiresAt, party == c.Payload.Delegate, "expire-minting-delegation", c.ID,
			walletapp.MintingDelegationReject{})
	}
	return actions
}
