package plan

import (
	"cmp"
	"slices"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// Which coin pays is decided here, for automation, for lifecycles and for the API: the largest holdings, as many as a
// transfer may have. Where they are not enough and the others are, they are merged first.

const (
	// MaxPerAction is how many contracts of the DSO's one action takes.
	MaxPerAction = 100
	// maxCoins is how many coins of an owner are looked at where more than a transfer's inputs matter.
	maxCoins = 10 * MaxPerAction
)

// InsufficientFunds is the error id of transfers that lack coin.
const InsufficientFunds = "splice.lfdecentralizedtrust.org/insufficient-funds"

// MaxInputs is how many inputs a payment may have that refers to the round: the one that was newest when it was
// composed, whatever the rules have said since.
func MaxInputs(round coin.OpenMiningRound) int { return int(round.TransferConfigUSD.MaxNumInputs) }

// Coins are a party's holdings that are not locked, the largest first, at most a thousand.
func Coins(v View, owner ledger.Party) ([]Holding, error) { return unlocked(v, owner, First, maxCoins) }

// UnlockedBalance adds up a party's coin that is not locked, however many contracts it consists of.
func UnlockedBalance(v View, owner ledger.Party) (decimal.Decimal, error) {
	return Balance[coin.Amulet](v, Owner, owner)
}

// Holding is coin that can pay.
type Holding struct {
	ID     ledger.ContractID
	Amount decimal.Decimal
}

// Largest are the largest of some holdings, the largest first, at most so many.
func Largest(holdings []Holding, limit int) []Holding {
	return ranked(holdings, limit, func(a, b decimal.Decimal) int { return b.Cmp(a) })
}

// Smallest are the smallest of some holdings, the smallest first, at most so many.
func Smallest(holdings []Holding, limit int) []Holding {
	return ranked(holdings, limit, decimal.Decimal.Cmp)
}

// ranked are the first of some holdings by their amounts, and by their ids where these are equal.
func ranked(holdings []Holding, limit int, compare func(a, b decimal.Decimal) int) []Holding {
	sorted := slices.SortedFunc(slices.Values(holdings), func(a, b Holding) int {
		return cmp.Or(compare(a.Amount, b.Amount), cmp.Compare(a.ID, b.ID))
	})
	return sorted[:min(limit, len(sorted))]
}

// TransferInputs are holdings as a transfer takes them.
func TransferInputs(taken []Holding) []coin.TransferInput {
	inputs := make([]coin.TransferInput, len(taken))
	for i, one := range taken {
		inputs[i] = coin.InputAmulet(lf.CID[coin.Amulet](one.ID))
	}
	return inputs
}

// tokenInputs are holdings as a transfer by the token standard takes them.
func tokenInputs(taken []Holding) []lf.CID[token.Holding] {
	inputs := make([]lf.CID[token.Holding], len(taken))
	for i, one := range taken {
		inputs[i] = lf.CID[token.Holding](one.ID)
	}
	return inputs
}

// total adds holdings up.
func total(holdings []Holding) (sum decimal.Decimal, err error) {
	for _, h := range holdings {
		if err == nil {
			sum, err = sum.Add(h.Amount)
		}
	}
	return sum, err
}

// unlocked are a party's holdings that are not locked, in an order, at most so many.
func unlocked(v View, owner ledger.Party, order Order, limit int) ([]Holding, error) {
	coins, err := Held[coin.Amulet](v, Owner, owner, order, limit)
	holdings := make([]Holding, len(coins))
	for i, c := range coins {
		holdings[i] = Holding{c.ID, c.Payload.Amount.InitialAmount}
	}
	return holdings, err
}

// withExpiredLock are a party's locked holdings whose locks are over, of the thousand that are largest.
func withExpiredLock(v View, owner ledger.Party) ([]Holding, error) {
	locked, err := Held[coin.LockedAmulet](v, Owner, owner, First, maxCoins)
	var holdings []Holding
	for _, c := range locked {
		if c.Payload.Lock.ExpiresAt <= lf.TimestampOf(v.Now) {
			holdings = append(holdings, Holding{c.ID, c.Payload.Amulet.Amount.InitialAmount})
		}
	}
	return holdings, err
}

// payable are the largest of a party's holdings that are not locked, as many as a payment may have now; none while no
// round is open.
func payable(v View, owner ledger.Party) ([]Holding, error) {
	round, open, err := OpenRound(v)
	if err != nil || !open {
		return nil, err
	}
	return unlocked(v, owner, First, MaxInputs(round.Payload))
}

// Spendable is the most that one payment of a party can take from its coin.
func Spendable(v View, owner ledger.Party) (decimal.Decimal, error) {
	taken, err := payable(v, owner)
	if err != nil {
		return decimal.Decimal{}, err
	}
	return total(taken)
}

// Inputs are the largest of a party's holdings that are not locked, as many as a payment may have.
func Inputs(v View, owner ledger.Party) ([]coin.TransferInput, error) {
	taken, err := payable(v, owner)
	return TransferInputs(taken), err
}

// funds is what a payment can take of a wallet, the largest first, and what the wallet has altogether.
type funds struct {
	taken []Holding
	all   decimal.Decimal
}

// coinFunds is what a payment that names coin can take.
func coinFunds(v View, owner ledger.Party) (f funds, err error) {
	if f.taken, err = payable(v, owner); err != nil {
		return f, err
	}
	f.all, err = UnlockedBalance(v, owner)
	return f, err
}

// tokenFunds is what a payment by the token standard can take that may have so many inputs.
func tokenFunds(v View, owner ledger.Party, limit int) (f funds, err error) {
	if f.taken, err = unlocked(v, owner, First, limit); err != nil {
		return f, err
	}
	free, err := withExpiredLock(v, owner)
	if err != nil {
		return f, err
	}
	if f.all, err = UnlockedBalance(v, owner); err != nil {
		return f, err
	}
	more, err := total(free)
	if err != nil {
		return f, err
	}
	f.taken = Largest(append(f.taken, free...), limit)
	f.all, err = f.all.Add(more)
	return f, err
}
