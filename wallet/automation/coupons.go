package automation

import (
	"slices"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

func appCoupons(v plan.View, owner ledger.Party) ([]Coupon, error) {
	return couponsOf(v, plan.Earner, owner, func(c plan.Contract[coin.AppRewardCoupon]) Coupon {
		id := lf.CID[coin.AppRewardCoupon](c.ID)
		kind := UnfeaturedApp
		if c.Payload.Featured {
			kind = FeaturedApp
		}
		return Coupon{
			ID: c.ID, Kind: kind, Round: c.Payload.Round.Number, Amount: c.Payload.Amount,
			Input: coin.TransferInput{AppRewardCoupon: &id},
		}
	})
}

func svCoupons(v plan.View, owner ledger.Party) ([]Coupon, error) {
	return couponsOf(v, plan.Beneficiary, owner, func(c plan.Contract[coin.SvRewardCoupon]) Coupon {
		id := lf.CID[coin.SvRewardCoupon](c.ID)
		return Coupon{
			ID: c.ID, Kind: SV, Round: c.Payload.Round.Number, Amount: decimal.FromInt(c.Payload.Weight),
			Input: coin.TransferInput{SvRewardCoupon: &id},
		}
	})
}

func faucetCoupons(v plan.View, owner ledger.Party) ([]Coupon, error) {
	return couponsOf(v, plan.Validator, owner, func(c plan.Contract[coin.ValidatorFaucetCoupon]) Coupon {
		id := lf.CID[coin.ValidatorFaucetCoupon](c.ID)
		return Coupon{
			ID: c.ID, Kind: Faucet, Round: c.Payload.Round.Number, Amount: decimal.FromInt(1),
			Input: coin.TransferInput{Ext: &coin.ExtTransferInput{OptInputValidatorFaucetCoupon: &id}},
		}
	})
}

func livenessRecords(v plan.View, owner ledger.Party) ([]Coupon, error) {
	return couponsOf(v, plan.Validator, owner, func(c plan.Contract[coin.ValidatorLivenessActivityRecord]) Coupon {
		id := lf.CID[coin.ValidatorLivenessActivityRecord](c.ID)
		return Coupon{
			ID: c.ID, Kind: Faucet, Round: c.Payload.Round.Number, Amount: decimal.FromInt(1),
			Input: coin.TransferInput{ValidatorLivenessActivityRecord: &id},
		}
	})
}

// burnCoupons lists the coupons that a user's purchases earn for the user's validator.
func burnCoupons(v plan.View, user ledger.Party) ([]Coupon, error) {
	return couponsOf(v, plan.User, user, func(c plan.Contract[coin.ValidatorRewardCoupon]) Coupon {
		id := lf.CID[coin.ValidatorRewardCoupon](c.ID)
		return Coupon{
			ID: c.ID, Kind: Validator, Round: c.Payload.Round.Number, Amount: c.Payload.Amount,
			Input: coin.TransferInput{ValidatorRewardCoupon: &id},
		}
	})
}

// amountCoupons lists the coupons that are worth their amount.
func amountCoupons(v plan.View, owner ledger.Party) ([]Coupon, error) {
	v2, err := couponsOf(v, plan.Earner, owner, func(c plan.Contract[coin.RewardCouponV2]) Coupon {
		id := lf.CID[coin.RewardCouponV2](c.ID)
		return Coupon{
			ID: c.ID, Kind: RewardV2, Round: c.Payload.Round.Number, Amount: c.Payload.Amount,
			ExpiresAt: c.Payload.ExpiresAt, Input: coin.TransferInput{RewardCouponV2: &id},
		}
	})
	if err != nil {
		return nil, err
	}
	records, err := couponsOf(v, plan.Beneficiary, owner, func(c plan.Contract[coin.UnclaimedActivityRecord]) Coupon {
		id := lf.CID[coin.UnclaimedActivityRecord](c.ID)
		return Coupon{
			ID: c.ID, Kind: ActivityRecord, Amount: c.Payload.Amount, ExpiresAt: c.Payload.ExpiresAt,
			Input: coin.TransferInput{UnclaimedActivityRecord: &id},
		}
	})
	if err != nil {
		return nil, err
	}
	fund, err := couponsOf(v, plan.Beneficiary, owner, func(c plan.Contract[coin.DevelopmentFundCoupon]) Coupon {
		id := lf.CID[coin.DevelopmentFundCoupon](c.ID)
		return Coupon{
			ID: c.ID, Kind: DevelopmentFund, Amount: c.Payload.Amount, ExpiresAt: c.Payload.ExpiresAt,
			Input: coin.TransferInput{DevelopmentFundCoupon: &id},
		}
	})
	return slices.Concat(v2, records, fund), err
}
