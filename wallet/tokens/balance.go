package tokens

import (
	"cmp"
	"maps"
	"slices"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// Kind is what has to be the same for claims to add up.
type Kind struct {
	// Package is the name of the package whose code makes the claims.
	Package    string
	Instrument Instrument
	// Signed is true if the claimed administrator signed the contracts.
	Signed bool
}

// Kind is the kind of the holding.
func (h Holding) Kind() Kind {
	return Kind{Package: h.Contract.PackageName, Instrument: h.Claim.Instrument, Signed: h.IsSigned()}
}

// Sum is a sum of claimed amounts. Code may claim amounts whose sum is no amount any more.
type Sum struct {
	Amount   decimal.Decimal
	TooLarge bool
}

// Add adds an amount. A sum that was too large stays so.
func (s Sum) Add(amount decimal.Decimal) Sum {
	sum, err := s.Amount.Add(amount)
	return Sum{Amount: sum, TooLarge: s.TooLarge || err != nil}
}

// Sub subtracts an amount.
func (s Sum) Sub(amount decimal.Decimal) Sum { return s.Add(amount.Neg()) }

// IsZero reports whether the sum is 0.
func (s Sum) IsZero() bool { return !s.TooLarge && s.Amount.IsZero() }

// Balance is the holdings of one kind and their sums.
type Balance struct {
	Kind             Kind
	Unlocked, Locked Sum
	Holdings         []Holding
}

// Balances adds holdings up by kind. Those that their administrator signed come first.
func Balances(holdings []Holding) []Balance {
	kinds := map[Kind]*Balance{}
	for _, holding := range holdings {
		kind := holding.Kind()
		balance := kinds[kind]
		if balance == nil {
			balance = &Balance{Kind: kind}
			kinds[kind] = balance
		}
		balance.Holdings = append(balance.Holdings, holding)
		if holding.Claim.Lock == nil {
			balance.Unlocked = balance.Unlocked.Add(holding.Claim.Amount)
		} else {
			balance.Locked = balance.Locked.Add(holding.Claim.Amount)
		}
	}
	balances := make([]Balance, 0, len(kinds))
	for _, kind := range slices.SortedFunc(maps.Keys(kinds), compareKinds) {
		balances = append(balances, *kinds[kind])
	}
	return balances
}

func compareKinds(x, y Kind) int {
	return cmp.Or(compareSigned(x.Signed, y.Signed), cmp.Compare(x.Instrument.ID, y.Instrument.ID),
		cmp.Compare(x.Instrument.Admin, y.Instrument.Admin), cmp.Compare(x.Package, y.Package))
}

func compareSigned(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return -1
	default:
		return 1
	}
}

// Movement is the change of an owner's claimed holdings of one kind.
type Movement struct {
	Owner            ledger.Party
	Kind             Kind
	Unlocked, Locked Sum
}

// Movements are the changes by a transaction that created and archived holdings, without those that add up to nothing.
func Movements(created, archived []Holding) []Movement {
	type key struct {
		owner ledger.Party
		kind  Kind
	}
	moved := map[key]*Movement{}
	count := func(holding Holding, add func(Sum, decimal.Decimal) Sum) {
		at := key{holding.Claim.Owner, holding.Kind()}
		if moved[at] == nil {
			moved[at] = &Movement{Owner: at.owner, Kind: at.kind}
		}
		sum := &moved[at].Unlocked
		if holding.Claim.Lock != nil {
			sum = &moved[at].Locked
		}
		*sum = add(*sum, holding.Claim.Amount)
	}
	for _, holding := range created {
		count(holding, Sum.Add)
	}
	for _, holding := range archived {
		count(holding, Sum.Sub)
	}
	var all []Movement
	for _, movement := range moved {
		if !movement.Unlocked.IsZero() || !movement.Locked.IsZero() {
			all = append(all, *movement)
		}
	}
	slices.SortFunc(all, func(x, y Movement) int {
		return cmp.Or(compareKinds(x.Kind, y.Kind), cmp.Compare(x.Owner, y.Owner))
	})
	return all
}
