package coin

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// OpenMiningRoundSummary is the sum of a round's activity.
type OpenMiningRoundSummary struct {
	_ struct{} `lf:"splice-amulet:Splice.Issuance:OpenMiningRoundSummary"`
	// The amounts of the coupons, in coin of activity.
	TotalValidatorRewardCoupons     decimal.Decimal `lf:"totalValidatorRewardCoupons"`
	TotalFeaturedAppRewardCoupons   decimal.Decimal `lf:"totalFeaturedAppRewardCoupons"`
	TotalUnfeaturedAppRewardCoupons decimal.Decimal `lf:"totalUnfeaturedAppRewardCoupons"`
	TotalSvRewardWeight             int64           `lf:"totalSvRewardWeight"`
	// OptTotalValidatorFaucetCoupons is the number of validators that were up; nil means none.
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

// issuance is the coin that a round issues: for each coin of activity, for each point of a super validator's weight,
// and for each validator that was up.
type issuance struct {
	perValidatorCoupon     decimal.Decimal
	perFeaturedAppCoupon   decimal.Decimal
	perUnfeaturedAppCoupon decimal.Decimal
	perSvWeight            decimal.Decimal
	perFaucetCoupon        decimal.Decimal
	// unclaimed is the part of the issuance that nobody earned.
	unclaimed       decimal.Decimal
	developmentFund decimal.Decimal
}

// issuanceOf splits a round's share of the yearly amount. The development fund gets its part first. Validators and apps
// share the rest by their percentages, each coupon up to its cap. The rest of the validators' share goes to those that
// were up, the rest of the apps' share to featured apps. The super validators share the remainder.
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

// tranche is a part of the issuance, shared by its coupons.
type tranche struct{ perCoupon, unclaimed decimal.Decimal }

// shareOut divides the amount among the coupons, each up to the limit. Without coupons, perCoupon is the limit.
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

// positive is the amount, or zero if rounding made it negative.
func positive(amount decimal.Decimal) decimal.Decimal {
	if amount.Sign() < 0 {
		return decimal.Decimal{}
	}
	return amount
}
