package audit

import (
	"context"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// Prunable is a record of which the beginning can be forgotten.
type Prunable interface {
	Checkpoints
	Prune(ctx context.Context, upTo ledger.Offset) (db.Pruned, error)
}

// Pruner forgets the beginning of a record, once that is proved.
type Pruner struct {
	auditor *Auditor
	record  Prunable
}

// NewPruner makes a pruner of the record that an auditor audits.
func NewPruner(auditor *Auditor, record Prunable) Pruner {
	return Pruner{auditor: auditor, record: record}
}

// Prune brings the continuous audit up to an offset, compares all that is active with what it has counted, and forgets
// the record up to there ([db.DB.Prune]). The checkpoint of the audit knows from then on what must be left. Where the
// audit finds something, nothing is forgotten: it is what the record can be compared with.
//
// What was audited stays so when ctx ends: the next run goes on from there.
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

// prove brings the checkpoint up to an offset, follows the chain of what goes once more, and compares what is active
// with what the checkpoint has counted. Others may move the checkpoint meanwhile: that nothing was found need not be
// kept, for a prune looks at the checkpoint again.
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
	return report.State, store.keepFindings(ctx, report.foundSince(known.state))
}
