package tracking

import (
	"encoding/json"
	"fmt"

	"github.com/florinledger/florin/ledger"
)

// Kind is the kind of a request. The same tracking id may be used once for each kind.
type Kind string

// The kinds of requests.
const (
	// TransferOffer is a request of the sender, which the receiver sees too.
	TransferOffer Kind = "transfer-offer"
	// BuyTraffic is a request of the buyer.
	BuyTraffic Kind = "buy-traffic"
)

// Status is the progress of a request.
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

// The reasons of failures; a purchase of traffic is never Withdrawn.
const (
	Expired   Failure = "expired"
	Rejected  Failure = "rejected"
	Withdrawn Failure = "withdrawn"
)

// State is the state of a request.
type State struct {
	Status Status `json:"status"`
	// UpdateID is the transaction that led to the state.
	UpdateID ledger.UpdateID `json:"updateId"`
	// ContractID is the offer, the accepted offer, or the receiver's new coin; for offers that have not failed.
	ContractID ledger.ContractID `json:"contractId,omitempty"`
	// Failure is set for failed requests.
	Failure Failure `json:"failure,omitempty"`
	// Reason is the text about a failure; nil for none.
	Reason *string `json:"reason,omitempty"`
}

// Entry is a step of a request, as it concerns one party.
type Entry struct {
	Kind       Kind
	TrackingID string
	Party      ledger.Party
	// Requester makes the request: the sender of an offer, the buyer of traffic. Nobody else can.
	Requester ledger.Party
	State     State
}

// packageName is the package with tracking ids.
const packageName = "splice-wallet"

// Read finds the requests that a transaction creates or changes, in execution order: the later of two entries for a
// request counts. It skips offers and requests of other networks.
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

// content is the part of a contract's payload, or of a choice's argument and result, that entries need.
type content struct {
	TrackingID   string
	Sender       ledger.Party
	Receiver     ledger.Party
	EndUserParty ledger.Party
	Reason       *string

	TrackingInfo *content
	// TransferResult is the result of the transfer that completed an offer.
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

// step is the effect of an event on a request.
type step struct {
	kind    Kind
	status  Status
	failure Failure
}

// steps lists the events with an effect, by template and choice, without choice for creations. The accepted offer that
// a choice creates shows the acceptance.
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
