package ledgerapi

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/preview"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/prepared"
)

// JsDryRunResponse is the answer to a submission with dry_run=true that would be accepted. Nothing was changed. A
// submission that would be refused gets its error.
type JsDryRunResponse struct {
	DryRun          bool                 `json:"dryRun" required:"true" doc:"true"`
	Transaction     *JsTransaction       `json:"transaction" doc:"The transaction in the requested format; null for a tree, and without the right to read as its parties"`
	TransactionTree *JsTransactionTree   `json:"transactionTree" doc:"The transaction, of an endpoint that answers with a tree"`
	Nodes           []v2.TransactionNode `json:"nodes" required:"true" doc:"The whole transaction; empty without the right to read as its parties"`
	Views           []PartyView          `json:"views" required:"true" doc:"What each party would see"`
	CostEstimation  CostEstimation       `json:"costEstimation" required:"true" doc:"Traffic cost in bytes"`
}

// PartyView is the part of a transaction that a party sees.
type PartyView struct {
	Party   string  `json:"party" required:"true" doc:"The party"`
	NodeIDs []int32 `json:"nodeIds" required:"true" doc:"The nodes"`
}

// answerForm is the form of the transaction in the answer of an endpoint.
type answerForm struct {
	format *transactionFormat
	tree   bool
}

func (a *API) dryRunSubmit(ctx context.Context, req submitRequest) (JsDryRunResponse, error) {
	submission, err := a.newSubmission(ctx, req.Body)
	return a.dryRun(ctx, submission, err, func() (answerForm, error) {
		return a.formOf(ctx, nil, submission)
	})
}

func (a *API) dryRunSubmitForTransaction(ctx context.Context, req submitForTransactionRequest) (JsDryRunResponse, error) {
	submission, err := a.newSubmission(ctx, req.Body.Commands)
	return a.dryRun(ctx, submission, err, func() (answerForm, error) {
		return a.formOf(ctx, req.Body.TransactionFormat, submission)
	})
}

func (a *API) dryRunSubmitForTree(ctx context.Context, req submitRequest) (JsDryRunResponse, error) {
	submission, err := a.newSubmission(ctx, req.Body)
	return a.dryRun(ctx, submission, err, func() (answerForm, error) {
		return answerForm{&transactionFormat{events: wildcardFor(submission.ActAs...), shape: ShapeLedgerEffects}, true}, nil
	})
}

func (a *API) dryRunExecute(ctx context.Context, req executeRequest) (JsDryRunResponse, error) {
	submission, err := a.newExecution(ctx, req.Body, prepared.CheckSignatureCount)
	return a.dryRunSigned(ctx, submission, err)
}

func (a *API) dryRunExecuteAndWait(ctx context.Context, req executeRequest) (JsDryRunResponse, error) {
	submission, err := a.newExecution(ctx, req.Body, anyCount)
	return a.dryRunSigned(ctx, submission, err)
}

func (a *API) dryRunExecuteForTransaction(ctx context.Context, req executeForTransactionRequest) (JsDryRunResponse, error) {
	submission, err := a.newExecution(ctx, req.Body.execution(), anyCount)
	return a.dryRun(ctx, submission, err, func() (answerForm, error) {
		return a.formOf(ctx, req.Body.TransactionFormat, submission)
	})
}

// dryRunSigned is for endpoints whose callers need no right to read.
func (a *API) dryRunSigned(ctx context.Context, submission ledger.Submission, err error) (JsDryRunResponse, error) {
	return a.dryRun(ctx, submission, err, func() (answerForm, error) {
		form, err := a.formOf(ctx, nil, submission)
		if fault.PermissionDenied.Matches(err) {
			return answerForm{}, nil
		}
		return form, err
	})
}

func (a *API) formOf(ctx context.Context, wanted *TransactionFormat, submission ledger.Submission) (answerForm, error) {
	format, err := a.transactionFormatFor(ctx, wanted, submission)
	return answerForm{format: format}, err
}

// dryRun decides a submission unless there is an error. A caller sees what the transaction or its refusal would show.
func (a *API) dryRun(
	ctx context.Context, submission ledger.Submission, err error, form func() (answerForm, error),
) (out JsDryRunResponse, _ error) {
	var shown answerForm
	if err == nil {
		shown, err = form()
	}
	if err == nil {
		out, err = a.decideDry(ctx, submission, shown)
	}
	if err != nil {
		return out, v2.OfSubmission(err, submission.SubmissionID)
	}
	return out, nil
}

func (a *API) decideDry(ctx context.Context, submission ledger.Submission, form answerForm) (JsDryRunResponse, error) {
	packages, err := a.catalog.For(ctx)
	if err != nil {
		return JsDryRunResponse{}, err
	}
	trial, err := preview.DryRun{
		Node: a.node, Packages: packages, Record: a.record, Traffic: a.traffic, Now: submission.ReceivedAt,
	}.Decide(ctx, submission)
	if err != nil {
		return JsDryRunResponse{}, err
	}
	claims := endpoint.Claims(ctx)
	mayRead := claims.RequireReadAs(trial.Completion.Readers()...) == nil
	if trial.Completion.Refusal != nil {
		refusal := visibleRefusal(claims, trial.Completion)
		if trial.Trace == nil || !mayRead {
			return JsDryRunResponse{}, refusal
		}
		refusal.Hint = strings.TrimSuffix(refusal.Hint, fault.DryRunAdvice)
		return JsDryRunResponse{}, &v2.TracedError{Err: refusal, Trace: &v2.RefusalTrace{
			Calls: v2.ToAPIPlaces(trial.Trace.Places, packages), Nodes: v2.ToAPINodes(trial.Trace.Transaction),
		}}
	}
	out := JsDryRunResponse{DryRun: true, Nodes: []v2.TransactionNode{}, Views: []PartyView{}, CostEstimation: CostEstimation{
		EstimationTimestamp: endpoint.Timestamp(a.now()), ConfirmationRequest: trial.Cost, Total: trial.Cost,
	}}
	if mayRead {
		out.Nodes, out.Views = v2.ToAPINodes(*trial.Transaction), viewsOf(*trial.Transaction)
	}
	return out, a.showDry(ctx, *trial.Update, form, &out)
}

// showDry adds the transaction in the form of the endpoint. It has no place in the record.
func (a *API) showDry(ctx context.Context, update ledger.Update, form answerForm, out *JsDryRunResponse) error {
	if form.format == nil {
		return nil
	}
	update.Offset, update.ID = 0, ""
	transaction, err := a.toAPITransaction(ctx, update, form.format)
	if form.tree {
		out.TransactionTree = new(toAPITree(transaction))
	} else {
		out.Transaction = &transaction
	}
	return err
}

// viewsOf lists the nodes that each party sees, in the order of the parties.
func viewsOf(transaction ledger.Transaction) []PartyView {
	views := map[ledger.Party][]int32{}
	for id, witnesses := range transaction.Witnesses() {
		for _, party := range witnesses {
			views[party] = append(views[party], int32(id))
		}
	}
	out := []PartyView{}
	for party, ids := range views {
		out = append(out, PartyView{Party: string(party), NodeIDs: ids})
	}
	slices.SortFunc(out, func(a, b PartyView) int { return cmp.Compare(a.Party, b.Party) })
	return out
}
