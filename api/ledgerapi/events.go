package ledgerapi

import (
	"context"
	"encoding/hex"
	"encoding/json"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Event is one event of a transaction.
type Event struct {
	endpoint.OneOf

	ArchivedEvent  *ArchivedEvent  `json:"ArchivedEvent,omitempty"`
	CreatedEvent   *CreatedEvent   `json:"CreatedEvent,omitempty"`
	ExercisedEvent *ExercisedEvent `json:"ExercisedEvent,omitempty"`
}

// CreatedEvent is the creation of a contract.
type CreatedEvent struct {
	Offset                  int64              `json:"offset" required:"true" doc:"Offset of the update"`
	NodeID                  int32              `json:"nodeId" required:"true" doc:"Position in the update"`
	ContractID              string             `json:"contractId" required:"true" doc:"The contract"`
	TemplateID              lf.TypeName        `json:"templateId" required:"true" doc:"Its template, by package id"`
	ContractKey             json.RawMessage    `json:"contractKey" doc:"Its key, if the template has keys"`
	ContractKeyHash         endpoint.Bytes     `json:"contractKeyHash" doc:"Hash of the key; empty without one"`
	CreateArgument          json.RawMessage    `json:"createArgument" required:"true" doc:"Its payload"`
	CreatedEventBlob        endpoint.Bytes     `json:"createdEventBlob" doc:"Blob to disclose it; empty unless requested"`
	InterfaceViews          []JsInterfaceView  `json:"interfaceViews" doc:"The requested views"`
	WitnessParties          []string           `json:"witnessParties" required:"true" doc:"The requesting parties that see it"`
	Signatories             []string           `json:"signatories" required:"true" doc:"The signatories"`
	Observers               []string           `json:"observers" doc:"The observers"`
	CreatedAt               endpoint.Timestamp `json:"createdAt" required:"true" doc:"Ledger time of its creation"`
	PackageName             string             `json:"packageName" required:"true" doc:"Name of the template's package"`
	RepresentativePackageID string             `json:"representativePackageId" required:"true" doc:"Package to decode it with"`
	AcsDelta                bool               `json:"acsDelta" required:"true" doc:"Whether it is in the active set"`
}

// JsInterfaceView is the view of a contract through an interface.
type JsInterfaceView struct {
	InterfaceID             lf.TypeName     `json:"interfaceId" required:"true" doc:"The interface, by package id"`
	ViewStatus              JsStatus        `json:"viewStatus" required:"true" doc:"Code 0 if the view has a value"`
	ViewValue               json.RawMessage `json:"viewValue" doc:"The view"`
	ImplementationPackageID *string         `json:"implementationPackageId" doc:"Package that computed it"`
}

// ArchivedEvent is the archival of a contract.
type ArchivedEvent struct {
	Offset                int64         `json:"offset" required:"true" doc:"Offset of the update"`
	NodeID                int32         `json:"nodeId" required:"true" doc:"Position in the update"`
	ContractID            string        `json:"contractId" required:"true" doc:"The contract"`
	TemplateID            lf.TypeName   `json:"templateId" required:"true" doc:"Its template, by package id"`
	WitnessParties        []string      `json:"witnessParties" required:"true" doc:"The requesting parties that see it"`
	PackageName           string        `json:"packageName" required:"true" doc:"Name of the template's package"`
	ImplementedInterfaces []lf.TypeName `json:"implementedInterfaces" doc:"The requested interfaces that it implements"`
}

// ExercisedEvent is the exercise of a choice.
type ExercisedEvent struct {
	Offset                int64           `json:"offset" required:"true" doc:"Offset of the update"`
	NodeID                int32           `json:"nodeId" required:"true" doc:"Position in the update"`
	ContractID            string          `json:"contractId" required:"true" doc:"The contract"`
	TemplateID            lf.TypeName     `json:"templateId" required:"true" doc:"Its template, by package id"`
	InterfaceID           *lf.TypeName    `json:"interfaceId" doc:"Interface the choice belongs to"`
	Choice                string          `json:"choice" required:"true" doc:"Name of the choice"`
	ChoiceArgument        json.RawMessage `json:"choiceArgument" required:"true" doc:"Its argument"`
	ActingParties         []string        `json:"actingParties" required:"true" doc:"The exercising parties"`
	Consuming             bool            `json:"consuming" required:"true" doc:"Whether it archived the contract"`
	WitnessParties        []string        `json:"witnessParties" required:"true" doc:"The requesting parties that see it"`
	LastDescendantNodeID  int32           `json:"lastDescendantNodeId" required:"true" doc:"Last node below it"`
	ExerciseResult        json.RawMessage `json:"exerciseResult" doc:"What the choice returned"`
	PackageName           string          `json:"packageName" required:"true" doc:"Name of the template's package"`
	ImplementedInterfaces []lf.TypeName   `json:"implementedInterfaces" doc:"The requested interfaces that it implements"`
	AcsDelta              bool            `json:"acsDelta" required:"true" doc:"Whether it archived an active contract"`
}

// place is the position of an event in the record.
type place struct {
	offset ledger.Offset
	nodeID int32
}

// toAPICreated converts the creation of a contract. acsDelta says whether it adds the contract to the active set of the
// requesting parties.
func (a *API) toAPICreated(
	ctx context.Context, at place, contract ledger.Contract, how eventView, acsDelta bool,
) (*CreatedEvent, error) {
	event := &CreatedEvent{
		Offset: int64(at.offset), NodeID: at.nodeID,
		ContractID: string(contract.ID), TemplateID: contract.Template,
		CreateArgument: contract.Payload,
		WitnessParties: v2.ToAPIParties(how.witnesses),
		Signatories:    v2.ToAPIParties(contract.Signatories), Observers: v2.ToAPIParties(contract.Observers),
		CreatedAt: endpoint.Timestamp(contract.CreatedAt), PackageName: contract.PackageName,
		RepresentativePackageID: string(contract.Template.Package), AcsDelta: acsDelta,
	}
	if contract.Key != nil {
		hash, err := hex.DecodeString(contract.Key.Hash)
		if err != nil {
			return nil, fault.Internal(err)
		}
		event.ContractKey, event.ContractKeyHash = contract.Key.Value, hash
	}
	if how.blob {
		blob, err := ledger.EncodeBlob(contract)
		if err != nil {
			return nil, fault.Internal(err)
		}
		event.CreatedEventBlob = blob
	}
	for _, name := range how.views {
		view, err := a.toAPIView(ctx, contract, name)
		if err != nil {
			return nil, err
		}
		event.InterfaceViews = append(event.InterfaceViews, view)
	}
	return event, nil
}

// toAPIView computes an interface view. If that fails, costs too much or does not fit in the answer, the status of the
// view says so and the event stays in the answer.
func (a *API) toAPIView(ctx context.Context, contract ledger.Contract, name lf.TypeName) (JsInterfaceView, error) {
	out := JsInterfaceView{
		InterfaceID: name, ViewStatus: *ToAPIStatus(nil, ""),
		ImplementationPackageID: new(string(contract.Template.Package)),
	}
	view, _, err := a.packages().View(ctx, contract, name)
	if ctx.Err() != nil {
		return out, err
	}
	if err == nil {
		err = budget.Of(ctx).TakeSpare(int64(len(view)))
		if err != nil && !fault.AnswerTooLarge.Matches(err) { // the node is busy: this says nothing about the view
			return out, err
		}
	}
	if err != nil {
		out.ViewStatus = *ToAPIStatus(fault.From(err), "")
		return out, nil
	}
	out.ViewValue = view
	return out, nil
}

// contractOf is the contract of a create event.
func contractOf(event ledger.Event, update ledger.Update) ledger.Contract {
	return ledger.Contract{
		ID: event.ContractID, Template: event.Template, PackageName: event.PackageName, Payload: event.Argument,
		Signatories: event.Signatories, Observers: event.Observers, Key: event.Key, CreatedAt: update.EffectiveAt,
	}
}
