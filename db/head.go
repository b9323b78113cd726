package db

import (
	"context"
	"time"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// Head is the end of the record.
type Head struct {
	// Offset of the last entry; 0 while there is none.
	Offset ledger.Offset
	// RecordTime of the last entry; the Unix epoch while there is none.
	RecordTime time.Time
	// Hash is that of the last entry; zero while there is none. A commit computes its own.
	Hash Hash
	// Pruned is the offset up to which (inclusive) the record was pruned; 0 if never.
	Pruned ledger.Offset
	// PrunedTime is the record time of the pruned offset; zero if the record was never pruned.
	PrunedTime time.Time
	// PrunedHash is that of the entry at the pruned offset, which the next entry continues.
	PrunedHash Hash
	// Traffic is the node's account with the synchronizer there.
	Traffic ledger.TrafficAccount
}

// Next is the head one entry later: record times strictly increase, even where the clock stands still.
func (h Head) Next(now time.Time) Head {
	now = now.UTC().Truncate(time.Microsecond)
	if !now.After(h.RecordTime) {
		now = h.RecordTime.Add(time.Microsecond)
	}
	h.Offset++
	h.RecordTime = now
	return h
}

// StillHolds refuses a read of entries after an offset, or of contracts that were active there, if the record was
// pruned beyond that offset, because some of them may be missing. Pruning moves the head before it deletes anything. So
// a reader of the past must check with a head that it reads after its last row.
func (h Head) StillHolds(begin ledger.Offset) error {
	if begin < h.Pruned {
		return fault.PrunedDataAccessed(int64(begin), int64(h.Pruned))
	}
	return nil
}

// StillHoldsTime reports whether the contracts that were active at a time can be read, as [Head.StillHolds] does for an
// offset: contracts that were archived up to the pruned offset may be missing.
func (h Head) StillHoldsTime(when time.Time) bool {
	return h.Pruned == 0 || !when.Before(h.PrunedTime)
}

// Head reads the head. It never waits for a commit.
func (r Reader) Head(ctx context.Context) (Head, error) {
	row, err := r.queries.GetHead(ctx)
	return fromDBHead(dbgen.LockHeadRow(row)), failed("reading the head", err)
}

// LockHead reads the head and lets nobody else commit until the transaction ends. What a Tx reads afterwards includes
// everything up to the head. [Tx.Load] does it too.
func (t *Tx) LockHead(ctx context.Context) (Head, error) {
	row, err := t.queries.LockHead(ctx)
	head := fromDBHead(row)
	t.hash = head.Hash
	return head, failed("locking the head", err)
}

func fromDBHead(row dbgen.LockHeadRow) Head {
	head := Head{
		Offset: row.LedgerOffset, RecordTime: row.RecordTime, Hash: toHash(row.Hash),
		Pruned: ledger.Offset(row.PrunedOffset), PrunedHash: toHash(row.PrunedHash),
		Traffic: ledger.TrafficAccount{
			Base: row.TrafficBase, BaseAt: row.TrafficBaseAt,
			Purchased: row.TrafficPurchased, Consumed: row.TrafficConsumed,
			Granted: row.TrafficGranted,
		},
	}
	if head.Pruned > 0 {
		head.PrunedTime = row.PrunedTime
	}
	return head
}
