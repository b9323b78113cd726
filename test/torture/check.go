package torture

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/florinledger/florin/ledger/decimal"
)

// Check finds the violations in a history. The history of a correct ledger has none.
func Check(h History) []Violation {
	c := &checker{history: h, life: map[string]*life{}, commits: map[int64]Commit{}, effects: map[string]int64{}}
	c.offsets()
	c.replay()
	c.operations()
	c.order()
	c.refusals()
	c.reads()
	c.follows()
	return c.found
}

// life is the life of a contract: from the offset created to before the offset archived; 0 for an active contract.
type life struct {
	contract          Contract
	created, archived int64
}

func (l *life) activeAt(offset int64) bool {
	return l != nil && l.created <= offset && (l.archived == 0 || l.archived > offset)
}

type checker struct {
	history History
	found   []Violation
	life    map[string]*life
	commits map[int64]Commit
	// effects are the offsets of accepted commands.
	effects map[string]int64
	end     int64
}

func (c *checker) report(rule Rule, offset int64, format string, arguments ...any) {
	c.found = append(c.found, Violation{Rule: rule, Offset: offset, Detail: fmt.Sprintf(format, arguments...)})
}

// offsets checks that the offsets of the record have no gaps.
func (c *checker) offsets() {
	var all []int64
	for _, commit := range c.history.Commits {
		all = append(all, commit.Offset)
		c.commits[commit.Offset] = commit
	}
	for _, refusal := range c.history.Refusals {
		all = append(all, refusal.Offset)
	}
	all = append(all, c.history.Others...)
	slices.Sort(all)
	for i, offset := range all {
		if offset != int64(i+1) {
			c.report(NoGaps, offset, "the offset %d is in the place of %d", offset, i+1)
			break
		}
	}
	c.end = int64(len(all))
	if !slices.IsSortedFunc(c.history.Commits, func(a, b Commit) int { return cmp.Compare(a.Offset, b.Offset) }) {
		c.report(NoGaps, 0, "updates are listed out of order")
	}
}

// replay applies the commits and tracks every contract.
func (c *checker) replay() {
	for _, commit := range c.history.Commits {
		sum := decimal.Decimal{}
		for _, created := range commit.Created {
			if known := c.life[created.ID]; known != nil {
				c.report(ConsumedOnce, commit.Offset, "contract %s exists since %d", created.ID, known.created)
				continue
			}
			c.life[created.ID] = &life{contract: created, created: commit.Offset}
			sum = c.add(commit.Offset, sum, created.Amount)
		}
		for _, id := range commit.Archived {
			known := c.life[id]
			switch {
			case known == nil:
				c.report(ConsumedOnce, commit.Offset, "contract %s was never created", id)
				continue
			case known.archived != 0:
				c.report(ConsumedOnce, commit.Offset, "contract %s was consumed at %d already", id, known.archived)
				continue
			}
			known.archived = commit.Offset
			sum = c.add(commit.Offset, sum, known.contract.Amount.Neg())
		}
		if !sum.Equal(commit.Minted) {
			c.report(Conserved, commit.Offset, "the coins grow by %s, and %s was minted", sum, commit.Minted)
		}
		if before := c.effects[commit.CommandID]; before != 0 && commit.CommandID != "" {
			c.report(EffectOnce, commit.Offset, "command %s was accepted at %d already", commit.CommandID, before)
		}
		c.effects[commit.CommandID] = commit.Offset
	}
}

func (c *checker) add(offset int64, a, b decimal.Decimal) decimal.Decimal {
	sum, err := a.Add(b)
	if err != nil {
		c.report(Conserved, offset, "%v", err)
	}
	return sum
}

// operations checks that the answers to clients are in the record.
func (c *checker) operations() {
	for _, operation := range c.history.Operations {
		if operation.Outcome != Accepted {
			continue
		}
		commit, ok := c.commits[operation.Offset]
		switch {
		case !ok:
			c.report(Acknowledged, operation.Offset, "command %s was accepted there, but there is no update",
				operation.CommandID)
		case commit.UpdateID != operation.UpdateID || commit.CommandID != operation.CommandID:
			c.report(Acknowledged, operation.Offset, "command %s was accepted as update %s, but the record has update %s of "+
				"command %s", operation.CommandID, operation.UpdateID, commit.UpdateID, commit.CommandID)
		}
	}
}

// order checks that the record keeps the order of operations that did not overlap in real time.
func (c *checker) order() {
	var accepted []Operation
	for _, operation := range c.history.Operations {
		if operation.Outcome == Accepted {
			accepted = append(accepted, operation)
		}
	}
	byEnd := slices.SortedFunc(slices.Values(accepted), func(a, b Operation) int { return cmp.Compare(a.Ended, b.Ended) })
	slices.SortFunc(accepted, func(a, b Operation) int { return cmp.Compare(a.Started, b.Started) })
	var last Operation // with the highest offset of those that had ended
	for _, operation := range accepted {
		for len(byEnd) > 0 && byEnd[0].Ended < operation.Started {
			if byEnd[0].Offset > last.Offset {
				last = byEnd[0]
			}
			byEnd = byEnd[1:]
		}
		if operation.Offset <= last.Offset {
			c.report(RealTime, operation.Offset, "command %s began after %s had ended at %d", operation.CommandID,
				last.CommandID, last.Offset)
		}
	}
}
