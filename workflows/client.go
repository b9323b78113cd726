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
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/seal"
	"github.com/florinledger/florin/ledger/workflowid"
)

// CompletionReader is the part of the record that the client reads: completions that another process wrote, or that
// came after the end of the request.
type CompletionReader interface {
	// CompletionsByKey finds the completions of submissions by their keys.
	CompletionsByKey(ctx context.Context, keys []string) (map[string]ledger.Completion, error)
	// WaitAfter returns as soon as the record has an entry after the offset.
	WaitAfter(ctx context.Context, after ledger.Offset) (ledger.Offset, error)
	// SealKeys returns the ledger's keys of seals.
	SealKeys(ctx context.Context) (*seal.Keys, error)
}

// ClientOptions are the settings of a [Client].
type ClientOptions struct {
	Temporal client.Client
	// Ledger is the prefix of the ids and task queues.
	Ledger workflowid.Ledger
	// Namespace is the namespace of Temporal.
	Namespace string
	Record    CompletionReader
	// Outcomes is shared with the worker of the same process; a process without a worker has its own.
	Outcomes *activities.Outcomes
	// ForeignPackage finds the name of a package of users, for sentences; "" for built-in packages. Without it, all are
	// built in.
	ForeignPackage func(lf.PackageID) string
	// DSO is the party that every wallet reads as, so it is no search attribute of a submission.
	DSO ledger.Party
	// SynchronizerID is for refusals of submissions in flight.
	SynchronizerID string
	// MaxBatch limits the submissions in a workflow; 1 gives each its own.
	MaxBatch int
	// AttributeBytes limits the bytes of one search attribute; Temporal refuses more.
	AttributeBytes int
	// MaxInFlight limits the submissions in flight; the client refuses more.
	MaxInFlight int
	// MaxUserInFlight limits those of one user, so that no user takes all; 0 for any number.
	MaxUserInFlight int
	// StartTimeout bounds how long a start waits for Temporal.
	StartTimeout time.Duration
	// FollowPause is the shortest time between two queries for completions of other processes: short if all come from
	// others, longer if the worker of this process writes most.
	FollowPause time.Duration
	Clock       func() time.Time
	// Workers lists the identities of the running workers; an error if they are not known. Without it, each worker that
	// polled Temporal lately counts as running.
	Workers func(ctx context.Context) ([]string, error)
	// Log gets a line for each resubmission; nil for none.
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

// NewClient makes a client. Without Run it does not learn of completions that another process writes.
func NewClient(options ClientOptions) *Client {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	c := &Client{options: options, flights: newFlights(options.MaxInFlight, options.MaxUserInFlight, options.Clock)}
	c.batches = newBatcher(c.startWorkflow, options.MaxBatch, options.AttributeBytes)
	return c
}

// Submit returns when Temporal has stored the submission. From then on the submission gets exactly one completion, even
// if processes die. The refusals are *fault.Fault: SUBMISSION_ALREADY_IN_FLIGHT, PARTICIPANT_BACKPRESSURE, or
// SERVICE_NOT_RUNNING if Temporal does not answer.
func (c *Client) Submit(ctx context.Context, submission ledger.Submission) error {
	_, _, err := c.submit(ctx, submission)
	return err
}

// SubmitAndWait submits and waits for the completion, which may be a refusal. If ctx ends first, the submission goes on
// and the error is ctx's.
func (c *Client) SubmitAndWait(ctx context.Context, submission ledger.Submission) (ledger.Completion, error) {
	completion, _, err := c.SubmitAndTrace(ctx, submission)
	return completion, err
}

// SubmitAndTrace is [Client.SubmitAndWait] that also returns the id of the workflow, "" if there is none.
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

// WorkflowOf finds the workflow of a completion: by the id of a workflow with this submission alone, or else by the
// command id in Temporal; "" if Temporal no longer has it.
func (c *Client) WorkflowOf(ctx context.Context, completion ledger.Completion) (string, error) {
	alone := c.options.Ledger.Name(submissionWorkflowID(completion.CommandID, completion.Key).String())
	_, err := c.options.Temporal.DescribeWorkflowExecution(ctx, alone, "")
	if _, unknown := errors.AsType[*serviceerror.NotFound](err); !unknown {
		return alone, unavailable(err)
	}
	list, err := c.options.Temporal.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
		Query: AttributeCommandID.Query(completion.CommandID) + " AND " + OfLedger(c.options.Ledger), PageSize: 1,
	})
	if err != nil || len(list.GetExecutions()) == 0 {
		return "", unavailable(err)
	}
	return list.GetExecutions()[0].GetExecution().GetWorkflowId(), nil
}

func unavailable(err error) error {
	if err == nil {
		return nil
	}
	return fault.ServiceNotRunning.New("Temporal did not answer a query for a workflow").
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
		return nil, nil, fault.InvalidArgumentf("the submission has %d bytes; the limit is %d",
			len(encoded), maxSubmissionBytes).WithHint("Split the commands over several submissions.")
	}
	change := submission.ChangeID()
	if refusal := c.flights.enter(change, submission, len(encoded), c.options.SynchronizerID); refusal != nil {
		return nil, nil, refusal
	}
	p := newPending(submission, encoded)
	p.runsUploaded = c.runsUploaded(submission)
	p.wait(ctx)
	done := make(chan ledger.Completion, 1)
	c.options.Outcomes.Expect(submission.Key, func(completion ledger.Completion) {
		c.flights.leave(change, submission.Key)
		c.batches.settle(p, completion)
		done <- completion
	}, p.leave)
	if err := c.batches.submit(ctx, p); err != nil { // the caller left or the start failed; [flights] goes on
		return nil, nil, err
	}
	return p, done, nil
}

