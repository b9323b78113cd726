package audit

import (
	"context"
	"fmt"
	"slices"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
)

// entries are all rows of a range of offsets.
type entries struct {
	after, upTo ledger.Offset
	updates     []db.ChainedUpdate
	completions []db.ChainedCompletion
}

// entries reads the next entries of the record: as many as memory allows, at most up to an offset. Call release when
// they have been examined.
func (a *Auditor) entries(ctx context.Context, after, upTo ledger.Offset) (e entries, release func(), err error) {
	e = entries{after: after, upTo: upTo}
	updates, more, releaseUpdates, err := budget.Read(ctx, budget.NewPortions(updatesPage),
		func(ctx context.Context, limit int32) ([]db.ChainedUpdate, error) {
			return a.record.ChainedUpdates(ctx, after, upTo, limit)
		})
	if err != nil {
		return e, nil, err
	}
	if e.updates = updates; more {
		e.upTo = updates[len(updates)-1].Offset
	}
	completions, more, releaseCompletions, err := budget.Read(ctx, budget.NewPortions(completionsPage),
		func(ctx context.Context, limit int32) ([]db.ChainedCompletion, error) {
			return a.record.ChainedCompletions(ctx, after, e.upTo, limit)
		})
	if err != nil {
		releaseUpdates()
		return e, nil, err
	}
	if e.completions = completions; more {
		e.upTo = completions[len(completions)-1].Offset
		for len(e.updates) > 0 && e.updates[len(e.updates)-1].Offset > e.upTo {
			e.updates = e.updates[:len(e.updates)-1]
		}
	}
	return e, func() {
		releaseCompletions()
		releaseUpdates()
	}, nil
}

// followChain examines the entries from the pruned offset up to an offset, and the one behind it, which follows from
// them: they may have been changed since the audit went by.
func (a *Auditor) followChain(ctx context.Context, state *State, upTo ledger.Offset) error {
	head, err := a.record.Head(ctx)
	if err != nil {
		return err
	}
	chain := State{Offset: head.Pruned, Hash: head.PrunedHash}
	for last := min(upTo+1, head.Offset); chain.Offset < last; {
		e, release, err := a.entries(ctx, chain.Offset, last)
		if err != nil {
			return err
		}
		e.examine(&chain, []knownHead{{ChainHead: state.Head(), source: "the checkpoint of the audit"}})
		release()
		chain.Offset = e.upTo
	}
	state.report(chain.Findings...)
	return a.stillThere(ctx, head.Pruned)
}

func (e entries) readable() []ledger.Update {
	var updates []ledger.Update
	for _, update := range e.updates {
		if update.Unreadable == nil {
			updates = append(updates, update.Update)
		}
	}
	return updates
}

// examine checks that each offset of the range has its rows, that they belong together, that each follows from the
// entry before, and that their hashes are those that were known before.
func (e entries) examine(state *State, known []knownHead) {
	updates := make(map[ledger.Offset]db.ChainedUpdate, len(e.updates))
	for _, update := range e.updates {
		updates[update.Offset] = update
		if update.Unreadable != nil {
			state.report(chained(update.Offset, "the update cannot be read: %s", update.Unreadable))
		}
	}
	completions := make(map[ledger.Offset]db.ChainedCompletion, len(e.completions))
	for _, completion := range e.completions {
		completions[completion.Offset] = completion
	}
	next := e.after + 1
	for _, offset := range e.offsets() {
		gap(state, next, offset-1)
		update, updated := updates[offset]
		completion, completed := completions[offset]
		if detail := mismatch(update, updated, completion, completed); detail != "" {
			state.report(chained(offset, "%s", detail))
		}
		hash := update.Hash
		if !updated {
			hash = completion.Hash
		}
		switch {
		case updated && completed && update.Hash != completion.Hash:
			state.report(chained(offset, "the update and the completion have different hashes: one of them was changed"))
		case offset == next && hash != state.Hash.Next(offset, update.Digest, completion.Digest): // else what it follows is gone
			state.report(chained(offset, "the hash does not follow from the entry and the one before: the entry was changed, "+
				"or no node wrote it"))
		case completion.Digest != completion.Digested:
			state.report(chained(offset, "the digest of the completion is not that of its row: it was changed"))
		}
		state.Hash = hash
		for _, head := range known {
			head.compare(state, db.ChainHead{Offset: offset, Hash: hash})
		}
		next = offset + 1
	}
	gap(state, next, e.upTo)
}

// offsets are those of the range that have rows, in order. A forged range may be long and have few.
func (e entries) offsets() []ledger.Offset {
	var offsets []ledger.Offset
	for _, update := range e.updates {
		offsets = append(offsets, update.Offset)
	}
	for _, completion := range e.completions {
		offsets = append(offsets, completion.Offset)
	}
	slices.Sort(offsets)
	return slices.Compact(offsets)
}

// gap reports offsets without rows; none if last is before first.
func gap(state *State, first, last ledger.Offset) {
	switch {
	case last < first:
	case last == first:
		state.report(chained(first, "there is neither an update nor a completion: what was here was deleted"))
	default:
		state.report(chained(first, "there is neither an update nor a completion up to offset %d: what was here was deleted",
			last))
	}
}

// mismatch says why the update and the completion of an offset do not belong together; "" when they do. Changes of the
// topology have no completion.
func mismatch(update db.ChainedUpdate, updated bool, completion db.ChainedCompletion, completed bool) string {
	switch {
	case !completed && update.IsTopology():
		return ""
	case !completed:
		return "the transaction has no completion: that was deleted, or the update was added"
	case !updated && completion.UpdateID != "":
		return "the completion is of a transaction that is not there: that was deleted, or the completion was added"
	case updated && completion.UpdateID != update.ID:
		return "the completion is not of the transaction at its offset"
	default:
		return ""
	}
}

// knownHead is what the hash at an offset was, and who says so.
type knownHead struct {
	db.ChainHead

	source string
}

func (k knownHead) compare(state *State, is db.ChainHead) {
	if k.Offset == is.Offset && k.Hash != is.Hash {
		state.report(chained(is.Offset, "the hash is %s, but was %s as %s says: the record was written anew up to here",
			is.Hash, k.Hash, k.source))
	}
}

func chained(offset ledger.Offset, format string, args ...any) Finding {
	return Finding{Rule: Chained, Offset: offset, Detail: fmt.Sprintf(format, args...)}
}

// examineRest checks the end of the record, that nothing is after it, and the completions that pruning left for
// deduplication.
func (a *Auditor) examineRest(ctx context.Context, state *State) error {
	head, err := a.record.Head(ctx)
	if err != nil {
		return err
	}
	if head.Offset == state.Offset && head.Hash != state.Hash { // what is committed meanwhile follows from it
		state.report(chained(state.Offset, "the head has the hash %s, and the last entry %s: one of them was changed",
			head.Hash, state.Hash))
	}
	beyond, err := a.record.CountBeyondEnd(ctx)
	if err != nil {
		return err
	}
	if beyond > 0 {
		state.report(chained(state.Offset,
			"there are %d updates and completions after the end of the record: its head was moved back", beyond))
	}
	for after := ledger.Offset(0); ; {
		page, err := a.record.ChainedCompletions(ctx, after, head.Pruned, completionsPage)
		if err != nil {
			return err
		}
		for _, completion := range page {
			after = completion.Offset
			if completion.Digest != completion.Digested {
				state.report(chained(completion.Offset, "the digest of the completion is not that of its row: it was changed"))
			}
		}
		if len(page) < completionsPage {
			return nil
		}
	}
}
