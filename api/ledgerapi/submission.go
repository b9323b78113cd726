package ledgerapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Submitter takes submissions. Both methods may refuse with a fault, such as SUBMISSION_ALREADY_IN_FLIGHT or
// PARTICIPANT_BACKPRESSURE.
type Submitter interface {
	// Submit returns when the submission is certain to get exactly one completion.
	Submit(ctx context.Context, submission ledger.Submission) error
	// SubmitAndWait returns the completion, which may be a refusal.
	SubmitAndWait(ctx context.Context, submission ledger.Submission) (ledger.Completion, error)
}

type submitRequest struct {
	Body JsCommands `body:"json"`
}

type submitForTransactionRequest struct {
	Body JsSubmitAndWaitForTransactionRequest `body:"json"`
}

func (a *API) submit(ctx context.Context, req submitRequest) (SubmitResponse, error) {
	submission, err := a.newSubmission(ctx, req.Body)
	return a.submitOnly(ctx, submission, err)
}

func (a *API) submitAndWait(ctx context.Context, req submitRequest) (SubmitAndWaitResponse, error) {
	submission, err := a.newSubmission(ctx, req.Body)
	return a.submitForCompletion(ctx, submission, err)
}

func (a *API) submitAndWaitForTransaction(
	ctx context.Context, req submitForTransactionRequest,
) (JsSubmitAndWaitForTransactionResponse, error) {
	submission, err := a.newSubmission(ctx, req.Body.Commands)
	return a.submitForTransaction(ctx, submission, err, req.Body.TransactionFormat)
}

// newSubmission makes the submission of a composite command. With an error the submission has at most its submission
// id.
func (a *API) newSubmission(ctx context.Context, body JsCommands) (ledger.Submission, error) {
	packages, err := a.catalog.For(ctx)
	if err != nil {
		return ledger.Submission{SubmissionID: v2.OrEmpty(body.SubmissionID)}, err
	}
	return a.newSubmissionFor(ctx, packages, body, submittingUser)
}

// newSubmissionFor is newSubmission with the packages of the whole request.
func (a *API) newSubmissionFor(
	ctx context.Context, packages *ledger.Packages, body JsCommands,
	authorize func(ctx context.Context, requested string, actAs, readAs []ledger.Party) (ledger.Identity, error),
) (ledger.Submission, error) {
	request, err := a.fromAPIRequest(body)
	if err != nil {
		return ledger.Submission{SubmissionID: v2.OrEmpty(body.SubmissionID)}, err
	}
	submission, err := packages.ReadSubmission(a.node, request,
		func(requested string, actAs, readAs []ledger.Party) (ledger.Identity, error) {
			return authorize(ctx, requested, actAs, readAs)
		})
	if err != nil {
		return submission, err
	}
	submission.Key, submission.SubmissionID = uuid.NewString(), cmp.Or(submission.SubmissionID, uuid.NewString())
	submission.Trace = endpoint.Trace(ctx)
	submission.Admission = endpoint.Claims(ctx).Admission(ledger.AdmittedToAct)
	return submission, nil
}

// fromAPIRequest converts a composite command within the limits.
func (a *API) fromAPIRequest(body JsCommands) (ledger.Request, error) {
	if len(body.ActAs) == 0 {
		return ledger.Request{}, fault.MissingFieldNamed("act_as/actAs")
	}
	if err := a.settings.Counts.check(body); err != nil {
		return ledger.Request{}, err
	}
	request := ledger.Request{
		UserID: v2.OrEmpty(body.UserID), CommandID: body.CommandID, SubmissionID: v2.OrEmpty(body.SubmissionID),
		WorkflowID: v2.OrEmpty(body.WorkflowID), SynchronizerID: v2.OrEmpty(body.SynchronizerID),
		ActAs: v2.FromAPIParties(body.ActAs), ReadAs: v2.FromAPIParties(body.ReadAs),
		Commands: FromAPICommands(body.Commands), MinLedgerTime: a.minLedgerTime(body.MinLedgerTimeAbs, body.MinLedgerTimeRel),
		Deduplication: fromAPIDeduplicationPeriod(body.DeduplicationPeriod),
		Preference:    ledger.FromStrings[lf.PackageID](body.PackageIDSelectionPreference),
		MaxPasses:     body.TapsMaxPasses, Received: a.receivedAt(),
	}
	for _, key := range body.PrefetchContractKeys {
		request.Prefetch = append(request.Prefetch,
			ledger.ExerciseByKeyCommand{Template: key.TemplateID, Key: key.ContractKey})
	}
	for _, wire := range body.DisclosedContracts {
		request.Disclosed = append(request.Disclosed, ledger.DisclosedContract{
			Blob: wire.CreatedEventBlob, Template: wire.TemplateID, ContractID: wire.ContractID,
			SynchronizerID: wire.SynchronizerID,
		})
	}
	return request, nil
}

// receivedAt is the time of a request, as the record can hold it.
func (a *API) receivedAt() time.Time { return a.now().UTC().Truncate(time.Microsecond) }

