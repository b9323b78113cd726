package coin

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// UnclaimedReward is a reward that nobody claimed; the network decides on its use.
type UnclaimedReward struct {
	_      struct{}        `lf:"splice-amulet:Splice.Amulet:UnclaimedReward"`
	DSO    Party           `lf:"dso"`
	Amount decimal.Decimal `lf:"amount"`
}

func (r UnclaimedReward) dso() Party { return r.DSO }

// UnclaimedActivityRecord lets a beneficiary mint an amount that the network granted it out of unclaimed rewards.
type UnclaimedActivityRecord struct {
	_           struct{}        `lf:"splice-amulet:Splice.Amulet:UnclaimedActivityRecord"`
	DSO         Party           `lf:"dso"`
	Beneficiary Party           `lf:"beneficiary"`
	Amount      decimal.Decimal `lf:"amount"`
	Reason      string          `lf:"reason"`
	ExpiresAt   lf.Timestamp    `lf:"expiresAt"`
}

func (r UnclaimedActivityRecord) dso() Party   { return r.DSO }
func (r UnclaimedActivityRecord) owner() Party { return r.Beneficiary }

// UnclaimedActivityRecordDSOExpire turns an expired record back into an unclaimed reward.
type UnclaimedActivityRecordDSOExpire struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet:UnclaimedActivityRecord_DsoExpire"`
}

// UnclaimedActivityRecordDSOExpireResult is the result of [UnclaimedActivityRecordDSOExpire].
type UnclaimedActivityRecordDSOExpireResult struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet:UnclaimedActivityRecord_DsoExpireResult"`

	UnclaimedRewardCid lf.CID[UnclaimedReward] `lf:"unclaimedRewardCid"`
}

// UnclaimedDevelopmentFundCoupon is coin of the development fund without a beneficiary (CIP-0082).
type UnclaimedDevelopmentFundCoupon struct {
	_      struct{}        `lf:"splice-amulet:Splice.Amulet:UnclaimedDevelopmentFundCoupon"`
	DSO    Party           `lf:"dso"`
	Amount decimal.Decimal `lf:"amount"`
}

func (c UnclaimedDevelopmentFundCoupon) dso() Party { return c.DSO }

// DevelopmentFundCoupon lets a beneficiary mint an amount that the fund's manager assigned to it.
type DevelopmentFundCoupon struct {
	_           struct{}        `lf:"splice-amulet:Splice.Amulet:DevelopmentFundCoupon"`
	DSO         Party           `lf:"dso"`
	Beneficiary Party           `lf:"beneficiary"`
	FundManager Party           `lf:"fundManager"`
	Amount      decimal.Decimal `lf:"amount"`
	ExpiresAt   lf.Timestamp    `lf:"expiresAt"`
	Reason      string          `lf:"reason"`
}

func (c DevelopmentFundCoupon) dso() Party   { return c.DSO }
func (c DevelopmentFundCoupon) owner() Party { return c.Beneficiary }

// DevelopmentFundCouponWithdraw takes the coupon back while it is valid.
type DevelopmentFundCouponWithdraw struct {
	_      struct{} `lf:"splice-amulet:Splice.Amulet:DevelopmentFundCoupon_Withdraw"`
	Reason string   `lf:"reason"`
}

// DevelopmentFundCouponWithdrawResult is the result of [DevelopmentFundCouponWithdraw].
type DevelopmentFundCouponWithdrawResult struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet:DevelopmentFundCoupon_WithdrawResult"`

	UnclaimedDevelopmentFundCouponCid lf.CID[UnclaimedDevelopmentFundCoupon] `lf:"unclaimedDevelopmentFundCouponCid"`
}

// DevelopmentFundCouponReject gives the coupon back while it is valid.
type DevelopmentFundCouponReject struct {
	_      struct{} `lf:"splice-amulet:Splice.Amulet:DevelopmentFundCoupon_Reject"`
	Reason string   `lf:"reason"`
}

// DevelopmentFundCouponRejectResult is the result of [DevelopmentFundCouponReject].
type DevelopmentFundCouponRejectResult struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet:DevelopmentFundCoupon_RejectResult"`

	UnclaimedDevelopmentFundCouponCid lf.CID[UnclaimedDevelopmentFundCoupon] `lf:"unclaimedDevelopmentFundCouponCid"`
}

// DevelopmentFundCouponDSOExpire takes an expired coupon back.
type DevelopmentFundCouponDSOExpire struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet:DevelopmentFundCoupon_DsoExpire"`
}

// DevelopmentFundCouponDSOExpireResult is the result of [DevelopmentFundCouponDSOExpire].
type DevelopmentFundCouponDSOExpireResult struct {
	_ struct{} `lf:"splice-amulet:Splice.Amulet:DevelopmentFundCoupon_DsoExpireResult"`

	UnclaimedDevelopmentFundCouponCid lf.CID[UnclaimedDevelopmentFundCoupon] `lf:"unclaimedDevelopmentFundCouponCid"`
}

