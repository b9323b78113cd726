//go:build long

package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/devnet/runfile"
)

// TestUp_StopsAndStartsTheNodeAlone stops API and worker while PostgreSQL and Temporal keep running, and starts them
// again.
func TestUp_StopsAndStartsTheNodeAlone(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	at := []string{"--data-dir", dir}
	mistake{"start", 3, []string{"no node runs on data directory", "`florin up"}}.try(t, at...)
	mistake{"stop --node", 3, []string{"no node runs on data directory"}}.try(t, at...)

	n := up(t, dir)
	p := person{t: t, node: n}
	p.types("party new alice")
	p.types("tap alice 100")
	require.Equal(t, "the node is running\n", requireDone(t, append([]string{"start"}, at...)...))
	for range 2 {
		require.Contains(t, requireDone(t, append([]string{"stop", "--node"}, at...)...), "the node is stopped")
		_, err := n.admin().LedgerEnd(t.Context())
		require.Error(t, err, "nobody serves the API")
		status := run(t, nil, append([]string{"status"}, at...)...)
		require.Equal(t, 3, status.exitCode(t))
		require.Contains(t, status.stdout.String(),
			"the node is stopped: PostgreSQL and Temporal keep running, `florin start --data-dir ")
		audited := requireDone(t, append([]string{"audit"}, at...)...)
		require.Contains(t, audited, "supply and holdings agree", "PostgreSQL answers")
		_, err = temporalClient(t, n.info.TemporalAddress, "default").CheckHealth(t.Context(), nil)
		require.NoError(t, err)

		require.Equal(t, "the node is running\n", requireDone(t, append([]string{"start"}, at...)...))
		again, err := runfile.Read(dir)
		require.NoError(t, err)
		require.Equal(t, n.info, again, "all addresses are the same")
		p.types("tap alice 1")
	}
	require.Contains(t, requireDone(t, append([]string{"balance", "alice"}, at...)...), "20400 CC")
	require.Contains(t, requireDone(t, append([]string{"stop", "--node"}, at...)...), "the node is stopped")
	n.interrupt(t)
}
