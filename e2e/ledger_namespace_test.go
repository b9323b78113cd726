package e2e_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db/dbtest"
)

// What is submitted in one namespace is not done in another, so all processes of a ledger work in the same.
func TestALedgerHasOneNamespace(t *testing.T) {
	t.Parallel()
	home := install(t)
	node := serve(t, "serve", home)
	alice := newAccount(t, node.endpoint, findDSO(t, node.endpoint), "alice", "alice")
	coin, err := node.admin().FindCoin(t.Context(), findDSO(t, node.endpoint))
	require.NoError(t, err)

	other := home
	other.namespace += "-other"
	registerNamespace(t, other)
	elsewhere := temporalClient(t, other.temporalAddress, other.namespace)
	for _, what := range []string{"serve", "api", "worker"} {
		refused := run(t, other.environment(), what, "--listen", "127.0.0.1:0")
		require.Equal(t, 1, refused.exitCode(t))
		require.Contains(t, refused.stderr.String(), `this ledger works in Temporal namespace "`+home.namespace+
			`", and this process was given "`+other.namespace+`"`)
		require.Contains(t, refused.stderr.String(), "florin move-namespace "+other.namespace)
	}
	_, err = elsewhere.ScheduleClient().GetHandle(t.Context(), "florin:owner").Describe(t.Context())
	require.Error(t, err, "nothing is noted there")

	move := []string{"move-namespace", other.namespace, "--database-url", home.databaseURL}
	refused := run(t, nil, move...)
	require.Equal(t, 1, refused.exitCode(t))
	require.Contains(t, refused.stderr.String(), "processes of this ledger still run")
	_, err = alice.SubmitAndWait(t.Context(), alice.tap(coin, "before", 1))
	require.NoError(t, err)
	node.interrupt(t)
	requireDone(t, move...)
	before := run(t, home.environment(), "serve", "--listen", "127.0.0.1:0")
	require.Equal(t, 1, before.exitCode(t))
	require.Contains(t, before.stderr.String(), "--temporal-namespace="+other.namespace)

	moved := serve(t, "serve", other)
	alice = alice.on(moved.endpoint)
	_, err = alice.SubmitAndWait(t.Context(), alice.tap(coin, "after", 1))
	require.NoError(t, err)
}

// A fresh ledger keeps for good what its first process is given, so one that does not start gives it nothing.
func TestAProcessThatIsRefusedFoundsNoLedger(t *testing.T) {
	t.Parallel()
	home := install(t)
	serve(t, "serve", home).interrupt(t)
	fresh := home
	fresh.databaseURL = dbtest.Empty(t)
	require.Zero(t, run(t, fresh.environment(), "migrate").exitCode(t))
	for _, what := range []string{"worker", "serve"} {
		refused := run(t, fresh.environment(), what, "--listen", "127.0.0.1:0", "--participant", "misspelt")
		require.Equal(t, 1, refused.exitCode(t))
		require.Contains(t, refused.stderr.String(), "belongs to the ledger")
	}
	connection, err := pgx.Connect(t.Context(), fresh.databaseURL)
	require.NoError(t, err)
	defer connection.Close(t.Context())
	for _, table := range []string{
		"ledger_settings", "ledger_setting_changes", "node", "seal_keys", "temporal_namespace",
	} {
		var rows int
		require.NoError(t, connection.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&rows))
		require.Zero(t, rows, table)
	}
	fresh.namespace += "-fresh"
	registerNamespace(t, fresh)
	log := serve(t, "serve", fresh, "--participant", "right", "--log-level", "info")
	log.awaitLogged(t, "nothing said whose the Temporal namespace is, and nobody works in it: it was taken "+
		"for this ledger")
}
