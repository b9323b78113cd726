package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/seal"
)

// entries are all rows of a range of offsets, and what their seals are checked with.
type entries struct {
	after, upTo ledger.Offset
	updates     []db.SealedUpdate
	completions []db.SealedCompletion
	seals       db.SealHistory
}

// entries reads the next entries of the record: as many as memory allows, at most up to an offset. Call release when
// they have been examined.
func (a *Auditor) entries(ctx context.Context, after, upTo ledger.Offset) (e entries, release func(), err error) {
	e = entries{after: after, upTo: upTo}
	updates, more, releaseUpdates, err := budget.Read(ctx, budget.NewPortions(updatesPage),
		func(ctx context.Context, limit int32) ([]db.SealedUpdate, error) {
			return a.record.SealedUpdates(ctx, after, upTo, limit)
		})
	if err != nil {
		return e, nil, err
	}
	if e.updates = updates; more {
		e.upTo = updates[len(updates)-1].Offset
	}
	completions, more, releaseCompletions, err := budget.Read(ctx, budget.NewPortions(completionsPage),
		func(ctx context.Context, limit int32) ([]db.SealedCompletion, error) {
			return a.record.SealedCompletions(ctx, after, e.upTo, limit)
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
	e.seals, err = a.record.SealHistory(ctx) // after the rows: a key is there before its seals are
	return e, func() {
		releaseCompletions()
		releaseUpdates()
	}, err
}

// readable are the updates that can be read; the others are findings.
func (e entries) readable() []ledger.Update {
	var updates []ledger.Update
	for _, update := range e.updates {
		if update.Unreadable == nil {
			updates = append(updates, update.Update)
		}
	}
	return updates
}

// examine checks that each offset of the range has its rows, that they belong together, and that each has its seal.
func (e entries) examine(state *State) {
	updates := make(map[ledger.Offset]db.SealedUpdate, len(e.updates))
	for _, update := range e.updates {
		updates[update.Offset] = update
		if update.Unreadable != nil {
			state.report(sealed(update.Offset, "the update cannot be read: %s", update.Unreadable))
		}
		e.check(state, update.Offset, "update", update.SealedRow)
	}
	completions := make(map[ledger.Offset]db.SealedCompletion, len(e.completions))
	for _, completion := range e.completions {
		completions[completion.Offset] = completion
		e.check(state, completion.Offset, "completion", completion.SealedRow)
	}
	next := e.after + 1
	for _, offset := range e.offsets() {
		gap(state, next, offset-1)
		next = offset + 1
		update, updated := updates[offset]
		completion, completed := completions[offset]
		if detail := mismatch(update, updated, completion, completed); detail != "" {
			state.report(sealed(offset, "%s", detail))
		}
	}
	gap(state, next, e.upTo)
}

// offsets are those of the range that have something, in order. There may be few in a range that somebody made long.
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

// gap reports offsets that have nothing; none when the last is before the first.
func gap(state *State, first, last ledger.Offset) {
	switch {
	case last < first:
	case last == first:
		state.report(sealed(first, "there is neither an update nor a completion: what was here was deleted"))
	default:
		state.report(sealed(first, "there is neither an update nor a completion up to offset %d: what was here was deleted",
			last))
	}
}

// mismatch says why the update and the completion of an offset do not belong together; "" when they do. Changes of the
// topology have no completion.
func mismatch(update db.SealedUpdate, updated bool, completion db.SealedCompletion, completed bool) string {
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

// check checks the seal of a row.
func (e entries) check(state *State, offset ledger.Offset, what string, row db.SealedRow) {
	if row.Seal == "" {
		state.Unsealed++
		if offset > e.seals.Began && e.seals.Keys != nil {
			state.report(sealed(offset, "the %s has no seal: its seal was removed, or no node wrote it", what))
		}
		return
	}
	state.Sealed++
	key, _ := seal.KeyOf(row.Seal)
	since, known := e.seals.Since[key]
	broken := seal.ErrUnknownKey
	if e.seals.Keys != nil {
		broken = row.Check(e.seals.Keys)
	}
	switch {
	case errors.Is(broken, seal.ErrUnknownKey):
		state.report(sealed(offset, "the %s has the seal %.40q, of a key that the record does not have: put the row of "+
			"seal_keys back if somebody deleted it; else no node wrote this", what, row.Seal))
	case broken != nil:
		state.report(sealed(offset, "the seal of the %s does not belong to it: it was changed, or no node wrote it", what))
	case known && offset <= since:
		state.report(sealed(offset, "the %s has a seal of key %d, which was made later, at offset %d: no node wrote it then",
			what, key, since))
	}
}

// sealed is a finding of the rule Sealed.
func sealed(offset ledger.Offset, format string, args ...any) Finding {
	return Finding{Rule: Sealed, Offset: offset, Detail: fmt.Sprintf(format, args...)}
}

// examineRest checks the completions that pruning left for deduplication, and that nothing is after the end.
func (a *Auditor) examineRest(ctx context.Context, state *State) error {
	head, err := a.record.Head(ctx)
	if err != nil {
		return err
	}
	beyond, err := a.record.CountBeyondEnd(ctx)
	if err != nil {
		return err
	}
	if beyond > 0 {
		state.report(sealed(state.Offset,
			"there are %d updates and completions after the end of the record: its head was moved back", beyond))
	}
	seals, err := a.record.SealHistory(ctx)
	if err != nil {
		return err
	}
	counted := *state
	for after := ledger.Offset(0); ; {
		page, err := a.record.SealedCompletions(ctx, after, head.Pruned, completionsPage)
		if err != nil {
			return err
		}
		for _, completion := range page {
			after = completion.Offset
			entries{seals: seals}.check(state, completion.Offset, "completion", completion.SealedRow)
		}
		if len(page) < completionsPage {
			state.Sealed, state.Unsealed = counted.Sealed, counted.Unsealed // these were counted before they were pruned
			return nil
		}
	}
}
