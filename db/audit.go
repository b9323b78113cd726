package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// AuditCheckpoint is how far the continuous audit has come. The state is the audit's own, in JSON.
type AuditCheckpoint struct {
	Offset ledger.Offset
	State  []byte
}

// AuditCheckpoint reads the checkpoint; false before the first.
func (r Reader) AuditCheckpoint(ctx context.Context) (AuditCheckpoint, bool, error) {
	row, err := r.queries.GetAuditCheckpoint(ctx)
	if isNoRows(err) {
		return AuditCheckpoint{}, false, nil
	}
	return AuditCheckpoint{Offset: row.LedgerOffset, State: row.State}, err == nil,
		failed("reading the checkpoint of the audit", err)
}

// InsertAuditCheckpoint stores the first checkpoint. It reports whether it did: false means that there was one.
func (d *DB) InsertAuditCheckpoint(ctx context.Context, checkpoint AuditCheckpoint) (bool, error) {
	inserted, err := d.queries.InsertAuditCheckpoint(ctx, dbgen.InsertAuditCheckpointParams{
		LedgerOffset: checkpoint.Offset, State: checkpoint.State,
	})
	return inserted == 1, failed("storing the checkpoint of the audit", err)
}

// MoveAuditCheckpoint replaces the checkpoint at an offset. It reports whether it did: false means that another process
// has moved it meanwhile.
func (d *DB) MoveAuditCheckpoint(ctx context.Context, from ledger.Offset, to AuditCheckpoint) (bool, error) {
	moved, err := d.queries.MoveAuditCheckpoint(ctx, dbgen.MoveAuditCheckpointParams{
		LedgerOffset: to.Offset, State: to.State, FromOffset: int64(from),
	})
	return moved == 1, failed("moving the checkpoint of the audit", err)
}

// CountArchived counts the contracts that were archived after an offset and up to another.
func (r Reader) CountArchived(ctx context.Context, after, upTo ledger.Offset) (int64, error) {
	count, err := r.queries.CountArchived(ctx, dbgen.CountArchivedParams{After: int64(after), UpTo: int64(upTo)})
	return count, failed("counting archived contracts", err)
}
