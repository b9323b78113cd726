//go:build long

package e2e_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/devnet/runfile"
)

// codeDuplicate is the gRPC code ALREADY_EXISTS, which DUPLICATE_COMMAND has.
const codeDuplicate = 6

// state must be the same after a restart.
type state struct {
	end         int64
	completions []client.Completion
	holdings    []client.CreatedEvent
	users       any
	parties     []string
}

func stateOf(t *testing.T, e endpoint, a account) state {
	t.Helper()
	var s state
	var err error
	s.end, err = e.admin().LedgerEnd(t.Context())
	require.NoError(t, err)
	s.completions, err = a.completionsFrom(t.Context(), 0)
	require.NoError(t, err)
	s.holdings, err = a.ActiveContracts(t.Context(), s.end, a.parties[0], client.AmuletTemplate)
	require.NoError(t, err)
	require.NoError(t, e.admin().Get(t.Context(), "/v2/users", &s.users))
	s.parties, err = e.admin().Parties(t.Context(), "")
	require.NoError(t, err)
	return s
}

// requireUnchanged checks that nothing is lost. The record may grow, because the node commits by itself.
func requireUnchanged(t *testing.T, before, after state) {
	t.Helper()
	require.GreaterOrEqual(t, after.end, before.end)
	after.end = before.end
	require.Equal(t, before, after)
}

// requireAlive checks that new submissions are committed and repeated ones are not.
func requireAlive(t *testing.T, a account, coin client.Coin, commandID, earlier string) {
	t.Helper()
	_, err := a.SubmitAndWait(t.Context(), a.tap(coin, commandID, 1))
	require.NoError(t, err)
	_, err = a.SubmitAndWait(t.Context(), a.tap(coin, earlier, 1))
	require.Equal(t, "DUPLICATE_COMMAND", client.Code(err), "%v", err)
}

func TestUp_KeepsEverythingOverARestart(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t))
	alice := newAccount(t, n.endpoint, n.info.DSO, "alice", "alice")
	coin, err := n.admin().FindCoin(t.Context(), n.info.DSO)
	require.NoError(t, err)
	const taps = 3
	for i := range taps {
		_, err := alice.SubmitAndWait(t.Context(), alice.tap(coin, fmt.Sprintf("mint-%d", i), 10))
		require.NoError(t, err)
	}
	before := stateOf(t, n.endpoint, alice)
	require.Len(t, before.completions, taps)
	require.Len(t, before.holdings, taps)
	n.interrupt(t)

	n = up(t, n.dir)
	alice = alice.on(n.endpoint)
	requireUnchanged(t, before, stateOf(t, n.endpoint, alice))
	repeated := alice.tap(coin, "mint-0", 10)
	repeated.SubmissionID = "again"
	require.NoError(t, alice.Submit(t.Context(), repeated), "the refusal comes as a completion")
	await(t, "the completion of the repeated submission", func() error {
		after, err := alice.completionsFrom(t.Context(), before.end)
		if err != nil {
			return err
		}
		if len(after) != 1 {
			return fmt.Errorf("%d completions since the restart", len(after))
		}
		require.Equal(t, "again", after[0].SubmissionID)
		require.EqualValues(t, codeDuplicate, after[0].Status.Code)
		require.Contains(t, after[0].Status.Message, "DUPLICATE_COMMAND")
		require.Greater(t, after[0].Offset, before.end)
		return nil
	})
	requireAlive(t, alice, coin, "mint-after", "mint-1")
}

