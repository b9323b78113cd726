package db_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/workflowid"
)

var instant = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // a constant, but for the language

func touch(t *testing.T, record *db.DB, created ...ledger.ContractID) {
	t.Helper()
	require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.TouchLifecycles(t.Context(), []db.LifecycleChange{{
			WorkflowID: workflowid.Of("w", "1"), Kind: "Kind", Parties: []ledger.Party{alice}, Created: created,
		}})
	}))
}

func settle(t *testing.T, record *db.DB, l db.Lifecycle) (settled bool) {
	t.Helper()
	require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) (err error) {
		settled, err = tx.SettleLifecycle(t.Context(), l)
		return err
	}))
	return settled
}

func lifecycle(t *testing.T, record *db.DB) db.Lifecycle {
	t.Helper()
	found, ok, err := record.Lifecycle(t.Context(), "w:1")
	require.NoError(t, err)
	require.True(t, ok)
	return found
}

func TestALifecycleIsDueFromItsCreationUntilItIsSettled(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	touch(t, record, "00aa")
	due, err := record.TakeDueLifecycles(t.Context(), instant, instant, 10)
	require.NoError(t, err)
	require.Equal(t, []db.Lifecycle{{WorkflowID: "w:1", Kind: "Kind", Parties: []ledger.Party{alice}}}, due)

	again, err := record.TakeDueLifecycles(t.Context(), instant, instant, 10)
	require.NoError(t, err)
	require.Empty(t, again, "its workflow has time to look")
	later, err := record.TakeDueLifecycles(t.Context(), instant, instant.Add(time.Minute), 10)
	require.NoError(t, err)
	require.Len(t, later, 1, "it has not looked")

	row := lifecycle(t, record)
	row.DueAt, row.WaitsFor = instant.Add(time.Hour), "renewal"
	require.True(t, settle(t, record, row))
	overdue, err := record.Overdue(t.Context(), instant)
	require.NoError(t, err)
	require.Empty(t, overdue)
	next, ok, err := record.NextDue(t.Context(), instant, instant.Add(2*time.Hour))
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, instant.Add(time.Hour), next)
	_, ok, err = record.NextDue(t.Context(), instant, instant.Add(time.Minute))
	require.NoError(t, err)
	require.False(t, ok)
}

func TestADecisionOnAnOlderStateSettlesNothing(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	touch(t, record, "00aa")
	seen := lifecycle(t, record)
	touch(t, record, "00bb")
	seen.DueAt = instant.Add(time.Hour)
	require.False(t, settle(t, record, seen))
	seen.Contracts = nil
	require.False(t, settle(t, record, seen), "it does not end it either")
	now := lifecycle(t, record)
	require.Equal(t, []ledger.ContractID{"00aa", "00bb"}, now.Contracts)
	overdue, err := record.Overdue(t.Context(), instant)
	require.NoError(t, err)
	require.Equal(t, []db.Overdue{{WorkflowID: "w:1"}}, overdue)

	now.Contracts = nil
	require.True(t, settle(t, record, now))
	_, ok, err := record.Lifecycle(t.Context(), "w:1")
	require.NoError(t, err)
	require.False(t, ok)
}

func TestAnArchivalAloneMakesNoLifecycle(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	touch(t, record)
	_, ok, err := record.Lifecycle(t.Context(), "w:1")
	require.NoError(t, err)
	require.False(t, ok)
}

func TestWatchersHearThatLifecyclesAreDue(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	heard := make(chan struct{}, 1)
	watch(t, record, never).OnLifecyclesDue(func() { heard <- struct{}{} })
	touch(t, record, "00aa")
	select {
	case <-heard:
	case <-within(t).Done():
		require.Fail(t, "nobody heard")
	}
}

func TestALifecycleThatTemporalRefusesHoldsUpNobody(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	touch(t, record, "00aa")
	require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.NoteRefusal(t.Context(), "w:1", "not for you")
	}))
	require.Equal(t, "not for you", lifecycle(t, record).Refusal)
	overdue, err := record.Overdue(t.Context(), instant)
	require.NoError(t, err)
	require.Empty(t, overdue)
	due, err := record.TakeDueLifecycles(t.Context(), instant, instant, 10)
	require.NoError(t, err)
	require.Len(t, due, 1, "it is called all the same")

	touch(t, record, "00bb")
	require.Empty(t, lifecycle(t, record).Refusal, "a change may have mended it")
	overdue, err = record.Overdue(t.Context(), instant)
	require.NoError(t, err)
	require.Equal(t, []db.Overdue{{WorkflowID: "w:1"}}, overdue)
}

func TestCallsOfALifecycleThatDoesNotLookBecomeRare(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	touch(t, record, "00aa")
	calls := 0
	for now := instant; now.Before(instant.Add(24 * time.Hour)); now = now.Add(time.Minute) {
		due, err := record.TakeDueLifecycles(t.Context(), instant, now, 10)
		require.NoError(t, err)
		calls += len(due)
	}
	require.Greater(t, calls, 24, "never less than once an hour")
	require.Less(t, calls, 40)
}

func TestAccountsTakeTurnsWithWhatIsDue(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	enter := func(account string, from, to int) {
		var changes []db.LifecycleChange
		for i := from; i < to; i++ {
			id := workflowid.Of("w", fmt.Sprintf("!%s-%06d", account, i))
			changes = append(changes, db.LifecycleChange{
				WorkflowID: id, Kind: "Kind", Parties: []ledger.Party{alice}, Account: account,
				Created: []ledger.ContractID{"00aa"},
			})
		}
		require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
			return tx.TouchLifecycles(t.Context(), changes)
		}))
	}
	take := func() map[string]int {
		due, err := record.TakeDueLifecycles(t.Context(), instant, instant, 30)
		require.NoError(t, err)
		found := map[string]int{}
		for _, one := range due {
			account, _, _ := strings.Cut(strings.TrimPrefix(one.WorkflowID, "w:!"), "-")
			found[account]++
		}
		return found
	}
	enter("greedy", 0, 1000)
	require.Equal(t, map[string]int{"greedy": 30}, take())
	enter("modest", 0, 2)
	enter("other", 0, 40)
	require.Equal(t, map[string]int{"greedy": 14, "modest": 2, "other": 14}, take())
	require.Equal(t, map[string]int{"greedy": 15, "other": 15}, take())
}
