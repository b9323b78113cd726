package db

import (
	"context"
	"time"

	"github.com/florinledger/florin/db/dbgen"
)

// Oldest is for how long what is due longest has been due, in real time; 0 where nothing is.
type Oldest struct {
	// All counts everything that is due and could be done.
	All time.Duration
	// Stuck counts what waits though its account has little due: it does not wait behind a flood, so whatever should do
	// it does nothing.
	Stuck time.Duration
}

// OldestQuery says how to look for what is due longest.
type OldestQuery struct {
	// LedgerTime is the present one, and Moved for how long nobody has moved the ledger's clock, as far as that is known:
	// what time made due has not been due for longer.
	LedgerTime time.Time
	Moved      time.Duration
	// Idle is for how long a kind of automation may look at nothing.
	Idle time.Duration
}

// fewDue is how much an account may have due for its oldest to tell something about the node.
const fewDue = 16

// OldestLifecycle looks for the lifecycle that has been due longest. Those that were called more than once, and have
// not looked, are stuck.
func (r Reader) OldestLifecycle(ctx context.Context, query OldestQuery) (Oldest, error) {
	row, err := r.queries.OldestLifecycle(ctx, dbgen.OldestLifecycleParams{
		Few: fewDue, LedgerTime: query.LedgerTime, MovedSeconds: query.Moved.Seconds(),
	})
	return Oldest{All: seconds(row.Oldest), Stuck: seconds(row.Stuck)}, failed("looking for the oldest lifecycle", err)
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
