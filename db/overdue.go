package db

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/florinledger/florin/db/dbgen"
)

// Oldest is the time for which the oldest due item has been due, in real time; 0 if nothing is due.
type Oldest struct {
	// All is for everything that is due and could be done.
	All time.Duration
	// Stuck is for items of accounts that have few due: they do not wait behind a flood, so the worker that should do them
	// does nothing.
	Stuck time.Duration
}

// OldestQuery asks for the oldest due item.
type OldestQuery struct {
	// LedgerTime is the present ledger time. Moved is how long ago the ledger's clock was last moved, as far as known: an
	// item that became due by the clock has not been due for longer.
	LedgerTime time.Time
	Moved      time.Duration
	// Idle is how long a kind of automation may look at nothing.
	Idle time.Duration
}

// fewDue limits the due items of an account whose oldest item tells something about the node.
const fewDue = 16

// OldestLifecycle looks for the lifecycle that has been due longest. Those that were called more than once, and have
// not looked, are stuck.
func (r Reader) OldestLifecycle(ctx context.Context, query OldestQuery) (Oldest, error) {
	row, err := r.queries.OldestLifecycle(ctx, dbgen.OldestLifecycleParams{
		Few: fewDue, LedgerTime: query.LedgerTime, MovedSeconds: query.Moved.Seconds(),
	})
	return Oldest{All: seconds(row.Oldest), Stuck: seconds(row.Stuck)}, failed("looking for the oldest lifecycle", err)
}

// StuckLifecycles are the lifecycles that cannot go on: no decision was possible, or Temporal refuses the workflow.
type StuckLifecycles struct {
	Count int64
	// WorkflowID and Reason are those of one of them.
	WorkflowID, Reason string
}

// StuckLifecycles looks for lifecycles that cannot go on.
func (r Reader) StuckLifecycles(ctx context.Context) (StuckLifecycles, error) {
	row, err := r.queries.StuckLifecycle(ctx)
	if errors.Is(err, pgx.ErrNoRows) {
		return StuckLifecycles{}, nil
	}
	return StuckLifecycles{row.Total, row.WorkflowID, row.Reason}, failed("looking for stuck lifecycles", err)
}

// OldestTask looks for the task of automation that has been due longest. Those of a kind that looks at nothing are
// stuck.
func (r Reader) OldestTask(ctx context.Context, query OldestQuery) (Oldest, error) {
	row, err := r.queries.OldestTask(ctx, dbgen.OldestTaskParams{
		IdleSeconds: query.Idle.Seconds(), Few: fewDue, LedgerTime: query.LedgerTime, MovedSeconds: query.Moved.Seconds(),
	})
	return Oldest{All: seconds(row.Oldest), Stuck: seconds(row.Stuck)}, failed("looking for the oldest task", err)
}

func seconds(count float64) time.Duration { return time.Duration(count * float64(time.Second)) }