func TestUp_RecoversFromSIGKILL(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t))
	alice := newAccount(t, n.endpoint, n.info.DSO, "alice", "alice")
	coin, err := n.admin().FindCoin(t.Context(), n.info.DSO)
	require.NoError(t, err)
	_, err = alice.SubmitAndWait(t.Context(), alice.tap(coin, "first", 10))
	require.NoError(t, err)
	before := stateOf(t, n.endpoint, alice)

	// The whole node, without its PostgreSQL and Temporal.
	family := descendants(t, n.PID())
	n.kill(t)
	n = up(t, n.dir)
	alice = alice.on(n.endpoint)
	requireUnchanged(t, before, stateOf(t, n.endpoint, alice))
	requireAlive(t, alice, coin, "second", "first")
	for _, process := range processes(t) {
		require.NotContains(t, family, process.pid, "of the killed node there still runs %s", process.command)
	}

	// PostgreSQL: the node ends, and says why.
	killProcesses(t, n.info.PIDs.Postgres)
	n.waitEnd(t)
	require.Equal(t, 1, n.exitCode(t))
	require.Contains(t, n.stderr.String(), "the PostgreSQL server stopped unexpectedly; see its log, "+n.dir)
	requireGone(t, n.dir, family)
	n = up(t, n.dir)
	alice = alice.on(n.endpoint)
	requireAlive(t, alice, coin, "third", "second")
	n.interrupt(t)
}

func TestUp_RestartsTemporal(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t))
	alice := newAccount(t, n.endpoint, n.info.DSO, "alice", "alice")
	coin, err := n.admin().FindCoin(t.Context(), n.info.DSO)
	require.NoError(t, err)
	_, err = alice.SubmitAndWait(t.Context(), alice.tap(coin, "before", 10))
	require.NoError(t, err)

	killProcesses(t, child(t, n.PID(), "temporal-dev"))
	// Without Temporal, an acknowledged submission still completes; a refused one has a retryable error.
	acknowledged := 0
	await(t, "submissions are taken again", func() error {
		commandID := fmt.Sprintf("meanwhile-%d", acknowledged)
		err := alice.Submit(t.Context(), alice.tap(coin, commandID, 1))
		if err != nil {
			require.Equal(t, "SERVICE_NOT_RUNNING", client.Code(err), "%v", err)
			return err
		}
		if acknowledged++; acknowledged < 5 {
			return fmt.Errorf("%d submissions acknowledged", acknowledged)
		}
		return nil
	})
	for i := range acknowledged {
		require.Zero(t, alice.awaitCompletion(t, fmt.Sprintf("meanwhile-%d", i)).Status.Code)
	}
	require.Contains(t, n.stdout.String(), "starting the Temporal server again: pid ")
	requireAlive(t, alice, coin, "after", "before")
	_, err = temporalClient(t, n.info.TemporalAddress, "default").CheckHealth(t.Context(), nil)
	require.NoError(t, err, "Temporal has the same address")
	again := child(t, n.PID(), "temporal-dev")
	require.NotEqual(t, n.info.PIDs.Temporal, again)
	await(t, "the note has Temporal's process", func() error {
		noted, err := runfile.Read(n.dir)
		if err == nil && noted.PIDs.Temporal != again {
			err = fmt.Errorf("it has %d and not %d", noted.PIDs.Temporal, again)
		}
		return err
	})
	n.interrupt(t)
}

// TestUp_EndsWhenPostgreSQLDiesWhileTemporalStartsAgain: it only supervises Temporal, and says why it ends.
func TestUp_EndsWhenPostgreSQLDiesWhileTemporalStartsAgain(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t))
	alice := newAccount(t, n.endpoint, n.info.DSO, "alice", "alice")
	coin, err := n.admin().FindCoin(t.Context(), n.info.DSO)
	require.NoError(t, err)
	_, err = alice.SubmitAndWait(t.Context(), alice.tap(coin, "before", 10))
	require.NoError(t, err)
	family := descendants(t, n.PID())
	killProcesses(t, n.info.PIDs.Temporal)
	n.waitFor(t, "starting the Temporal server again")
	killProcesses(t, n.info.PIDs.Postgres)
	n.waitEnd(t)
	require.Equal(t, 1, n.exitCode(t))
	require.Contains(t, n.stderr.String(), "the PostgreSQL server stopped unexpectedly; see its log, "+n.dir)
	requireGone(t, n.dir, family)
	n = up(t, n.dir)
	requireAlive(t, alice.on(n.endpoint), coin, "after", "before")
	n.interrupt(t)
}
