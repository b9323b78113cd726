package postgres_test

import (
	"bytes"
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/devnet/postgres"
)

// dataDir is a short path, as a Unix socket in it needs, that an unprivileged server can reach.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "fl-pg-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o711))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

func start(t *testing.T, options postgres.Options) *postgres.Server {
	t.Helper()
	options.Log = &testLog{t: t}
	server, err := postgres.Start(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	return server
}

// testLog shows the server's log when a test fails.
type testLog struct {
	mu   sync.Mutex
	t    *testing.T
	text bytes.Buffer
}

func (l *testLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text.Len() == 0 {
		l.t.Cleanup(func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.t.Failed() {
				l.t.Log(l.text.String())
			}
		})
	}
	return l.text.Write(p)
}

func query(t *testing.T, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	var answer string
	require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&answer))
	return answer
}

func execute(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	_, err = conn.Exec(t.Context(), sql)
	require.NoError(t, err)
}

func waitFor(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		require.FailNow(t, "timed out waiting for "+what)
	}
}

func TestDataSurvivesStopAndStart(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	first := start(t, postgres.Options{Dir: dir})
	require.NoError(t, first.EnsureDatabase(t.Context(), "ledger"))
	require.NoError(t, first.EnsureDatabase(t.Context(), "ledger"), "a database that exists is fine")
	execute(t, first.URL("ledger"), "create table t as select 'kept' as x")
	require.NoError(t, first.Stop(t.Context()))
	waitFor(t, "Done after Stop", first.Done())

	second := start(t, postgres.Options{Dir: dir})
	require.Equal(t, "kept", query(t, second.URL("ledger"), "select x from t"))
	require.Equal(t, "kept", query(t, second.SocketURL("ledger"), "select x from t"))
}
