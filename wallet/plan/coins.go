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

// This file chooses the coin that pays, for automation, lifecycles and the API: the largest holdings, as many as a
// transfer may have. If these do not suffice but the whole wallet does, it merges them first.

const (
	// MaxPerAction limits the DSO's contracts in one action.
	MaxPerAction = 100
	// maxCoins limits the coins of an owner that a plan reads beyond the inputs of a transfer.
	maxCoins = 10 * MaxPerAction
)

// InsufficientFunds is the error id of transfers that lack coin.
const InsufficientFunds = "splice.lfdecentralizedtrust.org/insufficient-funds"

// MaxInputs limits the inputs of a payment that refers to the round: by the configuration of the round, which was
// newest when the payment was composed, even if the rules have changed since.
func MaxInputs(round coin.OpenMiningRound) int { return int(round.TransferConfigUSD.MaxNumInputs) }

// Coins lists a party's unlocked holdings, the largest first, at most a thousand.
func Coins(v View, owner ledger.Party) ([]Holding, error) { return unlocked(v, owner, First, maxCoins) }

// UnlockedBalance adds up all of a party's unlocked coin.
func UnlockedBalance(v View, owner ledger.Party) (decimal.Decimal, error) {
	return Balance[coin.Amulet](v, Owner, owner)
}

// Holding is coin for a payment.
type Holding struct {
	ID     ledger.ContractID
	Amount decimal.Decimal
}

// Largest returns the largest holdings, the largest first, up to a limit.
func Largest(holdings []Holding, limit int) []Holding {
	return rank(holdings, limit, func(a, b decimal.Decimal) int { return b.Cmp(a) })
}

// Smallest returns the smallest holdings, the smallest first, up to a limit.
func Smallest(holdings []Holding, limit int) []Holding {
	return rank(holdings, limit, decimal.Decimal.Cmp)
}

// rank returns the first holdings by amount, then by id.
func rank(holdings []Holding, limit int, compare func(a, b decimal.Decimal) int) []Holding {
	sorted := slices.SortedFunc(slices.Values(holdings), func(a, b Holding) int {
		return cmp.Or(compare(a.Amount, b.Amount), cmp.Compare(a.ID, b.ID))
	})
	return sorted[:min(limit, len(sorted))]
}

// TransferInputs converts holdings to the inputs of a transfer.
func TransferInputs(holdings []Holding) []coin.TransferInput {
	inputs := make([]coin.TransferInput, len(holdings))
	for i, one := range holdings {
		inputs[i] = coin.InputAmulet(lf.CID[coin.Amulet](one.ID))
	}
	return inputs
}

// tokenInputs converts holdings to the inputs of a token standard transfer.
func tokenInputs(holdings []Holding) []lf.CID[token.Holding] {
	inputs := make([]lf.CID[token.Holding], len(holdings))
	for i, one := range holdings {
		inputs[i] = lf.CID[token.Holding](one.ID)
	}
	return inputs
}

func total(holdings []Holding) (sum decimal.Decimal, err error) {
	for _, h := range holdings {
		if err == nil {
			sum, err = sum.Add(h.Amount)
		}
	}
	return sum, err
}

// unlocked lists a party's unlocked holdings in an order, up to a limit.
func unlocked(v View, owner ledger.Party, order Order, limit int) ([]Holding, error) {
	coins, err := Held[coin.Amulet](v, Owner, owner, order, limit)
	holdings := make([]Holding, len(coins))
	for i, c := range coins {
		holdings[i] = Holding{c.ID, c.Payload.Amount.InitialAmount}
	}
	return holdings, err
}

// withExpiredLock lists a party's locked holdings with expired locks, among the thousand largest.
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

// payable lists a party's largest unlocked holdings, as many as a payment may have now; none without an open round.
func payable(v View, owner ledger.Party) ([]Holding, error) {
	round, open, err := OpenRound(v)
	if err != nil || !open {
		return nil, err
	}
	return unlocked(v, owner, First, MaxInputs(round.Payload))
}

// Spendable returns the largest amount that one payment of a party can take.
func Spendable(v View, owner ledger.Party) (decimal.Decimal, error) {
	holdings, err := payable(v, owner)
	if err != nil {
		return decimal.Decimal{}, err
	}
	return total(holdings)
}

// Inputs returns a party's largest unlocked holdings, as many as a payment may have.
func Inputs(v View, owner ledger.Party) ([]coin.TransferInput, error) {
	holdings, err := payable(v, owner)
	return TransferInputs(holdings), err
}

// funds are the holdings for a payment, the largest first, and the total of the wallet.
type funds struct {
	inputs []Holding
	all    decimal.Decimal
}

// coinFunds returns the funds for a payment that names coin.
func coinFunds(v View, owner ledger.Party) (f funds, err error) {
	if f.inputs, err = payable(v, owner); err != nil {
		return f, err
	}
	f.all, err = UnlockedBalance(v, owner)
	return f, err
}

// tokenFunds returns the funds for a token standard payment with a limit of inputs.
func tokenFunds(v View, owner ledger.Party, limit int) (f funds, err error) {
	if f.inputs, err = unlocked(v, owner, First, limit); err != nil {
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
	f.inputs = Largest(append(f.inputs, free...), limit)
	f.all, err = f.all.Add(more)
	return f, err
}
