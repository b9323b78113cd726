package db_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
)

var (
	tablesLocked = regexp.MustCompile(`(?is)\bLOCK\s+TABLE\s+([\w\s,]+?)\s+IN` +
		`\s+(?:SHARE\s+ROW\s+|ACCESS\s+)?EXCLUSIVE\s+MODE`)
	// tableUsed finds tables that the step locks until it ends.
	tableUsed = regexp.MustCompile(`(?is)\b(?:ALTER\s+TABLE(?:\s+IF\s+EXISTS)?(?:\s+ONLY)?` +
		`|DROP\s+TABLE(?:\s+IF\s+EXISTS)?` +
		`|TRUNCATE(?:\s+TABLE)?|UPDATE|DELETE\s+FROM|INSERT\s+INTO|REFERENCES` +
		`|CREATE\s+(?:UNIQUE\s+)?INDEX\s+(?:IF\s+NOT\s+EXISTS\s+)?\w+\s+ON(?:\s+ONLY)?` +
		`|(?:CREATE|DROP)\s+TRIGGER\s+[^;]*?\bON)\s+(\w+)`)
	// rowsChanged finds tables whose rows the step changes in its own order.
	rowsChanged = regexp.MustCompile(`(?is)(?:\bUPDATE|\bDELETE\s+FROM)\s+(\w+)`)
	bodies      = regexp.MustCompile(`(?s)\$\$.*?\$\$`)
	// triggerEvents are the events of a trigger, which change no row.
	triggerEvents = regexp.MustCompile(`(?is)\b(?:AFTER|BEFORE)\s+[A-Z\s]+?\s+ON\b`)
)

// lockOrder says how a step could deadlock with a node.
func lockOrder(migration string) (found []string) {
	up, _, _ := strings.Cut(migration, "-- +goose Down")
	if strings.Contains(up, "-- +goose NO TRANSACTION") { // each statement gives its locks back
		return nil
	}
	up = bodies.ReplaceAllString(comments.ReplaceAllString(up, ""), "")
	up = triggerEvents.ReplaceAllString(up, "ON")
	var made, used, together []string
	for _, match := range tableMade.FindAllStringSubmatch(up, -1) {
		made = append(made, match[1])
	}
	locks := tablesLocked.FindStringSubmatchIndex(up)
	if locks != nil {
		for name := range strings.SplitSeq(up[locks[2]:locks[3]], ",") {
			together = append(together, strings.TrimSpace(name))
		}
	}
	for _, match := range tableUsed.FindAllStringSubmatchIndex(up, -1) {
		table := up[match[2]:match[3]]
		if slices.Contains(made, table) {
			continue
		}
		if !slices.Contains(used, table) {
			used = append(used, table)
		}
		if locks != nil && slices.Contains(together, table) && match[0] < locks[0] {
			found = append(found, "uses "+table+" before it is locked with the others")
		}
	}
	for _, table := range used {
		if len(used) > 1 && !slices.Contains(together, table) {
			found = append(found, "locks "+table+" beside other tables, one after the other: begin with LOCK TABLE "+
				strings.Join(used, ", ")+" IN SHARE ROW EXCLUSIVE MODE, or make it a step of its own")
		}
	}
	for _, match := range rowsChanged.FindAllStringSubmatchIndex(up, -1) {
		table := up[match[2]:match[3]]
		altered := regexp.MustCompile(`(?is)\bALTER\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?` + table + `\b`)
		if !slices.Contains(made, table) && !slices.Contains(together, table) && !altered.MatchString(up[:match[0]]) {
			found = append(found, "changes rows of "+table+" in another order than nodes do: begin with LOCK TABLE "+table+
				" IN SHARE ROW EXCLUSIVE MODE")
		}
	}
	return found
}

// While a step waits for a lock, it must hold no other lock that a node waits for.
func TestStepOrder_StepsTakeTheirLocksTogether(t *testing.T) {
	t.Parallel()
	for name, content := range schemaFiles(t) {
		require.Empty(t, lockOrder(content), name)
	}
}

