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
)

// A caller that waits for automation must see progress, even if one kind has much to do.
func TestOverdueAutomation_NamesTheCurrentTask(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	change := func(f func(tx *db.Tx) error) { require.NoError(t, record.InTx(t.Context(), f)) }
	overdue := func() []db.Overdue {
		list, err := record.Overdue(t.Context(), instant)
		require.NoError(t, err)
		return list
	}
	change(func(tx *db.Tx) error { return tx.EnterAutomations(t.Context(), []string{"sweeps"}) })
	require.Equal(t, []db.Overdue{{WorkflowID: "automation:sweeps", At: "offset 0"}}, overdue(), "it has not searched yet")

	change(func(tx *db.Tx) error {
		if err := tx.SeeAutomation(t.Context(), "sweeps", db.SearchPosition{Created: db.Position{Offset: 7}}); err != nil {
			return err
		}
		return tx.EnterTasks(t.Context(), "sweeps", "", []db.DueTask{
			{Subject: "carol::1220", At: instant.Add(time.Second)},
			{Subject: "bob::1220", At: instant},
			{Subject: "alice::1220", At: instant},
		})
	})
	first, then := db.Overdue{"automation:sweeps", "alice::1220"}, db.Overdue{"automation:sweeps", "bob::1220"}
	require.Equal(t, []db.Overdue{first}, overdue())
	require.Equal(t, "automation:sweeps at alice::1220", first.String())
	change(func(tx *db.Tx) error { return tx.EndTasks(t.Context(), "sweeps", []string{"alice::1220"}) })
	require.Equal(t, []db.Overdue{then}, overdue(), "the same kind is at another wallet")
	change(func(tx *db.Tx) error { return tx.EndTasks(t.Context(), "sweeps", []string{"bob::1220"}) })
	require.Empty(t, overdue(), "the third is not due yet")
}

func TestTakeTasks_LetsAccountsTakeTurns(t *testing.T) {
	t.Parallel()
	record, ctx := dbtest.New(t), t.Context()
	enter := func(account string, count int) {
		tasks := make([]db.DueTask, count)
		for i := range tasks {
			tasks[i] = db.DueTask{Subject: fmt.Sprintf("%s-%04d", account, i), At: instant, Account: account}
		}
		require.NoError(t, record.InTx(ctx, func(tx *db.Tx) error { return tx.EnterTasks(ctx, "expiry", "", tasks) }))
	}
	take := func(run string, limit int32) map[string]int {
		found := map[string]int{}
		require.NoError(t, record.InTx(ctx, func(tx *db.Tx) error {
			tasks, err := tx.TakeTasks(ctx, "expiry", run, instant, limit)
			for i, task := range tasks {
				account, _, _ := strings.Cut(task.Subject, "-")
				found[account]++
				tasks[i].Pending, tasks[i].HeldBy = true, run
			}
			if err != nil {
				return err
			}
			return tx.SettleTasks(ctx, "expiry", tasks)
		}))
		return found
	}
	enter("a greedy one", 500)
	enter("modest", 2)
	enter("other", 40)
	require.Equal(t, map[string]int{"a greedy one": 9, "modest": 2, "other": 9}, take("one run", 20))
	require.Equal(t, map[string]int{"a greedy one": 10, "other": 10}, take("another run", 20), "it takes no held task")
	require.Equal(t, map[string]int{"a greedy one": 9, "modest": 2, "other": 9}, take("one run", 20), "its own tasks first")
}

func TestOverdueAutomation_MeasuresTheOldestTask(t *testing.T) {
	t.Parallel()
	record, ctx := dbtest.New(t), t.Context()
	change := func(f func(tx *db.Tx) error) { require.NoError(t, record.InTx(ctx, f)) }
	oldest := func(query db.OldestQuery) db.Oldest {
		found, err := record.OldestTask(ctx, query)
		require.NoError(t, err)
		return found
	}
	now := db.OldestQuery{LedgerTime: instant, Moved: time.Hour, Idle: time.Minute}
	change(func(tx *db.Tx) error { return tx.EnterAutomations(ctx, []string{"sweeps"}) })
	require.Zero(t, oldest(now), "nothing is due")
	change(func(tx *db.Tx) error {
		return tx.EnterTasks(ctx, "sweeps", "", []db.DueTask{
			{Subject: "alice::1220", At: instant.Add(-10 * time.Minute), Account: "alice"},
			{Subject: "bob::1220", At: instant.Add(time.Minute), Account: "bob"},
		})
	})
	ten := 10 * time.Minute
	require.Equal(t, db.Oldest{All: ten, Stuck: ten}, oldest(now), "nobody has looked")
	moved := db.OldestQuery{LedgerTime: instant, Moved: time.Second, Idle: time.Minute}
	require.Equal(t, db.Oldest{All: time.Second}, oldest(moved), "the clock has just been moved")
	change(func(tx *db.Tx) error { return tx.CountAutomation(ctx, "sweeps", instant.Add(-time.Second), 0, 0) })
	require.Equal(t, db.Oldest{All: ten}, oldest(now), "the kind makes progress")
	change(func(tx *db.Tx) error { return tx.CountAutomation(ctx, "sweeps", instant.Add(-ten), 0, 0) })
	require.Equal(t, ten, oldest(now).Stuck)
	require.NoError(t, record.PauseAutomation(ctx, "sweeps", true))
	require.Zero(t, oldest(now), "a paused kind counts as not due")
	require.NoError(t, record.PauseAutomation(ctx, "sweeps", false))
	change(func(tx *db.Tx) error {
		var many []db.DueTask
		for i := range 100 {
			many = append(many, db.DueTask{Subject: fmt.Sprint("flood", i), At: instant, Account: "alice"})
		}
		return tx.EnterTasks(ctx, "sweeps", "", many)
	})
	require.Equal(t, db.Oldest{All: ten}, oldest(now), "an account with many due tasks tells nothing about the node")
}

// A change of a setting must also wake tasks that another transaction is planning with the old value.
func TestChangeLedgerSetting_WakesTasksBeingPlanned(t *testing.T) {
	t.Parallel()
	record, ctx := dbtest.New(t), t.Context()
	take := func(tx *db.Tx) []db.AutomationTask {
		tasks, err := tx.TakeTasks(ctx, db.ProposalsKind, "a run", instant, 10)
		require.NoError(t, err)
		return tasks
	}
	change := func(f func(tx *db.Tx) error) { require.NoError(t, record.InTx(ctx, f)) }
	change(func(tx *db.Tx) error {
		return tx.EnterTasks(ctx, db.ProposalsKind, "", []db.DueTask{{Subject: "alice::1220", At: instant}})
	})
	changed := make(chan error, 1)
	change(func(tx *db.Tx) error {
		tasks := take(tx)
		require.Len(t, tasks, 1)
		go func() {
			_, err := record.ChangeLedgerSetting(ctx, ledger.MaxProvidedPartiesSetting, "7")
			changed <- err
		}()
		require.Eventually(t, func() bool {
			settings, err := record.LedgerSettings(ctx)
			return err == nil && settings.MaxProvidedParties == 7
		}, time.Minute, time.Millisecond)
		tasks[0].DueAt, tasks[0].Tries, tasks[0].Refusal = instant.Add(time.Hour), 1, "the limit is reached"
		return tx.SettleTasks(ctx, db.ProposalsKind, tasks)
	})
	require.NoError(t, <-changed)
	change(func(tx *db.Tx) error {
		require.Len(t, take(tx), 1)
		return nil
	})
}
