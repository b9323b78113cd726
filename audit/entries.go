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

// entries reads the next entries of the record: as many as memory allows, but not beyond an offset. Call release after
// the examination.
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

// followChain examines the entries from the pruned offset up to an offset, and the next one. Somebody may have changed
// them since the continuous audit read them.
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

// examine checks that each offset of the range has its rows, that these belong together, that each hash follows from
// the entry before, and that the known heads match.
func (e entries) examine(state *State, known []knownHead) {
	updates := make(map[ledger.Offset]db.ChainedUpdate, len(e.updates))
	for _, update := range e.updates {
		updates[update.Offset] = update
		if update.Unreadable != nil {
			state.report(chainFinding(update.Offset, "the update cannot be read: %s", update.Unreadable))
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
			state.report(chainFinding(offset, "%s", detail))
		}
		hash := update.Hash
		if !updated {
			hash = completion.Hash
		}
		switch {
		case updated && completed && update.Hash != completion.Hash:
			state.report(chainFinding(offset, "the update and the completion have different hashes: somebody changed "+
				"one of them"))
		case offset == next && hash != state.Hash.Next(offset, update.Digest, completion.Digest): // no gap before it
			state.report(chainFinding(offset, "the hash does not follow from the entry and the one before: somebody changed "+
				"the entry, or no node wrote it"))
		case completion.Digest != completion.Digested:
			state.report(chainFinding(offset, "the completion does not match its digest: somebody changed the row"))
		}
		state.Hash = hash
		for _, head := range known {
			head.compare(state, db.ChainHead{Offset: offset, Hash: hash})
		}
		next = offset + 1
	}
	gap(state, next, e.upTo)
}

// offsets lists the offsets with rows, in order. A forged head may make the range much longer than this list.
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
		state.report(chainFinding(first, "there is neither an update nor a completion: somebody deleted them"))
	default:
		state.report(chainFinding(first, "there is neither an update nor a completion up to offset %d: somebody deleted them",
			last))
	}
}

// mismatch says why the update and the completion of an offset do not belong together; "" if they do. A topology change
// has no completion.
func mismatch(update db.ChainedUpdate, updated bool, completion db.ChainedCompletion, completed bool) string {
	switch {
	case !completed && update.IsTopology():
		return ""
	case !completed:
		return "the transaction has no completion: somebody deleted the completion, or added the transaction"
	case !updated && completion.UpdateID != "":
		return "the completion has no transaction: somebody deleted the transaction, or added the completion"
	case updated && completion.UpdateID != update.ID:
		return fmt.Sprintf("the completion names transaction %q, but the transaction here is %q",
			completion.UpdateID, update.ID)
	default:
		return ""
	}
}

// knownHead is an earlier hash of an offset, and its source.
type knownHead struct {
	db.ChainHead

	source string
}

func (k knownHead) compare(state *State, is db.ChainHead) {
	if k.Offset == is.Offset && k.Hash != is.Hash {
		state.report(chainFinding(is.Offset, "the hash is %s, but %s says %s: somebody rewrote the record up to here",
			is.Hash, k.source, k.Hash))
	}
}

func chainFinding(offset ledger.Offset, format string, args ...any) Finding {
	return Finding{Rule: Chained, Offset: offset, Detail: fmt.Sprintf(format, args...)}
}

// examineRest checks the end of the record, looks for rows after it, and checks the completions that pruning left for
// deduplication.
func (a *Auditor) examineRest(ctx context.Context, state *State) error {
	head, err := a.record.Head(ctx)
	if err != nil {
		return err
	}
	if head.Offset == state.Offset && head.Hash != state.Hash { // after a later commit, the next page checks the hash
		state.report(chainFinding(state.Offset, "the head has the hash %s, but the last entry has %s: somebody changed "+
			"one of them", head.Hash, state.Hash))
	}
	beyond, err := a.record.CountBeyondEnd(ctx)
	if err != nil {
		return err
	}
	if beyond > 0 {
		state.report(chainFinding(state.Offset,
			"there are %d updates and completions after the end of the record: somebody moved the head back", beyond))
	}
	for after := ledger.Offset(0); ; {
		page, err := a.record.ChainedCompletions(ctx, after, head.Pruned, completionsPage)
		if err != nil {
			return err
		}
		for _, completion := range page {
			after = completion.Offset
			if completion.Digest != completion.Digested {
				state.report(chainFinding(completion.Offset, "the completion does not match its digest: somebody changed the row"))
			}
		}
		if len(page) < completionsPage {
			return nil
		}
	}
}
