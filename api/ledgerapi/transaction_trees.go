package ledgerapi

import (
	"context"
	"strconv"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// Transaction trees are the older form of transactions with the shape of ledger effects.

// JsTransactionTree is a transaction with all its events, by node.
type JsTransactionTree struct {
	UpdateID       string               `json:"updateId" required:"true" doc:"Its id"`
	CommandID      string               `json:"commandId" doc:"Id of the command; only for its submitters"`
	WorkflowID     string               `json:"workflowId" doc:"As submitted"`
	EffectiveAt    endpoint.Timestamp   `json:"effectiveAt" required:"true" doc:"Ledger time"`
	Offset         int64                `json:"offset" required:"true" doc:"Its offset"`
	EventsByID     map[string]TreeEvent `json:"eventsById" required:"true" doc:"The events by node id"`
	SynchronizerID string               `json:"synchronizerId" required:"true" doc:"The synchronizer"`
	TraceContext   *v2.TraceContext     `json:"traceContext" doc:"From the submission"`
	RecordTime     endpoint.Timestamp   `json:"recordTime" required:"true" doc:"Record time"`
}

// TreeEvent is a node of a tree. The nodes below n are those with n < id <= lastDescendantNodeId.
type TreeEvent struct {
	endpoint.OneOf

	CreatedTreeEvent   *endpoint.Value[CreatedEvent]   `json:"CreatedTreeEvent,omitempty" doc:"A created contract"`
	ExercisedTreeEvent *endpoint.Value[ExercisedEvent] `json:"ExercisedTreeEvent,omitempty" doc:"An exercised choice"`
}

// JsUpdateTree is one update in the older form, or a checkpoint.
type JsUpdateTree struct {
	endpoint.OneOf

	OffsetCheckpoint *endpoint.Value[v2.OffsetCheckpoint] `json:"OffsetCheckpoint,omitempty" doc:"Position to resume from"`
	Reassignment     *endpoint.Value[JsReassignment]      `json:"Reassignment,omitempty" doc:"Never sent"`
	TransactionTree  *endpoint.Value[JsTransactionTree]   `json:"TransactionTree,omitempty" doc:"A transaction"`
}

// JsGetUpdateTreesResponse is one element of the list.
type JsGetUpdateTreesResponse struct {
	Update JsUpdateTree `json:"update" doc:"The element"`
}

// JsGetTransactionTreeResponse is one transaction.
type JsGetTransactionTreeResponse struct {
	Transaction JsTransactionTree `json:"transaction" required:"true" doc:"The transaction"`
}

// JsSubmitAndWaitForTransactionTreeResponse is the transaction.
type JsSubmitAndWaitForTransactionTreeResponse struct {
	TransactionTree JsTransactionTree `json:"transactionTree" required:"true" doc:"The transaction"`
}

type treeByOffsetRequest struct {
	Offset  int64    `path:"offset" doc:"The offset"`
	Parties []string `query:"parties" doc:"The parties to read as"`
}

type treeByIDRequest struct {
	UpdateID string   `path:"update-id" doc:"The id"`
	Parties  []string `query:"parties" doc:"The parties to read as"`
}

// updateTrees takes the same requests as updates.
func (a *API) updateTrees(ctx context.Context, req updatesRequest) ([]JsGetUpdateTreesResponse, error) {
	view, err := a.treesView(ctx, req.Body)
	if err != nil {
		return nil, err
	}
	return listUpdates(ctx, a, req, view)
}

// treesView selects transactions by the matching part of a newer format.
func (a *API) treesView(ctx context.Context, body GetUpdatesRequest) (updatesView[JsGetUpdateTreesResponse], error) {
	format, err := a.updatesFormat(ctx, body)
	if err != nil {
		return updatesView[JsGetUpdateTreesResponse]{}, err
	}
	trees := &updateFormat{}
	if format.transactions != nil {
		trees.transactions = &transactionFormat{events: format.transactions.events, shape: ShapeLedgerEffects}
	}
	show := func(ctx context.Context, update ledger.Update) (JsGetUpdateTreesResponse, bool, error) {
		shown, ok, err := a.toAPIUpdate(ctx, update, trees)
		if err != nil || !ok {
			return JsGetUpdateTreesResponse{}, false, err
		}
		return JsGetUpdateTreesResponse{JsUpdateTree{TransactionTree: endpoint.Valued(toAPITree(shown.Transaction.Value))}},
			true, nil
	}
	checkpoint := func(head db.Head) JsGetUpdateTreesResponse {
		return JsGetUpdateTreesResponse{JsUpdateTree{OffsetCheckpoint: endpoint.Valued(a.checkpointAt(head))}}
	}
	return updatesView[JsGetUpdateTreesResponse]{trees.readers(), show, checkpoint}, nil
}

func (a *API) treeByOffset(ctx context.Context, req treeByOffsetRequest) (JsGetTransactionTreeResponse, error) {
	return a.showTree(ctx, req.Parties, atOffset(req.Offset))
}

func (a *API) treeByID(ctx context.Context, req treeByIDRequest) (JsGetTransactionTreeResponse, error) {
	return a.showTree(ctx, req.Parties, withID(req.UpdateID))
}

func (a *API) showTree(ctx context.Context, parties []string, wanted lookup) (JsGetTransactionTreeResponse, error) {
	format, err := a.formatFor(ctx, parties, ShapeLedgerEffects)
	if err != nil {
		return JsGetTransactionTreeResponse{}, err
	}
	found, err := a.showTransaction(ctx, wanted, format)
	return JsGetTransactionTreeResponse{Transaction: toAPITree(found.Transaction)}, err
}

func (a *API) submitAndWaitForTree(
	ctx context.Context, req submitRequest,
) (JsSubmitAndWaitForTransactionTreeResponse, error) {
	submission, err := a.newSubmission(ctx, req.Body)
	var transaction JsTransaction
	if err == nil {
		format := &transactionFormat{events: wildcardFor(submission.ActAs...), shape: ShapeLedgerEffects}
		transaction, err = a.awaitTransaction(ctx, submission, format)
	}
	return JsSubmitAndWaitForTransactionTreeResponse{
		TransactionTree: toAPITree(transaction),
	}, a.submissionError(ctx, submission, err)
}

// toAPITree converts a transaction with the shape of ledger effects to events by node.
func toAPITree(transaction JsTransaction) JsTransactionTree {
	events := make(map[string]TreeEvent, len(transaction.Events))
	for _, event := range transaction.Events {
		switch {
		case event.CreatedEvent != nil:
			events[nodeKey(event.CreatedEvent.NodeID)] = TreeEvent{CreatedTreeEvent: endpoint.Valued(*event.CreatedEvent)}
		case event.ExercisedEvent != nil:
			events[nodeKey(event.ExercisedEvent.NodeID)] = TreeEvent{
				ExercisedTreeEvent: endpoint.Valued(*event.ExercisedEvent),
			}
		}
	}
	return JsTransactionTree{
		UpdateID: transaction.UpdateID, CommandID: transaction.CommandID, WorkflowID: transaction.WorkflowID,
		EffectiveAt: transaction.EffectiveAt, Offset: transaction.Offset, EventsByID: events,
		SynchronizerID: transaction.SynchronizerID, TraceContext: transaction.TraceContext,
		RecordTime: transaction.RecordTime,
	}
}

func nodeKey(id int32) string { return strconv.FormatInt(int64(id), 10) }
