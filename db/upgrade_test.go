package db_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
)

// laterSteps are those of this program, then one that expands the schema and one that removes something.
func laterSteps(t *testing.T) fs.FS {
	t.Helper()
	files := fstest.MapFS{
		"90001_spare.sql":         {Data: []byte("-- +goose Up\nALTER TABLE idempotency_keys ADD COLUMN spare text;\n")},
		"90002_contract_note.sql": {Data: []byte("-- +goose Up\nALTER TABLE idempotency_keys DROP COLUMN note;\n")},
	}
	for name, content := range schemaFiles(t) {
		files[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return files
}

// newestOfAll is the version that a program of the version before compares with the newest step that it knows.
func newestOfAll(t *testing.T, conn *pgx.Conn) (version int64) {
	t.Helper()
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT max(version_id) FROM goose_db_version").Scan(&version))
	return version
}

func TestUpgrade_OldVersionWorksUntilContraction(t *testing.T) {
	t.Parallel()
	databaseURL := dbtest.URL(t)
	conn := connectAs(t, databaseURL, "test")
	record := dbtest.Open(t, databaseURL)
	known := newestOfAll(t, conn)

	later := db.MigrateOptions{}.WithSteps(laterSteps(t))
	remaining, err := db.Migrate(t.Context(), databaseURL, later)
	require.NoError(t, err)
	require.Len(t, remaining, 1)
	require.True(t, remaining[0].Contracts)
	require.Equal(t, known, newestOfAll(t, conn))
	require.NoError(t, record.CheckSchema(t.Context()), "this version, now the old one, still starts")

	contract := later
	contract.Contract = true
	refused := func(names ...string) {
		t.Helper()
		left, err := db.Migrate(t.Context(), databaseURL, contract)
		require.Empty(t, left)
		var needed *db.NeededError
		require.ErrorAs(t, err, &needed)
		require.Len(t, needed.Processes, 1)
		for _, name := range append(names, needed.Step.Name, "Nothing has changed") {
			require.ErrorContains(t, err, name)
		}
		require.Equal(t, known, newestOfAll(t, conn))
	}
	before := connectAs(t, databaseURL, "florin/abcdefghijkl watcher")
	refused("florin/abcdefghijkl", "has not reported what it is")
	require.NoError(t, before.Close(t.Context()))
	see := func(process string, seen time.Duration) {
		t.Helper()
		_, err := conn.Exec(t.Context(),
			"INSERT INTO processes VALUES ($1, 'worker', 'old', 'v1', 90001, true, now() - $2::interval)", process, seen)
		require.NoError(t, err)
	}
	awaitGone(t, conn, "florin/abcdefghijkl watcher")
	see("florin/gone", time.Hour)
	see("florin/runs", 0)
	refused("florin/runs (worker on old, version v1)")

	_, err = conn.Exec(t.Context(), "DELETE FROM processes WHERE process = 'florin/runs'")
	require.NoError(t, err)
	left, err := db.Migrate(t.Context(), databaseURL, contract)
	require.NoError(t, err)
	require.Empty(t, left)
	require.Equal(t, remaining[0].Version, newestOfAll(t, conn))
	require.ErrorContains(t, record.CheckSchema(t.Context()), "run a newer florin", "the old version starts no more")
}

// awaitGone waits until the server has forgotten a session.
func awaitGone(t *testing.T, conn *pgx.Conn, name string) {
	t.Helper()
	require.Eventually(t, func() bool {
		var count int
		err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1", name).
			Scan(&count)
		return err == nil && count == 0
	}, time.Minute, 10*time.Millisecond)
}

func TestUpgrade_ToleratesExpandingStepsOfALaterVersion(t *testing.T) {
	t.Parallel()
	databaseURL := dbtest.URL(t)
	_, err := db.Migrate(t.Context(), databaseURL, db.MigrateOptions{}.WithSteps(laterSteps(t)))
	require.NoError(t, err)
	record := dbtest.Open(t, databaseURL)
	require.NoError(t, record.CheckSchema(t.Context()))
	require.NoError(t, record.Enter(t.Context(), db.Process{}))
}

// awaitAdvisory waits until a session waits for an advisory lock.
func awaitAdvisory(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	require.Eventually(t, func() bool {
		var waits bool
		err := conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks AS l, pg_database AS d
			WHERE l.locktype = 'advisory' AND NOT l.granted AND d.oid = l.database AND d.datname = current_database())`).
			Scan(&waits)
		return err == nil && waits
	}, time.Minute, 10*time.Millisecond)
}

func TestUpgrade_StartWaitsForContractingSteps(t *testing.T) {
	t.Parallel()
	databaseURL := dbtest.URL(t)
	record := dbtest.Open(t, databaseURL)
	contraction := connectAs(t, databaseURL, "test")
	_, err := contraction.Exec(t.Context(), "SELECT pg_advisory_lock($1)", db.SchemaLock)
	require.NoError(t, err)
	entered := make(chan error, 1)
	go func() { entered <- record.Enter(t.Context(), db.Process{Role: "api"}) }()
	awaitAdvisory(t, contraction)
	_, err = contraction.Exec(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")
	require.NoError(t, err)
	_, err = contraction.Exec(t.Context(), "SELECT pg_advisory_unlock($1)", db.SchemaLock)
	require.NoError(t, err)
	require.ErrorContains(t, <-entered, "run a newer florin")
}

func TestProcesses_CountWorkersThatReport(t *testing.T) {
	t.Parallel()
	databaseURL := dbtest.URL(t)
	record := dbtest.Open(t, databaseURL)
	workers := func() []string {
		t.Helper()
		names, err := record.Workers(t.Context())
		require.NoError(t, err)
		return names
	}
	require.NoError(t, record.Enter(t.Context(), db.Process{Role: "worker"}))
	require.Empty(t, workers(), "it does not work yet")
	require.NoError(t, record.Beat(t.Context(), db.Process{Role: "worker", Works: true}))
	require.Equal(t, []string{record.Name()}, workers())
	conn := connectAs(t, databaseURL, "test")
	_, err := conn.Exec(t.Context(), "UPDATE processes SET seen_at = now() - $1::interval", db.ProcessSilence)
	require.NoError(t, err)
	require.Empty(t, workers(), "the last report is too old")
	require.NoError(t, record.Beat(t.Context(), db.Process{Role: "worker", Works: true}))
	require.Equal(t, []string{record.Name()}, workers())
	require.NoError(t, record.Leave(t.Context()))
	require.Empty(t, workers())
}

func TestProcesses_CountRunningAPIs(t *testing.T) {
	t.Parallel()
	databaseURL := dbtest.URL(t)
	conn := connectAs(t, databaseURL, "test")
	for i, role := range []string{"worker", "api", "api and worker"} {
		record := dbtest.Open(t, databaseURL)
		require.NoError(t, record.Enter(t.Context(), db.Process{Role: role}))
		_, err := conn.Exec(t.Context(), "UPDATE processes SET seen_at = now()") // opening the database may take a while
		require.NoError(t, err)
		count, err := record.APIs(t.Context())
		require.NoError(t, err)
		require.Equal(t, i, count)
	}
	record := dbtest.Open(t, databaseURL)
	_, err := conn.Exec(t.Context(), `UPDATE processes
		SET seen_at = CASE role WHEN 'api' THEN now() - $1::interval ELSE now() END`, db.ProcessSilence)
	require.NoError(t, err)
	count, err := record.APIs(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, count, "one has been silent for too long")
}

// After an expanding step, programs that do not know it must still have the tables and columns that they need.
func TestUpgrade_ExpandingStepsRemoveNothing(t *testing.T) {
	t.Parallel()
	for name, content := range schemaFiles(t) {
		_, rest, _ := strings.Cut(name, "_")
		if strings.HasPrefix(rest, "contract_") {
			continue
		}
		require.Empty(t, takenAway(content), "%s removes what the version before needs: put that into a step of a "+
			"later number whose name begins with contract_", name)
	}
	for _, step := range []string{
		"ALTER TABLE a DROP COLUMN b;", "DROP TABLE a;", "ALTER TABLE a RENAME TO b;",
		"ALTER TABLE a ALTER COLUMN b SET NOT NULL;", "ALTER TABLE a ADD COLUMN b text NOT NULL;",
	} {
		require.NotEmpty(t, takenAway(step), step)
	}
	require.Empty(t, takenAway("ALTER TABLE a ADD COLUMN b text NOT NULL DEFAULT '';"))
}

var (
	takes = regexp.MustCompile(`(?is)\bDROP\s+(TABLE|COLUMN|VIEW|FUNCTION|SCHEMA|TYPE|DEFAULT)\b|\bRENAME\b` +
		`|\bSET\s+NOT\s+NULL\b|\bALTER\s+COLUMN\s+\w+\s+(SET\s+DATA\s+)?TYPE\b`)
	addsNeeded = regexp.MustCompile(`(?i)\bADD\s+COLUMN\b[^,;]*\bNOT\s+NULL\b[^,;]*`)
	givesValue = regexp.MustCompile(`(?i)\b(DEFAULT|GENERATED)\b`)
)

// takenAway lists the statements of a step that remove something, or newly require a value, which breaks programs that
// do not know the step.
func takenAway(step string) (found []string) {
	up, _, _ := strings.Cut(step, "-- +goose Down")
	found = takes.FindAllString(up, -1)
	for _, added := range addsNeeded.FindAllString(up, -1) {
		if !givesValue.MatchString(added) {
			found = append(found, added)
		}
	}
	return found
}
