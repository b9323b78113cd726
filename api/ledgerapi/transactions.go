package ledgerapi

import (
	"context"
	"iter"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/telemetry/tracing"
)

// JsTransaction is the part of a committed transaction that the requesting parties see.
type JsTransaction struct {
	UpdateID                string             `json:"updateId" required:"true" doc:"Its id"`
	CommandID               string             `json:"commandId" doc:"Id of the command; only for its submitters"`
	WorkflowID              string             `json:"workflowId" doc:"As submitted"`
	EffectiveAt             endpoint.Timestamp `json:"effectiveAt" required:"true" doc:"Ledger time"`
	Events                  []Event            `json:"events" required:"true" doc:"The events in order"`
	Offset                  int64              `json:"offset" required:"true" doc:"Its offset"`
	SynchronizerID          string             `json:"synchronizerId" required:"true" doc:"The synchronizer"`
	TraceContext            *v2.TraceContext   `json:"traceContext" doc:"From the submission"`
	RecordTime              endpoint.Timestamp `json:"recordTime" required:"true" doc:"Record time"`
	ExternalTransactionHash *string            `json:"externalTransactionHash" doc:"Hash of an externally signed transaction"`
	PaidTrafficCost         *int64             `json:"paidTrafficCost" doc:"Traffic paid; only for submitters"`
}

// transactionFormat is a TransactionFormat with resolved names.
type transactionFormat struct {
	events *eventFormat
	shape  TransactionShape
}

func (a *API) fromAPITransactionFormat(ctx context.Context, wire TransactionFormat) (*transactionFormat, error) {
	if wire.EventFormat == nil {
		if err := endpoint.Claims(ctx).Require(); err != nil {
			return nil, err
		}
		return nil, fault.MissingFieldNamed("event_format")
	}
	events, err := a.fromAPIEventFormat(ctx, *wire.EventFormat)
	if err != nil {
		return nil, err
	}
	if wire.TransactionShape == ShapeUnspecified {
		return nil, fault.MissingFieldNamed("transaction_shape")
	}
	return &transactionFormat{events: events, shape: wire.TransactionShape}, nil
}

// transactionFormatFor is the format of an answer to a submission: the requested one, else the changes of active
// contracts for the acting and reading parties. Both need the right to read as the parties: the right to execute does
// not include it.
func (a *API) transactionFormatFor(
	ctx context.Context, wire *TransactionFormat, submission ledger.Submission,
) (*transactionFormat, error) {
	if wire != nil {
		return a.fromAPITransactionFormat(ctx, *wire)
	}
	parties := ledger.SortedParties(submission.ActAs, submission.ReadAs)
	if err := endpoint.Claims(ctx).RequireReadAs(parties...); err != nil {
		return nil, err
	}
	return &transactionFormat{events: wildcardFor(parties...), shape: ShapeACSDelta}, nil
}

// toAPITransaction converts an update; it may have no visible events.
func (a *API) toAPITransaction(
	ctx context.Context, update ledger.Update, format *transactionFormat,
) (JsTransaction, error) {
	transaction := JsTransaction{
		UpdateID: string(update.ID), WorkflowID: update.WorkflowID,
		EffectiveAt: endpoint.Timestamp(update.EffectiveAt), RecordTime: endpoint.Timestamp(update.RecordTime),
		Offset: int64(update.Offset), SynchronizerID: a.node.SynchronizerID,
		TraceContext: v2.ToAPITraceContext(update.Trace), ExternalTransactionHash: v2.OrNull(update.ExternalHash),
	}
	if format.events.anyParty != nil || ledger.PartiesOverlap(format.events.parties, update.ActAs) {
		transaction.CommandID = update.CommandID
		transaction.PaidTrafficCost = new(update.PaidTrafficCost)
	}
	tracing.Deliver(ctx, update.Trace, "deliver update", tracing.Offset(update.Offset))
	var err error
	transaction.Events, err = a.toAPIEvents(ctx, update, format)
	return transaction, err
}

// toAPIEvents converts the events of a transaction. With ledger effects it shows every creation and exercise that the
// requesting parties witness, else the changes of active contracts for stakeholders. A contract that is created and
// archived in the same transaction is no such change.
func (a *API) toAPIEvents(ctx context.Context, update ledger.Update, format *transactionFormat) ([]Event, error) {
	packages, err := a.resolve(ctx, format.events, templatesOf(update))
	if err != nil {
		return nil, err
	}
	effects, transient := format.shape == ShapeLedgerEffects, transientContracts(update)
	var events []Event
	for _, event := range update.Events {
		creates := event.Kind == ledger.EventCreate
		changes := (creates || event.Kind == ledger.EventExercise && event.Consuming) && !transient[event.ContractID]
		if event.Kind == ledger.EventFetch || !effects && !changes {
			continue
		}
		seenBy := event.Witnesses
		if !effects {
			seenBy = event.Stakeholders()
		}
		how, ok := format.events.show(event.Template, packages.InterfacesOf(event.Template), seenBy)
		if !ok {
			continue
		}
		at := place{update.Offset, event.NodeID}
		delta := changes && ledger.PartiesOverlap(how.witnesses, event.Stakeholders())
		switch {
		case creates:
			created, err := a.toAPICreated(ctx, at, contractOf(event, update), how, delta)
			if err != nil {
				return nil, err
			}
			events = append(events, Event{CreatedEvent: created})
		case effects:
			events = append(events, Event{ExercisedEvent: toAPIExercised(at, event, how, delta)})
		default:
			events = append(events, Event{ArchivedEvent: toAPIArchived(at, event, how)})
		}
	}
	return events, nil
}

// templatesOf yields the templates of an update.
func templatesOf(update ledger.Update) iter.Seq[lf.TypeName] {
	return func(yield func(lf.TypeName) bool) {
		for _, event := range update.Events {
			if !yield(event.Template) {
				return
			}
		}
	}
}

// transientContracts returns the contracts that the transaction creates and archives.
func transientContracts(update ledger.Update) map[ledger.ContractID]bool {
	created, transient := make(map[ledger.ContractID]bool), make(map[ledger.ContractID]bool)
	for _, event := range update.Events {
		switch {
		case event.Kind == ledger.EventCreate:
			created[event.ContractID] = true
		case event.Kind == ledger.EventExercise && event.Consuming && created[event.ContractID]:
			transient[event.ContractID] = true
		}
	}
	return transient
}

func toAPIArchived(at place, event ledger.Event, how eventView) *ArchivedEvent {
	return &ArchivedEvent{
		Offset: int64(at.offset), NodeID: at.nodeID, ContractID: string(event.ContractID), TemplateID: event.Template,
		WitnessParties: v2.ToAPIParties(how.witnesses), PackageName: event.PackageName, ImplementedInterfaces: how.views,
	}
}

func toAPIExercised(at place, event ledger.Event, how eventView, acsDelta bool) *ExercisedEvent {
	exercised := &ExercisedEvent{
		Offset: int64(at.offset), NodeID: at.nodeID, ContractID: string(event.ContractID), TemplateID: event.Template,
		InterfaceID: event.Interface, Choice: event.Choice, ChoiceArgument: event.Argument,
		ActingParties: v2.ToAPIParties(event.ActingParties), Consuming: event.Consuming,
		WitnessParties: v2.ToAPIParties(how.witnesses), LastDescendantNodeID: event.LastDescendant,
		ExerciseResult: event.Result, PackageName: event.PackageName, AcsDelta: acsDelta,
		ImplementedInterfaces: []lf.TypeName{},
	}
	if event.Consuming {
		exercised.ImplementedInterfaces = how.views
	}
	return exercised
}
