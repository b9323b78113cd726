package coin

import (
	"cmp"
	"slices"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// AmuletRulesClaimExpiredRewards archives coupons of a closed round; their value becomes an unclaimed reward.
type AmuletRulesClaimExpiredRewards struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_ClaimExpiredRewards"`

	ClosedRoundCid               lf.CID[ClosedMiningRound]        `lf:"closedRoundCid"`
	ValidatorRewardCouponCids    []lf.CID[ValidatorRewardCoupon]  `lf:"validatorRewardCouponCids"`
	AppCouponCids                []lf.CID[AppRewardCoupon]        `lf:"appCouponCids"`
	SvRewardCouponCids           []lf.CID[SvRewardCoupon]         `lf:"svRewardCouponCids"`
	OptValidatorFaucetCouponCids *[]lf.CID[ValidatorFaucetCoupon] `lf:"optValidatorFaucetCouponCids"`

	OptLivenessRecordCids *[]lf.CID[ValidatorLivenessActivityRecord] `lf:"optValidatorLivenessActivityRecordCids"`
}

// AmuletRulesClaimExpiredRewardsResult is the result of [AmuletRulesClaimExpiredRewards].
type AmuletRulesClaimExpiredRewardsResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_ClaimExpiredRewardsResult"`

	UnclaimedRewardCid *lf.CID[UnclaimedReward] `lf:"unclaimedRewardCid"`
}

// AmuletRulesMergeUnclaimedRewards makes one unclaimed reward of several.
type AmuletRulesMergeUnclaimedRewards struct {
	_                   struct{}                  `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_MergeUnclaimedRewards"`
	UnclaimedRewardCids []lf.CID[UnclaimedReward] `lf:"unclaimedRewardCids"`
}

// AmuletRulesMergeUnclaimedRewardsResult is the result of [AmuletRulesMergeUnclaimedRewards].
type AmuletRulesMergeUnclaimedRewardsResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_MergeUnclaimedRewardsResult"`

	UnclaimedRewardCid lf.CID[UnclaimedReward] `lf:"unclaimedRewardCid"`
}

// AmuletRulesConvertFeaturedAppActivityMarkers turns markers into app reward coupons of an open round.
type AmuletRulesConvertFeaturedAppActivityMarkers struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_ConvertFeaturedAppActivityMarkers"`

	MarkerCids         []lf.CID[FeaturedAppActivityMarker] `lf:"markerCids"`
	OpenMiningRoundCid lf.CID[OpenMiningRound]             `lf:"openMiningRoundCid"`
	// Observers see the conversion; usually the providers and beneficiaries of the markers.
	Observers *[]Party `lf:"observers"`
}

// AmuletRulesConvertFeaturedAppActivityMarkersResult is the result of [AmuletRulesConvertFeaturedAppActivityMarkers].
type AmuletRulesConvertFeaturedAppActivityMarkersResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_ConvertFeaturedAppActivityMarkersResult"`

	AppRewardCouponCids []lf.CID[AppRewardCoupon] `lf:"appRewardCouponCids"`
}

// rewardChoices are the choices of AmuletRules with which the DSO cleans up: coupons that nobody minted, markers, and
// transfers that nobody accepted.
func rewardChoices() []ledger.ChoiceOf[AmuletRules] {
	type convert = AmuletRulesConvertFeaturedAppActivityMarkers
	return []ledger.ChoiceOf[AmuletRules]{
		byDSO(claimExpiredRewards), byDSO(mergeUnclaimedRewards), expireTransfersChoice(),
		ledger.Choice[AmuletRules, convert, AmuletRulesConvertFeaturedAppActivityMarkersResult]{
			Controllers: func(r AmuletRules, _ convert) []Party { return []Party{r.DSO} },
			Observers:   func(_ AmuletRules, arg convert) []Party { return valueOr(arg.Observers, nil) },
			Body:        convertMarkers,
		},
	}
}

func claimExpiredRewards(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesClaimExpiredRewards,
) (none AmuletRulesClaimExpiredRewardsResult, err error) {
	round, err := fetchForDSO(tx, rules.DSO, arg.ClosedRoundCid)
	if err != nil {
		return none, err
	}
	amount, err := expireCoupons(tx, round, arg)
	if err != nil || amount.Sign() <= 0 {
		return none, err
	}
	created, err := ledger.Create(tx, UnclaimedReward{DSO: rules.DSO, Amount: amount})
	return AmuletRulesClaimExpiredRewardsResult{UnclaimedRewardCid: &created}, err
}

