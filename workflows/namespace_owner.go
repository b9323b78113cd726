package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/florinledger/florin/ledger/workflowid"
)

// NamespaceOwner is whose a Temporal namespace is.
type NamespaceOwner struct {
	// Ledger is the participant id of the ledger.
	Ledger string
	// Database is the id of the database that holds it. A copy of the database has another one.
	Database string
}

// OtherOwnerError says that the namespace is another ledger's, or that of another database.
type OtherOwnerError struct {
	Namespace string
	Owner     NamespaceOwner
}

func (e *OtherOwnerError) Error() string {
	return fmt.Sprintf("Temporal namespace %q belongs to the ledger %s in the database %s, and two ledgers on one would "+
		"take each other's work: give this ledger a namespace of its own (--temporal-namespace). If this database takes "+
		"the place of that one, whose nodes never run again: start this node with --take-namespace-from=%s",
		e.Namespace, e.Owner.Ledger, e.Owner.Database, e.Owner.Database)
}

// InUseError says that nodes of the ledger that has the namespace still run, so that nobody else takes it.
type InUseError struct {
	OtherOwnerError
	// Nodes are those that were found.
	Nodes []string
}

// Error says what to do.
func (e *InUseError) Error() string {
	return fmt.Sprintf("Temporal namespace %q is not taken from the ledger %s in the database %s, whose nodes still run "+
		"(%s): stop them all, see to it that nothing starts them again, and start this node again",
		e.Namespace, e.Owner.Ledger, e.Owner.Database, strings.Join(e.Nodes, ", "))
}

// StrangersError says that a namespace without a note of whose it is has workers of another ledger.
type StrangersError struct {
	Namespace string
	// Nodes are those that were found.
	Nodes []string
}

// Error says what to do.
func (e *StrangersError) Error() string {
	return fmt.Sprintf("nothing says whose Temporal namespace %q is, and nodes work in it that are not of this ledger "+
		"(%s): give this ledger a namespace of its own (--temporal-namespace), or stop them and start this node again",
		e.Namespace, strings.Join(e.Nodes, ", "))
}

// NamespaceClaim is what a process asks for that starts to work in a namespace.
type NamespaceClaim struct {
	Namespace string
	Owner     NamespaceOwner
	// TakeFrom is the database from which the namespace may be taken over; "" for none.
	TakeFrom string
	// Running finds the nodes that are seen to run on another database.
	Running func(ctx context.Context, database string) ([]string, error)
	// Own lists the workers of this ledger that say that they run.
	Own func(ctx context.Context) ([]string, error)
	// Patience is how long a worker of the other ledger has to show that it runs.
	Patience time.Duration
	// Waits is told when that begins, and when it ends at the latest; nil: nobody is told.
	Waits func(ctx context.Context, since, until time.Time)
	Now   func() time.Time
}

// The fields of the memo that names the owner.
const (
	memoLedger   = "ledger"
	memoDatabase = "database"
)

// ownerID is the id of the Schedule that names the owner of a namespace.
func ownerID() string { return workflowid.Of("florin", "owner").String() }

// CheckNamespace fails as [OwnNamespace] does, and changes nothing.
func CheckNamespace(ctx context.Context, connected client.Client, claim NamespaceClaim) error {
	return untilAvailable(ctx, func() error {
		_, _, err := claim.find(ctx, connected, false)
		return err
	})
}

// OwnNamespace notes whose the namespace is, or fails with an [OtherOwnerError] when another database has it. When it
// may be taken over from that one, and none of its nodes is seen to run, the owner before is returned; nil when nothing
// was taken. It reports in noted whether nothing said whose the namespace was. The note is a Schedule that is paused
// and never runs: every Temporal keeps one, and of several processes that make it at once one wins.
func OwnNamespace(
	ctx context.Context, connected client.Client, claim NamespaceClaim,
) (taken *NamespaceOwner, noted bool, err error) {
	err = untilAvailable(ctx, func() error {
		found, isNoted, err := claim.find(ctx, connected, taken != nil)
		switch {
		case err != nil:
			return err
		case !isNoted:
			if noted, err = noteOwner(ctx, connected, claim.Owner); noted || err != nil {
				return err
			}
			return serviceerror.NewUnavailable("another process notes whose the namespace is")
		case found == claim.Owner:
			return nil
		}
		// A database that holds another ledger now has no other one any more.
		note := connected.ScheduleClient().GetHandle(ctx, ownerID())
		if err := note.Delete(ctx); err != nil && !is[*serviceerror.NotFound](err) {
			return err
		}
		taken = &found
		return serviceerror.NewUnavailable("the namespace changes hands")
	})
	if err != nil {
		return nil, false, err
	}
	return taken, noted && taken == nil, nil
}

