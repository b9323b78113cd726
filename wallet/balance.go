package wallet

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/decimal"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Holding is one coin of a party.
type Holding struct {
	ID     ledger.ContractID
	Amount coin.ExpiringAmount
	// Locked tells whether the coin is locked, be the lock expired or not.
	Locked bool
}

// LatestRound is the open round that wallets count with: of those that have opened, the one with the highest number. ok
// is false when none has.
func LatestRound(rounds []coin.OpenMiningRound, now lf.Timestamp) (latest coin.OpenMiningRound, ok bool) {
	for _, round := range rounds {
		if round.OpensAt <= now && (!ok || round.Round.Number > latest.Round.Number) {
			latest, ok = round, true
		}
	}
	return latest, ok
}

// EarliestRound is the open round that the balance of an external party is counted with: the lowest that has opened.
func EarliestRound(rounds []coin.OpenMiningRound, now lf.Timestamp) (earliest coin.OpenMiningRound, ok bool) {
	for _, round := range rounds {
		if round.OpensAt <= now && (!ok || round.Round.Number < earliest.Round.Number) {
			earliest, ok = round, true
		}
	}
	return earliest, ok
}

// AccruedFee is the holding fee of an amount until a round: the rounds since its creation times its rate, and at most
// the amount itself. It is only shown: no transfer deducts it.
func AccruedFee(amount coin.ExpiringAmount, round int64) decimal.Decimal {
	held := round - amount.CreatedAt.Number
	if held <= 0 {
		return decimal.Decimal{}
	}
	fee, err := decimal.FromInt(held).Mul(amount.RatePerRound.Rate)
	if err != nil || fee.Cmp(amount.InitialAmount) > 0 { // too large to compute is larger than any amount
		return amount.InitialAmount
	}
	return fee
}

// Position is a holding as a wallet lists it.
type Position struct {
	Holding

	Round             int64
	AccruedHoldingFee decimal.Decimal
	// EffectiveAmount is what can be spent: the initial amount, since fees are not deducted any more (CIP-0078).
	EffectiveAmount decimal.Decimal
}

// Positions lists holdings as of a round.
func Positions(holdings []Holding, round int64) []Position {
	positions := make([]Position, len(holdings))
	for i, holding := range holdings {
		positions[i] = Position{
			Holding: holding, Round: round, AccruedHoldingFee: AccruedFee(holding.Amount, round),
			EffectiveAmount: holding.Amount.InitialAmount,
		}
	}
	return positions
}

// Balance adds a party's holdings up as of a round. All amounts are in coin.
type Balance struct {
	Round int64
	// Unlocked and Locked are the initial amounts.
	Unlocked, Locked decimal.Decimal
	// UnlockedFees and LockedFees are the holding fees that have accrued on them.
	UnlockedFees, LockedFees decimal.Decimal
}

// BalanceOf adds holdings up. The error is an overflow: more coin than the contract language has numbers for.
func BalanceOf(holdings []Holding, round int64) (Balance, error) {
	balance := Balance{Round: round}
	for _, holding := range holdings {
		amount, fees := &balance.Unlocked, &balance.UnlockedFees
		if holding.Locked {
			amount, fees = &balance.Locked, &balance.LockedFees
		}
		var err error
		if *amount, err = amount.Add(holding.Amount.InitialAmount); err != nil {
			return balance, err
		}
		if *fees, err = fees.Add(AccruedFee(holding.Amount, round)); err != nil {
			return balance, err
		}
	}
	return balance, nil
}

// Total is all coin, locked or not.
func (b Balance) Total() (decimal.Decimal, error) { return b.Unlocked.Add(b.Locked) }

// TotalFees are the fees accrued on all coin.
func (b Balance) TotalFees() (decimal.Decimal, error) { return b.UnlockedFees.Add(b.LockedFees) }

// Available is the unlocked coin less the fees accrued on it, which the balance of an external party still shows.
func (b Balance) Available() (decimal.Decimal, error) { return b.Unlocked.Sub(b.UnlockedFees) }
