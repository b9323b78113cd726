//go:build long

package e2e_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	sdkclient "go.temporal.io/sdk/client"
	sdkworker "go.temporal.io/sdk/worker"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/worker"
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
		Running: func(context.Context, string) ([]string, error) { return nil, nil },
		Own:     func(context.Context) ([]string, error) { return nil, nil }, Patience: patience, Now: time.Now,
	}
	_, _, err := workflows.OwnNamespace(t.Context(), temporal, claim)
	var owned *workflows.OtherOwnerError
	require.ErrorAs(t, err, &owned)
	claim.TakeFrom = owned.Owner.Database
	_, _, err = workflows.OwnNamespace(t.Context(), temporal, claim)
	var used *workflows.InUseError
	require.ErrorAs(t, err, &used)
	require.Len(t, used.Nodes, 1)
	require.Contains(t, used.Nodes[0], "florin/", "it is named")

	node.interrupt(t)
	claim.Patience = time.Second
	taken, _, err := workflows.OwnNamespace(t.Context(), temporal, claim)
	require.NoError(t, err)
	require.Equal(t, &owned.Owner, taken)
	taken, _, err = workflows.OwnNamespace(t.Context(), temporal, claim)
	require.NoError(t, err)
	require.Nil(t, taken, "it has it already")
}

// Running nodes note whose their namespace is again when nothing says it any more. Those that lose it to another ledger
// say so, and neither take work from it nor submit any to it.
func TestARunningNodeKeepsItsNamespaceAndNoticesItsLoss(t *testing.T) {
	t.Parallel()
	home := install(t)
	works := launch(t, "worker", home)
	api := launch(t, "api", home)
	works.awaitReady(t)
	api.awaitReady(t)
	alice := newAccount(t, api.endpoint, findDSO(t, api.endpoint), "alice", "alice")
	coin, err := api.admin().FindCoin(t.Context(), findDSO(t, api.endpoint))
	require.NoError(t, err)
	temporal := temporalClient(t, home.temporalAddress, home.namespace)
	note := temporal.ScheduleClient().GetHandle(t.Context(), "florin:owner")
	require.NoError(t, note.Delete(t.Context()))
	await(t, "the owner is noted again", func() error {
		_, err := note.Describe(t.Context())
		return err
	})

	claim := workflows.NamespaceClaim{
		Namespace: home.namespace, Owner: workflows.NamespaceOwner{Ledger: "another", Database: "elsewhere/1"},
	}
	await(t, "another ledger takes it, whatever guards it", func() error {
		_ = note.Delete(t.Context()) // a node may have been quicker
		taken, err := workflows.KeepNamespace(t.Context(), temporal, claim)
		if err == nil && !taken {
			err = errNotYet
		}
		return err
	})
	const said = "the Temporal namespace is another ledger's now: this process takes no work from it and submits " +
		"nothing to it"
	works.awaitLogged(t, said)
	api.awaitLogged(t, said)
	awaitReadyz(t, works.endpoint, 503, "belongs to the ledger another")
	awaitReadyz(t, api.endpoint, 503, "belongs to the ledger another")
	_, err = alice.SubmitAndWait(t.Context(), alice.tap(coin, "kept", 1))
	require.Equal(t, "SERVICE_NOT_RUNNING", client.Code(err))

	// Its own again: the API goes on, and the worker ends for its supervisor to start it again.
	require.NoError(t, note.Delete(t.Context()))
	works.waitEnd(t)
	require.NotZero(t, works.exitCode(t))
	require.Contains(t, works.stderr.String(), "so that its supervisor starts it again")
	serve(t, "worker", home)
	awaitReadyz(t, api.endpoint, 200, "passed")
	_, err = alice.SubmitAndWait(t.Context(), alice.tap(coin, "kept", 1))
	require.NoError(t, err)
}

// A namespace that was made anew under running nodes is not taken by a node of another ledger that comes first.
func TestANamespaceWithoutANoteIsNotTakenFromWorkersThatRun(t *testing.T) {
	t.Parallel()
	home := install(t)
	const stranger = "florin/0123456789ab"
	theirs, err := sdkclient.DialContext(t.Context(), sdkclient.Options{
		HostPort: home.temporalAddress, Namespace: home.namespace, Identity: stranger,
	})
	require.NoError(t, err)
	t.Cleanup(theirs.Close)
	running := sdkworker.New(theirs, workflows.SubmissionQueue, sdkworker.Options{LocalActivityWorkerOnly: true})
	worker.RegisterWorkflows(running)
	require.NoError(t, running.Start())
	t.Cleanup(running.Stop)
	temporal := temporalClient(t, home.temporalAddress, home.namespace)
	await(t, "the worker asks for work", func() error {
		queue, err := temporal.DescribeTaskQueue(t.Context(), workflows.SubmissionQueue, enumspb.TASK_QUEUE_TYPE_WORKFLOW)
		if err == nil && len(queue.GetPollers()) == 0 {
			err = errNotYet
		}
		return err
	})
	own := []string(nil)
	claim := workflows.NamespaceClaim{
		Namespace: home.namespace, Owner: workflows.NamespaceOwner{Ledger: "mine", Database: "here/1"},
		Own: func(context.Context) ([]string, error) { return own, nil }, Patience: patience, Now: time.Now,
	}
	_, _, err = workflows.OwnNamespace(t.Context(), temporal, claim)
	var strangers *workflows.StrangersError
	require.ErrorAs(t, err, &strangers)
	require.Equal(t, []string{stranger}, strangers.Nodes)
	require.ErrorContains(t, err, "--temporal-namespace")

	own = []string{stranger}
	taken, _, err := workflows.OwnNamespace(t.Context(), temporal, claim)
	require.NoError(t, err, "the ledger's own workers are no strangers")
	require.Nil(t, taken)
}
