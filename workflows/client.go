package workflows

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/internal/failpoint"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/seal"
	"github.com/florinledger/florin/ledger/workflowid"
)

// CompletionReader is what the client reads of the record: completions that another process wrote, or that were written after
// the request for them had gone.
type CompletionReader interface {
	// CompletionsByKey finds the completions of submissions by their keys.
	CompletionsByKey(ctx context.Context, keys []string) (map[string]ledger.Completion, error)
	// WaitAfter returns as soon as the record has grown beyond the offset.
	WaitAfter(ctx context.Context, after ledger.Offset) (ledger.Offset, error)
	// SealKeys are the ledger's keys of seals.
	SealKeys(ctx context.Context) (*seal.Keys, error)
}

// ClientOptions are the settings of a [Client].
type ClientOptions struct {
	Temporal client.Client
	// Ledger is in the names of all that the client starts.
	Ledger workflowid.Ledger
	// Namespace is the one that Temporal is a client of.
	Namespace string
	Record    CompletionReader
	// Outcomes is shared with the worker of the same process; a process without a worker has its own.
	Outcomes *activities.Outcomes
	// DSO is the party that every wallet reads as: a submission is not found by it for that.
	DSO ledger.Party
	// SynchronizerID is named in refusals of submissions in flight.
	SynchronizerID string
	// MaxBatch is how many submissions may share a workflow; 1 gives each its own.
	MaxBatch int
	// AttributeBytes is how large the values of one search attribute may be together; Temporal refuses larger ones.
	AttributeBytes int
	// MaxInFlight is how many submissions may be on their way at once; more are refused.
	MaxInFlight int
	// MaxUserInFlight is how many of them may be of one user, so that no user takes all; 0 for any number.
	MaxUserInFlight int
	// StartTimeout bounds how long a start waits for Temporal.
	StartTimeout time.Duration
	// FollowPause is the shortest time between two looks into the record for completions that others wrote: short where
	// all are written by others, longer where the worker of this process writes them.
	FollowPause time.Duration
	// Clock tells the time.
	Clock func() time.Time
	// Workers lists the identities of the workers that say that they run; an error when nobody can tell. Without it,
	// whoever has asked Temporal for work lately counts as running.
	Workers func(ctx context.Context) ([]string, error)
	// Log is told what was submitted again; nil for none.
	Log *slog.Logger
}

// maxSubmissionBytes keeps the input of a workflow below Temporal's limit of 2 MB for one payload.
const maxSubmissionBytes = 1_900_000

// Client is the only place that starts workflows. It is safe for concurrent use.
type Client struct {
	options ClientOptions
	batches *batcher
	flights *flights
}

// NewClient makes a client. Run must be running for submissions whose completion another process records.
func NewClient(options ClientOptions) *Client {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	c := &Client{options: options, flights: newFlights(options.MaxInFlight, options.MaxUserInFlight, options.Clock)}
	c.batches = newBatcher(c.startWorkflow, options.MaxBatch, options.AttributeBytes)
	return c
}

// Submit hands a submission over and returns when Temporal has it durably: from then on it ends in exactly one
// completion, whatever dies. The refusals are *fault.Fault: SUBMISSION_ALREADY_IN_FLIGHT, PARTICIPANT_BACKPRESSURE, or
// SERVICE_NOT_RUNNING when Temporal cannot be reached.
func (c *Client) Submit(ctx context.Context, submission ledger.Submission) error {
	_, _, err := c.submit(ctx, submission)
	return err
}

// SubmitAndWait hands a submission over and waits for its completion, a refused one included. When ctx ends first the
// submission goes on and the error is ctx's.
func (c *Client) SubmitAndWait(ctx context.Context, submission ledger.Submission) (ledger.Completion, error) {
	completion, _, err := c.SubmitAndTrace(ctx, submission)
	return completion, err
}