// find reads whose the namespace is, if anything says it, and fails unless this ledger may have it. Of one that was
// vacated it is known that nobody works there.
func (c NamespaceClaim) find(
	ctx context.Context, connected client.Client, vacated bool,
) (found NamespaceOwner, isNoted bool, err error) {
	note := connected.ScheduleClient().GetHandle(ctx, ownerID())
	found, err = readOwner(ctx, note)
	switch {
	case is[*serviceerror.NotFound](err):
		if !vacated {
			return found, false, c.requireNoStrangers(ctx, connected)
		}
		return found, false, nil
	case err != nil:
		return found, false, fmt.Errorf("read the Schedule %s of namespace %q: %w", ownerID(), c.Namespace, err)
	case found.Database == c.Owner.Database:
		return found, true, nil
	case c.TakeFrom == "" || found.Database != c.TakeFrom:
		return found, true, &OtherOwnerError{Namespace: c.Namespace, Owner: found}
	}
	if err := c.requireIdle(ctx, connected, found); err != nil {
		if now, failed := readOwner(ctx, note); failed == nil && now.Database == c.Owner.Database {
			return now, true, nil // another process of this ledger has taken it meanwhile, and that one was found
		}
		return found, true, err
	}
	return found, true, nil
}

// noteOwner makes the note that names the owner, unless there is one.
func noteOwner(ctx context.Context, connected client.Client, owner NamespaceOwner) (made bool, err error) {
	_, err = connected.ScheduleClient().Create(ctx, ownerSchedule(owner))
	if errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return false, nil
	}
	return err == nil, err
}

// KeepNamespace has a running node look whose the namespace is, and notes it again where nothing says it any more, as
// in a namespace that was made anew: noted reports that. It fails with an [OtherOwnerError] when another database has
// it.
func KeepNamespace(ctx context.Context, connected client.Client, claim NamespaceClaim) (noted bool, err error) {
	found, err := readOwner(ctx, connected.ScheduleClient().GetHandle(ctx, ownerID()))
	switch {
	case is[*serviceerror.NotFound](err):
		return noteOwner(ctx, connected, claim.Owner)
	case err == nil && found.Database != claim.Owner.Database:
		return false, &OtherOwnerError{Namespace: claim.Namespace, Owner: found}
	}
	return false, err
}

// requireNoStrangers refuses a namespace of which nothing says whose it is and in which workers of another ledger take
// tasks: they note it soon, and would share their work until then.
func (c NamespaceClaim) requireNoStrangers(ctx context.Context, connected client.Client) error {
	own, err := c.Own(ctx)
	if err != nil {
		return err
	}
	queue, err := connected.DescribeTaskQueue(ctx, SubmissionQueue, enumspb.TASK_QUEUE_TYPE_WORKFLOW)
	if err != nil {
		return err
	}
	isStranger := func(identity string) bool { return tellsOfItself(identity) && !slices.Contains(own, identity) }
	if !slices.ContainsFunc(queue.GetPollers(), func(poller *taskqueuepb.PollerInfo) bool {
		return isStranger(poller.GetIdentity())
	}) {
		return nil
	}
	// Temporal goes on to list those that have ended, so they are asked.
	nodes, err := c.workers(ctx, connected)
	if err != nil || !slices.ContainsFunc(nodes, isStranger) {
		return err
	}
	return &StrangersError{Namespace: c.Namespace, Nodes: nodes}
}

// requireIdle refuses to take a namespace in which nodes of its owner work.
func (c NamespaceClaim) requireIdle(ctx context.Context, connected client.Client, owner NamespaceOwner) error {
	nodes, err := c.Running(ctx, owner.Database)
	if err != nil {
		return err
	}
	if len(nodes) == 0 {
		if nodes, err = c.workers(ctx, connected); err != nil {
			return err
		}
	}
	if len(nodes) == 0 {
		return nil
	}
	return &InUseError{OtherOwnerError: OtherOwnerError{Namespace: c.Namespace, Owner: owner}, Nodes: nodes}
}

