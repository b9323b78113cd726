package validator

import (
	"context"
	"errors"
	"strconv"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/wallet/plan"
)

// WorkflowHeader names the workflow that made a change, for Temporal's UI.
const WorkflowHeader = "Florin-Workflow-Id"

// Change is a change of the ledger that an endpoint makes.
type Change struct {
	// CommandID is the same for the same change: the ledger makes it once and repeats the answer. "" for a new id.
	CommandID string
	// Name is the caller's name from which CommandID was made; nil for none.
	Name      *Name
	ActAs     []ledger.Party
	ReadAs    []ledger.Party
	Commands  []ledger.Command
	Disclosed []ledger.Contract
	// Deduplication is the deduplication period; nil for the node's maximum.
	Deduplication *ledger.DeduplicationPeriod
	// Signed is a prepared and signed transaction. The change then has a command id and acting parties, and no
	// commands.
	Signed *ledger.SignedTransaction
	// Deadlines must not have passed when the change is made. A repeat of a change that was made gets its answer also
	// later.
	Deadlines []Deadline
	// Purse is what the change takes from the payer's wallet.
	Purse plan.Purse
	// TrustedPackages are the names of packages whose code the caller trusts ([ledger.Submission]).
	TrustedPackages []string
	// Urgent changes ignore the traffic reserve, because they buy traffic.
	Urgent bool
}

// Submission makes the submission of a change.
func (b *Base) Submission(ctx context.Context, c Change) ledger.Submission {
	if c.CommandID == "" {
		c.CommandID = uuid.NewString()
	}
	kind := ledger.KindWallet
	if c.Signed != nil {
		kind = ledger.KindExternal
	}
	submissionID := uuid.NewString()
	if c.Name != nil {
		submissionID = c.Name.submissionID()
	}
	return ledger.Submission{
		Key: uuid.NewString(), Identity: endpoint.Claims(ctx).Identity(), CommandID: c.CommandID,
		SubmissionID: submissionID,
		ActAs:        ledger.SortedParties(c.ActAs), ReadAs: ledger.SortedParties(c.ReadAs), Commands: c.Commands,
		Disclosed: c.Disclosed, TrustedPackages: c.TrustedPackages, Deduplication: c.Deduplication, Signed: c.Signed, ReceivedAt: b.Now().UTC(),
		Trace: endpoint.Trace(ctx), Kind: kind, Admission: endpoint.Claims(ctx).Admission(admissionOf(ctx)),
	}
}

// Submit makes a change and waits for it. It returns the transaction, also if the same change was made before, and sets
// the header with the workflow's id. Refusals are errors.
func (b *Base) Submit(ctx context.Context, c Change) (ledger.Update, error) {
	attempt := changes.AttemptOf(ctx)
	name, named, err := attempt.Next(ctx)
	if err != nil {
		return ledger.Update{}, err
	}
	if named && name.Completion != nil { // an earlier attempt to serve this request made the change
		return b.earlierUpdate(ctx, *name.Completion)
	}
	if err := b.checkDeadlines(c.Deadlines); err != nil {
		return ledger.Update{}, err
	}
	if err := b.checkReserve(ctx, c); err != nil {
		return ledger.Update{}, err
	}
	if named && c.CommandID == "" {
		c.CommandID = name.ID
	}
	submission := b.Submission(ctx, c)
	if named {
		submission.Key = name.Key
		if submission.SubmissionID = name.ID; c.Name != nil { // later attempts search for the prefix
			submission.SubmissionID += "/" + c.Name.submissionID()
		}
	}
	attempt.Submitting()
	completion, err := b.Send(ctx, submission)
	if fault.ParticipantBackpressure.Matches(err) || fault.SubmissionAlreadyInFlight.Matches(err) {
		attempt.NotTaken()
	}
	if err != nil {
		return ledger.Update{}, err
	}
	if completion.Refusal != nil {
		return b.firstUpdate(ctx, c.Name, completion.Refusal)
	}
	return changes.UpdateOf(ctx, b.record, completion)
}

