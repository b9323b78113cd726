package db_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
)

// connectAs opens a session under a name, like a process that is silent afterwards.
func connectAs(t *testing.T, url, name string) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	require.NoError(t, err)
	config.RuntimeParams["application_name"] = name
	conn, err := pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) }) // it may have been ended
	return conn
}

// The test holds the head lock in a session and does nothing. Only the watcher of the session's process shows whether
// the process lives or stands still.
func TestStall_EndsSessionsOfAStalledProcess(t *testing.T) {
	t.Parallel()
	const name = "florin/abcdefghijkl"
	url := dbtest.URL(t)
	record := dbtest.Open(t, url)
	watcher := watch(t, record, time.Second)
	alive := connectAs(t, url, name+" watcher")
	frozen, err := connectAs(t, url, name).Begin(t.Context())
	require.NoError(t, err)
	_, err = frozen.Exec(t.Context(), "UPDATE ledger_head SET ledger_offset = 7")
	require.NoError(t, err)

	locked := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // the test must end even if nobody ends the session
	defer cancel()
	go func() {
		locked <- record.InTx(ctx, func(tx *db.Tx) error {
			_, err := tx.LockHead(ctx)
			return err
		})
	}()
	await := time.NewTicker(time.Second)
	defer await.Stop()
	for range 10 { // longer than heartbeatTimeout
		_, err := alive.Exec(t.Context(), "SELECT 1")
		require.NoError(t, err)
		select {
		case err := <-locked:
			require.FailNow(t, "sessions of a process that lives were ended", "%v", err)
		case <-await.C:
		}
	}
	require.ErrorContains(t, watcher.Stalled(0), " of "+name+", which is idle in transaction")
	require.NoError(t, watcher.Stalled(time.Hour), "a longer limit is not exceeded")

	require.NoError(t, <-locked, "its watcher is silent now")
	require.Error(t, frozen.Commit(t.Context()), "an ended session commits nothing")
	head, err := record.Head(t.Context())
	require.NoError(t, err)
	require.Zero(t, head.Offset, "nor a part of it")
	require.Eventually(t, func() bool { return watcher.Stalled(0) == nil }, time.Minute, 20*time.Millisecond)
}

// A living process blocks others for longer. The sessions of the process that is gone must still be ended.
func TestStall_EndsSessionsOfAProcessThatIsGone(t *testing.T) {
	t.Parallel()
	const living, gone = "florin/abcdefghijkl", "florin/mnopqrstuvwx"
	url := dbtest.URL(t)
	record := dbtest.Open(t, url)
	hold := func(conn *pgx.Conn, lock int) pgx.Tx {
		tx, err := conn.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock($1)", lock)
		require.NoError(t, err)
		return tx
	}
	asking := connectAs(t, url, "test")
	waiting := func(name string, lock int) <-chan error {
		conn, done := connectAs(t, url, name), make(chan error, 1)
		go func() {
			_, err := conn.Exec(t.Context(), "SELECT pg_advisory_lock($1)", lock)
			done <- err
		}()
		require.Eventually(t, func() bool {
			var waits bool
			err := asking.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $1 AND NOT granted)",
				conn.PgConn().PID()).Scan(&waits)
			return err == nil && waits
		}, time.Minute, 20*time.Millisecond)
		return done
	}
	alive := hold(connectAs(t, url, living), 1)
	connectAs(t, url, gone+" watcher")
	frozen := hold(connectAs(t, url, gone), 2)
	operator := hold(connectAs(t, url, "psql"), 3)
	first := waiting("florin/111111111111", 1) // it waits longest
	other := waiting("florin/222222222222", 2)
	notOurs := waiting("pg_dump", 3)

	watcher := watch(t, record, time.Second)
	require.NoError(t, <-other)
	require.Error(t, frozen.Commit(t.Context()))
	require.Eventually(t, func() bool { // the watcher reports the ended stall until it looks again
		stalled := watcher.Stalled(0)
		return stalled != nil && strings.Contains(stalled.Error(), living)
	}, time.Minute, 20*time.Millisecond)
	require.NoError(t, alive.Commit(t.Context()))
	require.NoError(t, <-first)
	require.Eventually(t, func() bool { return watcher.Stalled(0) == nil }, time.Minute, 20*time.Millisecond,
		"nobody of the ledger waits for the operator")
	require.NoError(t, operator.Commit(t.Context()))
	require.NoError(t, <-notOurs)
}

// A session of somebody else is never ended. It is named, with the whole time for which commits come and wait for it.
func TestStall_NamesASessionOfAnotherProgram(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	record := dbtest.Open(t, url)
	watcher := watch(t, record, time.Second)
	report := connectAs(t, url, "nightly report")
	holding, err := report.Begin(t.Context())
	require.NoError(t, err)
	_, err = holding.Exec(t.Context(), "SELECT FROM ledger_head FOR UPDATE")
	require.NoError(t, err)

	ended := make(chan struct{})
	go func() { // each commit waits less long than the session holds the head
		defer close(ended)
		for t.Context().Err() == nil {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			err := record.InTx(ctx, func(tx *db.Tx) error {
				_, err := tx.LockHead(ctx)
				return err
			})
			if cancel(); err == nil {
				return
			}
		}
	}()
	named := fmt.Sprintf("for the session %d of nightly report, which is idle in transaction", report.PgConn().PID())
	require.Eventually(t, func() bool {
		stalled := watcher.Stalled(8 * time.Second)
		return stalled != nil && strings.Contains(stalled.Error(), named)
	}, time.Minute, 20*time.Millisecond)
	require.NoError(t, holding.Commit(t.Context()), "it was not ended")
	<-ended
	require.Eventually(t, func() bool { return watcher.Stalled(0) == nil }, time.Minute, 20*time.Millisecond)
}
