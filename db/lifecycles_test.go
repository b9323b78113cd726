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

var instant = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

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

func TestLifecycles_AreDueUntilSettled(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	touch(t, record, "00aa")
	due, _, err := record.TakeDueLifecycles(t.Context(), instant, instant, few)
	require.NoError(t, err)
	require.Equal(t, []db.Lifecycle{{WorkflowID: "w:1", Kind: "Kind", Parties: []ledger.Party{alice}}}, due)

	again, _, err := record.TakeDueLifecycles(t.Context(), instant, instant, few)
	require.NoError(t, err)
	require.Empty(t, again, "its workflow still has time to look")
	later, _, err := record.TakeDueLifecycles(t.Context(), instant, instant.Add(time.Minute), few)
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

func TestLifecycles_IgnoreADecisionOnAnOlderState(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	touch(t, record, "00aa")
	seen := lifecycle(t, record)
	touch(t, record, "00bb")
	seen.DueAt = instant.Add(time.Hour)
	require.False(t, settle(t, record, seen))
	seen.Contracts = nil
	require.False(t, settle(t, record, seen), "an old decision cannot end it either")
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

func TestLifecycles_AreNotMadeByAnArchival(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	touch(t, record)
	_, ok, err := record.Lifecycle(t.Context(), "w:1")
	require.NoError(t, err)
	require.False(t, ok)
}

func TestWatcher_TellsOfDueLifecycles(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	heard := make(chan struct{}, 1)
	watch(t, record, never).OnLifecyclesDue(func() { heard <- struct{}{} })
	touch(t, record, "00aa")
	select {
	case <-heard:
	case <-within(t).Done():
		require.Fail(t, "the watcher did not call")
	}
}

func TestLifecycles_RefusedOneIsCalledButNotOverdue(t *testing.T) {
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
	due, _, err := record.TakeDueLifecycles(t.Context(), instant, instant, few)
	require.NoError(t, err)
	require.Len(t, due, 1, "it is still called")

	touch(t, record, "00bb")
	require.Empty(t, lifecycle(t, record).Refusal, "after a change the call may succeed")
	overdue, err = record.Overdue(t.Context(), instant)
	require.NoError(t, err)
	require.Equal(t, []db.Overdue{{WorkflowID: "w:1"}}, overdue)
}

func TestLifecycles_BackOffCallsWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	touch(t, record, "00aa")
	calls := 0
	for now := instant; now.Before(instant.Add(24 * time.Hour)); now = now.Add(time.Minute) {
		due, _, err := record.TakeDueLifecycles(t.Context(), instant, now, few)
		require.NoError(t, err)
		calls += len(due)
	}
	require.Greater(t, calls, 24, "never less than once an hour")
	require.Less(t, calls, 40)
}

// enterLifecycles enters lifecycles of an account, each with a contract.
func enterLifecycles(t *testing.T, record *db.DB, account string, count int) {
	t.Helper()
	var changes []db.LifecycleChange
	for i := range count {
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

// few allows more than these tests make due.
var few = db.UnderWay{OfAccount: 10, All: 10}

func TestTakeDueLifecycles_LetsAccountsTakeTurns(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	take := func(underWay db.UnderWay) map[string]int {
		due, _, err := record.TakeDueLifecycles(t.Context(), instant, instant, underWay)
		require.NoError(t, err)
		found := map[string]int{}
		for _, one := range due {
			account, _, _ := strings.Cut(strings.TrimPrefix(one.WorkflowID, "w:!"), "-")
			found[account]++
		}
		return found
	}
	enterLifecycles(t, record, "greedy", 1000)
	require.Equal(t, map[string]int{"greedy": 30}, take(db.UnderWay{OfAccount: 1000, All: 30}))
	enterLifecycles(t, record, "modest", 2)
	enterLifecycles(t, record, "other", 40)
	require.Equal(t, map[string]int{"greedy": 14, "modest": 2, "other": 14},
		take(db.UnderWay{OfAccount: 1000, All: 60}))
	require.Equal(t, map[string]int{"greedy": 15, "other": 15}, take(db.UnderWay{OfAccount: 1000, All: 90}))
}

func TestTakeDueLifecycles_BoundsThoseUnderWay(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	for _, account := range []string{"greedy", "modest"} {
		enterLifecycles(t, record, account, 6)
	}
	underWay := db.UnderWay{OfAccount: 3, All: 5}
	take := func(now time.Time) (ids []string) {
		due, _, err := record.TakeDueLifecycles(t.Context(), instant, now, underWay)
		require.NoError(t, err)
		for _, one := range due {
			ids = append(ids, one.WorkflowID)
		}
		return ids
	}
	look := func(id string) {
		row, ok, err := record.Lifecycle(t.Context(), id)
		require.NoError(t, err)
		require.True(t, ok)
		row.Contracts = nil
		require.True(t, settle(t, record, row))
	}
	first := take(instant)
	require.ElementsMatch(t, []string{
		"w:!greedy-000000", "w:!greedy-000001", "w:!greedy-000002", "w:!modest-000000", "w:!modest-000001",
	}, first)
	require.Empty(t, take(instant), "the limit for all is reached")
	look("w:!greedy-000001")
	require.Equal(t, []string{"w:!modest-000002"}, take(instant), "one that looked makes room for the next account")
	look("w:!modest-000000")
	look("w:!modest-000001")
	require.Equal(t, []string{"w:!greedy-000003", "w:!modest-000003"}, take(instant), "the turns go on")
	look("w:!modest-000002")
	require.Equal(t, []string{"w:!modest-000004"}, take(instant), "the account whose turn it is has reached its limit")

	again := take(instant.Add(11 * time.Second))
	require.Len(t, again, 5, "they have not looked, so they are called again")
	require.Len(t, take(instant.Add(12*time.Second)), 3, "after ten seconds a call does not count")
}

func TestLifecycles_KeepTheirAccountAfterNodeActions(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	change := func(account string, byNode bool) {
		require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
			return tx.TouchLifecycles(t.Context(), []db.LifecycleChange{{
				WorkflowID: workflowid.Of("w", "1"), Kind: "Kind", Parties: []ledger.Party{alice},
				Account: account, ByNode: byNode, Created: []ledger.ContractID{"00aa"},
			}})
		}))
	}
	for _, step := range []struct {
		account string
		byNode  bool
		want    string
	}{
		{"node for alice", true, "node for alice"},
		{"mallory", false, "mallory"},
		{"node for alice", true, "mallory"},
		{"bob", false, "bob"},
	} {
		change(step.account, step.byNode)
		require.Equal(t, step.want, lifecycle(t, record).Account)
	}
}