// expireCoupons archives the coupons and adds up their value.
func expireCoupons(
	tx *ledger.Tx, round ClosedMiningRound, arg AmuletRulesClaimExpiredRewards,
) (total decimal.Decimal, err error) {
	var calc calc
	closed := arg.ClosedRoundCid
	for _, id := range arg.ValidatorRewardCouponCids {
		expired, err := ledger.Exercise[ValidatorRewardCouponDSOExpireResult](tx, id,
			ValidatorRewardCouponDSOExpire{ClosedRoundCid: closed})
		if err != nil {
			return total, err
		}
		total = calc.add(total, calc.mul(expired.Amount, round.IssuancePerValidatorRewardCoupon))
	}
	faucet := valueOr(round.OptIssuancePerValidatorFaucetCoupon, decimal.Decimal{})
	for _, id := range valueOr(arg.OptValidatorFaucetCouponCids, nil) {
		if _, err := ledger.Exercise[ValidatorFaucetCouponDSOExpireResult](tx, id,
			ValidatorFaucetCouponDSOExpire{ClosedRoundCid: closed}); err != nil {
			return total, err
		}
		total = calc.add(total, faucet)
	}
	for _, id := range valueOr(arg.OptLivenessRecordCids, nil) {
		if _, err := ledger.Exercise[ValidatorLivenessActivityRecordDSOExpireResult](tx, id,
			ValidatorLivenessActivityRecordDSOExpire{ClosedRoundCid: closed}); err != nil {
			return total, err
		}
		total = calc.add(total, faucet)
	}
	for _, id := range arg.AppCouponCids {
		expired, err := ledger.Exercise[AppRewardCouponDSOExpireResult](tx, id,
			AppRewardCouponDSOExpire{ClosedRoundCid: closed})
		if err != nil {
			return total, err
		}
		issued := round.IssuancePerUnfeaturedAppRewardCoupon
		if expired.Featured {
			issued = round.IssuancePerFeaturedAppRewardCoupon
		}
		total = calc.add(total, calc.mul(expired.Amount, issued))
	}
	for _, id := range arg.SvRewardCouponCids {
		expired, err := ledger.Exercise[SvRewardCouponDSOExpireResult](tx, id,
			SvRewardCouponDSOExpire{ClosedRoundCid: closed})
		if err != nil {
			return total, err
		}
		total = calc.add(total, calc.mul(decimal.FromInt(expired.Weight), round.IssuancePerSvRewardCoupon))
	}
	return total, calc.failure()
}

func mergeUnclaimedRewards(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesMergeUnclaimedRewards,
) (result AmuletRulesMergeUnclaimedRewardsResult, err error) {
	several := len(arg.UnclaimedRewardCids) > 1
	if err := ledger.Require("More than one unclaimed reward contracts", several); err != nil {
		return result, err
	}
	amount, err := takeAll(tx, rules.DSO, arg.UnclaimedRewardCids,
		func(r UnclaimedReward) decimal.Decimal { return r.Amount })
	if err != nil {
		return result, err
	}
	result.UnclaimedRewardCid, err = ledger.Create(tx, UnclaimedReward{DSO: rules.DSO, Amount: amount})
	return result, err
}

// takeAll archives contracts of the DSO and adds up their amounts.
func takeAll[T dsoContract](
	tx *ledger.Tx, dso Party, ids []lf.CID[T], amountOf func(T) decimal.Decimal,
) (total decimal.Decimal, err error) {
	var calc calc
	for _, id := range ids {
		contract, err := takeForDSO(tx, dso, id)
		if err != nil {
			return total, err
		}
		total = calc.add(total, amountOf(contract))
	}
	return total, calc.failure()
}

// convertMarkers adds up the markers of each provider and beneficiary and gives them one coupon. The configuration has
// the activity of a marker of weight 1; the round's price converts it to coin. If rewards come from traffic, or markers
// have no value, it only archives them.
func convertMarkers(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesConvertFeaturedAppActivityMarkers,
) (result AmuletRulesConvertFeaturedAppActivityMarkersResult, err error) {
	type earner struct{ provider, beneficiary Party }
	var calc calc
	weights := map[earner]decimal.Decimal{}
	for _, id := range arg.MarkerCids {
		marker, err := takeForDSO(tx, rules.DSO, id)
		if err != nil {
			return result, err
		}
		of := earner{marker.Provider, marker.Beneficiary}
		weights[of] = calc.add(weights[of], marker.Weight)
	}
	round, err := fetchForDSO(tx, rules.DSO, arg.OpenMiningRoundCid)
	if err != nil {
		return result, err
	}
	if err := ledger.Require("mining round is open", !tx.IsBefore(round.OpensAt)); err != nil {
		return result, err
	}
	each := calc.div(valueOr(rules.config().FeaturedAppActivityMarkerAmount, decimal.Decimal{}), round.AmuletPrice)
	if !usesMarkers(mintingVersion(round.RewardConfig)) || each.Sign() <= 0 {
		return result, calc.failure()
	}
	earners := make([]earner, 0, len(weights))
	for of := range weights {
		earners = append(earners, of)
	}
	slices.SortFunc(earners, func(a, b earner) int {
		return cmp.Or(cmp.Compare(a.provider, b.provider), cmp.Compare(a.beneficiary, b.beneficiary))
	})
	for _, of := range earners {
		coupon := AppRewardCoupon{
			DSO: rules.DSO, Provider: of.provider, Featured: true, Round: round.Round,
			Amount: calc.mul(each, weights[of]), Beneficiary: &of.beneficiary,
		}
		if err := calc.failure(); err != nil {
			return result, err
		}
		created, err := ledger.Create(tx, coupon)
		if err != nil {
			return result, err
		}
		result.AppRewardCouponCids = append(result.AppRewardCouponCids, created)
	}
	return result, nil
}
