package db_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/db/dbtest"
)

// crowds are ways in which 100,000 due items may belong to accounts.
func crowds() map[string]string {
	return map[string]string{
		"one account":         "'greedy'",
		"a thousand accounts": "'account-' || i % 1000",
		"an account for each": "'account-' || i",
	}
}

// pages counts the pages that a query reads or finds in memory, with the plan that connections keep.
func pages(t *testing.T, databaseURL, query string, arguments ...any) int64 {
	t.Helper()
	tx, err := connectAsPool(t, databaseURL).Begin(t.Context())
	require.NoError(t, err)
	var plan []byte
	explain := "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + query
	require.NoError(t, tx.QueryRow(t.Context(), explain, arguments...).Scan(&plan))
	require.NoError(t, tx.Rollback(t.Context()))
	var explained []struct {
		Plan struct {
			Hit  int64 `json:"Shared Hit Blocks"`
			Read int64 `json:"Shared Read Blocks"`
			Rows int64 `json:"Actual Rows"`
		} `json:"Plan"` // as PostgreSQL writes it
	}
	require.NoError(t, json.Unmarshal(plan, &explained))
	require.Positive(t, explained[0].Plan.Rows, "the query must return something")
	return explained[0].Plan.Hit + explained[0].Plan.Read
}

// fill runs statements that prepare a database.
func fill(t *testing.T, databaseURL string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	for _, statement := range statements {
		_, err := conn.Exec(t.Context(), statement)
		require.NoError(t, err, statement)
	}
}

// maxPages limits the pages that a query may read, or find in memory, if 100,000 items are due and 2,000 of other
// accounts are not: some pages for each returned item and for each account, and once the items that are not due. A
// query that reads all due items needs 20,000 to 400,000.
const maxPages = 8000

func TestTakeTasks_CostsWhatItReturns(t *testing.T) {
	t.Parallel()
	for name, account := range crowds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databaseURL := dbtest.URL(t)
			fill(t, databaseURL, fmt.Sprintf(`
				INSERT INTO automation_tasks (kind, subject, account, due_at)
				SELECT 'expiry', 'subject-' || i, %s, '2026-01-01' FROM generate_series(1, 100000) AS i`, account), `
				INSERT INTO automation_tasks (kind, subject, account, due_at)
				SELECT 'expiry', 'idle-' || i, 'b-' || i, '2126-01-01' FROM generate_series(1, 2000) AS i`,
				"VACUUM ANALYZE automation_tasks")
			due := instant.AddDate(3, 0, 0)
			for _, served := range []string{"", "account-5", "zz"} {
				require.Less(t, pages(t, databaseURL, dbgen.TakeTasks, "expiry", due, "run", served, 100, 101), int64(maxPages))
			}
		})
	}
}

func TestTakeDueLifecycles_CostsWhatItReturns(t *testing.T) {
	t.Parallel()
	const neverCalled, inVain = "0, 'epoch'::timestamptz", "3, '2026-01-01'::timestamptz - i * interval '1s'"
	type lifecycles struct{ account, called string }
	cases := map[string]lifecycles{"called in vain": {"'account-' || i", inVain}}
	for name, account := range crowds() {
		cases[name] = lifecycles{account, neverCalled}
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databaseURL := dbtest.URL(t)
			fill(t, databaseURL, fmt.Sprintf(`
				INSERT INTO lifecycles (workflow_id, kind, parties, contract_ids, account, due_at, calls, call_after)
				SELECT 'w:!' || i, 'Kind', '{}', '{00aa}', %s, '2026-01-01', %s
				FROM generate_series(1, 100000) AS i`, test.account, test.called), `
				INSERT INTO lifecycles (workflow_id, kind, parties, contract_ids, account, due_at)
				SELECT 'idle:!' || i, 'Kind', '{}', '{00aa}', 'b-' || i, '2126-01-01' FROM generate_series(1, 2000) AS i`,
				"VACUUM ANALYZE lifecycles")
			due := instant.AddDate(3, 0, 0)
			for _, served := range []string{"", "account-5", "zz"} {
				require.Less(t, pages(t, databaseURL, dbgen.TakeDueLifecycles, served, due, due, 33, 32, 4), int64(maxPages))
			}
		})
	}
}

