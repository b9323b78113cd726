package e2e_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/workflows"
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
	tooEarly := run(t, moved.environment(), "serve", "--listen", "127.0.0.1:0", flag)
	require.Equal(t, 1, tooEarly.exitCode(t))
	require.Contains(t, tooEarly.stderr.String(), "whose nodes still run")
	require.Contains(t, tooEarly.stderr.String(), "stop them all")
	_, err = alice.LedgerEnd(t.Context())
	require.NoError(t, err, "the owner goes on")
	node.interrupt(t)
	taker := serve(t, "serve", moved, flag)
	taking := taker.awaitLogged(t,
		"the Temporal namespace was taken over: nodes of the database before must never run again")
	require.Equal(t, "WARN", taking["level"])
	require.Equal(t, participant.ParticipantID, taking["from_ledger"])
	require.Equal(t, strings.TrimPrefix(flag, "--take-namespace-from="), taking["from_database"])
	coin, err := taker.admin().FindCoin(t.Context(), findDSO(t, taker.endpoint))
	require.NoError(t, err)
	alice = alice.on(taker.endpoint)
	_, err = alice.SubmitAndWait(t.Context(), alice.tap(coin, "moved", 1))
	require.NoError(t, err)
	serve(t, "worker", moved).interrupt(t) // without the flag: it has its place
	repeated := serve(t, "worker", moved, flag)
	repeated.awaitLogged(t, "nothing was taken, the Temporal namespace is this ledger's: leave --take-namespace-from out")
	repeated.interrupt(t)
	again := run(t, home.environment(), "serve", "--listen", "127.0.0.1:0")
	require.Equal(t, 1, again.exitCode(t), "the one that was replaced does not come back")
	require.Contains(t, again.stderr.String(), "--take-namespace-from=")
}

// Where the database before is on another server, its workers are found by what they take from Temporal; the list of
// those that have asked for work keeps them for minutes after their end.
func TestANamespaceIsNotTakenFromWorkersThatRun(t *testing.T) {
	t.Parallel()
	home := install(t)
	node := serve(t, "serve", home)
	temporal := temporalClient(t, home.temporalAddress, home.namespace)
	claim := workflows.NamespaceClaim{
		Namespace: home.namespace, Owner: workflows.NamespaceOwner{Ledger: "another", Database: "elsewhere/1"},
		Running: func(context.Context, string) ([]string, error) { return nil, nil }, Patience: patience, Now: time.Now,
	}
	_, err := workflows.OwnNamespace(t.Context(), temporal, claim)
	var owned *workflows.OtherOwnerError
	require.ErrorAs(t, err, &owned)
	claim.TakeFrom = owned.Owner.Database
	_, err = workflows.OwnNamespace(t.Context(), temporal, claim)
	var used *workflows.InUseError
	require.ErrorAs(t, err, &used)
	require.Len(t, used.Nodes, 1)
	require.Contains(t, used.Nodes[0], "florin/", "it is named")

	node.interrupt(t)
	claim.Patience = time.Second
	taken, err := workflows.OwnNamespace(t.Context(), temporal, claim)
	require.NoError(t, err)
	require.Equal(t, &owned.Owner, taken)
	taken, err = workflows.OwnNamespace(t.Context(), temporal, claim)
	require.NoError(t, err)
	require.Nil(t, taken, "it has it already")
}
