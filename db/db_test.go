package db_test

import (
	"context"
	"crypto/rand"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger/fault"
)

func TestOpen_ConnectsOrTellsWhyNot(t *testing.T) {
	t.Parallel()

	t.Run("names an unusable URL", func(t *testing.T) {
		t.Parallel()
		_, err := db.Open(t.Context(), "nonsense://x", db.Options{})
		require.ErrorContains(t, err, "the database URL is not usable")
	})

	t.Run("says what to do when nobody answers", func(t *testing.T) {
		t.Parallel()
		_, err := db.Open(t.Context(), "postgres://florin:secret@"+unusedAddress(t)+"/x", db.Options{})
		require.ErrorContains(t, err, "check its URL and that it runs")
		require.NotContains(t, err.Error(), "secret")
	})

	t.Run("refuses a database that cannot store all text", func(t *testing.T) {
		t.Parallel()
		databaseURL := dbtest.Empty(t)
		conn, err := pgx.Connect(t.Context(), databaseURL)
		require.NoError(t, err)
		defer conn.Close(t.Context())
		name := conn.Config().Database + "_ascii"
		_, err = conn.Exec(t.Context(), "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'")
		require.NoError(t, err)
		ascii, err := url.Parse(databaseURL)
		require.NoError(t, err)
		ascii.Path = "/" + name
		_, err = db.Open(t.Context(), ascii.String(), db.Options{})
		_, dropErr := conn.Exec(t.Context(), "DROP DATABASE "+name+" WITH (FORCE)")
		require.NoError(t, dropErr)
		require.ErrorContains(t, err, "the database stores text as SQL_ASCII: make one with ENCODING 'UTF8'")
	})

	t.Run("bounds the number of connections", func(t *testing.T) {
		t.Parallel()
		record, err := db.Open(t.Context(), dbtest.URL(t), db.Options{MaxConns: 1})
		require.NoError(t, err)
		defer record.Close()
		err = record.InTx(t.Context(), func(*db.Tx) error {
			waiting, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			return record.Ping(waiting)
		})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NoError(t, record.Ping(t.Context()))
	})
}

func TestDB_LostDatabaseIsATransientFault(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	err := record.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Exec(t.Context(), "SELECT pg_terminate_backend(pg_backend_pid())")
	})
	requireFault(t, err, fault.ServiceNotRunning, "The database does not answer.")
	found, _ := fault.As(err)
	require.Equal(t, "database", found.Context["service_name"])
	require.ErrorContains(t, found.Unwrap(), "57P01", "the log must tell more than the client")
	require.NoError(t, record.Ping(t.Context()), "the pool makes a new connection")
}

func TestSetCredentials_ChangesTheLogin(t *testing.T) {
	t.Parallel()
	address := dbtest.URL(t)
	admin, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer func() { _ = admin.Close(t.Context()) }()
	role := "reader_" + strings.ToLower(rand.Text()[:10])
	as := func(password string) string {
		place, err := url.Parse(address)
		require.NoError(t, err)
		place.User = url.UserPassword(role, password)
		return place.String()
	}
	_, err = admin.Exec(t.Context(), "CREATE ROLE "+role+" LOGIN PASSWORD 'one' IN ROLE "+
		pgx.Identifier{admin.Config().User}.Sanitize())
	require.NoError(t, err)
	record, err := db.Open(t.Context(), as("one"), db.Options{MaxConns: 1})
	require.NoError(t, err)
	defer record.Close()
	require.ErrorContains(t, record.SetCredentials(t.Context(), as("mistyped")), "refuses the user and password")
	require.NoError(t, record.Ping(t.Context()), "it keeps the old login")

	_, err = admin.Exec(t.Context(), "ALTER ROLE "+role+" PASSWORD 'two'")
	require.NoError(t, err)
	err = record.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Exec(t.Context(), "SELECT pg_terminate_backend(pg_backend_pid())")
	})
	require.Error(t, err)
	requireFault(t, record.Ping(t.Context()), fault.ServiceNotRunning, "The database does not answer.")
	require.NoError(t, record.SetCredentials(t.Context(), as("two")))
	require.NoError(t, record.Ping(t.Context()))
}

func TestWatcher_LogsInWithTheNewLoginOfThePool(t *testing.T) {
	t.Parallel()
	address := dbtest.URL(t)
	admin, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer func() { _ = admin.Close(t.Context()) }()
	role := "reader_" + strings.ToLower(rand.Text()[:10])
	_, err = admin.Exec(t.Context(), "CREATE ROLE "+role+" LOGIN PASSWORD 'one' IN ROLE "+
		pgx.Identifier{admin.Config().User}.Sanitize())
	require.NoError(t, err)
	record := dbtest.Open(t, address)
	watcher, err := record.Watch(t.Context(), db.WatcherOptions{Poll: 10 * time.Millisecond})
	require.NoError(t, err)
	defer watcher.Close()
	place, err := url.Parse(address)
	require.NoError(t, err)
	place.User = url.UserPassword(role, "one")
	require.NoError(t, record.SetCredentials(t.Context(), place.String()))
	require.Eventually(t, func() bool {
		var users []string
		err := admin.QueryRow(t.Context(), "SELECT array_agg(usename::text) FROM pg_stat_activity "+
			"WHERE application_name = $1", record.Name()+" watcher").Scan(&users)
		return err == nil && len(users) == 1 && users[0] == role
	}, time.Minute, 10*time.Millisecond)
}

// unusedAddress returns an address where nobody listens.
func unusedAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}
