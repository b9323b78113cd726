//go:build long

package e2e_test

import (
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	sdkclient "go.temporal.io/sdk/client"

	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger/workflowid"
	"github.com/florinledger/florin/workflows"
)

// TestNamespace_SeparatesLedgers runs three ledgers in one namespace: two different ones, and a copy of the first.
func TestNamespace_SeparatesLedgers(t *testing.T) {
	t.Parallel()
	home := install(t)
	other, moved := home, home
	other.databaseURL, moved.databaseURL = dbtest.Empty(t), dbtest.Empty(t)
	require.Zero(t, run(t, other.environment(), "migrate").exitCode(t))
	node := serve(t, "serve", home)
	alice := newAccount(t, node.endpoint, findDSO(t, node.endpoint), "alice", "alice")
	directory := t.TempDir() + "/backup"
	requireDone(t, "backup", directory, "--database-url", home.databaseURL)
	requireDone(t, "restore", directory, "--database-url", moved.databaseURL)

	o := &observedNode{servedNode: node, temporal: temporalClient(t, home.temporalAddress, home.namespace)}
	stranger, copied := serve(t, "serve", other), serve(t, "serve", moved)
	bob := newAccount(t, stranger.endpoint, findDSO(t, stranger.endpoint), "alice", "alice")
	for _, works := range []struct {
		account
		endpoint
	}{{alice, node.endpoint}, {bob, stranger.endpoint}, {alice.on(copied.endpoint), copied.endpoint}} {
		coin, err := works.admin().FindCoin(t.Context(), findDSO(t, works.endpoint))
		require.NoError(t, err)
		_, err = works.SubmitAndWait(t.Context(), works.tap(coin, "mint", 1))
		require.NoError(t, err)
	}
	o.find(t, 3, "FlorinCommandId = 'mint'")
	for _, home := range []installation{home, other, moved} {
		id := home.ledger(t)
		o.find(t, 1, "FlorinCommandId = 'mint' AND FlorinOutcome = 'accepted' AND "+workflows.OfLedger(id))
		rounds := workflows.ScheduleID(id, "rounds")
		require.NoError(t, o.temporal.ScheduleClient().GetHandle(t.Context(), rounds).Trigger(t.Context(),
			sdkclient.ScheduleTriggerOptions{}))
		await(t, "a run that a Schedule started", func() error {
			done, err := o.temporal.CountWorkflow(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{
				Query: "ExecutionStatus = 'Completed' AND WorkflowId STARTS_WITH '" + rounds + "-'",
			})
			if err == nil && done.GetCount() == 0 {
				err = errNotYet
			}
			return err
		})
	}
	all, err := o.temporal.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{PageSize: 1000})
	require.NoError(t, err)
	for _, workflow := range all.GetExecutions() {
		id, queue := workflow.GetExecution().GetWorkflowId(), workflow.GetTaskQueue()
		require.NotEqual(t, id, workflowid.Local(id), "each name has a ledger")
		require.Equal(t, strings.TrimSuffix(id, workflowid.Local(id)), strings.TrimSuffix(queue, workflowid.Local(queue)))
	}
}

// A fresh ledger keeps some settings of its first process forever, so a process that does not start must create
// nothing.
func TestStart_CreatesNoLedgerWhenRefused(t *testing.T) {
	t.Parallel()
	fresh := install(t)
	missing := fresh
	missing.namespace += "-missing"
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	refuse := func(at installation, says string, flags ...string) {
		t.Helper()
		refused := run(t, at.environment(), append([]string{"serve", "--participant", "misspelt"}, flags...)...)
		require.Equal(t, 1, refused.exitCode(t))
		require.Contains(t, refused.stderr.String(), says)
	}
	const listen = "--listen"
	refuse(missing, missing.namespace, listen, "127.0.0.1:0")
	refuse(fresh, "taken by another program: stop it, or choose another address with --listen", listen,
		taken.Addr().String())
	refuse(fresh, "choose another address with --profile-listen", listen, "127.0.0.1:0", "--profile-listen",
		taken.Addr().String())
	refuse(fresh, "no such file", listen, "127.0.0.1:0", "--tls-cert", "/nowhere.pem", "--tls-key", "/nowhere.key")
	connection, err := pgx.Connect(t.Context(), fresh.databaseURL)
	require.NoError(t, err)
	defer connection.Close(t.Context())
	for _, table := range []string{"ledger_settings", "node", "seal_keys"} {
		var rows int
		require.NoError(t, connection.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&rows))
		require.Zero(t, rows, table)
	}
}