func unclaimedRewardTemplate() ledger.TemplateSource {
	return ledger.Template[UnclaimedReward]{
		Network:     ledger.DSOSigned(UnclaimedReward.dso),
		Signatories: func(r UnclaimedReward) []Party { return []Party{r.DSO} },
		Ensure: ledger.That("the amount is more than 0",
			func(r UnclaimedReward) bool { return r.Amount.Sign() > 0 }),
	}
}

func unclaimedActivityRecordTemplate() ledger.TemplateSource {
	type record = UnclaimedActivityRecord
	type expire = UnclaimedActivityRecordDSOExpire
	return ledger.Template[record]{
		Network:     ledger.DSOSigned(record.dso),
		Signatories: func(r record) []Party { return []Party{r.DSO} },
		Observers:   func(r record) []Party { return []Party{r.Beneficiary} },
		Ensure: ledger.That("the amount is more than 0",
			func(r record) bool { return r.Amount.Sign() > 0 }),
		Choices: []ledger.ChoiceOf[record]{
			ledger.Choice[record, expire, UnclaimedActivityRecordDSOExpireResult]{
				Consuming:   true,
				Controllers: func(r record, _ expire) []Party { return []Party{r.DSO} },
				Body: func(
					tx *ledger.Tx, _ lf.CID[record], r record, _ expire,
				) (result UnclaimedActivityRecordDSOExpireResult, err error) {
					if err := ledger.RequireDeadlineExceeded(tx, "UnclaimedActivityRecord.expiresAt", r.ExpiresAt); err != nil {
						return result, err
					}
					result.UnclaimedRewardCid, err = ledger.Create(tx, UnclaimedReward{DSO: r.DSO, Amount: r.Amount})
					return result, err
				},
			},
		},
	}
}

func unclaimedDevelopmentFundCouponTemplate() ledger.TemplateSource {
	return ledger.Template[UnclaimedDevelopmentFundCoupon]{
		Network:     ledger.DSOSigned(UnclaimedDevelopmentFundCoupon.dso),
		Signatories: func(c UnclaimedDevelopmentFundCoupon) []Party { return []Party{c.DSO} },
		Ensure: ledger.That("the amount is more than 0",
			func(c UnclaimedDevelopmentFundCoupon) bool { return c.Amount.Sign() > 0 }),
	}
}

func developmentFundCouponTemplate() ledger.TemplateSource {
	type coupon = DevelopmentFundCoupon
	type withdraw = DevelopmentFundCouponWithdraw
	type reject = DevelopmentFundCouponReject
	type expire = DevelopmentFundCouponDSOExpire
	const deadline = "DevelopmentFundCoupon.expiresAt"
	return ledger.Template[coupon]{
		Network:     ledger.DSOSigned(coupon.dso),
		Signatories: func(c coupon) []Party { return []Party{c.DSO} },
		Observers:   func(c coupon) []Party { return []Party{c.Beneficiary, c.FundManager} },
		Ensure: ledger.That("the amount is more than 0",
			func(c coupon) bool { return c.Amount.Sign() > 0 }),
		Choices: []ledger.ChoiceOf[coupon]{
			ledger.Choice[coupon, withdraw, DevelopmentFundCouponWithdrawResult]{
				Consuming:   true,
				Controllers: func(c coupon, _ withdraw) []Party { return []Party{c.FundManager} },
				Body: func(
					tx *ledger.Tx, _ lf.CID[coupon], c coupon, _ withdraw,
				) (result DevelopmentFundCouponWithdrawResult, err error) {
					if err := ledger.RequireWithinDeadline(tx, deadline, c.ExpiresAt); err != nil {
						return result, err
					}
					result.UnclaimedDevelopmentFundCouponCid, err = ledger.Create(tx, c.unclaimed())
					return result, err
				},
			},
			ledger.Choice[coupon, reject, DevelopmentFundCouponRejectResult]{
				Consuming:   true,
				Controllers: func(c coupon, _ reject) []Party { return []Party{c.Beneficiary} },
				Body: func(
					tx *ledger.Tx, _ lf.CID[coupon], c coupon, _ reject,
				) (result DevelopmentFundCouponRejectResult, err error) {
					if err := ledger.RequireWithinDeadline(tx, deadline, c.ExpiresAt); err != nil {
						return result, err
					}
					result.UnclaimedDevelopmentFundCouponCid, err = ledger.Create(tx, c.unclaimed())
					return result, err
				},
			},
			ledger.Choice[coupon, expire, DevelopmentFundCouponDSOExpireResult]{
				Consuming:   true,
				Controllers: func(c coupon, _ expire) []Party { return []Party{c.DSO} },
				Body: func(
					tx *ledger.Tx, _ lf.CID[coupon], c coupon, _ expire,
				) (result DevelopmentFundCouponDSOExpireResult, err error) {
					if err := ledger.RequireDeadlineExceeded(tx, deadline, c.ExpiresAt); err != nil {
						return result, err
					}
					result.UnclaimedDevelopmentFundCouponCid, err = ledger.Create(tx, c.unclaimed())
					return result, err
				},
			},
		},
	}
}

// unclaimed is the coupon that goes back to the fund.
func (c DevelopmentFundCoupon) unclaimed() UnclaimedDevelopmentFundCoupon {
	return UnclaimedDevelopmentFundCoupon{DSO: c.DSO, Amount: c.Amount}
}
