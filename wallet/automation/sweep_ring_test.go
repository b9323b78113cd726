package automation_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/automation"
)

func to(receiver ledger.Party) automation.SweepConfig {
	config := sweepConfig("10")
	config.Receiver = receiver
	return config
}

func TestSweep_RefusesARing(t *testing.T) {
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
			require.Empty(t, commands, "no sweep in a ring")
			require.Contains(t, step.Trouble, c.want)
			require.True(t, step.Until.After(now), "the next look")
		})
	}
}

func TestSweepRing_LimitsTheChain(t *testing.T) {
	t.Parallel()
	wallet := func(number int) ledger.Party { return ledger.Party(fmt.Sprintf("w%d::1220", number)) }
	for length, refused := range map[int]bool{99: false, 100: true, 1_000_000: true} {
		calls := 0
		wrong, err := automation.SweepRing(wallet(0), wallet(1),
			func(party ledger.Party) (automation.SweepConfig, bool, error) {
				calls++
				return to(wallet(calls + 1)), calls <= length, nil
			})
		require.NoError(t, err)
		require.Equal(t, refused, wrong != "", "%d more wallets: %s", length, wrong)
		require.LessOrEqual(t, calls, 100)
	}
}
