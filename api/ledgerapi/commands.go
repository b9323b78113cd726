package ledgerapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Submitter is what submissions are handed to. Both methods may refuse with a fault, such as
// SUBMISSION_ALREADY_IN_FLIGHT or PARTICIPANT_BACKPRESSURE.
type Submitter interface {
	// Submit returns when the submission is sure to end in exactly one completion.
	Submit(ctx context.Context, submission ledger.Submission) error
	// SubmitAndWait returns the completion, which may be a refusal.
	SubmitAndWait(ctx context.Context, submission ledger.Submission) (ledger.Completion, error)
}

// JsCommands is a composite command: its commands form one transaction (contract, "POST /v2/commands/async/submit").
type JsCommands struct {
	endpoint.Strict

	Commands                     []Command             `json:"commands" required:"true" doc:"Together or not at all"`
	CommandID                    string                `json:"commandId" required:"true" doc:"Part of the change id"`
	ActAs                        []string              `json:"actAs" required:"true" doc:"For whom to act"`
	UserID                       *string               `json:"userId" doc:"Left out: the user of the token"`
	ReadAs                       []string              `json:"readAs" doc:"Whose contracts may be used besides"`
	WorkflowID                   *string               `json:"workflowId" doc:"Identifier kept with the transaction"`
	DeduplicationPeriod          *DeduplicationPeriod  `json:"deduplicationPeriod" doc:"Left out: the longest"`
	MinLedgerTimeAbs             *endpoint.Timestamp   `json:"minLedgerTimeAbs" doc:"Earliest ledger time"`
	MinLedgerTimeRel             *v2.Duration          `json:"minLedgerTimeRel" doc:"Earliest ledger time, from now"`
	SubmissionID                 *string               `json:"submissionId" doc:"New for each retry; may be left out"`
	DisclosedContracts           []DisclosedContract   `json:"disclosedContracts" doc:"Contracts that others showed"`
	SynchronizerID               *string               `json:"synchronizerId" doc:"May be left out: there is one"`
	PackageIDSelectionPreference []string              `json:"packageIdSelectionPreference" doc:"For package names"`
	PrefetchContractKeys         []PrefetchContractKey `json:"prefetchContractKeys" doc:"Keys that will be used"`
	TapsMaxPasses                *int32                `json:"tapsMaxPasses" doc:"Most passes of package selection"`
}

// Command is one action.
type Command struct {
	endpoint.OneOf

	CreateCommand            *CreateCommand            `json:"CreateCommand,omitempty"`
	ExerciseCommand          *ExerciseCommand          `json:"ExerciseCommand,omitempty"`
	ExerciseByKeyCommand     *ExerciseByKeyCommand     `json:"ExerciseByKeyCommand,omitempty"`
	CreateAndExerciseCommand *CreateAndExerciseCommand `json:"CreateAndExerciseCommand,omitempty"`
}

// CreateCommand creates a contract.
type CreateCommand struct {
	endpoint.Strict

	TemplateID      lf.TypeName     `json:"templateId" required:"true" doc:"#package-name:Module:Entity"`
	CreateArguments json.RawMessage `json:"createArguments" required:"true" doc:"The payload, by field name"`
}

// ExerciseCommand exercises a choice.
type ExerciseCommand struct {
	endpoint.Strict

	TemplateID     lf.TypeName     `json:"templateId" required:"true" doc:"Template or interface"`
	ContractID     string          `json:"contractId" required:"true" doc:"The contract"`
	Choice         string          `json:"choice" required:"true" doc:"Name of the choice"`
	ChoiceArgument json.RawMessage `json:"choiceArgument" required:"true" doc:"Argument of the choice"`
}

// ExerciseByKeyCommand exercises a choice of the contract that has a key.
type ExerciseByKeyCommand struct {
	endpoint.Strict

	TemplateID     lf.TypeName     `json:"templateId" required:"true" doc:"The template"`
	ContractKey    json.RawMessage `json:"contractKey" required:"true" doc:"The key"`
	Choice         string          `json:"choice" required:"true" doc:"Name of the choice"`
	ChoiceArgument json.RawMessage `json:"choiceArgument" required:"true" doc:"Argument of the choice"`
}

