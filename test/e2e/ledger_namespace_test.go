//go:build long

package e2e_test

import (
	"net"
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

// TestALedgerStaysWithItsTemporal has the record of a ledger say that it works in another Temporal: the address that
// its processes are given may be a mistake.
func TestALedgerStaysWithItsTemporal(t *testing.T) {
	t.Parallel()
	home := install(t)
	serve(t, "serve", home).interrupt(t)
	connection, err := pgx.Connect(t.Context(), home.databaseURL)
	require.NoError(t, err)
	defer connection.Close(t.Context())
	var server string
	read := func() string {
		require.NoError(t, connection.QueryRow(t.Context(), "SELECT server_id FROM temporal_namespace").Scan(&server))
		return server
	}
	first := read()
	require.NotEmpty(t, first)
	_, err = connection.Exec(t.Context(),
		"UPDATE temporal_namespace SET server_id = 'the-first', namespace_id = 'of-the-first'")
	require.NoError(t, err)
	for _, what := range []string{"serve", "api", "worker"} {
		refused := run(t, home.environment(), what, "--listen", "127.0.0.1:0")
		require.Equal(t, 1, refused.exitCode(t))
		for _, words := range []string{"the Temporal the-first", "the Temporal " + first, "--temporal-address"} {
			require.Contains(t, refused.stderr.String(), words)
		}
		require.Contains(t, refused.stderr.String(), "florin move-namespace "+home.namespace)
	}
	require.Equal(t, "the-first", read())

	requireDone(t, "move-namespace", home.namespace, "--database-url", home.databaseURL)
	serve(t, "serve", home).interrupt(t)
	require.Equal(t, first, read())

	// A process of a version that knows nothing of it left it out.
	_, err = connection.Exec(t.Context(), "UPDATE temporal_namespace SET server_id = ''")
	require.NoError(t, err)
	node := serve(t, "serve", home)
	require.Equal(t, first, read())
	node.interrupt(t)
	require.NotContains(t, node.stderr.String(), "another Temporal namespace than before")
}

// TestAProcessThatWorksInAnotherTemporalThanTheLedgerSaysSo has the record say, under a process that runs, that the
// ledger works elsewhere: one address leads its processes to several Temporals.
func TestAProcessThatWorksInAnotherTemporalThanTheLedgerSaysSo(t *testing.T) {
	t.Parallel()
	home := install(t)
	node := serve(t, "serve", home)
	connection, err := pgx.Connect(t.Context(), home.databaseURL)
	require.NoError(t, err)
	defer connection.Close(t.Context())
	var server, namespace string
	require.NoError(t, connection.QueryRow(t.Context(),
		"SELECT server_id, namespace_id FROM temporal_namespace").Scan(&server, &namespace))
	_, err = connection.Exec(t.Context(),
		"UPDATE temporal_namespace SET server_id = 'another', namespace_id = 'of-another'")
	require.NoError(t, err)
	awaitReadyz(t, node.endpoint, 503, "of the Temporal another")
	_, err = connection.Exec(t.Context(),
		"UPDATE temporal_namespace SET server_id = $1, namespace_id = $2", server, namespace)
	require.NoError(t, err)
	awaitReadyz(t, node.endpoint, 200, "passed")
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
	free := fresh
	free.namespace += "-free"
	registerNamespace(t, free)
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	for says, flags := range map[string][]string{
		"taken by another program: stop it, or choose another address with --listen": {"--listen", taken.Addr().String()},
		"choose another address with --profile-listen": {
			"--listen", "127.0.0.1:0", "--profile-listen", taken.Addr().String(),
		},
		"no such file": {"--listen", "127.0.0.1:0", "--tls-cert", "/nowhere.pem", "--tls-key", "/nowhere.key"},
	} {
		refused := run(t, free.environment(), append([]string{"serve", "--participant", "misspelt"}, flags...)...)
		require.Equal(t, 1, refused.exitCode(t))
		require.Contains(t, refused.stderr.String(), says)
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
