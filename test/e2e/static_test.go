//go:build long

package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A static clock is not behind the first rounds: the coin works as soon as the node is ready.
func TestStaticClock_LetsCoinWorkAtOnce(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t), "--clock", "static")
	var version struct {
		Features struct {
			Experimental struct{ StaticTime struct{ Supported bool } }
		}
	}
	require.NoError(t, n.admin().Get(t.Context(), "/v2/version", &version))
	require.True(t, version.Features.Experimental.StaticTime.Supported, "TimeService is served")
	n.onboard(t, "alice")
	n.change(t, "alice", "", "/v0/wallet/tap", map[string]any{"amount": "10"}).ok(t, nil)
}
