package db

import (
	"context"
	"fmt"
	"time"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// Entries are the additions of one commit to the record.
type Entries struct {
	Updates  []ledger.Update
	Created  []NewContract
	Archived []Archival
	// History lists, for an update, the parties in whose wallet history it may be. An update without a list may be in the
	// history of everybody who sees it.
	History map[ledger.Offset][]ledger.Party
	// Completions of all submissions of the commit, accepted and refused.
	Completions []ledger.Completion
	// Executed are the transactions of accepted submissions that were signed outside the node.
	Executed []Executed
	// Lifecycles whose contracts were created or archived.
	Lifecycles []LifecycleChange
	// Tracked are the steps of wallets' requests, in order.
	Tracked []Tracked
	// Provided is the time until which the operator has paid for the preapproval of a receiver; the zero time means not at
	// all.
	Provided map[ledger.Party]time.Time
	// Traffic are those of the created and archived contracts that stand for members' traffic.
	Traffic TrafficMoves
	// Kept is the last offset at which contracts changed that nodes keep in memory; 0 if none did.
	Kept ledger.Offset
	// Head after the commit: the last of the entries' offsets, and the record time there.
	Head Head
}

// NewContract is a contract with the position at which it was created.
type NewContract struct {
	ledger.Contract
	Offset ledger.Offset
	NodeID int32
}

// Archival says at which offset a contract was archived.
type Archival struct {
	ContractID ledger.ContractID
	Offset     ledger.Offset
}

// Append writes the entries, moves the head and, when the transaction commits, wakes the readers: all in one round
// trip. The head must have been locked in this transaction by [Tx.Load] or [Tx.LockHead], and the entries' offsets must
// follow it without gap. A contract may be created and archived by the same entries. Without entries nothing happens.
//
// It returns [ErrConflict] and writes nothing if a contract to archive is not active, or if a contract, an update, a
// key, an executed transaction or the completion of a submission exists already.
func (t *Tx) Append(ctx context.Context, entries Entries) error {
	if len(entries.Updates)+len(entries.Created)+len(entries.Archived)+len(entries.Completions) == 0 {
		return nil
	}
	rows, err := chain(t.hash, entries)
	if err != nil {
		return fmt.Errorf("appending to the record: %w", err)
	}
	p := &pipeline{rows: rows, follows: t.hash}
	steps := []func(context.Context, Entries) error{
		p.queueContracts, p.queueUpdates, p.queueCompletions, p.queueExecuted, p.queueLifecycles, p.queueTracked,
		p.queueProvided, p.queueTraffic, p.queueHead,
	}
	for _, step := range steps {
		if err := step(ctx, entries); err != nil {
			return fmt.Errorf("appending to the record: %w", err)
		}
	}
	err = failed("appending to the record", p.send(ctx, t.tx))
	if err == nil {
		t.appended, t.hash = true, rows.head
	}
	return err
}

func (p *pipeline) queueContracts(ctx context.Context, entries Entries) error {
	archived := make(map[ledger.ContractID]ledger.Offset, len(entries.Archived))
	for _, archival := range entries.Archived {
		archived[archival.ContractID] = archival.Offset
	}
	created := toDBNewContracts(entries.Created, archived)
	for _, contract := range entries.Created {
		delete(archived, contract.ID)
	}
	// Archive first: a new contract may have the key of an archived one.
	if len(archived) > 0 {
		if err := p.queries().ArchiveContracts(ctx, toDBArchivals(archived)); err != nil {
			return err
		}
		p.expect(len(archived), "contracts to archive are not active")
	}
	if len(entries.Created) == 0 {
		return nil
	}
	return p.queries().InsertContracts(ctx, created)
}

func (p *pipeline) queueUpdates(ctx context.Context, entries Entries) error {
	if len(entries.Updates) == 0 {
		return nil
	}
	if err := p.queries().InsertUpdates(ctx, p.rows.updates); err != nil {
		return err
	}
	return p.queries().InsertUpdateParties(ctx, toDBUpdateParties(entries))
}

func (p *pipeline) queueCompletions(ctx context.Context, entries Entries) error {
	if len(entries.Completions) == 0 {
		return nil
	}
	return p.queries().InsertCompletions(ctx, p.rows.completions)
}

func (p *pipeline) queueHead(ctx context.Context, entries Entries) error {
	err := p.queries().MoveHead(ctx, dbgen.MoveHeadParams{
		LedgerOffset: entries.Head.Offset,
		RecordTime:   entries.Head.RecordTime,
		Hash:         p.rows.head[:],
		Follows:      p.follows[:],
		PrunedOffset: int64(entries.Head.Pruned),

		KeptOffset:       int64(entries.Kept),
		TrafficBase:      entries.Head.Traffic.Base,
		TrafficBaseAt:    entries.Head.Traffic.BaseAt,
		TrafficPurchased: entries.Head.Traffic.Purchased,
		TrafficConsumed:  entries.Head.Traffic.Consumed,
		TrafficGranted:   entries.Head.Traffic.Granted,
	})
	p.expect(1, "the head is not before the new one")
	return err
}
