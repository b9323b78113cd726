//go:build long

package lifecycles_test

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/automation"
)

// longTick is half the life of a round: a year has 26 ticks.
const longTick = 14 * day

// yearOutcome is the outcome of a year.
type yearOutcome struct {
	open      []int64
	balances  map[string]string
	coins     map[string]int
	unclaimed string
	// burned are the times of the expiry of dust.
	burned []time.Duration
}

// A year on a simulated clock has the same outcome for any number of advances.
//
// contract: dust
func TestClock_ReachesTheSameYearInAnySteps(t *testing.T) {
	t.Parallel()
	outcomes := make([]yearOutcome, 2)
	t.Run("advanced", func(t *testing.T) {
		for i, pieces := range []int{1, 97} {
			t.Run(strconv.Itoa(pieces), func(t *testing.T) {
				t.Parallel()
				outcomes[i] = liveAYear(t, pieces)
			})
		}
	})
	require.Equal(t, outcomes[0], outcomes[1])
	require.NotEmpty(t, outcomes[0].burned)
	require.Greater(t, outcomes[0].open[0], int64(20))
}

func liveAYear(t *testing.T, pieces int) yearOutcome {
	t.Helper()
	n := newNodeOf(t, nodeOptions{
		roundZero: 2 * longTick, tick: longTick, static: true, kinds: func(n *node) []automation.Automation {
			expiry, err := automation.Expiry(n.packages)
			require.NoError(n.t, err)
			return append(rewards(n), expiry)
		},
	})
	alice, bob := n.party("alice"), n.party("bob")
	n.wallet(alice)
	n.advance(time.Second) // the first round opens just after the clock's time
	for _, amount := range []string{"0.00001", "0.02", "0.04", "0.1", "100.0"} {
		n.tap(bob, amount) // bob has no wallet here, so nobody merges his coin
	}
	n.earn(alice, "100.0")
	n.earn(bob, "7.0")
	began := n.now()
	const year = 365 * day
	for piece := range pieces {
		n.advance(began.Add(year * time.Duration(piece+1) / time.Duration(pieces)).Sub(n.now()))
	}
	require.Equal(t, began.Add(year), n.now())
	require.Empty(t, n.troubles(automation.KindExpiry))
	require.Empty(t, n.troubles(automation.KindRewards))
	require.Empty(t, n.troubles(automation.KindRounds))
	outcome := yearOutcome{open: n.openRounds(), balances: map[string]string{}, coins: map[string]int{}}
	for name, party := range map[string]ledger.Party{"alice": alice, "bob": bob} {
		outcome.balances[name], outcome.coins[name] = n.balance(party), n.coinsOf(party)
	}
	unclaimed := decimal.Decimal{}
	for _, reward := range active[coin.UnclaimedReward](n) {
		var err error
		unclaimed, err = unclaimed.Add(reward.Payload.Amount)
		require.NoError(t, err)
	}
	outcome.unclaimed = unclaimed.Show()
	completions, err := n.db.Completions(t.Context(), db.CompletionsQuery{
		User: new(ledger.DefaultUser(n.identity.OperatorUser)), Parties: []ledger.Party{n.identity.DSO},
		UpTo: math.MaxInt64, Limit: 5000,
	})
	require.NoError(t, err)
	for _, completion := range completions {
		if strings.HasPrefix(completion.CommandID, "burn-dust") {
			outcome.burned = append(outcome.burned, completion.RecordTime.Sub(began).Round(time.Second))
		}
	}
	t.Log(outcome)
	return outcome
}