// The queries must not read an account's items that are not due, even if there are many. More other items are due than
// one query takes, so that accounts take turns.
func TestTakeDueLifecycles_DoesNotWalkWhatIsNotDue(t *testing.T) {
	t.Parallel()
	const few = 1500
	databaseURL := dbtest.URL(t)
	fill(t, databaseURL, `
		INSERT INTO automation_tasks (kind, subject, account, due_at)
		SELECT 'expiry', 'due-' || i, 'account-' || i % 10, '2026-01-01' FROM generate_series(1, 500) AS i`, `
		INSERT INTO lifecycles (workflow_id, kind, parties, contract_ids, account, due_at)
		SELECT subject, 'Kind', '{}', '{00aa}', account, due_at FROM automation_tasks`,
		"VACUUM ANALYZE automation_tasks, lifecycles")
	due := instant.AddDate(3, 0, 0)
	tasks := func(served string) int64 {
		return pages(t, databaseURL, dbgen.TakeTasks, "expiry", due, "run", served, 100, 101)
	}
	lifecycles := func(served string) int64 {
		return pages(t, databaseURL, dbgen.TakeDueLifecycles, served, due, due, 33, 32, 4)
	}
	all := []string{"", "account-5", "zz"}
	before := map[string][2]int64{}
	for _, served := range all {
		before[served] = [2]int64{tasks(served), lifecycles(served)}
	}
	fill(t, databaseURL, `
		INSERT INTO automation_tasks (kind, subject, account, due_at)
		SELECT 'expiry', 'later-' || i, 'b-greedy', '2126-01-01' FROM generate_series(1, 100000) AS i`, `
		INSERT INTO lifecycles (workflow_id, kind, parties, contract_ids, account, due_at)
		SELECT 'later:!' || i, 'Kind', '{}', '{00aa}', 'b-greedy', '2126-01-01' FROM generate_series(1, 100000) AS i`, `
		INSERT INTO lifecycles (workflow_id, kind, parties, contract_ids, account, due_at, calls, call_after)
		SELECT 'called:!' || i, 'Kind', '{}', '{00aa}', 'b-greedy', '2026-01-01', 3, '2126-01-01'
		FROM generate_series(1, 100000) AS i`,
		"VACUUM ANALYZE automation_tasks, lifecycles")
	for _, served := range all {
		require.Less(t, tasks(served), before[served][0]+few, served)
		require.Less(t, lifecycles(served), before[served][1]+few, served)
	}
}

// More accounts have due items than one query serves: all are served once before one is served again.
func TestTurns_ServeAllAccountsBeforeOneAgain(t *testing.T) {
	t.Parallel()
	databaseURL := dbtest.URL(t)
	fill(t, databaseURL, `
		INSERT INTO automation_tasks (kind, subject, account, due_at)
		SELECT 'expiry', account || '-' || i, account, '2026-01-01'
		FROM (SELECT 'account-' || lpad(n::text, 2, '0') AS account FROM generate_series(1, 35) AS n) AS accounts,
			generate_series(1, 50) AS i`, `
		INSERT INTO lifecycles (workflow_id, kind, parties, contract_ids, account, due_at)
		SELECT subject, 'Kind', '{}', '{00aa}', account, due_at FROM automation_tasks`)
	record := dbtest.Open(t, databaseURL)
	due := instant.AddDate(3, 0, 0)
	takes := map[string]func() []string{
		"tasks": func() (subjects []string) {
			require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
				tasks, err := tx.TakeTasks(t.Context(), "expiry", "run", due, 10)
				for _, task := range tasks {
					subjects = append(subjects, task.Subject)
				}
				if err != nil {
					return err
				}
				return tx.EndTasks(t.Context(), "expiry", subjects)
			}))
			return subjects
		},
		"lifecycles": func() (ids []string) {
			rows, _, err := record.TakeDueLifecycles(t.Context(), due, due, db.UnderWay{OfAccount: 4, All: 10})
			require.NoError(t, err)
			for _, row := range rows {
				ids = append(ids, row.WorkflowID)
				require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
					held, _, err := tx.Lifecycle(t.Context(), row.WorkflowID)
					if err != nil {
						return err
					}
					_, err = tx.SettleLifecycle(t.Context(), db.Lifecycle{WorkflowID: held.WorkflowID, Version: held.Version})
					return err
				}))
			}
			return ids
		},
	}
	for name, take := range takes {
		var order []string
		for range 14 { // four rounds of 35
			taken := take()
			require.Len(t, taken, 10, name)
			for _, subject := range taken {
				order = append(order, subject[:len("account-00")])
			}
		}
		for i := 0; i < len(order); i += 35 {
			served := map[string]bool{}
			for _, account := range order[i : i+35] {
				served[account] = true
			}
			require.Len(t, served, 35, "%s, round %d: %v", name, i/35, order[i:i+35])
		}
	}
}