// earlierUpdate is the transaction of a change that an earlier attempt made.
func (b *Base) earlierUpdate(ctx context.Context, completion ledger.Completion) (ledger.Update, error) {
	workflowID, err := b.submitter.WorkflowOf(ctx, completion)
	if err != nil {
		return ledger.Update{}, err
	}
	TellWorkflow(ctx, workflowID)
	return changes.UpdateOf(ctx, b.record, completion)
}

// Send submits for a request. After that the server does not serve the request again from its start.
func (b *Base) Send(ctx context.Context, submission ledger.Submission) (ledger.Completion, error) {
	endpoint.Submitting(ctx)
	endpoint.Concerns(ctx, submission)
	completion, workflowID, err := b.submitter.SubmitAndTrace(ctx, submission)
	if completion.Refusal != nil {
		endpoint.RefusedByCommit(ctx)
	}
	TellWorkflow(ctx, workflowID)
	return completion, err
}

// TellWorkflow sets the header with the workflow's id, if there is one.
func TellWorkflow(ctx context.Context, workflowID string) {
	if workflowID != "" {
		endpoint.SetHeader(ctx, WorkflowHeader, workflowID)
	}
}

// firstUpdate is the transaction of the first change, if the refusal is a duplicate.
func (b *Base) firstUpdate(ctx context.Context, name *Name, refusal *fault.Fault) (ledger.Update, error) {
	if !fault.DuplicateCommand.Matches(refusal) {
		return ledger.Update{}, refusal
	}
	if name != nil {
		if err := name.check(refusal); err != nil {
			return ledger.Update{}, err
		}
	}
	offset, err := strconv.ParseInt(refusal.Context["completion_offset"], 10, 64)
	if err != nil {
		return ledger.Update{}, refusal
	}
	update, found, err := b.record.UpdateByOffset(ctx, ledger.Offset(offset))
	switch {
	case err != nil:
		return ledger.Update{}, err
	case !found:
		return ledger.Update{}, refusal.WithHint("The change was made and is not repeated; its answer is pruned. " +
			"Read the current state: under another name the same change would be made a second time.")
	default:
		return update, nil
	}
}

// UpdateLeft finds the transaction of a caller's submission; false if it is pruned.
func (b *Base) UpdateLeft(ctx context.Context, id ledger.UpdateID) (update ledger.Update, found bool, err error) {
	return b.record.UpdateByID(ctx, id)
}

// Exercise returns the command that exercises a choice of the template T.
func Exercise[T, A any](b *Base, id ledger.ContractID, choice string, argument A) (ledger.Command, error) {
	command, err := plan.Exercise[T](b.Packages, id, choice, argument)
	if err != nil {
		return ledger.Command{}, fault.Internal(err)
	}
	return command, nil
}

// ThroughWallet composes a choice of a user's WalletAppInstall, which the operator exercises. The command id is as in
// [Change].
func ThroughWallet[A any](b *Base, w Owner, commandID, choice string, argument A) (Change, error) {
	action, err := plan.WalletAction(plan.View{Packages: b.Packages, Node: b.Node},
		plan.Wallet{Install: w.Install, User: w.Party}, commandID, choice, argument)
	if err != nil {
		return Change{}, fault.Internal(err)
	}
	return asChange(*action), nil
}

func asChange(action plan.Action) Change {
	return Change{
		CommandID: action.CommandID, ActAs: action.ActAs, ReadAs: action.ReadAs, Commands: action.Commands,
	}
}

// ResultOf decodes the result of the choice at the root of a transaction.
func ResultOf[R any](b *Base, update ledger.Update) (result R, err error) {
	if len(update.Events) == 0 || update.Events[0].Kind != ledger.EventExercise {
		return result, fault.Internal(errors.New("transaction " + string(update.ID) + " does not begin with a choice"))
	}
	result, err = ledger.DecodeResult[R](b.Packages, update.Events[0].Result)
	if err != nil {
		return result, fault.Internal(err)
	}
	return result, nil
}
