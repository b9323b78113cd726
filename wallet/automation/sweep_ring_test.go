package automation_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/automation"
)

// to is a sweep to a receiver.
func to(receiver ledger.Party) automation.SweepConfig {
	config := sweepConfig("10")
	config.Receiver = receiver
	return config
}

func TestSweepRing_MovesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sweeps map[ledger.Party]automation.SweepConfig
		want   string
	}{
		"two": {map[ledger.Party]automation.SweepConfig{alice: to(bob), bob: to(alice)}, "bob::1220b0 sweeps back to"},
		"three": {
			map[ledger.Party]automation.SweepConfig{alice: to(bob), bob: to(charlie), charlie: to(alice)},
			"charlie::1220c4 sweeps back to",
		},
		"into a ring of others": {
			map[ledger.Party]automation.SweepConfig{alice: to(bob), bob: to(charlie), charlie: to(bob)}, "",
		},
		"a chain": {map[ledger.Party]automation.SweepConfig{alice: to(bob), bob: to(charlie)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "1.0", false)
			w.sweeps = c.sweeps
			w.hold(alice, "1000.0")
			step, commands := w.decide(w.sweeping(), alice)
			if c.want == "" {
				require.Len(t, commands, 1)
				require.Empty(t, step.Trouble)
				return
			}
			require.Empty(t, commands, "coin that goes round is not moved")
			require.Contains(t, step.Trouble, c.want)
			require.True(t, step.Until.After(now), "it is looked at again")
		})
	}
}

func TestSweepRing_ChainHasAnEnd(t *testing.T) {
	t.Parallel()
	wallet := func(number int) ledger.Party { return ledger.Party(fmt.Sprintf("w%d::1220", number)) }
	for length, refused := range map[int]bool{99: false, 100: true, 1_000_000: true} {
		asked := 0
		wrong, err := automation.SweepRing(wallet(0), wallet(1),
			func(party ledger.Party) (automation.SweepConfig, bool, error) {
				asked++
				return to(wallet(asked + 1)), asked <= length, nil
			})
		require.NoError(t, err)
		require.Equal(t, refused, wrong != "", "%d more wallets: %s", length, wrong)
		require.LessOrEqual(t, asked, 100)
	}
}
