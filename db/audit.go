package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// AuditCheckpoint is the progress of the continuous audit. The audit defines the JSON of the state.
type AuditCheckpoint struct {
	Offset ledger.Offset
	// Findings counts the places in which the record breaks a rule.
	Findings int64
	State    []byte
	// Version counts how often the checkpoint was moved; 0 before the first.
	Version int64
}

// AuditCheckpoint reads the checkpoint; false before the first.
func (r Reader) AuditCheckpoint(ctx context.Context) (AuditCheckpoint, bool, error) {
	row, err := r.queries.GetAuditCheckpoint(ctx)
	if isNoRows(err) {
		return AuditCheckpoint{}, false, nil
	}
	if err != nil {
		return AuditCheckpoint{}, false, failed("reading the checkpoint of the audit", err)
	}
	return AuditCheckpoint{
		Offset: row.LedgerOffset, Findings: row.FindingCount, State: row.State, Version: row.Version,
	}, true, nil
}

// MoveAuditCheckpoint replaces the checkpoint of a version, 0 for none. It reports whether it did: false means that
// another process has moved it meanwhile, or has pruned the record.
func (d *DB) MoveAuditCheckpoint(ctx context.Context, from int64, to AuditCheckpoint) (bool, error) {
	var moved int64
	var err error
	if from == 0 {
		moved, err = d.queries.InsertAuditCheckpoint(ctx, dbgen.InsertAuditCheckpointParams{
			LedgerOffset: to.Offset, FindingCount: to.Findings, State: to.State,
		})
	} else {
		moved, err = d.queries.MoveAuditCheckpoint(ctx, dbgen.MoveAuditCheckpointParams{
			LedgerOffset: to.Offset, FindingCount: to.Findings, State: to.State, FromVersion: from,
		})
	}
	return moved == 1, failed("moving the checkpoint of the audit", err)
}

// requireAudited refuses to prune up to an offset that the audit has not reached, or if the audit has findings. It also
// changes the version of the checkpoint: a process that read the old version can no longer move it.
func (t *Tx) requireAudited(ctx context.Context, upTo ledger.Offset) error {
	if err := t.queries.TouchAuditCheckpoint(ctx); err != nil {
		return failed("holding the checkpoint of the audit", err)
	}
	checkpoint, ok, err := t.AuditCheckpoint(ctx)
	switch {
	case err != nil:
		return err
	case !ok:
		return fault.UnsafeToPrune.New("The node did not prune the record up to offset %d: the audit has not run yet.", upTo)
	case checkpoint.Offset < upTo:
		return fault.UnsafeToPrune.New("The node did not prune the record up to offset %d: the audit has only "+
			"reached offset %d.", upTo, checkpoint.Offset)
	case checkpoint.Findings > 0:
		return fault.UnsafeToPrune.New("The node did not prune the record up to offset %d: the audit found "+
			"%d places that break a rule.", upTo, checkpoint.Findings)
	default:
		return nil
	}
}

// CountArchived counts the contracts that were archived after an offset and up to another.
func (r Reader) CountArchived(ctx context.Context, after, upTo ledger.Offset) (int64, error) {
	count, err := r.queries.CountArchived(ctx, dbgen.CountArchivedParams{After: int64(after), UpTo: int64(upTo)})
	return count, failed("counting archived contracts", err)
}
