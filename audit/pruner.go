package audit

import (
	"context"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// Prunable is a record that can delete its beginning.
type Prunable interface {
	Checkpoints
	Prune(ctx context.Context, upTo ledger.Offset) (db.Pruned, error)
}

// Pruner deletes the beginning of a record after an audit of it.
type Pruner struct {
	auditor *Auditor
	record  Prunable
}

// NewPruner needs the auditor of this record.
func NewPruner(auditor *Auditor, record Prunable) Pruner {
	return Pruner{auditor: auditor, record: record}
}

// Prune audits the record up to an offset, compares the active contracts with the sums of the audit, and deletes the
// record up to the offset ([db.DB.Prune]). Then only the checkpoint of the audit has the sums of the deleted entries.
// If the audit has findings, Prune deletes nothing, because the rows are the evidence.
//
// If ctx ends, the next run continues from the last audited offset.
//
// Faults: those of [db.DB.Prune].
func (p Pruner) Prune(ctx context.Context, upTo ledger.Offset) (db.Pruned, error) {
	head, err := p.auditor.record.Head(ctx)
	switch {
	case err != nil:
		return db.Pruned{}, err
	case upTo <= 0:
		return db.Pruned{}, fault.NonPositiveOffsetIn("prune_up_to", int64(upTo))
	case upTo > head.Offset:
		return db.Pruned{}, fault.OffsetAfterEnd("prune_up_to", int64(upTo), int64(head.Offset))
	}
	state, err := p.prove(ctx, upTo)
	switch {
	case err != nil:
		return db.Pruned{}, err
	case !state.Clean():
		return db.Pruned{}, fault.UnsafeToPrune.New("The node did not prune the record up to offset %d: the audit found "+
			"%d places that break a rule.", upTo, state.FindingCount)
	default:
		return p.record.Prune(ctx, upTo)
	}
}

// prove moves the checkpoint up to an offset, follows the hash chain of the rows to delete once more, and compares the
// active contracts with the sums of the checkpoint. Other workers may move the checkpoint at the same time; a clean
// result is not written, because the prune reads the checkpoint again.
func (p Pruner) prove(ctx context.Context, upTo ledger.Offset) (State, error) {
	store := checkpointStore{p.auditor, p.record}
	known, err := store.load(ctx)
	if err != nil {
		return State{}, err
	}
	for known.state.Offset < upTo {
		next, err := p.auditor.Advance(ctx, known.state, upTo)
		if err != nil {
			return State{}, err
		}
		moved, ok, err := store.save(ctx, known.version, next)
		if err == nil && !ok {
			moved, err = store.load(ctx)
		}
		if err != nil {
			return State{}, err
		}
		known = moved
	}
	report, err := p.auditor.Close(ctx, known.state)
	if err != nil {
		return State{}, err
	}
	if err := p.auditor.followChain(ctx, &report.State, upTo); err != nil {
		return State{}, err
	}
	return report.State, store.keepFindings(ctx, report.findingsAfter(known.state))
}
