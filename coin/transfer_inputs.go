package coin

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// inputTotals is the sums over the inputs of a transfer.
type inputTotals struct {
	calc

	amulets          decimal.Decimal
	appRewards       decimal.Decimal
	validatorRewards decimal.Decimal
	faucets          decimal.Decimal
	svRewards        decimal.Decimal
	activityRecords  decimal.Decimal
	developmentFund  decimal.Decimal

	// archived is the value of the consumed coins as of round zero, and rates their holding fees for each round.
	archived, rates decimal.Decimal
}

// minted is the coin that did not exist before.
func (t *inputTotals) minted() decimal.Decimal {
	return t.add(t.appRewards, t.validatorRewards, t.faucets, t.svRewards, t.activityRecords, t.developmentFund)
}

// consumeInputs archives the inputs in order and adds up their values. Every input must belong to the sender.
func consumeInputs(tx *ledger.Tx, context *resolvedContext, sender Party, inputs []TransferInput) (inputTotals, error) {
	var totals inputTotals
	for _, input := range inputs {
		err := totals.consume(tx, context, sender, input)
		if err == nil {
			err = totals.failure()
		}
		if err != nil {
			return totals, err
		}
	}
	return totals, nil
}

func (t *inputTotals) consume(tx *ledger.Tx, context *resolvedContext, sender Party, input TransferInput) error {
	switch {
	case input.Amulet != nil:
		return t.consumeAmulet(tx, context, sender, *input.Amulet)
	case input.AppRewardCoupon != nil:
		return t.consumeAppReward(tx, context, sender, *input.AppRewardCoupon)
	case input.ValidatorRewardCoupon != nil:
		return t.consumeValidatorReward(tx, context, sender, *input.ValidatorRewardCoupon)
	case input.SvRewardCoupon != nil:
		return t.consumeSvReward(tx, context, sender, *input.SvRewardCoupon)
	case input.ValidatorLivenessActivityRecord != nil:
		record, err := fetchAndArchive(tx, context.dso, sender, *input.ValidatorLivenessActivityRecord)
		if err != nil {
			return err
		}
		return t.addFaucet(context, record.Round)
	case input.Ext != nil:
		if input.Ext.OptInputValidatorFaucetCoupon == nil {
			return nil
		}
		coupon, err := fetchAndArchive(tx, context.dso, sender, *input.Ext.OptInputValidatorFaucetCoupon)
		if err != nil {
			return err
		}
		return t.addFaucet(context, coupon.Round)
	case input.UnclaimedActivityRecord != nil:
		record, err := fetchAndArchive(tx, context.dso, sender, *input.UnclaimedActivityRecord)
		if err != nil {
			return err
		}
		t.activityRecords = t.add(t.activityRecords, record.Amount)
		return ledger.RequireWithinDeadline(tx, "UnclaimedActivityRecord.expiresAt", record.ExpiresAt)
	case input.DevelopmentFundCoupon != nil:
		coupon, err := fetchAndArchive(tx, context.dso, sender, *input.DevelopmentFundCoupon)
		if err != nil {
			return err
		}
		t.developmentFund = t.add(t.developmentFund, coupon.Amount)
		return ledger.RequireWithinDeadline(tx, "DevelopmentFundCoupon.expiresAt", coupon.ExpiresAt)
	default:
		coupon, err := fetchAndArchive(tx, context.dso, sender, *input.RewardCouponV2)
		if err != nil {
			return err
		}
		t.appRewards = t.add(t.appRewards, coupon.Amount)
		return ledger.RequireWithinDeadline(tx, "RewardCouponV2.expiresAt", coupon.ExpiresAt)
	}
}

// consumeAmulet takes the full initial amount, without deducting the holding fee.
func (t *inputTotals) consumeAmulet(
	tx *ledger.Tx, context *resolvedContext, sender Party, id lf.CID[Amulet],
) error {
	amulet, err := fetchAndArchive(tx, context.dso, sender, id)
	if err != nil {
		return err
	}
	t.amulets = t.add(t.amulets, amulet.Amount.InitialAmount)
	t.archived = t.add(t.archived, amulet.Amount.asOfRoundZero(&t.calc))
	t.rates = t.add(t.rates, amulet.Amount.RatePerRound.Rate)
	return nil
}

func (t *inputTotals) consumeAppReward(
	tx *ledger.Tx, context *resolvedContext, sender Party, id lf.CID[AppRewardCoupon],
) error {
	coupon, err := fetchAndArchive(tx, context.dso, sender, id)
	if err != nil {
		return err
	}
	issuing, err := context.issuingRound(coupon.Round)
	if err != nil {
		return err
	}
	issuance := issuing.IssuancePerUnfeaturedAppRewardCoupon
	if coupon.Featured {
		issuance = issuing.IssuancePerFeaturedAppRewardCoupon
	}
	t.appRewards = t.add(t.appRewards, t.mul(coupon.Amount, issuance))
	return nil
}

// consumeValidatorReward archives the coupon with the right of the user's validator, who must be the sender.
func (t *inputTotals) consumeValidatorReward(
	tx *ledger.Tx, context *resolvedContext, sender Party, id lf.CID[ValidatorRewardCoupon],
) error {
	coupon, err := fetchForDSO(tx, context.dso, id)
	if err != nil {
		return err
	}
	right, err := context.validatorRight(coupon.User)
	if err != nil {
		return err
	}
	if _, err := ledger.Exercise[ValidatorRewardCouponArchiveAsValidatorResult](tx, id,
		ValidatorRewardCouponArchiveAsValidator{Validator: sender, RightCid: right}); err != nil {
		return err
	}
	issuing, err := context.issuingRound(coupon.Round)
	if err != nil {
		return err
	}
	t.validatorRewards = t.add(t.validatorRewards, t.mul(coupon.Amount, issuing.IssuancePerValidatorRewardCoupon))
	return nil
}

func (t *inputTotals) consumeSvReward(
	tx *ledger.Tx, context *resolvedContext, sender Party, id lf.CID[SvRewardCoupon],
) error {
	coupon, err := fetchForOwner(tx, context.dso, sender, id)
	if err != nil {
		return err
	}
	if _, err := ledger.Exercise[SvRewardCouponArchiveAsBeneficiaryResult](tx, id,
		SvRewardCouponArchiveAsBeneficiary{}); err != nil {
		return err
	}
	issuing, err := context.issuingRound(coupon.Round)
	if err != nil {
		return err
	}
	t.svRewards = t.add(t.svRewards, t.mul(decimal.FromInt(coupon.Weight), issuing.IssuancePerSvRewardCoupon))
	return nil
}

// addFaucet counts one record of a validator's liveness in the round.
func (t *inputTotals) addFaucet(context *resolvedContext, round Round) error {
	issuing, err := context.issuingRound(round)
	if err != nil {
		return err
	}
	t.faucets = t.add(t.faucets, valueOr(issuing.OptIssuancePerValidatorFaucetCoupon, decimal.Decimal{}))
	return nil
}
