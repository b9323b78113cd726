package coin

import (
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// IssuanceConfig is the amount of coin for activity in a round, and its distribution (CIP-0003, CIP-0082). Percentages
// are fractions of one; caps are coin per coin of activity.
type IssuanceConfig struct {
	_                         struct{}        `lf:"splice-amulet:Splice.Issuance:IssuanceConfig"`
	AmuletToIssuePerYear      decimal.Decimal `lf:"amuletToIssuePerYear"`
	ValidatorRewardPercentage decimal.Decimal `lf:"validatorRewardPercentage"`
	AppRewardPercentage       decimal.Decimal `lf:"appRewardPercentage"`
	ValidatorRewardCap        decimal.Decimal `lf:"validatorRewardCap"`
	FeaturedAppRewardCap      decimal.Decimal `lf:"featuredAppRewardCap"`
	UnfeaturedAppRewardCap    decimal.Decimal `lf:"unfeaturedAppRewardCap"`
	// OptValidatorFaucetCap is in US dollars per validator and round; nil means 2.85.
	OptValidatorFaucetCap *decimal.Decimal `lf:"optValidatorFaucetCap"`
	// OptDevelopmentFundPercentage is the development fund's share; nil means 0.05.
	OptDevelopmentFundPercentage *decimal.Decimal `lf:"optDevelopmentFundPercentage"`
}

// PaysLiveness reports whether validators may earn something for being up.
func (c IssuanceConfig) PaysLiveness() bool {
	return c.OptValidatorFaucetCap == nil || c.OptValidatorFaucetCap.Sign() > 0
}

func (c IssuanceConfig) valid() bool {
	shares, err := c.ValidatorRewardPercentage.Add(c.AppRewardPercentage)
	return err == nil && c.AmuletToIssuePerYear.Sign() > 0 &&
		c.ValidatorRewardPercentage.Sign() >= 0 && c.AppRewardPercentage.Sign() >= 0 && atMost(shares, one()) &&
		c.ValidatorRewardCap.Sign() >= 0 && c.FeaturedAppRewardCap.Sign() >= 0 && c.UnfeaturedAppRewardCap.Sign() >= 0 &&
		valueOr(c.OptValidatorFaucetCap, one()).Sign() >= 0 &&
		valueOr(c.OptDevelopmentFundPercentage, one()).Sign() >= 0 &&
		atMost(valueOr(c.OptDevelopmentFundPercentage, one()), one())
}

// validIssuanceCurve checks every value of the curve, and that its points strictly ascend.
func validIssuanceCurve(curve Schedule[lf.RelTime, IssuanceConfig]) bool {
	valid := curve.InitialValue.valid()
	for i, step := range curve.FutureValues {
		ascends := i == 0 || curve.FutureValues[i-1].V1.Microseconds < step.V1.Microseconds
		valid = valid && ascends && step.V2.valid()
	}
	return valid
}
