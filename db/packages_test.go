package db_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// uploadOf uploads a package that consists of a text.
func uploadOf(text string, since ledger.Offset) db.PackageChange {
	hash := sha256.Sum256([]byte(text))
	return db.PackageChange{
		Since: since, Now: start, By: "admin",
		Added: []db.NewPackage{{
			ID: lf.PackageID(hex.EncodeToString(hash[:])), Name: "notes", Version: "1.0.0", Payload: []byte(text), Vetted: true,
		}},
		Entry: func(at ledger.Position, vettings []ledger.Vetting) ledger.Update {
			return ledger.NewVettings(ledger.Node{ParticipantID: "participant::1220ab", SynchronizerID: "global::1220ab"},
				vettings, at, ledger.TraceContext{})
		},
	}
}

// TestTheFirstUploadKeepsOlderVersionsAway uploads beside processes of older versions, and starts some afterwards.
func TestTheFirstUploadKeepsOlderVersionsAway(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	record, conn := dbtest.Open(t, url), connectAs(t, url, "test")
	watcher, err := record.Watch(t.Context(), db.WatcherOptions{})
	require.NoError(t, err)
	t.Cleanup(watcher.Close)
	before := newestOfAll(t, conn)
	refused := func(process string) {
		t.Helper()
		_, err := record.ChangePackages(t.Context(), uploadOf("first", 0))
		require.ErrorContains(t, err, "SERVICE_NOT_RUNNING")
		require.ErrorContains(t, err, process)
		require.Equal(t, before, newestOfAll(t, conn))
		packages, err := record.UploadedPackages(t.Context())
		require.NoError(t, err)
		require.Empty(t, packages)
	}
	silent := connectAs(t, url, "florin/abcdefghijkl watcher") // of a version that does not say which it is
	refused("florin/abcdefghijkl")
	require.NoError(t, silent.Close(t.Context()))
	awaitGone(t, conn, "florin/abcdefghijkl watcher")
	_, err = conn.Exec(t.Context(), `INSERT INTO processes (process, role, host, version, schema_version, works, seen_at)
		VALUES ('florin/older', 'worker', 'host', 'v1', 157, true, now())`)
	require.NoError(t, err)
	refused("florin/older (worker on host, version v1)")
	_, err = conn.Exec(t.Context(), "DELETE FROM processes")
	require.NoError(t, err)

	at, err := record.ChangePackages(t.Context(), uploadOf("first", 0))
	require.NoError(t, err)
	require.Greater(t, newestOfAll(t, conn), int64(157), "older versions find the schema too new, and do not start")
	require.NoError(t, record.CheckSchema(t.Context()), "this one does")
	remaining, err := db.Migrate(t.Context(), url, db.MigrateOptions{Contract: true})
	require.NoError(t, err)
	require.Empty(t, remaining)
	noted := newestOfAll(t, conn)
	_, err = record.ChangePackages(t.Context(), uploadOf("second", at))
	require.NoError(t, err)
	require.Equal(t, noted, newestOfAll(t, conn))
}

func TestAnUploadWaitsForProcessesThatStart(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	record, starting := dbtest.Open(t, url), connectAs(t, url, "test")
	_, err := starting.Exec(t.Context(), "SELECT pg_advisory_lock_shared($1)", db.SchemaLock)
	require.NoError(t, err)
	uploaded := make(chan error, 1)
	go func() {
		_, err := record.ChangePackages(t.Context(), uploadOf("first", 0))
		uploaded <- err
	}()
	awaitAdvisory(t, starting)
	_, err = starting.Exec(t.Context(), `
		INSERT INTO processes (process, role, host, version, schema_version, works, seen_at)
		VALUES ('florin/older', 'worker', 'host', 'v1', 157, true, now())`)
	require.NoError(t, err)
	_, err = starting.Exec(t.Context(), "SELECT pg_advisory_unlock_shared($1)", db.SchemaLock)
	require.NoError(t, err)
	require.ErrorContains(t, <-uploaded, "florin/older")
}

func TestAProgramThatIsTooOldDoesNotDecideByPackages(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	require.NoError(t, record.CheckPackagesNeed(t.Context()))
	_, err := record.ChangePackages(t.Context(), uploadOf("first", 0))
	require.NoError(t, err)
	require.NoError(t, record.CheckPackagesNeed(t.Context()))
	require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Exec(t.Context(), "UPDATE package_changes SET needed_step = 99999")
	}))
	require.ErrorContains(t, record.CheckPackagesNeed(t.Context()), "run a newer florin")
}

// TestVettingLeavesContentAlone looks at the row that holds the content: it stays where it is.
func TestVettingLeavesContentAlone(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	record, conn := dbtest.Open(t, url), connectAs(t, url, "test")
	change := uploadOf("first", 0)
	at, err := record.ChangePackages(t.Context(), change)
	require.NoError(t, err)
	version := func() (text string) {
		require.NoError(t, conn.QueryRow(t.Context(), "SELECT ctid::text || xmin::text FROM package_payloads").Scan(&text))
		return text
	}
	stored := version()
	change.Since, change.Vetted, change.Added = at, map[lf.PackageID]bool{change.Added[0].ID: false}, nil
	_, err = record.ChangePackages(t.Context(), change)
	require.NoError(t, err)
	require.Equal(t, stored, version())
	packages, err := record.UploadedPackages(t.Context())
	require.NoError(t, err)
	require.False(t, packages[0].IsVetted)
	_, err = conn.Exec(t.Context(), "UPDATE package_payloads SET payload = 'other'")
	require.ErrorContains(t, err, "packages_are_what_their_ids_say")
}

func TestNothingIsLeftOfAnUploadThatFails(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	record, conn := dbtest.Open(t, url), connectAs(t, url, "test")
	before := newestOfAll(t, conn)
	for name, change := range map[string]func(*db.PackageChange){
		"too late": func(change *db.PackageChange) { change.Since = 7 },
		"ended after the packages": func(change *db.PackageChange) {
			change.Entry = func(ledger.Position, []ledger.Vetting) ledger.Update { return ledger.Update{} }
		},
	} {
		upload := uploadOf("first", 0)
		change(&upload)
		_, err := record.ChangePackages(t.Context(), upload)
		require.Error(t, err, name)
		var rows int
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM packages)
			+ (SELECT count(*) FROM package_payloads) + (SELECT count(*) FROM package_changes)`).Scan(&rows))
		require.Zero(t, rows, name)
		require.Equal(t, before, newestOfAll(t, conn), name)
	}
	_, err := record.ChangePackages(t.Context(), uploadOf("first", 0))
	require.NoError(t, err)
}
