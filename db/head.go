package db

import (
	"context"
	"time"

	"github.com/florinledger/florin/ledger"
)

// Head is the end of the record.
type Head struct {
	// Offset of the last entry; 0 while there is none.
	Offset ledger.Offset
	// RecordTime that was reached there; the Unix epoch while there is no entry.
	RecordTime time.Time
	// Pruned is the offset up to which (inclusive) the record was pruned; 0 if never.
	Pruned ledger.Offset
}

// Next is the head one entry later: record times strictly increase, even where the clock stands still.
func (h Head) Next(now time.Time) Head {
	now = now.UTC().Truncate(time.Microsecond)
	if !now.After(h.RecordTime) {
		now = h.RecordTime.Add(time.Microsecond)
	}
	return Head{Offset: h.Offset + 1, RecordTime: now, Pruned: h.Pruned}
}

// Head reads the head. It never waits for those who commit.
func (r Reader) Head(ctx context.Context) (Head, error) {
	row, err := r.queries.GetHead(ctx)
	return Head{row.LedgerOffset, row.RecordTime, ledger.Offset(row.PrunedOffset)}, failed("reading the head", err)
}

// LockHead reads the head and keeps all others from committing until the transaction ends. What a Tx reads afterwards
// includes everything up to the head. [Tx.Load] does it too.
func (t *Tx) LockHead(ctx context.Context) (Head, error) {
	row, err := t.queries.LockHead(ctx)
	return Head{row.LedgerOffset, row.RecordTime, ledger.Offset(row.PrunedOffset)}, failed("locking the head", err)
}
