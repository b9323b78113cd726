package ledgerapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
)

// UpdateFormat selects the kinds of updates and their forms.
type UpdateFormat struct {
	IncludeTransactions   *TransactionFormat `json:"includeTransactions" doc:"Default: no transactions"`
	IncludeReassignments  *EventFormat       `json:"includeReassignments" doc:"No effect: there are none"`
	IncludeTopologyEvents *TopologyFormat    `json:"includeTopologyEvents" doc:"Default: no topology events"`
}

// TransactionFormat is the form of transactions.
type TransactionFormat struct {
	EventFormat      *EventFormat     `json:"eventFormat" required:"true" doc:"Which events to show"`
	TransactionShape TransactionShape `json:"transactionShape" required:"true" doc:"Contracts only, or all events"`
}

// TopologyFormat selects topology events.
type TopologyFormat struct {
	IncludeParticipantAuthorizationEvents *ParticipantAuthorizationTopologyFormat `json:"includeParticipantAuthorizationEvents" doc:"Hosting"`
}

// ParticipantAuthorizationTopologyFormat has their parties.
type ParticipantAuthorizationTopologyFormat struct {
	Parties []string `json:"parties" doc:"Empty means all parties"`
}

// TransactionShape is the shown part of a transaction.
type TransactionShape string

// The shapes.
const (
	ShapeUnspecified   TransactionShape = "TRANSACTION_SHAPE_UNSPECIFIED"
	ShapeACSDelta      TransactionShape = "TRANSACTION_SHAPE_ACS_DELTA"
	ShapeLedgerEffects TransactionShape = "TRANSACTION_SHAPE_LEDGER_EFFECTS"
)

// Names implements [endpoint.Enum].
func (TransactionShape) Names() []string {
	return []string{string(ShapeUnspecified), string(ShapeACSDelta), string(ShapeLedgerEffects)}
}

// Update is one update, or a checkpoint.
type Update struct {
	endpoint.OneOf

	OffsetCheckpoint *endpoint.Value[v2.OffsetCheckpoint] `json:"OffsetCheckpoint,omitempty" doc:"Position to resume from"`
	Reassignment     *endpoint.Value[JsReassignment]      `json:"Reassignment,omitempty" doc:"Never sent"`
	Transaction      *endpoint.Value[JsTransaction]       `json:"Transaction,omitempty" doc:"A transaction"`

	TopologyTransaction *endpoint.Value[JsTopologyTransaction] `json:"TopologyTransaction,omitempty" doc:"Hosting of parties"`
}

// updateFormat is an UpdateFormat with resolved names. A nil kind is not shown. Reassignments are never shown, because
// this node has only one synchronizer.
type updateFormat struct {
	transactions *transactionFormat
	topology     *topologyFormat
}

// readers are the parties whose updates can be shown, nil for all parties, none if no kind is shown.
func (f *updateFormat) readers() []ledger.Party {
	readers := []ledger.Party{}
	if f.transactions != nil {
		parties := f.transactions.events.readers()
		if parties == nil {
			return nil
		}
		readers = ledger.SortedParties(readers, parties)
	}
	if f.topology == nil {
		return readers
	}
	if f.topology.parties == nil {
		return nil
	}
	return ledger.SortedParties(readers, f.topology.parties)
}

// fromAPIUpdateFormat checks and resolves a format.
func (a *API) fromAPIUpdateFormat(ctx context.Context, wire UpdateFormat) (*updateFormat, error) {
	if err := endpoint.Claims(ctx).Require(); err != nil {
		return nil, err
	}
	format := &updateFormat{}
	var err error
	if wire.IncludeTopologyEvents != nil {
		if format.topology, err = fromAPITopologyFormat(ctx, *wire.IncludeTopologyEvents); err != nil {
			return nil, err
		}
	}
	if wire.IncludeReassignments != nil { // checked, although there are none
		if _, err := a.fromAPIEventFormat(ctx, *wire.IncludeReassignments); err != nil {
			return nil, err
		}
	}
	if wire.IncludeTransactions != nil {
		if format.transactions, err = a.fromAPITransactionFormat(ctx, *wire.IncludeTransactions); err != nil {
			return nil, err
		}
	}
	return format, nil
}

// toAPIUpdate converts an update; false if no part of it is visible.
func (a *API) toAPIUpdate(ctx context.Context, update ledger.Update, format *updateFormat) (Update, bool, error) {
	if len(update.Topology) > 0 {
		topology, ok := a.toAPITopology(update, format.topology)
		return Update{TopologyTransaction: endpoint.Valued(topology)}, ok, nil
	}
	if format.transactions == nil || update.IsTopology() { // the vetting of packages is not shown here
		return Update{}, false, nil
	}
	transaction, err := a.toAPITransaction(ctx, update, format.transactions)
	return Update{Transaction: endpoint.Valued(transaction)}, len(transaction.Events) > 0, err
}
