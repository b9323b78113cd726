package db

import (
	"context"
	"time"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// pruneBatch is the number of rows that one transaction deletes: few enough that no commit waits long for it.
const pruneBatch = 2000

// pruneLock is the advisory lock of the one process that prunes.
const pruneLock = 0x7072756e65 // "prune"

// KeptCompletions is the time for which completions stay, by record time, although the record is pruned beyond them. So
// the node can tell whether it has already decided a submission that it received earlier, and need not refuse it.
const KeptCompletions = 24 * time.Hour

// Forgotten is a time: of submissions that were decided before it, the completions may have been pruned. It is zero if
// none were. It is valid until the next prune.
func (h Head) Forgotten() time.Time {
	if h.Pruned == 0 {
		return time.Time{}
	}
	if lately := h.RecordTime.Add(-KeptCompletions); lately.Before(h.PrunedTime) {
		return lately
	}
	return h.PrunedTime
}

// Pruned has the result of a run of [DB.Prune].
type Pruned struct {
	// Offset is the pruned offset after the run.
	Offset ledger.Offset
	// Batches counts the transactions of the run, also those that found only rows to keep, as in a second run.
	Batches int
}

// Prune deletes the record up to an offset, inclusive: updates, completions, and contracts that were archived by then.
// Active contracts stay, whenever they were created. So do the last accepted submission of each change, which
// deduplication needs, and the completions of the last [KeptCompletions]. Prune first moves the pruned offset: from
// then on readers cannot read from before it. Then it deletes in transactions of limited size, between which others
// commit and read. The next run completes a run that broke off.
//
// Prune deletes nothing that was not audited: package audit first moves the audit checkpoint up to the offset, and the
// transaction that moves the pruned offset checks it.
//
// Faults: NON_POSITIVE_OFFSET, OFFSET_AFTER_LEDGER_END, PARTICIPANT_PRUNING_IN_PROGRESS, UNSAFE_TO_PRUNE. An offset
// that was pruned before is no error: Prune deletes what is left below the pruned offset.
func (d *DB) Prune(ctx context.Context, upTo ledger.Offset) (Pruned, error) {
	var pruned Pruned
	if upTo <= 0 {
		return pruned, fault.NonPositiveOffsetIn("prune_up_to", int64(upTo))
	}
	conn, err := d.pool.Acquire(ctx)
	if err != nil {
		return pruned, failed("pruning", err)
	}
	defer conn.Release()
	var alone bool
	if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", int64(pruneLock)).Scan(&alone); err != nil {
		return pruned, failed("pruning", err)
	}
	if !alone {
		return pruned, fault.ParticipantPruningInProgress.New("The record is being pruned already.")
	}
	defer func() { // the session outlives this run; when unlocking fails the connection is broken, and the lock gone
		_, _ = conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(pruneLock))
	}()
	head, err := d.movePruned(ctx, upTo)
	if err != nil {
		return pruned, err
	}
	pruned.Offset = head.Pruned
	steps := []func(context.Context, ledger.Offset, ledger.Offset) (ledger.Offset, error){
		d.pruneUpdates, d.pruneCompletions(head.RecordTime.Add(-KeptCompletions)), d.pruneContracts,
	}
	for _, step := range steps {
		for last := ledger.Offset(0); ; pruned.Batches++ {
			last, err = step(ctx, last, pruned.Offset)
			if err != nil {
				return pruned, failed("pruning", err)
			}
			if last == 0 {
				break
			}
		}
	}
	return pruned, nil
}

// movePruned moves the pruned offset, and returns the head, whose pruned offset may be beyond upTo.
func (d *DB) movePruned(ctx context.Context, upTo ledger.Offset) (head Head, err error) {
	err = d.InTx(ctx, func(tx *Tx) error {
		if head, err = tx.LockHead(ctx); err != nil {
			return err
		}
		if upTo > head.Offset {
			return fault.OffsetAfterEnd("prune_up_to", int64(upTo), int64(head.Offset))
		}
		head.Pruned = max(upTo, head.Pruned)
		if err := tx.requireAudited(ctx, head.Pruned); err != nil {
			return err
		}
		return failed("moving the pruned offset", tx.queries.MovePruned(ctx, int64(upTo)))
	})
	return head, err
}

// The steps delete one batch after an offset and return where it ended, 0 when nothing was left.

func (d *DB) pruneUpdates(ctx context.Context, after, upTo ledger.Offset) (ledger.Offset, error) {
	last, err := d.queries.PruneUpdates(ctx, dbgen.PruneUpdatesParams{After: after, UpTo: upTo, CountMax: pruneBatch})
	return ledger.Offset(last), err
}

// pruneCompletions deletes the completions that were recorded before a time.
func (d *DB) pruneCompletions(
	before time.Time,
) func(ctx context.Context, after, upTo ledger.Offset) (ledger.Offset, error) {
	return func(ctx context.Context, after, upTo ledger.Offset) (ledger.Offset, error) {
		last, err := d.queries.PruneCompletions(ctx, dbgen.PruneCompletionsParams{
			After: after, UpTo: upTo, CountMax: pruneBatch, RecordedBefore: before,
		})
		return ledger.Offset(last), err
	}
}

func (d *DB) pruneContracts(ctx context.Context, _, upTo ledger.Offset) (ledger.Offset, error) {
	deleted, err := d.queries.PruneContracts(ctx,
		dbgen.PruneContractsParams{UpTo: int64(upTo), CountMax: pruneBatch})
	if deleted == 0 {
		return 0, err
	}
	return upTo, err
}
