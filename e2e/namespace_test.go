package e2e_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db/dbtest"
)

// Two ledgers on one namespace would take each other's work, and so would a ledger and its copy.
func TestANamespaceHasOneLedger(t *testing.T) {
	t.Parallel()
	home := install(t)
	node := serve(t, "serve", home)
	alice := newAccount(t, node.endpoint, findDSO(t, node.endpoint), "alice", "alice")
	serve(t, "worker", home).interrupt(t) // another node of the same ledger
	var participant struct{ ParticipantID string }
	require.NoError(t, node.admin().Get(t.Context(), "/v2/parties/participant-id", &participant))

	stranger := home
	stranger.databaseURL = dbtest.Empty(t)
	require.Zero(t, run(t, stranger.environment(), "migrate").exitCode(t))
	for _, what := range []string{"serve", "api", "worker"} {
		refused := run(t, stranger.environment(), what, "--listen", "127.0.0.1:0")
		require.Equal(t, 1, refused.exitCode(t))
		require.Contains(t, refused.stderr.String(), `Temporal namespace "`+home.namespace+`" belongs to the ledger `+
			participant.ParticipantID)
	}

	// A copy of the ledger is told apart from it, and takes its place when it is told to.
	directory := t.TempDir() + "/backup"
	requireDone(t, "backup", directory, "--database-url", home.databaseURL)
	moved := home
	moved.databaseURL = dbtest.Empty(t)
	requireDone(t, "restore", directory, "--database-url", moved.databaseURL)
	refused := run(t, moved.environment(), "serve", "--listen", "127.0.0.1:0")
	require.Equal(t, 1, refused.exitCode(t))
	flag := regexp.MustCompile(`--take-namespace-from=[0-9]+/[0-9]+`).FindString(refused.stderr.String())
	require.NotEmpty(t, flag, "it says what to do: %s", refused.stderr)
	_, err := alice.LedgerEnd(t.Context())
	require.NoError(t, err, "the owner goes on")
	node.interrupt(t)
	taker := serve(t, "serve", moved, flag)
	coin, err := taker.admin().FindCoin(t.Context(), findDSO(t, taker.endpoint))
	require.NoError(t, err)
	alice = alice.on(taker.endpoint)
	_, err = alice.SubmitAndWait(t.Context(), alice.tap(coin, "moved", 1))
	require.NoError(t, err)
	serve(t, "worker", moved).interrupt(t) // without the flag: it has its place
	again := run(t, home.environment(), "serve", "--listen", "127.0.0.1:0")
	require.Equal(t, 1, again.exitCode(t), "the one that was replaced does not come back")
	require.Contains(t, again.stderr.String(), "--take-namespace-from=")
}
