package coin

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// AmuletRulesAllocateDevelopmentFundCoupon assigns coin of the development fund to a beneficiary (CIP-0082).
type AmuletRulesAllocateDevelopmentFundCoupon struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_AllocateDevelopmentFundCoupon"`

	UnclaimedDevelopmentFundCouponCids []lf.CID[UnclaimedDevelopmentFundCoupon] `lf:"unclaimedDevelopmentFundCouponCids"`

	Beneficiary Party           `lf:"beneficiary"`
	Amount      decimal.Decimal `lf:"amount"`
	ExpiresAt   lf.Timestamp    `lf:"expiresAt"`
	Reason      string          `lf:"reason"`
	FundManager Party           `lf:"fundManager"`
}

// AmuletRulesAllocateDevelopmentFundCouponResult is the result of [AmuletRulesAllocateDevelopmentFundCoupon].
type AmuletRulesAllocateDevelopmentFundCouponResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_AllocateDevelopmentFundCouponResult"`

	DevelopmentFundCouponCid lf.CID[DevelopmentFundCoupon] `lf:"developmentFundCouponCid"`
	// LeftoverCid is the rest of the coupons, if any.
	LeftoverCid *lf.CID[UnclaimedDevelopmentFundCoupon] `lf:"optUnclaimedDevelopmentFundCouponCid"`
}

// AmuletRulesMergeUnclaimedDevelopmentFundCoupons makes one coupon of several.
type AmuletRulesMergeUnclaimedDevelopmentFundCoupons struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_MergeUnclaimedDevelopmentFundCoupons"`

	UnclaimedDevelopmentFundCouponCids []lf.CID[UnclaimedDevelopmentFundCoupon] `lf:"unclaimedDevelopmentFundCouponCids"`
}

// AmuletRulesMergeUnclaimedDevelopmentFundCouponsResult is the result of
// [AmuletRulesMergeUnclaimedDevelopmentFundCoupons].
type AmuletRulesMergeUnclaimedDevelopmentFundCouponsResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_MergeUnclaimedDevelopmentFundCouponsResult"`

	UnclaimedDevelopmentFundCouponCid lf.CID[UnclaimedDevelopmentFundCoupon] `lf:"unclaimedDevelopmentFundCouponCid"`
}

func fundChoices() []ledger.ChoiceOf[AmuletRules] {
	type allocate = AmuletRulesAllocateDevelopmentFundCoupon
	return []ledger.ChoiceOf[AmuletRules]{
		ledger.Choice[AmuletRules, allocate, AmuletRulesAllocateDevelopmentFundCouponResult]{
			Controllers: func(_ AmuletRules, arg allocate) []Party { return []Party{arg.FundManager} },
			Body:        allocateDevelopmentFund,
		},
		byDSO(mergeDevelopmentFund),
	}
}

func allocateDevelopmentFund(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesAllocateDevelopmentFundCoupon,
) (result AmuletRulesAllocateDevelopmentFundCouponResult, err error) {
	if err := ledger.RequireWithinDeadline(tx, "DevelopmentFundCoupon.expiresAt", arg.ExpiresAt); err != nil {
		return result, err
	}
	manager := rules.config().OptDevelopmentFundManager
	if manager == nil {
		return result, ledger.Abort("DevelopmentFundCoupon cannot be allocated: " +
			"the network's configuration names no development fund manager")
	}
	isManager := *manager == arg.FundManager
	if err := ledger.Require("controller is the configured Development Fund manager: "+quoted(*manager),
		isManager); err != nil {
		return result, err
	}
	available, err := takeAll(tx, rules.DSO, arg.UnclaimedDevelopmentFundCouponCids,
		func(c UnclaimedDevelopmentFundCoupon) decimal.Decimal { return c.Amount })
	if err != nil {
		return result, err
	}
	var calc calc
	leftover := calc.sub(available, arg.Amount)
	if err := calc.failure(); err != nil {
		return result, err
	}
	if leftover.Sign() < 0 {
		return result, ledger.Abort("The coupons do not cover the requested allocation: %s is missing",
			leftover.Neg().Show())
	}
	if leftover.Sign() > 0 {
		left, err := ledger.Create(tx, UnclaimedDevelopmentFundCoupon{DSO: rules.DSO, Amount: leftover})
		if err != nil {
			return result, err
		}
		result.LeftoverCid = &left
	}
	result.DevelopmentFundCouponCid, err = ledger.Create(tx, DevelopmentFundCoupon{
		DSO: rules.DSO, Beneficiary: arg.Beneficiary, FundManager: arg.FundManager, Amount: arg.Amount,
		ExpiresAt: arg.ExpiresAt, Reason: arg.Reason,
	})
	return result, err
}

func mergeDevelopmentFund(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesMergeUnclaimedDevelopmentFundCoupons,
) (result AmuletRulesMergeUnclaimedDevelopmentFundCouponsResult, err error) {
	several := len(arg.UnclaimedDevelopmentFundCouponCids) > 1
	if err := ledger.Require("More than one unclaimed development fund coupon contract", several); err != nil {
		return result, err
	}
	amount, err := takeAll(tx, rules.DSO, arg.UnclaimedDevelopmentFundCouponCids,
		func(c UnclaimedDevelopmentFundCoupon) decimal.Decimal { return c.Amount })
	if err != nil {
		return result, err
	}
	result.UnclaimedDevelopmentFundCouponCid, err = ledger.Create(tx,
		UnclaimedDevelopmentFundCoupon{DSO: rules.DSO, Amount: amount})
	return result, err
}
