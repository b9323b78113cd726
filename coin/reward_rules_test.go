package coin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

// dsoDoes exercises a choice of AmuletRules as the DSO.
func dsoDoes[R, A any](n network, argument A) (R, error) {
	return ledgertest.Exercise[R](n.Ledger, ledgertest.As(dso), n.rules, argument)
}

func TestRewardRules_ClaimExpiredRewards(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	closed := create(t, n, coin.ClosedMiningRound{
		DSO: dso, Round: seven,
		IssuancePerValidatorRewardCoupon:     amount("0.2"),
		IssuancePerFeaturedAppRewardCoupon:   amount("100"),
		IssuancePerUnfeaturedAppRewardCoupon: amount("0.6"),
		IssuancePerSvRewardCoupon:            amount("3"),
		OptIssuancePerValidatorFaucetCoupon:  new(amount("570")),
	}, dso)
	of := coupons()
	input := func(name string) coin.TransferInput { return of[name](t, n) }
	apps := []lf.CID[coin.AppRewardCoupon]{
		*input("app reward").AppRewardCoupon, *input("featured app reward").AppRewardCoupon,
	}
	argument := coin.AmuletRulesClaimExpiredRewards{
		ClosedRoundCid:            closed,
		ValidatorRewardCouponCids: []lf.CID[coin.ValidatorRewardCoupon]{*input("validator reward").ValidatorRewardCoupon},
		AppCouponCids:             apps,
		SvRewardCouponCids:        []lf.CID[coin.SvRewardCoupon]{*input("super validator reward").SvRewardCoupon},
		OptValidatorFaucetCouponCids: &[]lf.CID[coin.ValidatorFaucetCoupon]{
			*input("validator faucet").Ext.OptInputValidatorFaucetCoupon,
		},
		OptLivenessRecordCids: &[]lf.CID[coin.ValidatorLivenessActivityRecord]{
			*input("validator liveness").ValidatorLivenessActivityRecord,
		},
	}
	result, err := dsoDoes[coin.AmuletRulesClaimExpiredRewardsResult](n, argument)
	require.NoError(t, err)
	// 3334 × 0.2 + 10 × 0.6 + 1.5 × 100 + 4 × 3 + 2 × 570
	require.Equal(t, "1974.8", payload(t, n, *result.UnclaimedRewardCid).Amount.Show())
	require.Empty(t, all[coin.AppRewardCoupon](t, n))
	require.True(t, n.supply(t).Minted.IsZero(), "an unclaimed reward is no coin")

	_, err = dsoDoes[coin.AmuletRulesClaimExpiredRewardsResult](n, argument)
	requireRefused(t, err, "CONTRACT_NOT_FOUND", "")
	result, err = dsoDoes[coin.AmuletRulesClaimExpiredRewardsResult](n,
		coin.AmuletRulesClaimExpiredRewards{ClosedRoundCid: closed})
	require.NoError(t, err)
	require.Nil(t, result.UnclaimedRewardCid)

	other := payload(t, n, closed)
	other.Round.Number = 8
	_, err = dsoDoes[coin.AmuletRulesClaimExpiredRewardsResult](n, coin.AmuletRulesClaimExpiredRewards{
		ClosedRoundCid: create(t, n, other, dso),
		AppCouponCids:  []lf.CID[coin.AppRewardCoupon]{*input("app reward").AppRewardCoupon},
	})
	requireRefused(t, err, general, "round 7, got dso 'DSO::1220d5', round 8")
}

func TestRewardRules_MergeUnclaimedRewards(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	var ids []lf.CID[coin.UnclaimedReward]
	for _, text := range []string{"1.5", "2", "0.0000000001"} {
		ids = append(ids, create(t, n, coin.UnclaimedReward{DSO: dso, Amount: amount(text)}, dso))
	}
	_, err := dsoDoes[coin.AmuletRulesMergeUnclaimedRewardsResult](n,
		coin.AmuletRulesMergeUnclaimedRewards{UnclaimedRewardCids: ids[:1]})
	requireRefused(t, err, assertion, "More than one unclaimed reward contracts")
	merged, err := dsoDoes[coin.AmuletRulesMergeUnclaimedRewardsResult](n,
		coin.AmuletRulesMergeUnclaimedRewards{UnclaimedRewardCids: ids})
	require.NoError(t, err)
	require.Equal(t, "3.5000000001", payload(t, n, merged.UnclaimedRewardCid).Amount.Show())
	require.Len(t, all[coin.UnclaimedReward](t, n), 1)
}

