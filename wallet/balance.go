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
	// Locked reports whether the coin is locked, be the lock expired or not.
	Locked bool
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
			Holding: holding, Round: round, AccruedHoldingFee: holding.Amount.AccruedFee(round),
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
		var err error
		if balance, err = balance.Add(holding); err != nil {
			return balance, err
		}
	}
	return balance, nil
}

// Add adds one holding. The error is an overflow.
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

// Total is all coin, locked or not.
func (b Balance) Total() (decimal.Decimal, error) { return b.Unlocked.Add(b.Locked) }

// TotalFees are the fees accrued on all coin.
func (b Balance) TotalFees() (decimal.Decimal, error) { return b.UnlockedFees.Add(b.LockedFees) }

// Available is the unlocked coin less the fees accrued on it, which the balance of an external party still shows.
func (b Balance) Available() (decimal.Decimal, error) { return b.Unlocked.Sub(b.UnlockedFees) }
