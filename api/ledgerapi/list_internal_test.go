package ledgerapi

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
)

// headRecord is a record with a head.
type headRecord struct {
	LedgerStore

	head db.Head
}

// Head implements [LedgerStore].
func (h *headRecord) Head(ctx context.Context) (db.Head, error) {
	return h.head, budget.Of(ctx).Take(1 << 10) // as its row does
}

// newsAfter brings new entries, and records the bytes that the list held when it began to wait.
type newsAfter struct {
	record *headRecord
	budget *budget.Budget
	held   []int64
}

// WaitAfter implements [Watcher].
func (n *newsAfter) WaitAfter(ctx context.Context, after ledger.Offset) (ledger.Offset, error) {
	n.held = append(n.held, n.budget.Held())
	if len(n.held) > 3 {
		return 0, context.DeadlineExceeded
	}
	n.record.head.Offset = after + 1
	return after + 1, ctx.Err()
}

// A list reads much and shows nothing of it, then something. While it waits it holds no bytes of it, and it does not
// wait when it has much to show.
func TestLists_WaitingHoldsNoAnswerMemory(t *testing.T) {
	t.Parallel()
	const row = 1 << 20
	for name, test := range map[string]struct {
		// shown is the number of shown bytes of a row, by the offset of the end of the read.
		shown    map[ledger.Offset]int64
		elements []ledger.Offset
		held     []int64
	}{
		"nothing is shown":    {nil, []ledger.Offset{-4}, []int64{0, 0, 0, 0}},
		"little is shown":     {map[ledger.Offset]int64{2: 100}, []ledger.Offset{2, -4}, []int64{0, 100, 100, 100}},
		"much is shown":       {map[ledger.Offset]int64{1: row}, []ledger.Offset{1, -1}, nil},
		"much is shown later": {map[ledger.Offset]int64{1: 100, 3: row}, []ledger.Offset{1, 3, -3}, []int64{100, 100}},
	} {
		record := &headRecord{head: db.Head{Offset: 1}}
		whole := budget.New(1<<30, nil)
		news := &newsAfter{record: record, budget: whole}
		a := &API{record: record, watcher: news}
		fetch := func(ctx context.Context, upTo ledger.Offset, _ int) ([]ledger.Offset, error) {
			require.NoError(t, a.stillThere(ctx, upTo))
			shown, ok := test.shown[upTo]
			if !ok {
				return nil, budget.Of(ctx).Take(row)
			}
			return []ledger.Offset{upTo}, budget.Of(ctx).Take(shown)
		}
		elements, err := collect(budget.With(t.Context(), whole), a, listBounds{fetch: 10, limit: 10, idle: time.Hour},
			record.head, fetch, func(head db.Head) ledger.Offset { return -head.Offset })
		require.NoError(t, err, name)
		require.Equal(t, test.elements, elements, name)
		require.Equal(t, test.held, news.held, name)
	}
}
