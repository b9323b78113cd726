package wallet

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// Holding is one coin of a party.
type Holding struct {
	ID     ledger.ContractID
	Amount coin.ExpiringAmount
	// Locked is also true if the lock has expired.
	Locked bool
}

// Position is a holding as a wallet lists it.
type Position struct {
	Holding

	Round             int64
	AccruedHoldingFee decimal.Decimal
	// EffectiveAmount is the spendable coin: the initial amount, since fees are no longer deducted (CIP-0078).
	EffectiveAmount decimal.Decimal
}

// Positions lists holdings as of a round.
func Positions(holdings []Holding, round int64) []Position {
	positions := make([]Position, len(holdings))
	for i, holding := range holdings {
		positions[i] = Position{
			Holding: holding, Round: round, AccruedHoldingFee: holding.Amount.AccruedFee(round),
			EffectiveAmount: holding.Amount.InitialAmount,
		}
	}
	return positions
}

// Balance is the sum of a party's holdings at a round, in coin.
type Balance struct {
	Round int64
	// Unlocked and Locked are the initial amounts.
	Unlocked, Locked decimal.Decimal
	// UnlockedFees and LockedFees are the holding fees accrued on them.
	UnlockedFees, LockedFees decimal.Decimal
}

// BalanceOf adds holdings up. It fails if the sum overflows a Daml decimal.
func BalanceOf(holdings []Holding, round int64) (Balance, error) {
	balance := Balance{Round: round}
	for _, holding := range holdings {
		var err error
		if balance, err = balance.Add(holding); err != nil {
			return balance, err
		}
	}
	return balance, nil
}

// Add adds one holding. It fails on an overflow.
func (b Balance) Add(holding Holding) (Balance, error) {
	amount, fees := &b.Unlocked, &b.UnlockedFees
	if holding.Locked {
		amount, fees = &b.Locked, &b.LockedFees
	}
	var err error
	if *amount, err = amount.Add(holding.Amount.InitialAmount); err != nil {
		return b, err
	}
	*fees, err = fees.Add(holding.Amount.AccruedFee(b.Round))
	return b, err
}

// Total returns locked and unlocked coin.
func (b Balance) Total() (decimal.Decimal, error) { return b.Unlocked.Add(b.Locked) }

// TotalFees returns the fees accrued on all coin.
func (b Balance) TotalFees() (decimal.Decimal, error) { return b.UnlockedFees.Add(b.LockedFees) }

// Available returns the unlocked coin less its accrued fees. The balance of an external party still shows it.
func (b Balance) Available() (decimal.Decimal, error) { return b.Unlocked.Sub(b.UnlockedFees) }
