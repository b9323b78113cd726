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

// CloseBuffer is the least time between the use of a reward and the end of its issuing round.
const CloseBuffer = 120 * time.Second

// CouponKind decides how much a coupon is worth.
type CouponKind int

// The kinds of coupons. The round of the first five decides their value; the others are worth their amount.
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

// Coupon is a reward that a transfer can mint.
type Coupon struct {
	ID    ledger.ContractID
	Input coin.TransferInput
	Kind  CouponKind
	// Round is the round of the activity; unset for activity records and development fund coupons.
	Round  int64
	Amount decimal.Decimal
	// ExpiresAt is set for coupons that are worth their amount.
	ExpiresAt lf.Timestamp
}

// Funds are the coins and coupons that a wallet can spend.
type Funds struct {
	Wallet  ledger.Party
	Coins   []plan.Holding
	Coupons []Coupon
	// Issuing are the issuing rounds by number.
	Issuing map[int64]coin.IssuingMiningRound
	// MaxInputs limits the inputs of a transfer.
	MaxInputs int
	Now       time.Time
}

type valuedCoupon struct {
	Coupon

	value decimal.Decimal
}

// Inputs lists the inputs of a wallet's batch: the largest coins (at least two, up to a tenth of the limit), the
// rewards by round and value, the other coins, activity records and development fund coupons; at most as many as a
// transfer may have.
func (f Funds) Inputs() ([]coin.TransferInput, error) {
	coupons, err := f.usable()
	if err != nil {
		return nil, err
	}
	coins := plan.Largest(f.Coins, f.MaxInputs)
	first := min(len(coins), max(2, max(len(coins)+len(coupons), f.MaxInputs)/10))
	inputs := plan.TransferInputs(coins[:first])
	addCoupons := func(has func(CouponKind) bool) {
		for _, coupon := range coupons {
			if has(coupon.Kind) {
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

// usable lists the coupons that a transfer can mint now, by round ascending, then by value descending.
func (f Funds) usable() ([]valuedCoupon, error) {
	var out []valuedCoupon
	for _, coupon := range f.Coupons {
		value, ok, err := f.value(coupon)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, valuedCoupon{coupon, value})
		}
	}
	slices.SortFunc(out, func(a, b valuedCoupon) int {
		return cmp.Or(cmp.Compare(a.Round, b.Round), b.value.Cmp(a.value), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// value returns the worth of a coupon; false if no transfer can mint it now.
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

// Collect merges a wallet's coins and mints its rewards. ok is false without several coins or a reward of value.
func (f Funds) Collect() (intent Intent, ok bool, err error) {
	coupons, err := f.usable()
	if err != nil {
		return intent, false, err
	}
	worth := slices.ContainsFunc(coupons, func(c valuedCoupon) bool { return c.value.Sign() > 0 })
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