// CreateAndExerciseCommand creates a contract and exercises a choice on it.
type CreateAndExerciseCommand struct {
	endpoint.Strict

	TemplateID      lf.TypeName     `json:"templateId" required:"true" doc:"The template"`
	CreateArguments json.RawMessage `json:"createArguments" required:"true" doc:"The payload, by field name"`
	Choice          string          `json:"choice" required:"true" doc:"Name of the choice"`
	ChoiceArgument  json.RawMessage `json:"choiceArgument" required:"true" doc:"Argument of the choice"`
}

// DeduplicationPeriod is a window in which a change happens at most once (contract, "DeduplicationPeriod").
type DeduplicationPeriod struct {
	endpoint.OneOf

	DeduplicationDuration *endpoint.Value[v2.Duration] `json:"DeduplicationDuration,omitempty" doc:"Back from now"`
	// DeduplicationOffset is where a window begins that is told by an offset.
	DeduplicationOffset *endpoint.Value[int64] `json:"DeduplicationOffset,omitempty" doc:"Since an offset, exclusive"`
	Empty               *v2.Nothing            `json:"Empty,omitempty" doc:"Not given, or not known"`
}

// DisclosedContract is a contract that someone who sees it showed to the submitter.
type DisclosedContract struct {
	CreatedEventBlob endpoint.Bytes `json:"createdEventBlob" required:"true" doc:"From the event that created it"`
	TemplateID       *lf.TypeName   `json:"templateId" doc:"Checked against the blob"`
	ContractID       string         `json:"contractId" doc:"Checked against the blob"`
	SynchronizerID   string         `json:"synchronizerId" doc:"Checked against the node's"`
}

// PrefetchContractKey is a key that interpretation is expected to look up.
type PrefetchContractKey struct {
	endpoint.Strict

	TemplateID  lf.TypeName     `json:"templateId" required:"true" doc:"The template"`
	ContractKey json.RawMessage `json:"contractKey" required:"true" doc:"The key"`
}

// SubmitResponse is {}: the outcome comes as a completion.
type SubmitResponse struct{}

// SubmitAndWaitResponse names the transaction that resulted.
type SubmitAndWaitResponse struct {
	UpdateID         string `json:"updateId" required:"true" doc:"The transaction"`
	CompletionOffset int64  `json:"completionOffset" required:"true" doc:"Where its completion is"`
}

// JsSubmitAndWaitForTransactionRequest submits and asks for the transaction.
type JsSubmitAndWaitForTransactionRequest struct {
	endpoint.Strict

	Commands          JsCommands         `json:"commands" required:"true" doc:"What to submit"`
	TransactionFormat *TransactionFormat `json:"transactionFormat" doc:"Left out: the changes to active contracts"`
}

// JsSubmitAndWaitForTransactionResponse is the transaction that resulted.
type JsSubmitAndWaitForTransactionResponse struct {
	Transaction JsTransaction `json:"transaction" required:"true" doc:"The transaction"`
}

// RequestedParties implements [endpoint.ForParties].
func (c JsCommands) RequestedParties() iter.Seq[ledger.Party] { return partiesIn(c.ActAs) }

// RequestedParties implements [endpoint.ForParties].
func (r JsSubmitAndWaitForTransactionRequest) RequestedParties() iter.Seq[ledger.Party] {
	return r.Commands.RequestedParties()
}

func partiesIn(names []string) iter.Seq[ledger.Party] {
	return func(yield func(ledger.Party) bool) {
		for _, name := range names {
			if !yield(ledger.Party(name)) {
				return
			}
		}
	}
}

type submitRequest struct {
	Body JsCommands `body:"json"`
}

type submitForTransactionRequest struct {
	Body JsSubmitAndWaitForTransactionRequest `body:"json"`
}

func (a *API) submit(ctx context.Context, req submitRequest) (SubmitResponse, error) {
	submission, err := a.newSubmission(ctx, req.Body)
	return a.accepted(ctx, submission, err)
}

func (a *API) submitAndWait(ctx context.Context, req submitRequest) (SubmitAndWaitResponse, error) {
	submission, err := a.newSubmission(ctx, req.Body)
	return a.completed(ctx, submission, err)
}

