package ledgerapi

import (
	"context"
	"slices"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// The endpoints that find the events and the content of a contract by its id.

// GetEventsByContractIDRequest asks for the events of a contract.
type GetEventsByContractIDRequest struct {
	ContractID  string       `json:"contractId" required:"true" doc:"The contract"`
	EventFormat *EventFormat `json:"eventFormat" required:"true" doc:"What to show"`
}

// JsGetEventsByContractIDResponse has the created and the archived event of a contract.
type JsGetEventsByContractIDResponse struct {
	Created  *JsCreated  `json:"created" doc:"Its created event; kept until its archival is pruned"`
	Archived *JsArchived `json:"archived" doc:"Its archived event; null while it is active"`
}

// JsCreated is a creation and where it happened.
type JsCreated struct {
	CreatedEvent   CreatedEvent `json:"createdEvent" required:"true" doc:"The event"`
	SynchronizerID string       `json:"synchronizerId" required:"true" doc:"The synchronizer"`
}

// JsArchived is an archival and where it happened.
type JsArchived struct {
	ArchivedEvent  ArchivedEvent `json:"archivedEvent" required:"true" doc:"The event"`
	SynchronizerID string        `json:"synchronizerId" required:"true" doc:"The synchronizer"`
}

// GetContractRequest asks for a contract.
type GetContractRequest struct {
	ContractID      string   `json:"contractId" required:"true" doc:"The contract"`
	QueryingParties []string `json:"queryingParties" doc:"Stakeholders to read as; empty for all parties"`
}

// GetContractResponse is a contract without its position in the record.
type GetContractResponse struct {
	CreatedEvent CreatedEvent `json:"createdEvent" required:"true" doc:"The contract; may be archived"`
}

type eventsByContractIDRequest struct {
	Body GetEventsByContractIDRequest `body:"json"`
}

type contractByIDRequest struct {
	Body GetContractRequest `body:"json"`
}

func (a *API) eventsByContractID(
	ctx context.Context, req eventsByContractIDRequest,
) (JsGetEventsByContractIDResponse, error) {
	var none JsGetEventsByContractIDResponse
	if req.Body.EventFormat == nil {
		if err := endpoint.Claims(ctx).Require(); err != nil {
			return none, err
		}
		return none, fault.MissingFieldNamed("event_format")
	}
	format, err := a.fromAPIEventFormat(ctx, *req.Body.EventFormat)
	if err != nil {
		return none, err
	}
	contract, found, err := a.findContract(ctx, req.Body.ContractID)
	if err != nil {
		return none, err
	}
	notFound := fault.ContractEventsNotFound.New("Contract events not found, or not visible.").
		WithResource("CONTRACT_ID", req.Body.ContractID)
	if !found {
		return none, notFound
	}
	packages, err := a.resolve(ctx, format, slices.Values([]lf.TypeName{contract.Template}))
	if err != nil {
		return none, err
	}
	how, ok := format.show(contract.Template, packages.InterfacesOf(contract.Template), contract.Stakeholders())
	if !ok {
		return none, notFound
	}
	events, err := a.eventsOf(ctx, contract, how)
	if err == nil && events.Created == nil && events.Archived == nil {
		err = notFound
	}
	return events, err
}

// eventsOf returns the events of a contract until its archival is pruned: a created event stays while its contract is
// active or its archival is readable.
func (a *API) eventsOf(
	ctx context.Context, contract db.StoredContract, how eventView,
) (JsGetEventsByContractIDResponse, error) {
	var none, events JsGetEventsByContractIDResponse
	head, err := a.record.Head(ctx)
	if err != nil {
		return none, err
	}
	if contract.Archived != nil && *contract.Archived <= head.Pruned {
		return none, nil
	}
	stays := contract.Archived == nil || *contract.Archived != contract.Offset
	created, err := a.toAPICreated(ctx, place{contract.Offset, contract.NodeID}, contract.Contract, how, stays)
	if err != nil {
		return none, err
	}
	events.Created = &JsCreated{CreatedEvent: *created, SynchronizerID: a.node.SynchronizerID}
	if contract.Archived == nil {
		return events, nil
	}
	update, found, err := a.record.UpdateByOffset(ctx, *contract.Archived)
	if err != nil || !found { // pruned since
		return none, err
	}
	for _, event := range update.Events {
		if event.Kind == ledger.EventExercise && event.Consuming && event.ContractID == contract.ID {
			events.Archived = &JsArchived{
				ArchivedEvent:  *toAPIArchived(place{update.Offset, event.NodeID}, event, how),
				SynchronizerID: a.node.SynchronizerID,
			}
		}
	}
	return events, nil
}

func (a *API) contractByID(ctx context.Context, req contractByIDRequest) (GetContractResponse, error) {
	claims := endpoint.Claims(ctx)
	parties := ledger.SortedParties(v2.FromAPIParties(req.Body.QueryingParties))
	if len(parties) == 0 {
		if err := claims.RequireReadAsAnyParty(); err != nil {
			return GetContractResponse{}, err
		}
	}
	if err := claims.RequireReadAs(parties...); err != nil {
		return GetContractResponse{}, err
	}
	if err := v2.CheckParties(req.Body.QueryingParties); err != nil {
		return GetContractResponse{}, err
	}
	contract, found, err := a.findContract(ctx, req.Body.ContractID)
	if err != nil {
		return GetContractResponse{}, err
	}
	witnesses := contract.Stakeholders()
	if len(parties) > 0 {
		witnesses = ledger.CommonParties(witnesses, parties)
	}
	if !found || len(witnesses) == 0 {
		return GetContractResponse{}, fault.ContractPayloadNotFound.New("Contract payload not found, or not visible.").
			WithResource("CONTRACT_ID", req.Body.ContractID)
	}
	// The answer does not contain the position of the contract.
	event, err := a.toAPICreated(ctx, place{}, contract.Contract, eventView{witnesses: witnesses}, false)
	if err != nil {
		return GetContractResponse{}, err
	}
	return GetContractResponse{CreatedEvent: *event}, nil
}

// findContract checks an id and finds its contract, active or archived.
func (a *API) findContract(ctx context.Context, id string) (db.StoredContract, bool, error) {
	if id == "" {
		return db.StoredContract{}, false, fault.MissingFieldNamed("contract_id")
	}
	if err := ledger.CheckContractID(id); err != nil {
		return db.StoredContract{}, false, fault.InvalidFieldNamed("contract_id", err.Error())
	}
	return a.record.Contract(ctx, ledger.ContractID(id))
}
