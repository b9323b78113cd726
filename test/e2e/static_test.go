//go:build long

package e2e_test

import "testing"

// A static clock is not behind the first rounds: the coin works as soon as the node is ready.
func TestStaticClock_LetsCoinWorkAtOnce(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t), "--clock", "static")
	n.onboard(t, "alice")
	n.change(t, "alice", "", "/v0/wallet/tap", map[string]any{"amount": "10"}).ok(t, nil)
}
