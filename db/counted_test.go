package db_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// A query ends at the first row that the budget has no room for. The connection must stay usable.
func TestCounted_EndsBeforeARowBeyondTheBudget(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	for i := range 4 {
		user := ledger.User{ID: string(rune('a' + i)), Annotations: map[string]string{"x": strings.Repeat("x", 10_000)}}
		_, err := record.CreateUser(t.Context(), user, nil)
		require.NoError(t, err)
	}
	lender := &lender{}
	list := func(bytes int64) (int, error) {
		whole := budget.New(bytes, lender)
		defer whole.Release()
		users, err := record.Users(budget.With(t.Context(), whole), "", "", 100)
		require.LessOrEqual(t, lender.most, bytes)
		return len(users), err
	}
	for range 20 { // more than the pool has connections
		_, err := list(25_000)
		require.True(t, fault.AnswerTooLarge.Matches(err), err)
		require.Greater(t, lender.most, int64(20_000), "the query has read two rows")
		one := budget.With(t.Context(), budget.New(5_000, nil))
		_, _, err = record.User(one, ledger.DefaultUser("a"))
		require.True(t, fault.AnswerTooLarge.Matches(err), err)
	}
	found, err := list(50_000)
	require.NoError(t, err)
	require.Equal(t, 4, found)
	require.Zero(t, lender.lent)
}

func TestCounted_ReadsOneRowLargerThanAnAnswer(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	user := ledger.User{ID: "a", Annotations: map[string]string{"x": strings.Repeat("x", 10_000)}}
	_, err := record.CreateUser(t.Context(), user, nil)
	require.NoError(t, err)
	whole := budget.New(5_000, &exceeder{})
	defer whole.Release()
	_, found, err := record.User(budget.With(t.Context(), whole), ledger.DefaultUser("a"))
	require.NoError(t, err)
	require.True(t, found)
}

// exceeder lets every answer exceed its limit.
type exceeder struct{ lender }

func (*exceeder) Exceed() (end func(), err error) { return func() {}, nil }

// lender notes the most bytes that it has lent at a time.
type lender struct{ lent, most int64 }

func (l *lender) Take(bytes int64) error {
	l.lent += bytes
	l.most = max(l.most, l.lent)
	return nil
}

func (l *lender) Give(bytes int64) { l.lent -= bytes }
