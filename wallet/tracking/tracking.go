package tracking

import (
	"encoding/json"
	"fmt"

	"github.com/florinledger/florin/ledger"
)

// Kind is what a tracking id is for. The same id may be used once for each.
type Kind string

// The kinds of requests.
const (
	// TransferOffer concerns its sender and its receiver.
	TransferOffer Kind = "transfer-offer"
	// BuyTraffic concerns who asked for the traffic.
	BuyTraffic Kind = "buy-traffic"
)

// Status is how far a request has come.
type Status string

// The states of requests (upstream, POST …/{tracking_id}/status).
const (
	Created Status = "created"
	// Accepted is for offers only.
	Accepted  Status = "accepted"
	Completed Status = "completed"
	Failed    Status = "failed"
)

// Failure says why a request failed.
type Failure string

// The reasons for failures; traffic purchases do not know Withdrawn.
const (
	Expired   Failure = "expired"
	Rejected  Failure = "rejected"
	Withdrawn Failure = "withdrawn"
)

// State is what is known of a request.
type State struct {
	Status Status `json:"status"`
	// UpdateID is the transaction that brought it there.
	UpdateID ledger.UpdateID `json:"updateId"`
	// ContractID is the offer, the accepted offer, or the receiver's new coin; for offers that have not failed.
	ContractID ledger.ContractID `json:"contractId,omitempty"`
	// Failure is for failed requests.
	Failure Failure `json:"failure,omitempty"`
	// Reason is what was said of a failure; nil for nothing.
	Reason *string `json:"reason,omitempty"`
}

// Entry is a step of a request, as it concerns one party.
type Entry struct {
	Kind       Kind
	TrackingID string
	Party      ledger.Party
	// Requester is whose request it is: the sender of an offer, the buyer of traffic. Nobody else can make it.
	Requester ledger.Party
	State     State
}

// packageName is the package of the contracts that have tracking ids.
const packageName = "splice-wallet"

// Read finds the requests that a transaction made or moved on, in execution order: of two entries for the same request
// the later one holds. Offers and requests of another network do not count.
func Read(network ledger.NetworkUpdate) ([]Entry, error) {
	update := network.Update()
	var entries []Entry
	for _, event := range update.Events {
		if event.PackageName != packageName || event.Kind == ledger.EventFetch {
			continue
		}
		read, ok := steps()[event.Template.QualifiedName()+"/"+event.Choice]
		if !ok {
			continue
		}
		found, err := read.entries(update.ID, event)
		if err != nil {
			return nil, fmt.Errorf("the tracking id of %s %s in %s: %w",
				event.Template.Entity, event.ContractID, update.ID, err)
		}
		entries = append(entries, found...)
	}
	return entries, nil
}

// content is what entries are made of: a contract's payload, or the argument of a choice and its result.
type content struct {
	TrackingID   string
	Sender       ledger.Party
	Receiver     ledger.Party
	EndUserParty ledger.Party
	Reason       *string

	TrackingInfo *content
	// TransferResult is that of the transfer that completed an offer.
	TransferResult struct {
		CreatedAmulets []struct{ Value ledger.ContractID }
	}
}

func (s step) entries(id ledger.UpdateID, event ledger.Event) ([]Entry, error) {
	var read content
	if err := json.Unmarshal(event.Argument, &read); err != nil {
		return nil, err
	}
	state := State{Status: s.status, UpdateID: id, Failure: s.failure, Reason: read.Reason}
	who := read
	if event.Kind == ledger.EventExercise {
		var result content
		if err := json.Unmarshal(event.Result, &result); err != nil {
			return nil, err
		}
		if result.TrackingInfo == nil {
			return nil, fmt.Errorf("the result of %s has no tracking info", event.Choice)
		}
		who = *result.TrackingInfo
		if created := result.TransferResult.CreatedAmulets; s.kind == TransferOffer && len(created) > 0 {
			state.ContractID = created[0].Value
		}
	} else if s.kind == TransferOffer {
		state.ContractID = event.ContractID
	}
	requester := who.Sender
	if s.kind == BuyTraffic {
		requester = who.EndUserParty
	}
	var entries []Entry
	for _, party := range ledger.SortedParties([]ledger.Party{who.Sender, who.Receiver, who.EndUserParty}) {
		if party != "" {
			entries = append(entries, Entry{
				Kind: s.kind, TrackingID: who.TrackingID, Party: party, Requester: requester, State: state,
			})
		}
	}
	return entries, nil
}

// step is what an event means for a request.
type step struct {
	kind    Kind
	status  Status
	failure Failure
}

// steps are the events that matter: by template and choice, without choice for creations. That an offer was accepted is
// told by the contract which that creates.
func steps() map[string]step {
	const (
		offer    = "Splice.Wallet.TransferOffer:TransferOffer/"
		accepted = "Splice.Wallet.TransferOffer:AcceptedTransferOffer/"
		traffic  = "Splice.Wallet.BuyTrafficRequest:BuyTrafficRequest/"
	)
	return map[string]step{
		offer:                            {TransferOffer, Created, ""},
		offer + "TransferOffer_Reject":   {TransferOffer, Failed, Rejected},
		offer + "TransferOffer_Withdraw": {TransferOffer, Failed, Withdrawn},
		offer + "TransferOffer_Expire":   {TransferOffer, Failed, Expired},

		accepted: {TransferOffer, Accepted, ""},
		accepted + "AcceptedTransferOffer_Complete": {TransferOffer, Completed, ""},
		accepted + "AcceptedTransferOffer_Abort":    {TransferOffer, Failed, Withdrawn},
		accepted + "AcceptedTransferOffer_Withdraw": {TransferOffer, Failed, Withdrawn},
		accepted + "AcceptedTransferOffer_Expire":   {TransferOffer, Failed, Expired},

		traffic:                                {BuyTraffic, Created, ""},
		traffic + "BuyTrafficRequest_Complete": {BuyTraffic, Completed, ""},
		traffic + "BuyTrafficRequest_Cancel":   {BuyTraffic, Failed, Rejected},
		traffic + "BuyTrafficRequest_Expire":   {BuyTraffic, Failed, Expired},
	}
}