func (a *API) minLedgerTime(absolute *endpoint.Timestamp, relative *v2.Duration) ledger.MinLedgerTime {
	return ledger.MinLedgerTime{
		At: (*time.Time)(absolute), After: v2.FromAPIDuration(relative), MaxAhead: a.settings.MaxLedgerTimeAhead,
	}
}

// submittingUser checks the claims for a submission and returns its user.
func submittingUser(ctx context.Context, requested string, actAs, readAs []ledger.Party) (ledger.Identity, error) {
	claims := endpoint.Claims(ctx)
	identity, err := claims.SubmittingUser(requested)
	if err != nil {
		return ledger.Identity{}, err
	}
	if err := claims.RequireActAs(actAs...); err != nil {
		return ledger.Identity{}, err
	}
	return identity, claims.RequireReadAs(ledger.MissingParties(actAs, readAs)...)
}

// submitOnly submits unless there is an error, and answers as soon as a completion is certain.
func (a *API) submitOnly(ctx context.Context, submission ledger.Submission, err error) (SubmitResponse, error) {
	if err == nil {
		endpoint.Submitting(ctx)
		err = a.submitter.Submit(ctx, submission)
	}
	return SubmitResponse{}, a.submissionError(ctx, submission, err)
}

// submitForCompletion submits unless there is an error, and answers with the offset of the transaction.
func (a *API) submitForCompletion(ctx context.Context, submission ledger.Submission, err error) (SubmitAndWaitResponse, error) {
	var completion ledger.Completion
	if err == nil {
		completion, err = a.await(ctx, submission)
	}
	return SubmitAndWaitResponse{
		UpdateID: string(completion.UpdateID), CompletionOffset: int64(completion.Offset),
	}, a.submissionError(ctx, submission, err)
}

// submitForTransaction submits unless there is an error, and answers with the transaction in the format.
func (a *API) submitForTransaction(
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
	return JsSubmitAndWaitForTransactionResponse{Transaction: transaction}, a.submissionError(ctx, submission, err)
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
		endpoint.RefusedByCommit(ctx)
		return ledger.Completion{}, visibleRefusal(endpoint.Claims(ctx), completion)
	default:
		return completion, nil
	}
}

// submissionError adds the submission id to an error. After a timeout it says how to learn the outcome, because the
// command may still succeed.
func (a *API) submissionError(ctx context.Context, submission ledger.Submission, err error) error {
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
	return fmt.Sprintf("The command may still succeed: find commandId %q and submissionId %q with "+
		"POST /v2/commands/completions, or submit it again with the same commandId: it takes effect at most once.",
		submission.CommandID, submission.SubmissionID)
}

// FromAPICommands converts commands. The decoder has checked that each has one kind.
func FromAPICommands(commands []Command) []ledger.Command {
	out := make([]ledger.Command, len(commands))
	for i, command := range commands {
		switch {
		case command.CreateCommand != nil:
			out[i].Create = &ledger.CreateCommand{
				Template: command.CreateCommand.TemplateID, Argument: command.CreateCommand.CreateArguments,
			}
		case command.ExerciseCommand != nil:
			exercise := command.ExerciseCommand
			out[i].Exercise = &ledger.ExerciseCommand{
				Template: exercise.TemplateID, Contract: ledger.ContractID(exercise.ContractID),
				Choice: exercise.Choice, Argument: exercise.ChoiceArgument,
			}
		case command.ExerciseByKeyCommand != nil:
			byKey := command.ExerciseByKeyCommand
			out[i].ExerciseByKey = &ledger.ExerciseByKeyCommand{
				Template: byKey.TemplateID, Key: byKey.ContractKey, Choice: byKey.Choice, Argument: byKey.ChoiceArgument,
			}
		case command.CreateAndExerciseCommand != nil:
			both := command.CreateAndExerciseCommand
			out[i].CreateAndExercise = &ledger.CreateAndExerciseCommand{
				Template: both.TemplateID, CreateArgument: both.CreateArguments,
				Choice: both.Choice, ChoiceArgument: both.ChoiceArgument,
			}
		}
	}
	return out
}

func fromAPIDeduplicationPeriod(wire *DeduplicationPeriod) ledger.RequestedDeduplication {
	switch {
	case wire == nil:
		return ledger.RequestedDeduplication{}
	case wire.DeduplicationDuration != nil:
		return ledger.RequestedDeduplication{Duration: v2.FromAPIDuration(&wire.DeduplicationDuration.Value)}
	case wire.DeduplicationOffset != nil:
		return ledger.RequestedDeduplication{Offset: &wire.DeduplicationOffset.Value}
	default:
		return ledger.RequestedDeduplication{}
	}
}

// ToAPIDeduplicationPeriod converts a reported period.
func ToAPIDeduplicationPeriod(period ledger.DeduplicationPeriod) *DeduplicationPeriod {
	switch {
	case period.Offset != nil:
		return &DeduplicationPeriod{DeduplicationOffset: endpoint.Valued(int64(*period.Offset))}
	case period.Duration != nil:
		return &DeduplicationPeriod{DeduplicationDuration: endpoint.Valued(v2.ToAPIDuration(*period.Duration))}
	default:
		return &DeduplicationPeriod{Empty: &v2.Nothing{}}
	}
}