// workers finds a worker of the namespace by giving it a task that does nothing: Temporal goes on to list those that
// have ended. Where none has asked for work lately, there is none.
func (c NamespaceClaim) workers(ctx context.Context, connected client.Client) ([]string, error) {
	queue, err := connected.DescribeTaskQueue(ctx, SubmissionQueue, enumspb.TASK_QUEUE_TYPE_WORKFLOW)
	if err != nil {
		return nil, err
	}
	oldest := c.Now().Add(-workerSilence)
	if !slices.ContainsFunc(queue.GetPollers(), func(poller *taskqueuepb.PollerInfo) bool {
		return poller.GetLastAccessTime().AsTime().After(oldest)
	}) {
		return nil, nil
	}
	options := start(submitCommands, workflowid.Of("florin", "taker", c.Owner.Database), "asks who works here")
	options.WorkflowExecutionTimeout = workerSilence
	started, err := connected.ExecuteWorkflow(ctx, options, submitCommands, SubmitCommandsInput{})
	if err != nil {
		return nil, err
	}
	if since := c.Now(); c.Waits != nil {
		c.Waits(ctx, since, since.Add(c.Patience))
	}
	limited, cancel := context.WithTimeout(ctx, c.Patience)
	defer cancel()
	events := connected.GetWorkflowHistory(limited, started.GetID(), started.GetRunID(), true,
		enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if limited.Err() != nil {
			break // nobody has taken it in time
		}
		if err != nil {
			return nil, err
		}
		if taken := event.GetWorkflowTaskStartedEventAttributes(); taken != nil {
			return []string{taken.GetIdentity()}, nil
		}
	}
	err = connected.TerminateWorkflow(ctx, started.GetID(), started.GetRunID(), "nobody works here any more")
	if is[*serviceerror.NotFound](err) { // another process of this ledger was quicker
		err = nil
	}
	return nil, err
}

// ownerSchedule would start a workflow without submissions if somebody ran it, which ends at once.
func ownerSchedule(owner NamespaceOwner) client.ScheduleOptions {
	return client.ScheduleOptions{
		ID: ownerID(), Paused: true, Note: "Says whose namespace this is. It never runs: keep it, paused.",
		Memo: map[string]any{memoLedger: owner.Ledger, memoDatabase: owner.Database},
		Action: &client.ScheduleWorkflowAction{
			ID: ownerID(), Workflow: submitCommands, TaskQueue: queueOf(submitCommands),
			Args: []any{SubmitCommandsInput{}},
		},
	}
}

// NamespaceID is Temporal's id of a namespace: another one in another Temporal, and after it was made anew.
func NamespaceID(ctx context.Context, connected client.Client, namespace string) (id string, err error) {
	err = untilAvailable(ctx, func() error {
		found, err := connected.WorkflowService().DescribeNamespace(ctx,
			&workflowservice.DescribeNamespaceRequest{Namespace: namespace})
		id = found.GetNamespaceInfo().GetId()
		return err
	})
	if err != nil {
		return "", fmt.Errorf("ask Temporal for the id of namespace %q: %w", namespace, err)
	}
	return id, nil
}

// ServerID is the id of the Temporal, which it keeps for as long as its databases live; "" where it is told to nobody.
func ServerID(ctx context.Context, connected client.Client) (id string, err error) {
	err = untilAvailable(ctx, func() error {
		found, err := connected.WorkflowService().GetClusterInfo(ctx, &workflowservice.GetClusterInfoRequest{})
		id = found.GetClusterId()
		return err
	})
	if err == nil || is[*serviceerror.PermissionDenied](err) || is[*serviceerror.Unimplemented](err) {
		return id, nil // clusters that others run keep this to themselves
	}
	return "", fmt.Errorf("ask Temporal for its id: %w", err)
}

// readOwner reads the note that names the owner.
func readOwner(ctx context.Context, note client.ScheduleHandle) (owner NamespaceOwner, err error) {
	found, err := note.Describe(ctx)
	if err != nil {
		return owner, err
	}
	for name, to := range map[string]*string{memoLedger: &owner.Ledger, memoDatabase: &owner.Database} {
		if err := converter.GetDefaultDataConverter().FromPayload(found.Memo.GetFields()[name], to); err != nil {
			return owner, fmt.Errorf("field %s of its memo: %w", name, err)
		}
	}
	return owner, nil
}
