package coin

import (
	"errors"
	"math"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// Round is the number of a mining round.
type Round struct {
	_      struct{} `lf:"splice-amulet:Splice.Types:Round"`
	Number int64    `lf:"number"`
}

// RatePerRound is an amount for each mining round.
type RatePerRound struct {
	_    struct{}        `lf:"splice-amulet:Splice.Fees:RatePerRound"`
	Rate decimal.Decimal `lf:"rate"`
}

// FixedFee is an amount independent of the transfer.
type FixedFee struct {
	_   struct{}        `lf:"splice-amulet:Splice.Fees:FixedFee"`
	Fee decimal.Decimal `lf:"fee"`
}

// SteppedRate is a share of an amount that changes at each step: InitialRate up to the first, then the step's rate.
type SteppedRate struct {
	_           struct{}                                      `lf:"splice-amulet:Splice.Fees:SteppedRate"`
	InitialRate decimal.Decimal                               `lf:"initialRate"`
	Steps       []lf.Tuple2[decimal.Decimal, decimal.Decimal] `lf:"steps"`
}

// ExpiringAmount is an amount of coin and the holding fee that accrues on it, round by round. No transfer deducts the
// fee; once it reaches the amount, the coin is dust.
type ExpiringAmount struct {
	_             struct{}        `lf:"splice-amulet:Splice.Fees:ExpiringAmount"`
	InitialAmount decimal.Decimal `lf:"initialAmount"`
	CreatedAt     Round           `lf:"createdAt"`
	RatePerRound  RatePerRound    `lf:"ratePerRound"`
}

func (a ExpiringAmount) valid() bool {
	return a.InitialAmount.Sign() > 0 && a.RatePerRound.Rate.Sign() >= 0 && a.CreatedAt.Number >= 0
}

// asOfRoundZero is the amount at round 0 that has the same value in every later round.
func (a ExpiringAmount) asOfRoundZero(c *calc) decimal.Decimal {
	return c.add(a.InitialAmount, c.mul(a.RatePerRound.Rate, decimal.FromInt(a.CreatedAt.Number)))
}

// AccruedFee is the holding fee of the amount until a round: the rounds since its creation times its rate, and at most
// the amount itself. It is only for display: no transfer deducts it.
func (a ExpiringAmount) AccruedFee(round int64) decimal.Decimal {
	held := round - a.CreatedAt.Number
	if held <= 0 {
		return decimal.Decimal{}
	}
	fee, err := decimal.FromInt(held).Mul(a.RatePerRound.Rate)
	if err != nil || fee.Cmp(a.InitialAmount) > 0 { // an overflow is larger than any amount
		return a.InitialAmount
	}
	return fee
}

// ExpiryRound is the round from which the amount is dust: createdAt + ceiling(initialAmount / rate). never is set if
// that is beyond all round numbers. A rate of 0 is a failure, as upstream.
func (a ExpiringAmount) ExpiryRound() (round int64, never bool, err error) {
	rate := a.RatePerRound.Rate
	if rate.Sign() <= 0 {
		return 0, false, ledger.Abort("An amount whose rate per round is %s does not expire", rate.Show())
	}
	quotient, err := a.InitialAmount.Div(rate)
	if errors.Is(err, decimal.ErrOverflow) {
		return 0, true, nil
	}
	rounds, ok := quotient.Ceiling()
	if !ok || a.CreatedAt.Number > math.MaxInt64-rounds {
		return 0, true, nil
	}
	return a.CreatedAt.Number + rounds, false, ledger.ArithmeticFailure(err)
}

// expiredBy reports whether the amount is dust in the round.
func (a ExpiringAmount) expiredBy(round Round) (bool, error) {
	expiry, never, err := a.ExpiryRound()
	return err == nil && !never && expiry <= round.Number, err
}

// TimeLock prevents spending a coin until its holders release it or it expires.
type TimeLock struct {
	_         struct{}     `lf:"splice-amulet:Splice.Expiry:TimeLock"`
	Holders   []Party      `lf:"holders"`
	ExpiresAt lf.Timestamp `lf:"expiresAt"`
	// OptContext is the purpose of the lock, for people. All who see the coin can read it.
	OptContext *string `lf:"optContext"`
}