func TestStepOrder_FindsLocksInTheWrongOrder(t *testing.T) {
	t.Parallel()
	const fine = ""
	for _, test := range [][2]string{
		{"locks b beside", "ALTER TABLE b ADD COLUMN c int; ALTER TABLE d ADD COLUMN c int;"},
		{"locks d beside", "ALTER TABLE b ADD COLUMN c int; CREATE TABLE e (d text REFERENCES d (id));"},
		{"locks b beside", "INSERT INTO b VALUES (1); DROP TRIGGER t ON d;"},
		{"locks d beside", "LOCK TABLE b IN ACCESS EXCLUSIVE MODE; UPDATE b SET c = 1; TRUNCATE d;"},
		{"before it is locked", "INSERT INTO b VALUES (1); LOCK TABLE b, d IN EXCLUSIVE MODE; INSERT INTO d VALUES (1);"},
		{"changes rows of b", "UPDATE b SET c = 1;"},
		{"changes rows of b", "DELETE FROM b; ALTER TABLE b ADD COLUMN c int;"},
		{fine, "LOCK TABLE b, d IN SHARE ROW EXCLUSIVE MODE; UPDATE b SET c = 1; DELETE FROM d;"},
		{fine, "ALTER TABLE b ADD COLUMN c int; UPDATE b SET c = 1;"},
		{fine, "CREATE TABLE b (c int); CREATE TABLE d (c int); INSERT INTO b SELECT 1; UPDATE d SET c = 1;"},
		{fine, "ALTER TABLE b ADD COLUMN c int;\n-- +goose Down\nDROP TABLE d; ALTER TABLE b DROP COLUMN c;"},
		{fine, "CREATE TRIGGER t AFTER INSERT OR UPDATE OR DELETE ON b FOR EACH ROW EXECUTE FUNCTION f();"},
		{"locks d beside", "CREATE TRIGGER t BEFORE UPDATE ON b EXECUTE FUNCTION f(); ALTER TABLE d ADD COLUMN c int;"},
		{fine, "-- +goose NO TRANSACTION\nALTER TABLE b ADD COLUMN c int; ALTER TABLE d ADD COLUMN c int;"},
	} {
		found := strings.Join(lockOrder(test[1]), "\n")
		if test[0] == fine {
			require.Empty(t, found, test[1])
		} else {
			require.Contains(t, found, test[0], test[1])
		}
	}
}

// A step that has to wait for one transaction lets all others pass.
func TestStep_LetsOtherTransactionsPass(t *testing.T) {
	t.Parallel()
	databaseURL := dbtest.URL(t)
	options := db.MigrateOptions{}.WithSteps(laterSteps(t))
	long, err := connectAs(t, databaseURL, "long").Begin(t.Context())
	require.NoError(t, err)
	const use = "LOCK TABLE idempotency_keys IN ROW EXCLUSIVE MODE"
	_, err = long.Exec(t.Context(), use)
	require.NoError(t, err)

	progress, ended := make(chan string, 1000), make(chan error, 1)
	go func() {
		options.Progress = func(line string) { progress <- line }
		_, err := db.Migrate(t.Context(), databaseURL, options)
		ended <- err
	}()
	deadline := time.After(time.Minute)
	for gaveWay := false; !gaveWay; {
		select {
		case line := <-progress:
			gaveWay = strings.Contains(line, "_spare.sql gives way")
		case err := <-ended:
			require.FailNow(t, "the step did not wait", "%v", err)
		case <-deadline:
			require.FailNow(t, "the step waits and lets nobody pass")
		}
	}
	other, err := connectAs(t, databaseURL, "other").Begin(t.Context())
	require.NoError(t, err)
	_, err = other.Exec(t.Context(), use)
	require.NoError(t, err, "although the step still waits for the long transaction")
	require.NoError(t, other.Commit(t.Context()))
	require.NoError(t, long.Commit(t.Context()))
	require.NoError(t, <-ended)
}

// Processes that wait to start block nobody, so running processes stay ready.
func TestStall_SparesProcessesThatWaitToStart(t *testing.T) {
	t.Parallel()
	databaseURL := dbtest.URL(t)
	record := dbtest.Open(t, databaseURL)
	contraction, asking := connectAs(t, databaseURL, "florin/abcdefghijkl"), connectAs(t, databaseURL, "test")
	waits := func(another string) {
		t.Helper()
		require.Eventually(t, func() bool {
			var waits bool
			err := asking.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks AS l, pg_stat_activity AS s
				WHERE s.datname = current_database() AND l.pid = s.pid AND l.waitstart IS NOT NULL AND l.locktype = $1)`, another).
				Scan(&waits)
			return err == nil && waits
		}, time.Minute, 10*time.Millisecond)
	}
	_, err := contraction.Exec(t.Context(), "SELECT pg_advisory_lock($1)", db.SchemaLock)
	require.NoError(t, err)
	entered := make(chan error, 1)
	go func() { entered <- record.Enter(t.Context(), db.Process{Role: "api"}) }()
	waits("advisory")
	stall, err := db.EndStalled(t.Context(), asking, 0)
	require.NoError(t, err)
	require.Nil(t, stall)

	_, err = contraction.Exec(t.Context(), "BEGIN; UPDATE ledger_head SET ledger_offset = ledger_offset")
	require.NoError(t, err)
	committed := make(chan error, 1)
	go func() {
		committed <- record.InTx(t.Context(), func(tx *db.Tx) error {
			_, err := tx.LockHead(t.Context())
			return err
		})
	}()
	waits("transactionid")
	stall, err = db.EndStalled(t.Context(), asking, 0)
	require.NoError(t, err)
	require.NotNil(t, stall)
	require.Equal(t, "florin/abcdefghijkl", stall.Holder)
	_, err = contraction.Exec(t.Context(), "COMMIT")
	require.NoError(t, err)
	require.NoError(t, <-committed)
	_, err = contraction.Exec(t.Context(), "SELECT pg_advisory_unlock($1)", db.SchemaLock)
	require.NoError(t, err)
	require.NoError(t, <-entered)
}
