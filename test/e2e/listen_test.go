package e2e_test

import "testing"

// TestListen_RefusesOtherMachinesWithTheSharedSecret starts nodes at public addresses with the shared secret: they must
// end before a client can connect.
func TestListen_RefusesOtherMachinesWithTheSharedSecret(t *testing.T) {
	t.Parallel()
	for name, arguments := range map[string][]string{
		"serve": {"serve", "--database-url", "postgres://florin@127.0.0.1:1/none", "--temporal-address", "127.0.0.1:1"},
		"up":    {"up", "--data-dir", dataDir(t)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireRefused(t, "can be reached from other machines", append(arguments, "--listen", "0.0.0.0:0")...)
		})
	}
}
