package ledgerapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
)

// JsTopologyTransaction is a change of the hosts of parties.
type JsTopologyTransaction struct {
	UpdateID       string             `json:"updateId" required:"true" doc:"Its id"`
	Offset         int64              `json:"offset" required:"true" doc:"Its offset"`
	SynchronizerID string             `json:"synchronizerId" required:"true" doc:"The synchronizer"`
	RecordTime     endpoint.Timestamp `json:"recordTime" required:"true" doc:"Record time"`
	Events         []TopologyEvent    `json:"events" required:"true" doc:"The changes"`
	TraceContext   *v2.TraceContext   `json:"traceContext" doc:"From the request"`
}

// TopologyEvent is one change.
type TopologyEvent struct {
	Event TopologyEventKind `json:"event" required:"true" doc:"The change"`
}

// TopologyEventKind is the kind of a change with its content. On this node hosting only begins.
type TopologyEventKind struct {
	endpoint.OneOf

	ParticipantAuthorizationAdded *endpoint.Value[ParticipantAuthorizationAdded] `json:"ParticipantAuthorizationAdded,omitempty" doc:"A participant now hosts a party"`
}

// ParticipantAuthorizationAdded says that a participant began to host a party.
type ParticipantAuthorizationAdded struct {
	PartyID               string                   `json:"partyId" required:"true" doc:"The party"`
	ParticipantID         string                   `json:"participantId" required:"true" doc:"The hosting participant"`
	ParticipantPermission v2.ParticipantPermission `json:"participantPermission" required:"true" doc:"What it may do"`
}

// topologyFormat has the parties whose hosting is shown; nil for all.
type topologyFormat struct {
	parties []ledger.Party
}

// fromAPITopologyFormat checks and converts a format; nil for one that shows nothing.
func fromAPITopologyFormat(ctx context.Context, wire TopologyFormat) (*topologyFormat, error) {
	hosting := wire.IncludeParticipantAuthorizationEvents
	switch {
	case hosting == nil:
		return nil, nil // nil is a valid format
	case len(hosting.Parties) == 0:
		return &topologyFormat{}, endpoint.Claims(ctx).RequireReadAsAnyParty()
	}
	parties := ledger.SortedParties(v2.FromAPIParties(hosting.Parties))
	if err := endpoint.Claims(ctx).RequireReadAs(parties...); err != nil {
		return nil, err
	}
	return &topologyFormat{parties: parties}, v2.CheckParties(hosting.Parties)
}

// toAPITopology converts a topology transaction; false if the format shows nothing of it.
func (a *API) toAPITopology(update ledger.Update, format *topologyFormat) (JsTopologyTransaction, bool) {
	transaction := JsTopologyTransaction{
		UpdateID: string(update.ID), Offset: int64(update.Offset), SynchronizerID: a.node.SynchronizerID,
		RecordTime: endpoint.Timestamp(update.RecordTime), TraceContext: v2.ToAPITraceContext(update.Trace),
	}
	if format == nil {
		return transaction, false
	}
	for _, hosting := range update.Topology {
		if format.parties != nil && !ledger.PartiesContain(format.parties, hosting.Party) {
			continue
		}
		added := ParticipantAuthorizationAdded{
			PartyID: string(hosting.Party), ParticipantID: hosting.ParticipantID,
			ParticipantPermission: toAPIPermission(hosting.Permission),
		}
		transaction.Events = append(transaction.Events, TopologyEvent{
			Event: TopologyEventKind{ParticipantAuthorizationAdded: endpoint.Valued(added)},
		})
	}
	return transaction, len(transaction.Events) > 0
}

func toAPIPermission(permission ledger.HostingPermission) v2.ParticipantPermission {
	switch permission {
	case ledger.MaySubmit:
		return v2.PermissionSubmission
	case ledger.MayConfirm:
		return v2.PermissionConfirmation
	case ledger.MayObserve:
		return v2.PermissionObservation
	default:
		return v2.PermissionUnspecified
	}
}
