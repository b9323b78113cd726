//go:build long

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// TestCluster_ResumesAFrozenProcess stops a process with SIGSTOP in the middle of a commit, while it holds the head
// lock. The other process logs it, ends the sessions and continues. When the first one runs again, it repeats its
// commit once.
func TestCluster_ResumesAFrozenProcess(t *testing.T) {
	t.Parallel()
	p := newPair(t, "--max-commit-wait", "3s")
	elsewhere := p.alice.on(p.second.endpoint)
	f := &faultyNode{t: t, servedNode: p.second, direct: p.installation}
	f.exec(`CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN IF NEW.command_id = 'frozen' THEN PERFORM pg_sleep(5); END IF; RETURN NEW; END $$`,
		`CREATE TRIGGER linger BEFORE INSERT ON completions FOR EACH ROW EXECUTE FUNCTION linger()`)
	require.NoError(t, p.alice.Submit(t.Context(), p.alice.tap(p.coin, "frozen", 1)))
	await(t, "the commit is in the middle", func() error { return lingers(t.Context(), p.databaseURL) })
	stopped := p.first // its worker got the first task together with the answer
	require.NoError(t, stopped.Signal(syscall.SIGSTOP))
	t.Cleanup(func() { _ = stopped.Signal(syscall.SIGCONT) })

	began := time.Now()
	await(t, "/readyz says what commits wait for", func() error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, _ = elsewhere.SubmitAndWait(ctx, elsewhere.tap(p.coin, "waits", 1)) // one submission must wait
		if status, text := f.readyz(); status != http.StatusServiceUnavailable || !strings.Contains(text, "commits have") {
			return fmt.Errorf("%d: %s", status, text)
		}
		return nil
	})
	require.Zero(t, elsewhere.awaitCompletion(t, "waits").Status.Code)
	t.Logf("commits went on after %s", time.Since(began))
	require.Less(t, time.Since(began), 45*time.Second, "before the server ends idle transactions")
	f.exec("DROP FUNCTION linger() CASCADE")

	require.NoError(t, stopped.Signal(syscall.SIGCONT))
	require.Zero(t, p.alice.awaitCompletion(t, "frozen").Status.Code)
	_, err := p.alice.SubmitAndWait(t.Context(), p.alice.tap(p.coin, "after", 1))
	require.NoError(t, err, "it works as before")
	completions, err := p.alice.completionsFrom(t.Context(), 0)
	require.NoError(t, err)
	count := 0
	for _, completion := range completions {
		if completion.CommandID == "frozen" {
			count++
		}
	}
	require.Equal(t, 1, count)
	f.requireReady()
}

func (f *faultyNode) requireReady() {
	f.t.Helper()
	await(f.t, "the node is ready", func() error {
		if status, text := f.readyz(); status != http.StatusOK {
			return errors.New(text)
		}
		return nil
	})
}

// lingers returns an error if no commit is in the middle.
func lingers(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var count int
	err = conn.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event = 'PgSleep'`).Scan(&count)
	if err == nil && count == 0 {
		err = errors.New("nobody sleeps")
	}
	return err
}