// SubmitAndTrace is [Client.SubmitAndWait] for callers who want to tell people the id of the workflow, which is "" when
// there is none.
func (c *Client) SubmitAndTrace(
	ctx context.Context, submission ledger.Submission,
) (completion ledger.Completion, workflowID string, err error) {
	pending, done, err := c.submit(ctx, submission)
	if err != nil {
		return ledger.Completion{}, "", err
	}
	if id := pending.workflowID.Load(); id != nil {
		workflowID = c.options.Ledger.Name(*id)
	}
	select {
	case completion := <-done:
		return completion, workflowID, nil
	case <-ctx.Done():
		return ledger.Completion{}, workflowID, ctx.Err()
	}
}

// WorkflowOf finds the workflow that a completion came from, by the name that it has when it carried one submission,
// and else among those that Temporal knows by the command id; "" when it knows none any more.
func (c *Client) WorkflowOf(ctx context.Context, completion ledger.Completion) (string, error) {
	alone := c.options.Ledger.Name(submissionWorkflowID(completion.CommandID, completion.Key).String())
	_, err := c.options.Temporal.DescribeWorkflowExecution(ctx, alone, "")
	if _, unknown := errors.AsType[*serviceerror.NotFound](err); !unknown {
		return alone, unavailable(err)
	}
	found, err := c.options.Temporal.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
		Query: AttributeCommandID.Query(completion.CommandID) + " AND " + OfLedger(c.options.Ledger), PageSize: 1,
	})
	if err != nil || len(found.GetExecutions()) == 0 {
		return "", unavailable(err)
	}
	return found.GetExecutions()[0].GetExecution().GetWorkflowId(), nil
}

func unavailable(err error) error {
	if err == nil {
		return nil
	}
	return fault.ServiceNotRunning.New("Temporal could not be asked for a workflow").
		With("service_name", "temporal").Wrap(err)
}

func (c *Client) submit(
	ctx context.Context, submission ledger.Submission,
) (*pending, <-chan ledger.Completion, error) {
	submission, err := c.seal(ctx, submission)
	if err != nil {
		return nil, nil, err
	}
	encoded, err := json.Marshal(submission)
	if err != nil {
		return nil, nil, fmt.Errorf("encode submission: %w", err)
	}
	if len(encoded) > maxSubmissionBytes {
		return nil, nil, fault.InvalidArgumentf("the submission takes %d bytes, more than the %d that one may have",
			len(encoded), maxSubmissionBytes).WithHint("Split the commands over several submissions.")
	}
	change := submission.ChangeID()
	if refusal := c.flights.enter(change, submission, len(encoded), c.options.SynchronizerID); refusal != nil {
		return nil, nil, refusal
	}
	p := newPending(submission, len(encoded))
	p.wait(ctx)
	done := make(chan ledger.Completion, 1)
	c.options.Outcomes.Expect(submission.Key, func(completion ledger.Completion) {
		c.flights.leave(change, submission.Key)
		c.batches.settle(p, completion)
		done <- completion
	})
	if err := c.batches.submit(ctx, p); err != nil { // whether the caller left or the start failed, [flights] goes on
		return nil, nil, err
	}
	return p, done, nil
}

// seal seals a submission, so that a commit knows it again after its way through Temporal.
func (c *Client) seal(ctx context.Context, submission ledger.Submission) (ledger.Submission, error) {
	keys, err := c.options.Record.SealKeys(ctx)
	if err == nil {
		submission.Seal, err = keys.Of(seal.Submission, submission)
	}
	if err != nil {
		return submission, fmt.Errorf("seal submission: %w", err)
	}
	return submission, nil
}

func (c *Client) startWorkflow(ctx context.Context, submissions []ledger.Submission) error {
	ctx, cancel := context.WithTimeout(ctx, c.options.StartTimeout)
	defer cancel()
	failpoint.Hit(failpoint.BeforeStart)
	err := c.executeWorkflow(ctx, submissions)
	if _, invalid := errors.AsType[*serviceerror.InvalidArgument](err); invalid {
		// A namespace that was deleted and made again lacks what a starting node adds to it.
		err = EnsureSearchAttributes(ctx, c.options.Temporal, c.options.Namespace)
		if err == nil {
			err = c.executeWorkflow(ctx, submissions)
		}
	}
	failpoint.Hit(failpoint.AfterStart)
	var started *serviceerror.WorkflowExecutionAlreadyStarted
	if err == nil || errors.As(err, &started) { // the id holds the key, so a workflow with it is this one
		for _, submission := range submissions {
			c.flights.start(submission, c.workflowIDOf(submissions))
		}
		return nil
	}
	// Here and not in the request, which may have ended. An error does not say that Temporal has nothing.
	for _, submission := range submissions {
		c.flights.doubt(submission, c.workflowIDOf(submissions))
	}
	return notAccepted("Temporal did not accept the submission.").Wrap(err)
}