func TestOverdueLifecycles_MeasuresTheOldest(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	oldest := func(query db.OldestQuery) db.Oldest {
		found, err := record.OldestLifecycle(t.Context(), query)
		require.NoError(t, err)
		return found
	}
	now := db.OldestQuery{LedgerTime: instant, Moved: time.Hour}
	require.Zero(t, oldest(now), "nothing is due")
	touch(t, record, "00aa")
	made := oldest(now)
	require.Positive(t, made.All)
	require.Less(t, made.All, time.Hour)
	require.Zero(t, made.Stuck, "nobody has called it")
	for i := range 2 {
		due, _, err := record.TakeDueLifecycles(t.Context(), instant, instant.Add(time.Duration(i)*time.Minute), few)
		require.NoError(t, err)
		require.Len(t, due, 1)
	}
	require.Positive(t, oldest(now).Stuck, "it was called twice and has not looked")

	enterLifecycles(t, record, "", 100)
	require.Zero(t, oldest(now).Stuck, "an account with many due lifecycles tells nothing about the node")

	row := lifecycle(t, record)
	row.DueAt, row.WaitsFor = instant.Add(-time.Minute), "a deadline"
	require.True(t, settle(t, record, row))
	dropAllBut(t, record, row.WorkflowID)
	require.Equal(t, time.Minute, oldest(now).All, "since its deadline")
	require.Equal(t, time.Second, oldest(db.OldestQuery{LedgerTime: instant, Moved: time.Second}).All,
		"since the clock was moved past its deadline")
	require.Zero(t, oldest(db.OldestQuery{LedgerTime: instant.Add(-time.Hour), Moved: time.Hour}).All, "it is not due")
}