func (a *API) submitAndWaitForTransaction(
	ctx context.Context, req submitForTransactionRequest,
) (JsSubmitAndWaitForTransactionResponse, error) {
	submission, err := a.newSubmission(ctx, req.Body.Commands)
	return a.transactionIn(ctx, submission, err, req.Body.TransactionFormat)
}

// accepted hands a submission over, unless there is an error, and answers as soon as it is sure to complete.
func (a *API) accepted(ctx context.Context, submission ledger.Submission, err error) (SubmitResponse, error) {
	if err == nil {
		endpoint.Submitting(ctx)
		err = a.submitter.Submit(ctx, submission)
	}
	return SubmitResponse{}, a.refused(ctx, submission, err)
}

// completed waits for a submission, unless there is an error, and answers with where its transaction is.
func (a *API) completed(ctx context.Context, submission ledger.Submission, err error) (SubmitAndWaitResponse, error) {
	var completion ledger.Completion
	if err == nil {
		completion, err = a.await(ctx, submission)
	}
	return SubmitAndWaitResponse{
		UpdateID: string(completion.UpdateID), CompletionOffset: int64(completion.Offset),
	}, a.refused(ctx, submission, err)
}

// transactionIn waits for a submission, unless there is an error, and answers with its transaction in the format.
func (a *API) transactionIn(
	ctx context.Context, submission ledger.Submission, err error, wanted *TransactionFormat,
) (JsSubmitAndWaitForTransactionResponse, error) {
	var format *transactionFormat
	if err == nil {
		format, err = a.transactionFormatFor(ctx, wanted, submission)
	}
	var transaction JsTransaction
	if err == nil {
		transaction, err = a.awaitTransaction(ctx, submission, format)
	}
	return JsSubmitAndWaitForTransactionResponse{Transaction: transaction}, a.refused(ctx, submission, err)
}

// awaitTransaction submits and shows the transaction of an accepted submission; it may have no events to show.
func (a *API) awaitTransaction(
	ctx context.Context, submission ledger.Submission, format *transactionFormat,
) (JsTransaction, error) {
	completion, err := a.await(ctx, submission)
	if err != nil {
		return JsTransaction{}, err
	}
	update, err := changes.UpdateOf(ctx, a.record, completion)
	if err != nil {
		return JsTransaction{}, err
	}
	return a.toAPITransaction(ctx, update, format)
}

// await submits and returns the completion of an accepted submission; a refused one is the error.
func (a *API) await(ctx context.Context, submission ledger.Submission) (ledger.Completion, error) {
	waiting, cancel := context.WithTimeout(ctx, a.settings.TrackingTimeout)
	defer cancel()
	endpoint.Submitting(ctx)
	completion, err := a.submitter.SubmitAndWait(waiting, submission)
	switch {
	case err != nil && errors.Is(waiting.Err(), context.DeadlineExceeded) && ctx.Err() == nil:
		return ledger.Completion{}, fault.RequestTimeOut.
			New("No completion of command %q within %s", submission.CommandID, a.settings.TrackingTimeout).
			WithDefiniteAnswer(false).WithHint(adviceFor(submission))
	case err != nil:
		return ledger.Completion{}, err
	case completion.Refusal != nil:
		return ledger.Completion{}, covered(endpoint.Claims(ctx), completion)
	default:
		return completion, nil
	}
}

// refused ties an error to its submission. A request that ran out of time says how to learn the outcome, because the
// command may still succeed.
func (a *API) refused(ctx context.Context, submission ledger.Submission, err error) error {
	switch {
	case err == nil:
		return nil
	case submission.Key != "" && endpoint.OutOfTime(ctx):
		return &endpoint.TimeoutError{Advice: adviceFor(submission)}
	default:
		return v2.OfSubmission(err, submission.SubmissionID)
	}
}

func adviceFor(submission ledger.Submission) string {
	return fmt.Sprintf("The command may still succeed: look for commandId %q and submissionId %q with "+
		"POST /v2/commands/completions, or submit it again with the same commandId, which has an effect at most once.",
		submission.CommandID, submission.SubmissionID)
}