// runsUploaded reports whether a submission names code of uploaded packages.
func (c *Client) runsUploaded(submission ledger.Submission) bool {
	return c.options.ForeignPackage != nil && slices.ContainsFunc(submission.Commands, func(command ledger.Command) bool {
		name, _ := command.Uses()
		return c.options.ForeignPackage(name.Package) != ""
	})
}

// seal seals a submission, so that a commit can check that it comes from a node of this ledger.
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

// startWorkflow starts the workflow of submissions, which input encodes.
func (c *Client) startWorkflow(ctx context.Context, submissions []ledger.Submission, input any) error {
	ctx, cancel := context.WithTimeout(ctx, c.options.StartTimeout)
	defer cancel()
	failpoint.Hit(failpoint.BeforeStart)
	err := c.executeWorkflow(ctx, submissions, input)
	if _, invalid := errors.AsType[*serviceerror.InvalidArgument](err); invalid {
		// If somebody deleted the namespace and made it again, it lacks the search attributes.
		err = EnsureSearchAttributes(ctx, c.options.Temporal, c.options.Namespace)
		if err == nil {
			err = c.executeWorkflow(ctx, submissions, input)
		}
	}
	failpoint.Hit(failpoint.AfterStart)
	var started *serviceerror.WorkflowExecutionAlreadyStarted
	if err == nil || errors.As(err, &started) { // the id contains the key, so it is this workflow
		for _, submission := range submissions {
			c.flights.start(submission, c.workflowIDOf(submissions))
		}
		return nil
	}
	// This is here because the request may have ended. After an error Temporal may still have the submissions.
	for _, submission := range submissions {
		c.flights.doubt(submission, c.workflowIDOf(submissions))
	}
	return notAccepted("Temporal did not accept the submission.").Wrap(err)
}

// workflowIDOf is the id of the workflow of submissions in Temporal.
func (c *Client) workflowIDOf(submissions []ledger.Submission) string {
	return c.options.Ledger.Name(workflowIDOf(submissions).String())
}

// notAccepted is the refusal if Temporal is the reason why there is no acknowledgement.
func notAccepted(cause string) *fault.Fault {
	return fault.ServiceNotRunning.New("%s", cause).With("service_name", "temporal").
		WithHint("Try again with the same command id or Idempotency-Key; GET /readyz shows which part of the node is not " +
			"ready.")
}

func (c *Client) executeWorkflow(ctx context.Context, submissions []ledger.Submission, input any) error {
	options := start(c.options.Ledger, submitCommands, workflowIDOf(submissions), sentenceOf(submissions, c.options.ForeignPackage),
		attributes(submissions, c.options.DSO, c.options.AttributeBytes)...)
	options.EnableEagerStart = eagerStart
	options.Memo = map[string]any{MemoCommands: commandsOf(submissions)}
	_, err := c.options.Temporal.ExecuteWorkflow(ctx, options, submitCommands, input)
	return err
}

// SetLimits changes the limits of submissions in flight, in all and for one user.
func (c *Client) SetLimits(all, ofUser int) { c.flights.set(all, ofUser) }

// Divide limits this process to its part of each user's limit of submissions in flight, which the given number of
// processes share.
func (c *Client) Divide(processes int) { c.flights.divide(processes) }

// OldestWait returns how long the oldest submission of this process has waited for its completion; 0 if none waits.
// Submissions that wait for their minimum ledger time, and lost ones, do not count.
func (c *Client) OldestWait() time.Duration { return c.flights.oldest() }

// Stalled returns how long submissions of this process have waited without any completion.
func (c *Client) Stalled() time.Duration { return c.flights.stalled() }

// InFlight returns the number of submissions in flight, without those that wait for a time, and its limit.
func (c *Client) InFlight() (count, max int) { return c.flights.use() }

// CheckWorker fails if no worker, of this process or another, runs and polls for submissions.
func (c *Client) CheckWorker(ctx context.Context) error {
	name := c.options.Ledger.Name(SubmissionQueue)
	queue, err := c.options.Temporal.DescribeTaskQueue(ctx, name, enumspb.TASK_QUEUE_TYPE_WORKFLOW)
	if err != nil {
		return err
	}
	running, known := c.running(ctx)
	oldest := c.options.Clock().Add(-workerSilence)
	for _, poller := range queue.GetPollers() {
		isRecent := poller.GetLastAccessTime().AsTime().After(oldest)
		if isRecent && (!known || slices.Contains(running, poller.GetIdentity())) {
			return nil
		}
	}
	switch {
	case len(queue.GetPollers()) == 0: // a Temporal that has just started has forgotten the pollers
		return fmt.Errorf("no worker polls task queue %q; start one with florin worker or florin serve", name)
	case known:
		return fmt.Errorf("no worker for task queue %q is running; start one with florin worker or florin serve", name)
	}
	return fmt.Errorf("no worker has polled task queue %q in the last %s; start one with florin worker or florin serve",
		name, workerSilence)
}

// running lists the running workers, if they are known.
func (c *Client) running(ctx context.Context) (identities []string, known bool) {
	if c.options.Workers == nil {
		return nil, false
	}
	identities, err := c.options.Workers(ctx)
	return identities, err == nil
}

// workerSilence is longer than one poll of a worker, which takes up to a minute.
const workerSilence = 2 * time.Minute

// Ping checks that Temporal answers and has the namespace: a deleted namespace accepts no submissions.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.options.Temporal.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{
		Namespace: c.options.Namespace,
	})
	return err
}