func TestStuckLifecycles_CountsThoseThatCannotGoOn(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	stuck := func() db.StuckLifecycles {
		found, err := record.StuckLifecycles(t.Context())
		require.NoError(t, err)
		return found
	}
	touch(t, record, "00aa")
	require.Zero(t, stuck(), "it only waits")
	row := lifecycle(t, record)
	row.Tries, row.Trouble = 1, "the contract has no owner"
	require.True(t, settle(t, record, row))
	require.Equal(t, db.StuckLifecycles{Count: 1, WorkflowID: row.WorkflowID, Reason: "the contract has no owner"}, stuck())
	row.Tries, row.Trouble = 0, ""
	require.True(t, settle(t, record, row))
	require.Zero(t, stuck(), "it goes on")
	require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.NoteRefusal(t.Context(), row.WorkflowID, "the name is too long")
	}))
	require.Equal(t, "the name is too long", stuck().Reason)
}

// dropAllBut ends all lifecycles but one.
func dropAllBut(t *testing.T, record *db.DB, id string) {
	t.Helper()
	rows, err := record.Lifecycles(t.Context(), "", 1000)
	require.NoError(t, err)
	for _, row := range rows {
		if row.Contracts = nil; row.WorkflowID != id {
			require.True(t, settle(t, record, row))
		}
	}
}

// Users choose the names by which contracts share a lifecycle. From a limit on, each further contract has its own
// lifecycle, which is called when the contract changes, so that one more contract does not cost more.
func TestLifecycles_BoundTheContractsThatShareOne(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	id := func(i int) ledger.ContractID { return ledger.ContractID(fmt.Sprintf("00%04x", i)) }
	for i := range 100 {
		touch(t, record, id(i))
	}
	shared := lifecycle(t, record)
	require.Len(t, shared.Contracts, 100)
	touch(t, record, id(100), id(101))
	require.Equal(t, shared.Contracts, lifecycle(t, record).Contracts)
	for _, i := range []int{100, 101} {
		own, found, err := record.Lifecycle(t.Context(), db.Apart(id(i)).String())
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, []ledger.ContractID{id(i)}, own.Contracts)
		require.Equal(t, []ledger.Party{alice}, own.Parties)
		require.Equal(t, "Kind", own.Kind)
	}
	touch(t, record, id(5), id(100))
	all, err := record.Lifecycles(t.Context(), "", 1000)
	require.NoError(t, err)
	require.Len(t, all, 3, "no contract has two lifecycles")

	var many []ledger.ContractID
	for i := range 101 {
		many = append(many, id(1000+i))
	}
	archived := db.LifecycleChange{
		WorkflowID: workflowid.Of("w", "1"), Kind: "Kind", Parties: []ledger.Party{alice},
		Changed: []ledger.ContractID{id(100), id(7)},
	}
	own := func() db.Lifecycle {
		found, _, err := record.Lifecycle(t.Context(), db.Apart(id(100)).String())
		require.NoError(t, err)
		return found
	}
	before := own().Version
	require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.TouchLifecycles(t.Context(), []db.LifecycleChange{archived, {
			WorkflowID: workflowid.Of("w", "2"), Kind: "Kind", Parties: []ledger.Party{alice}, Created: many,
		}})
	}))
	require.Greater(t, own().Version, before, "it is called when its contract changes")
	_, found, err := record.Lifecycle(t.Context(), "w:2")
	require.NoError(t, err)
	require.False(t, found)
	all, err = record.Lifecycles(t.Context(), "", 1000)
	require.NoError(t, err)
	require.Len(t, all, 3+len(many))
}
