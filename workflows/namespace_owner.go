package workflows

import (
	"context"
	"errors"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
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

// The fields of the memo that names the owner.
const (
	memoLedger   = "ledger"
	memoDatabase = "database"
)

// ownerID is the id of the Schedule that names the owner of a namespace.
func ownerID() string { return workflowid.Of("florin", "owner").String() }

// OwnNamespace notes whose the namespace is, or fails with an [OtherOwnerError] when another database has it. It is
// taken over from the database takeFrom, if that is not "". The note is a Schedule that is paused and never runs:
// every Temporal keeps one, and of several processes that make it at once one wins.
func OwnNamespace(
	ctx context.Context, connected client.Client, namespace string, owner NamespaceOwner, takeFrom string,
) error {
	return untilAvailable(ctx, func() error {
		_, err := connected.ScheduleClient().Create(ctx, ownerSchedule(owner))
		if !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
			return err
		}
		note := connected.ScheduleClient().GetHandle(ctx, ownerID())
		found, err := note.Describe(ctx)
		if err != nil {
			return err
		}
		noted, err := readOwner(found.Memo)
		switch {
		case err != nil:
			return fmt.Errorf("the Schedule %s of namespace %q names no ledger: %w", ownerID(), namespace, err)
		case noted == owner:
			return nil
		case noted.Database != owner.Database && (takeFrom == "" || noted.Database != takeFrom):
			return &OtherOwnerError{Namespace: namespace, Owner: noted}
		}
		// A database that holds another ledger now has no other one any more.
		if err := note.Delete(ctx); err != nil && !is[*serviceerror.NotFound](err) {
			return err
		}
		return serviceerror.NewUnavailable("the namespace changes hands")
	})
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

func readOwner(memo *commonpb.Memo) (owner NamespaceOwner, err error) {
	for name, to := range map[string]*string{memoLedger: &owner.Ledger, memoDatabase: &owner.Database} {
		if err := converter.GetDefaultDataConverter().FromPayload(memo.GetFields()[name], to); err != nil {
			return owner, fmt.Errorf("field %s of its memo: %w", name, err)
		}
	}
	return owner, nil
}
