package lifecycles_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/automation"
)

// rewards is the automations for rounds, and for rewards and merges of wallets.
func rewards(n *node) []automation.Automation {
	n.t.Helper()
	collect, err := automation.Rewards(n.packages)
	require.NoError(n.t, err)
	return []automation.Automation{automation.Rounds(), collect}
}

// coinsOf counts a party's holdings.
func (n *node) coinsOf(owner ledger.Party) (count int) {
	n.t.Helper()
	for _, holding := range active[coin.Amulet](n) {
		if holding.Payload.Owner == owner {
			count++
		}
	}
	return count
}

// earn records app activity of a party in the newest open round.
func (n *node) earn(provider ledger.Party, amount string) {
	n.t.Helper()
	for _, round := range active[coin.OpenMiningRound](n) {
		if string(round.ID) == string(n.round()) {
			n.submit([]ledger.Party{n.identity.DSO}, create(n, coin.AppRewardCoupon{
				DSO: n.identity.DSO, Provider: provider, Amount: decimal.MustParse(amount), Round: round.Payload.Round,
			}))
		}
	}
}

func TestRewards_MergeCoinOfWallets(t *testing.T) {
	t.Parallel()
	n := newNodeWith(t, 2*tick, rewards)
	alice, bob, carol := n.party("alice"), n.party("bob"), n.party("carol")
	n.wallet(alice)
	n.wallet(bob)
	for range 3 {
		n.tap(alice, "5.0")
		n.tap(carol, "5.0")
	}
	n.tap(bob, "5.0")
	n.advance(5 * time.Minute)
	require.Equal(t, 1, n.coinsOf(alice))
	require.Equal(t, "15.0", n.balance(alice))
	require.Equal(t, 1, n.coinsOf(bob))
	require.Equal(t, 3, n.coinsOf(carol), "a party without a wallet is not merged")
}

// contract: auto-rewards
func TestRewards_AreMintedWhenTheirRoundIssues(t *testing.T) {
	t.Parallel()
	n := newNodeWith(t, 2*tick, rewards)
	alice, carol := n.party("alice"), n.party("carol")
	n.wallet(alice)
	n.earn(alice, "100.0")
	n.earn(alice, "50.0")
	n.earn(carol, "7.0")

	n.advance(90 * day)
	require.Equal(t, "90.0", n.balance(alice), "0.6 for each coin of unfeatured activity")
	require.Equal(t, 1, n.coinsOf(alice))
	require.Empty(t, active[coin.AppRewardCoupon](n), "the other coupons have expired")
	unclaimed := decimal.Decimal{}
	for _, reward := range active[coin.UnclaimedReward](n) {
		var err error
		unclaimed, err = unclaimed.Add(reward.Payload.Amount)
		require.NoError(t, err)
	}
	require.Positive(t, unclaimed.Sign())
	require.Empty(t, n.troubles(automation.KindRewards))
}
