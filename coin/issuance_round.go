package coin

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// OpenMiningRoundSummary adds up the activity that was recorded against a round.
type OpenMiningRoundSummary struct {
	_ struct{} `lf:"splice-amulet:Splice.Issuance:OpenMiningRoundSummary"`
	// The amounts of the coupons, in coin of activity.
	TotalValidatorRewardCoupons     decimal.Decimal `lf:"totalValidatorRewardCoupons"`
	TotalFeaturedAppRewardCoupons   decimal.Decimal `lf:"totalFeaturedAppRewardCoupons"`
	TotalUnfeaturedAppRewardCoupons decimal.Decimal `lf:"totalUnfeaturedAppRewardCoupons"`
	TotalSvRewardWeight             int64           `lf:"totalSvRewardWeight"`
	// OptTotalValidatorFaucetCoupons is how many validators were up; nil means none.
	OptTotalValidatorFaucetCoupons *int64 `lf:"optTotalValidatorFaucetCoupons"`
}

func (s OpenMiningRoundSummary) check() error {
	for _, total := range []struct {
		name string
		sign int
	}{
		{"totalValidatorRewardCoupons >= 0.0", s.TotalValidatorRewardCoupons.Sign()},
		{"totalFeaturedAppRewardCoupons >= 0.0", s.TotalFeaturedAppRewardCoupons.Sign()},
		{"totalUnfeaturedAppRewardCoupons >= 0.0", s.TotalUnfeaturedAppRewardCoupons.Sign()},
		{"totalSvRewardWeight >= 0", decimal.FromInt(s.TotalSvRewardWeight).Sign()},
		{"totalValidatorFaucetCoupons >= 0", decimal.FromInt(valueOr(s.OptTotalValidatorFaucetCoupons, 0)).Sign()},
	} {
		if err := ledger.Require(total.name, total.sign >= 0); err != nil {
			return err
		}
	}
	return nil
}

// issuance is what a round issues, in coin: for each coin of activity, for each point of a super validator's weight,
// and for each validator that was up.
type issuance struct {
	perValidatorCoupon     decimal.Decimal
	perFeaturedAppCoupon   decimal.Decimal
	perUnfeaturedAppCoupon decimal.Decimal
	perSvWeight            decimal.Decimal
	perFaucetCoupon        decimal.Decimal
	// unclaimed is what was to be issued but nobody earned.
	unclaimed       decimal.Decimal
	developmentFund decimal.Decimal
}

// issuanceOf splits what a round issues, a round's share of the yearly amount. The development fund gets its part of
// it first. Validators and apps share the rest by their percentages, each coupon up to its cap; what validators do not
// earn by burns goes to those that were up, what apps do not earn goes to the featured ones among them. The super
// validators share what is left.
func issuanceOf(round SummarizingMiningRound, summary OpenMiningRoundSummary) (issuance, error) {
	var calc calc
	config := round.IssuanceConfig
	roundsPerYear := calc.div(decimal.FromInt(microsecondsPerYear), decimal.FromInt(round.TickDuration.Microseconds))
	issued := calc.div(config.AmuletToIssuePerYear, roundsPerYear)
	share := valueOr(config.OptDevelopmentFundPercentage, decimal.MustParse("0.05"))
	remaining := calc.mul(issued, calc.sub(one(), share))

	forValidators := calc.mul(remaining, config.ValidatorRewardPercentage)
	validators := shareOut(&calc, forValidators, config.ValidatorRewardCap, summary.TotalValidatorRewardCoupons)
	faucetCap := calc.div(valueOr(config.OptValidatorFaucetCap, decimal.MustParse("2.85")), round.AmuletPrice)
	faucets := shareOut(&calc, validators.unclaimed, faucetCap,
		decimal.FromInt(valueOr(summary.OptTotalValidatorFaucetCoupons, 0)))

	forApps := calc.mul(remaining, config.AppRewardPercentage)
	allApps := calc.add(summary.TotalFeaturedAppRewardCoupons, summary.TotalUnfeaturedAppRewardCoupons)
	apps := shareOut(&calc, forApps, config.UnfeaturedAppRewardCap, allApps)
	featured := shareOut(&calc, apps.unclaimed,
		calc.sub(config.FeaturedAppRewardCap, config.UnfeaturedAppRewardCap), summary.TotalFeaturedAppRewardCoupons)

	forSvs := calc.sub(calc.sub(remaining, forValidators), forApps)
	perSvWeight, weight := forSvs, decimal.FromInt(summary.TotalSvRewardWeight)
	if weight.Sign() > 0 {
		perSvWeight = calc.div(forSvs, weight)
	}
	unclaimedBySvs := positive(calc.sub(forSvs, calc.mul(perSvWeight, weight)))
	return issuance{
		perValidatorCoupon:     validators.perCoupon,
		perFeaturedAppCoupon:   calc.add(apps.perCoupon, featured.perCoupon),
		perUnfeaturedAppCoupon: apps.perCoupon,
		perSvWeight:            perSvWeight,
		perFaucetCoupon:        faucets.perCoupon,
		unclaimed:              calc.add(faucets.unclaimed, featured.unclaimed, unclaimedBySvs),
		developmentFund:        calc.mul(issued, share),
	}, calc.failure()
}

const microsecondsPerYear = 365 * microsecondsPerDay

// tranche is how a part of the issuance is shared by the coupons that claim it.
type tranche struct{ perCoupon, unclaimed decimal.Decimal }

// shareOut gives every coupon as much as there is, up to the cap. Without coupons it says what one would have got.
func shareOut(calc *calc, amount, limit, coupons decimal.Decimal) tranche {
	if coupons.Sign() <= 0 {
		return tranche{perCoupon: limit, unclaimed: amount}
	}
	if limit.Sign() <= 0 {
		return tranche{unclaimed: amount}
	}
	maximum := calc.mul(limit, coupons)
	issued := amount
	if atMost(maximum, amount) {
		issued = maximum
	}
	perCoupon := calc.div(calc.mul(issued, limit), maximum)
	return tranche{perCoupon: perCoupon, unclaimed: positive(calc.sub(amount, calc.mul(perCoupon, coupons)))}
}

// positive is the amount, or zero when rounding has made it negative.
func positive(amount decimal.Decimal) decimal.Decimal {
	if amount.Sign() < 0 {
		return decimal.Decimal{}
	}
	return amount
}
