package coin_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

func sha(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "|")))
	return hex.EncodeToString(sum[:])
}

func TestRewardBatch_HashesItsParts(t *testing.T) {
	t.Parallel()
	rewards := coin.RewardBatch{BatchOfMintingAllowances: &[]coin.MintingAllowance{
		{Provider: alice, Amount: amount("12.50")}, {Provider: bob, Amount: amount("3")},
	}}
	alices, bobs := sha("2", sha("alice::1220a1"), sha("12.5")), sha("2", sha("bob::1220b0"), sha("3.0"))
	require.Equal(t, sha("BatchOfMintingAllowances", "1", sha("2", alices, bobs)), rewards.Hash().Value)
	above := coin.RewardBatch{BatchOfBatches: &[]coin.Hash{rewards.Hash()}}
	require.Equal(t, sha("BatchOfBatches", "1", sha("1", rewards.Hash().Value)), above.Hash().Value)
}

// TestRewardAccounting_TurnsTrafficIntoCoupons runs all steps: a round closes, the DSO agrees on its rewards, and it
// creates, shows and expires the coupons.
func TestRewardAccounting_TurnsTrafficIntoCoupons(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	round := payload(t, n, n.rounds[0])
	round.RewardConfig = rewards(coin.RewardVersionTrafficBased)
	round.RewardConfig.DryRunVersion = new(coin.RewardVersionTrafficBased)
	n.rounds[0] = create(t, n, round, dso)
	n.Now = n.Now.Add(day)
	_, err := n.advance(0, "0.005")
	require.NoError(t, err)

	leaf := coin.RewardBatch{BatchOfMintingAllowances: &[]coin.MintingAllowance{
		{Provider: alice, Amount: amount("12.5")}, {Provider: bob, Amount: amount("3")},
	}}
	top := coin.RewardBatch{BatchOfBatches: &[]coin.Hash{leaf.Hash()}}
	var dryRuns []lf.CID[coin.CalculateRewardsV2]
	for id, calculate := range all[coin.CalculateRewardsV2](t, n) {
		require.Equal(t, coin.CalculateRewardsV2{
			DSO: dso, RoundClosedAt: n.at(day), RewardCouponTimeToLive: lf.RelTimeOf(36 * time.Hour), DryRun: calculate.DryRun,
		}, calculate)
		if calculate.DryRun {
			dryRuns = append(dryRuns, id)
			continue
		}
		_, err := dsoDoes[coin.AmuletRulesArchiveDryRunRewardAccountingV2Result](n,
			coin.AmuletRulesArchiveDryRunRewardAccountingV2{CalculateRewardsCids: []lf.CID[coin.CalculateRewardsV2]{id}})
		requireRefused(t, err, assertion, "CalculateRewardsV2 is in dry-run state")
		_, err = dsoDoes[coin.AmuletRulesStartProcessingRewardsV2Result](n,
			coin.AmuletRulesStartProcessingRewardsV2{CalculateRewardsCid: id, BatchHash: top.Hash()})
		require.NoError(t, err)
	}
	require.Len(t, dryRuns, 1)
	n.processBatches(t, top, leaf)
	_, err = dsoDoes[coin.AmuletRulesStartProcessingRewardsV2Result](n,
		coin.AmuletRulesStartProcessingRewardsV2{CalculateRewardsCid: dryRuns[0], BatchHash: leaf.Hash()})
	require.NoError(t, err)
	n.processBatches(t, leaf)
	require.Len(t, all[coin.RewardCouponV2](t, n), 2, "a trial creates none")

	byProvider := map[ledger.Party]lf.CID[coin.RewardCouponV2]{}
	for id, coupon := range all[coin.RewardCouponV2](t, n) {
		byProvider[coupon.Provider] = id
		require.Equal(t, n.at(day+36*time.Hour), coupon.ExpiresAt)
		require.Equal(t, coupon.Provider == alice, coupon.ProviderIsObserver)
	}
	n.unhideAndExpire(t, byProvider)
}

// processBatches opens the batches one after the other; bob's node cannot read coupons.
func (n network) processBatches(t *testing.T, batches ...coin.RewardBatch) {
	t.Helper()
	for _, batch := range batches {
		pending := all[coin.ProcessRewardsV2](t, n)
		require.Len(t, pending, 1)
		for id := range pending {
			process := func(batch coin.RewardBatch) error {
				_, err := ledgertest.Exercise[coin.ProcessRewardsV2ProcessBatchResult](n.Ledger, ledgertest.As(dso), id,
					coin.ProcessRewardsV2ProcessBatch{
						Batch:                          batch,
						ProvidersWithWrongVettingState: lf.Set[ledger.Party]{Map: lf.Map[ledger.Party, lf.Unit]{{Key: bob}}},
					})
				return err
			}
			requireRefused(t, process(coin.RewardBatch{BatchOfBatches: &[]coin.Hash{}}), assertion, "batch hash matches")
			require.NoError(t, process(batch))
			if batch.BatchOfMintingAllowances != nil {
				require.Equal(t, []ledger.Party{dso, alice}, n.Transactions[len(n.Transactions)-1].Nodes[0].Informees())
			}
		}
	}
}

func (n network) unhideAndExpire(t *testing.T, coupons map[ledger.Party]lf.CID[coin.RewardCouponV2]) {
	t.Helper()
	unhide := func(id lf.CID[coin.RewardCouponV2], providers ...ledger.Party) error {
		_, err := dsoDoes[coin.AmuletRulesUnhideRewardCouponsV2Result](n, coin.AmuletRulesUnhideRewardCouponsV2{
			RewardCouponCids: []lf.CID[coin.RewardCouponV2]{id}, Providers: providers,
		})
		return err
	}
	requireRefused(t, unhide(coupons[alice], alice), assertion, "provider is no observer on the coupon")
	requireRefused(t, unhide(coupons[bob], alice), assertion, "providers match coupons")
	require.NoError(t, unhide(coupons[bob], bob))
	claim := func(observers ...ledger.Party) error {
		var ids []lf.CID[coin.RewardCouponV2]
		for id := range all[coin.RewardCouponV2](t, n) {
			ids = append(ids, id)
		}
		_, err := dsoDoes[coin.AmuletRulesClaimExpiredRewardsV2Result](n, coin.AmuletRulesClaimExpiredRewardsV2{
			RewardCouponCids: ids, ExpiryObservers: observers,
		})
		return err
	}
	requireRefused(t, claim(alice, bob), tooEarly, "coupon.expiresAt")
	n.Now = n.Now.Add(36 * time.Hour)
	n.requireExpired(t, claim)
}

func (n network) requireExpired(t *testing.T, claim func(observers ...ledger.Party) error) {
	t.Helper()
	requireRefused(t, claim(alice), assertion, "expiryObservers match coupons")
	require.NoError(t, claim(bob, alice))
	requireRefused(t, claim(), assertion, "at least one coupon")
	for _, reward := range all[coin.UnclaimedReward](t, n) {
		require.Equal(t, "15.5", reward.Amount.Show())
	}
	require.Len(t, all[coin.UnclaimedReward](t, n), 1)
}
