//go:build dars

package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The steps of docs/guides/trade.md: the trading app settles between two users of the node, and between two parties
// that sign with their own keys.
func TestPublishedDARs_TradeOfTheGuideSettles(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t), "--demo")
	p := person{t: t, node: n}
	p.types("dar upload " + filepath.Join(os.Getenv("DARS"), "splice-token-test-trading-app-1.0.2.dar"))
	p.types("party new venue")
	executable, err := binary()
	require.NoError(t, err)
	path := t.TempDir()
	require.NoError(t, os.Symlink(executable, filepath.Join(path, "florin")))
	trade := func(arguments ...string) string {
		command := exec.CommandContext(t.Context(), "node", append([]string{"../../docs/examples/trade.mjs"}, arguments...)...)
		command.Env = append(os.Environ(), "FLORIN_URL="+n.info.URL, "PATH="+path+":"+os.Getenv("PATH"))
		printed, err := command.CombinedOutput()
		require.NoError(t, err, "%s", printed)
		return strings.TrimSpace(string(printed))
	}
	require.Equal(t, "settled: alice paid 10 and got 20", trade())
	require.Equal(t, "settled: carl paid 10 and got 20", trade("external"))
	require.Contains(t, p.types("history bob"), "10 CC")
}
