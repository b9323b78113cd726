package automation

import (
	"cmp"
	"slices"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// CloseBuffer is how long before the end of its issuing round a reward is used at the latest.
const CloseBuffer = 120 * time.Second

// CouponKind says how much a coupon is worth.
type CouponKind int

// The kinds of coupons. The first five are worth what their round issues for them, the others their amount.
const (
	FeaturedApp CouponKind = iota
	UnfeaturedApp
	Validator
	// Faucet is a validator's liveness record or faucet coupon, whose amount is 1.
	Faucet
	// SV is a super validator's coupon, whose amount is its weight.
	SV
	RewardV2
	ActivityRecord
	DevelopmentFund
)

// Coupon is something that a transfer can mint.
type Coupon struct {
	ID    ledger.ContractID
	Input coin.TransferInput
	Kind  CouponKind
	// Round is that of the activity; unset for activity records and development fund coupons.
	Round  int64
	Amount decimal.Decimal
	// ExpiresAt is for coupons that are worth their amount.
	ExpiresAt lf.Timestamp
}

// Funds is what a wallet can spend.
type Funds struct {
	Wallet  ledger.Party
	Coins   []plan.Holding
	Coupons []Coupon
	// Issuing are the issuing rounds by number.
	Issuing map[int64]coin.IssuingMiningRound
	// MaxInputs is how many inputs a transfer has at most.
	MaxInputs int
	Now       time.Time
}

// valued is a coupon that can be minted now, and what it is worth.
type valued struct {
	Coupon

	value decimal.Decimal
}

// Inputs are what a wallet's batch takes: the largest coins (two at least, a tenth of what there is room for), the
// rewards by round and value, the other coins, activity records and development fund coupons; as many as a transfer may
// have.
func (f Funds) Inputs() ([]coin.TransferInput, error) {
	coupons, err := f.usable()
	if err != nil {
		return nil, err
	}
	coins := plan.Largest(f.Coins, f.MaxInputs)
	first := min(len(coins), max(2, max(len(coins)+len(coupons), f.MaxInputs)/10))
	inputs := plan.TransferInputs(coins[:first])
	addCoupons := func(wanted func(CouponKind) bool) {
		for _, coupon := range coupons {
			if wanted(coupon.Kind) {
				inputs = append(inputs, coupon.Input)
			}
		}
	}
	addCoupons(func(kind CouponKind) bool { return kind < ActivityRecord })
	inputs = append(inputs, plan.TransferInputs(coins[first:])...)
	addCoupons(func(kind CouponKind) bool { return kind == ActivityRecord })
	addCoupons(func(kind CouponKind) bool { return kind == DevelopmentFund })
	return inputs[:min(len(inputs), f.MaxInputs)], nil
}

// usable are the coupons that can be minted now, by round ascending, then by value descending.
func (f Funds) usable() ([]valued, error) {
	var out []valued
	for _, coupon := range f.Coupons {
		value, ok, err := f.value(coupon)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, valued{coupon, value})
		}
	}
	slices.SortFunc(out, func(a, b valued) int {
		return cmp.Or(cmp.Compare(a.Round, b.Round), b.value.Cmp(a.value), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// value is what a coupon is worth; ok is false when it cannot be minted now.
func (f Funds) value(coupon Coupon) (value decimal.Decimal, ok bool, err error) {
	if coupon.Kind >= RewardV2 {
		return coupon.Amount, f.Now.Before(coupon.ExpiresAt.Time()), nil
	}
	round, ok := f.Issuing[coupon.Round]
	if !ok || f.Now.Before(round.OpensAt.Time()) || !f.Now.Before(round.TargetClosesAt.Time().Add(-CloseBuffer)) {
		return value, false, nil
	}
	var rate decimal.Decimal
	switch coupon.Kind {
	case FeaturedApp:
		rate = round.IssuancePerFeaturedAppRewardCoupon
	case UnfeaturedApp:
		rate = round.IssuancePerUnfeaturedAppRewardCoupon
	case Validator:
		rate = round.IssuancePerValidatorRewardCoupon
	case SV:
		rate = round.IssuancePerSvRewardCoupon
	case Faucet, RewardV2, ActivityRecord, DevelopmentFund:
		if round.OptIssuancePerValidatorFaucetCoupon != nil {
			rate = *round.OptIssuancePerValidatorFaucetCoupon
		}
	}
	value, err = coupon.Amount.Mul(rate)
	return value, true, err
}

// Collect merges a wallet's coins and mints its rewards, when there are several coins or rewards that are worth
// something. ok is false when there is nothing to do.
func (f Funds) Collect() (intent Intent, ok bool, err error) {
	coupons, err := f.usable()
	if err != nil {
		return intent, false, err
	}
	worth := slices.ContainsFunc(coupons, func(c valued) bool { return c.value.Sign() > 0 })
	if !worth && len(f.Coins) < 2 {
		return intent, false, nil
	}
	var ids []ledger.ContractID
	for _, amulet := range f.Coins {
		ids = append(ids, amulet.ID)
	}
	for _, coupon := range coupons {
		ids = append(ids, coupon.ID)
	}
	slices.Sort(ids)
	return Intent{
		CommandID: commandID("collect", f.Wallet, ids), Wallet: f.Wallet,
		Operation: &walletapp.AmuletOperation{MergeTransferInputs: &lf.Unit{}},
	}, true, nil
}
