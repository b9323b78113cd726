package coin_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// issuedAmounts are the amounts that a round issues, in the order of the fields of IssuingMiningRound, then the rest.
type issuedAmounts struct{ validator, featured, unfeatured, sv, faucet, unclaimed, fund string }

// issue lets round 0 issue for the activity.
func (n network) issue(t *testing.T, config coin.IssuanceConfig, summary coin.OpenMiningRoundSummary) issuedAmounts {
	t.Helper()
	round := create(t, n, coin.SummarizingMiningRound{
		DSO: dso, AmuletPrice: amount("0.005"), IssuanceConfig: config, TickDuration: lf.RelTimeOf(tick),
	}, dso)
	started, err := n.startIssuing(round, summary)
	require.NoError(t, err)
	issuing := payload(t, n, started.IssuingRoundCid)
	show := func(amount decimal.Decimal) string { return amount.Show() }
	result := issuedAmounts{
		validator: show(issuing.IssuancePerValidatorRewardCoupon), featured: show(issuing.IssuancePerFeaturedAppRewardCoupon),
		unfeatured: show(issuing.IssuancePerUnfeaturedAppRewardCoupon), sv: show(issuing.IssuancePerSvRewardCoupon),
		faucet: show(*issuing.OptIssuancePerValidatorFaucetCoupon), unclaimed: "none", fund: "none",
	}
	for _, reward := range all[coin.UnclaimedReward](t, n) {
		result.unclaimed = show(reward.Amount)
	}
	if started.UnclaimedDevelopmentFundCouponCid != nil {
		result.fund = show(payload(t, n, *started.UnclaimedDevelopmentFundCouponCid).Amount)
	}
	return result
}

// usualIssuance is that of the network's first half year: 40,000,000,000 coins a year, so 761035.0076103501 a round.
func usualIssuance() coin.IssuanceConfig {
	return usualGenesis().Config.IssuanceCurve.InitialValue
}

func TestIssuance_FollowsTheFormula(t *testing.T) {
	t.Parallel()
	type summary = coin.OpenMiningRoundSummary
	for name, c := range map[string]struct {
		config  func(config *coin.IssuanceConfig)
		summary summary
		want    issuedAmounts
	}{
		"the caps, when nobody was active": {
			want: issuedAmounts{
				validator: "0.2", featured: "100.0", unfeatured: "0.6", sv: "578386.6057838661", faucet: "570.0",
				unclaimed: "722983.2572298326", fund: "38051.7503805175",
			},
		},
		"the caps, when there is more than enough": {
			summary: summary{
				TotalValidatorRewardCoupons: amount("1000"), TotalFeaturedAppRewardCoupons: amount("200"),
				TotalUnfeaturedAppRewardCoupons: amount("50"), TotalSvRewardWeight: 4,
				OptTotalValidatorFaucetCoupons: new(int64(10)),
			},
			want: issuedAmounts{
				validator: "0.2", featured: "100.0", unfeatured: "0.6", sv: "144596.6514459665", faucet: "570.0",
				unclaimed: "118666.6514459666", fund: "38051.7503805175",
			},
		},
		"shares, when there is not enough": {
			summary: summary{
				TotalValidatorRewardCoupons: amount("400000"), TotalFeaturedAppRewardCoupons: amount("100000"),
				TotalUnfeaturedAppRewardCoupons: amount("300000"), TotalSvRewardWeight: 1_000_000,
				OptTotalValidatorFaucetCoupons: new(int64(1000)),
			},
			want: issuedAmounts{
				validator: "0.0903729072", featured: "0.2711187215", unfeatured: "0.2711187215", sv: "0.5783866058",
				faucet: "0.0", unclaimed: "none", fund: "38051.7503805175",
			},
		},
		"what apps do not earn, to the featured ones": {
			summary: summary{
				TotalFeaturedAppRewardCoupons: amount("10000"), TotalUnfeaturedAppRewardCoupons: amount("10000"),
				TotalSvRewardWeight: 1,
			},
			want: issuedAmounts{
				validator: "0.2", featured: "10.2447488584", unfeatured: "0.6", sv: "578386.6057838661", faucet: "570.0",
				unclaimed: "36149.1628619665", fund: "38051.7503805175",
			},
		},
		"no faucets and no fund where there are none": {
			config: func(config *coin.IssuanceConfig) {
				config.OptValidatorFaucetCap = new(amount("0"))
				config.OptDevelopmentFundPercentage = new(amount("0"))
			},
			summary: summary{OptTotalValidatorFaucetCoupons: new(int64(3))},
			want: issuedAmounts{
				validator: "0.2", featured: "100.0", unfeatured: "0.6", sv: "608828.0060882801", faucet: "0.0",
				unclaimed: "761035.0076103501", fund: "none",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := usualIssuance()
			if c.config != nil {
				c.config(&config)
			}
			require.Equal(t, c.want, startNetwork(t).issue(t, config, c.summary))
		})
	}
}

func TestIssuance_RefusesNegativeActivity(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	round := create(t, n, coin.SummarizingMiningRound{
		DSO: dso, AmuletPrice: amount("0.005"), IssuanceConfig: usualIssuance(), TickDuration: lf.RelTimeOf(tick),
	}, dso)
	less := amount("-0.1")
	for requirement, summary := range map[string]coin.OpenMiningRoundSummary{
		"totalValidatorRewardCoupons >= 0.0":     {TotalValidatorRewardCoupons: less},
		"totalFeaturedAppRewardCoupons >= 0.0":   {TotalFeaturedAppRewardCoupons: less},
		"totalUnfeaturedAppRewardCoupons >= 0.0": {TotalUnfeaturedAppRewardCoupons: less},
		"totalSvRewardWeight >= 0":               {TotalSvRewardWeight: -1},
		"totalValidatorFaucetCoupons >= 0":       {OptTotalValidatorFaucetCoupons: new(int64(-1))},
	} {
		_, err := n.startIssuing(round, summary)
		requireRefused(t, err, assertion, requirement)
	}
}