func TestRewardRules_ManagerAllocatesTheDevelopmentFund(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	fund := func(text string) lf.CID[coin.UnclaimedDevelopmentFundCoupon] {
		return create(t, n, coin.UnclaimedDevelopmentFundCoupon{DSO: dso, Amount: amount(text)}, dso)
	}
	merged, err := dsoDoes[coin.AmuletRulesMergeUnclaimedDevelopmentFundCouponsResult](n,
		coin.AmuletRulesMergeUnclaimedDevelopmentFundCoupons{
			UnclaimedDevelopmentFundCouponCids: []lf.CID[coin.UnclaimedDevelopmentFundCoupon]{fund("10"), fund("5.5")},
		})
	require.NoError(t, err)
	require.Equal(t, "15.5", payload(t, n, merged.UnclaimedDevelopmentFundCouponCid).Amount.Show())
	_, err = dsoDoes[coin.AmuletRulesMergeUnclaimedDevelopmentFundCouponsResult](n,
		coin.AmuletRulesMergeUnclaimedDevelopmentFundCoupons{})
	requireRefused(t, err, assertion, "More than one")

	allocate := func(manager ledger.Party, text string, life time.Duration,
		ids ...lf.CID[coin.UnclaimedDevelopmentFundCoupon],
	) (coin.AmuletRulesAllocateDevelopmentFundCouponResult, error) {
		return ledgertest.Exercise[coin.AmuletRulesAllocateDevelopmentFundCouponResult](n.Ledger, n.public(manager),
			n.rules, coin.AmuletRulesAllocateDevelopmentFundCoupon{
				UnclaimedDevelopmentFundCouponCids: ids, Beneficiary: bob, Amount: amount(text), ExpiresAt: n.at(life),
				Reason: "a grant", FundManager: manager,
			})
	}
	_, err = allocate(charlie, "1", day, merged.UnclaimedDevelopmentFundCouponCid)
	requireRefused(t, err, general, "names no development fund manager")
	rules := payload(t, n, n.rules)
	rules.ConfigSchedule.InitialValue.OptDevelopmentFundManager = new(charlie)
	n.rules = create(t, n, rules, dso)
	_, err = allocate(bob, "1", day, merged.UnclaimedDevelopmentFundCouponCid)
	requireRefused(t, err, assertion, "controller is the configured Development Fund manager: 'charlie::1220c4'")
	_, err = allocate(charlie, "1", 0, merged.UnclaimedDevelopmentFundCouponCid)
	requireRefused(t, err, tooLate, "DevelopmentFundCoupon.expiresAt")
	_, err = allocate(charlie, "16", day, merged.UnclaimedDevelopmentFundCouponCid)
	requireRefused(t, err, general, "0.5 is missing")

	granted, err := allocate(charlie, "15", day, merged.UnclaimedDevelopmentFundCouponCid)
	require.NoError(t, err)
	require.Equal(t, "0.5", payload(t, n, *granted.LeftoverCid).Amount.Show())
	coupon := payload(t, n, granted.DevelopmentFundCouponCid)
	require.Equal(t, []ledger.Party{bob, charlie}, []ledger.Party{coupon.Beneficiary, coupon.FundManager})
	_, err = n.transfer(coin.Transfer{Sender: bob, Provider: bob, Inputs: []coin.TransferInput{
		{DevelopmentFundCoupon: &granted.DevelopmentFundCouponCid},
	}}, n.roundZero())
	require.NoError(t, err)
	require.Equal(t, "15.0", n.held(t, bob))
	exact, err := allocate(charlie, "0.5", day, *granted.LeftoverCid)
	require.NoError(t, err)
	require.Nil(t, exact.LeftoverCid)
}

func TestRewardRules_ConvertMarkersToCoupons(t *testing.T) {
	t.Parallel()
	marked := func(t *testing.T, n network) (ids []lf.CID[coin.FeaturedAppActivityMarker]) {
		t.Helper()
		for _, m := range []struct {
			beneficiary ledger.Party
			weight      string
		}{{bob, "1"}, {alice, "0.5"}, {bob, "2.25"}} {
			ids = append(ids, create(t, n, coin.FeaturedAppActivityMarker{
				DSO: dso, Provider: provider, Beneficiary: m.beneficiary, Weight: amount(m.weight),
			}, dso))
		}
		return ids
	}
	convert := func(n network, round lf.CID[coin.OpenMiningRound], ids []lf.CID[coin.FeaturedAppActivityMarker]) (
		coin.AmuletRulesConvertFeaturedAppActivityMarkersResult, error,
	) {
		return dsoDoes[coin.AmuletRulesConvertFeaturedAppActivityMarkersResult](n,
			coin.AmuletRulesConvertFeaturedAppActivityMarkers{
				MarkerCids: ids, OpenMiningRoundCid: round, Observers: &[]ledger.Party{provider, bob, alice},
			})
	}
	t.Run("one for each provider and beneficiary", func(t *testing.T) {
		t.Parallel()
		n := startNetwork(t)
		ids := marked(t, n)
		_, err := convert(n, n.rounds[2], ids)
		requireRefused(t, err, assertion, "mining round is open")
		result, err := convert(n, n.rounds[1], ids)
		require.NoError(t, err)
		require.Len(t, result.AppRewardCouponCids, 2)
		require.Equal(t, []string{"alice::1220a1 100.0 of round 1", "bob::1220b0 650.0 of round 1"}, n.activityCoupons(t))
		require.Empty(t, n.markers(t))
		last := n.Transactions[len(n.Transactions)-1]
		require.Equal(t, []ledger.Party{dso, alice, bob, provider}, last.Nodes[0].Informees())
	})
	t.Run("none where rewards come from traffic", func(t *testing.T) {
		t.Parallel()
		n := startNetwork(t)
		round := payload(t, n, n.rounds[1])
		round.RewardConfig = rewards(coin.RewardVersionTrafficBased)
		result, err := convert(n, create(t, n, round, dso), marked(t, n))
		require.NoError(t, err)
		require.Empty(t, result.AppRewardCouponCids)
		require.Empty(t, n.markers(t))
	})
	t.Run("none where a marker counts nothing", func(t *testing.T) {
		t.Parallel()
		n := startNetwork(t)
		rules := payload(t, n, n.rules)
		rules.ConfigSchedule.InitialValue.FeaturedAppActivityMarkerAmount = new(amount("0"))
		rules.ConfigSchedule.InitialValue.TransferConfig.ExtraFeaturedAppRewardAmount = amount("0")
		n.rules = create(t, n, rules, dso)
		_, err := convert(n, n.rounds[1], marked(t, n))
		require.NoError(t, err)
		require.Empty(t, n.activityCoupons(t))
		require.Empty(t, n.markers(t))
	})
}
