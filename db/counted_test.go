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

// What a query finds counts row by row: it ends with the first that the budget has no room for, and the connection is
// as good as before.
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
	for range 20 { // more often than there are connections
		_, err := list(25_000)
		require.True(t, fault.AnswerTooLarge.Matches(err), err)
		require.Greater(t, lender.most, int64(20_000), "two rows were read")
		one := budget.With(t.Context(), budget.New(5_000, nil))
		_, _, err = record.User(one, ledger.DefaultUser("a"))
		require.True(t, fault.AnswerTooLarge.Matches(err), err)
	}
	found, err := list(50_000)
	require.NoError(t, err)
	require.Equal(t, 4, found)
	require.Zero(t, lender.lent)
}

// A row that is larger than any answer can be read where one answer may hold it.
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

// exceeder lets all answers hold more.
type exceeder struct{ lender }

func (*exceeder) Exceed() (end func(), err error) { return func() {}, nil }

// lender knows how much was lent at most.
type lender struct{ lent, most int64 }

func (l *lender) Take(bytes int64) error {
	l.lent += bytes
	l.most = max(l.most, l.lent)
	return nil
}

func (l *lender) Give(bytes int64) { l.lent -= bytes }