// workflowIDOf is what Temporal knows the workflow of submissions by.
func (c *Client) workflowIDOf(submissions []ledger.Submission) string {
	return c.options.Ledger.Name(workflowIDOf(submissions).String())
}

// notAccepted tells a client that Temporal is the reason why its submission was not acknowledged.
func notAccepted(cause string) *fault.Fault {
	return fault.ServiceNotRunning.New("%s", cause).With("service_name", "temporal").
		WithHint("Try again with the same command id or Idempotency-Key; GET /readyz tells which part of the node is not " +
			"ready.")
}

func (c *Client) executeWorkflow(ctx context.Context, submissions []ledger.Submission) error {
	options := start(c.options.Ledger, submitCommands, workflowIDOf(submissions), sentenceOf(submissions),
		attributes(submissions, c.options.DSO, c.options.AttributeBytes)...)
	options.EnableEagerStart = eagerStart
	options.Memo = map[string]any{MemoCommands: commandsOf(submissions)}
	_, err := c.options.Temporal.ExecuteWorkflow(ctx, options, submitCommands,
		SubmitCommandsInput{Submissions: submissions})
	return err
}

// SetLimits changes how many submissions may be on their way at once, in all and of one user.
func (c *Client) SetLimits(all, ofUser int) { c.flights.set(all, ofUser) }

// Divide has this process take its part of the submissions that each user may have on their way: so many processes take
// them together.
func (c *Client) Divide(processes int) { c.flights.divide(processes) }

// OldestWait is how long the oldest submission waits for its completion of those that this process has taken; 0 when
// none does. What waits for a time that it names does not count, nor what counts as lost.
func (c *Client) OldestWait() time.Duration { return c.flights.oldest() }

// Stalled is for how long submissions have waited while none that this process has taken got its completion.
func (c *Client) Stalled() time.Duration { return c.flights.stalled() }

// InFlight is how many submissions are under way, without those that wait for a time, and how many may be.
func (c *Client) InFlight() (count, max int) { return c.flights.use() }

// CheckWorker says whether some worker, of this process or another, runs and looks for work.
func (c *Client) CheckWorker(ctx context.Context) error {
	name := c.options.Ledger.Name(SubmissionQueue)
	queue, err := c.options.Temporal.DescribeTaskQueue(ctx, name, enumspb.TASK_QUEUE_TYPE_WORKFLOW)
	if err != nil {
		return err
	}
	running, known := c.running(ctx)
	oldest := c.options.Clock().Add(-workerSilence)
	for _, poller := range queue.GetPollers() {
		asked := poller.GetLastAccessTime().AsTime().After(oldest)
		if asked && (!known || slices.Contains(running, poller.GetIdentity())) {
			return nil
		}
	}
	switch {
	case len(queue.GetPollers()) == 0: // and a Temporal that was started has forgotten who asked it before
		return fmt.Errorf("no worker that asks for work on task queue %q is known to Temporal", name)
	case known:
		return fmt.Errorf("no worker runs of those that have asked for work on task queue %q", name)
	}
	return fmt.Errorf("no worker has asked for work on task queue %q for %s", name, workerSilence)
}

// running are the workers that say that they run, if anybody can tell.
func (c *Client) running(ctx context.Context) (identities []string, known bool) {
	if c.options.Workers == nil {
		return nil, false
	}
	identities, err := c.options.Workers(ctx)
	return identities, err == nil
}

// workerSilence is longer than the minute for which a worker may wait for work before it asks again.
const workerSilence = 2 * time.Minute

// Ping checks that Temporal answers, and that it has the namespace: one that was deleted takes no submissions.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.options.Temporal.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{
		Namespace: c.options.Namespace,
	})
	return err
}
