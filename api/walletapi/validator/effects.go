package validator

import (
	"maps"
	"slices"
	"strings"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// effects describes the effects of a transaction on a party: its coin, the coin of receivers, and the contracts that it
// sees.
func (b *Base) effects(t ledger.Transaction, wallet ledger.Party) ([]string, error) {
	gone, contracts := map[ledger.ContractID]bool{}, contractsOf(t)
	for _, id := range t.Consumed() {
		gone[id] = true
	}
	e := effects{base: b, wallet: wallet, free: map[ledger.Party]decimal.Decimal{}}
	for _, made := range t.Created() {
		if !gone[made.Contract.ID] {
			e.add(made.Contract, "Creates ", decimal.Decimal.Add)
		}
		delete(gone, made.Contract.ID)
	}
	for _, id := range t.Consumed() {
		if gone[id] {
			e.add(contracts[id], "Archives ", decimal.Decimal.Sub)
		}
	}
	return append(e.balances(), e.contracts...), e.err
}

type effects struct {
	base      *Base
	wallet    ledger.Party
	free      map[ledger.Party]decimal.Decimal
	locked    decimal.Decimal
	contracts []string
	err       error
}

func (e *effects) add(
	c ledger.Contract, verb string, count func(x, y decimal.Decimal) (decimal.Decimal, error),
) {
	if e.err != nil {
		return
	}
	switch c.Template.QualifiedName() {
	case "Splice.Amulet:Amulet":
		if amulet, err := ledger.DecodePayload[coin.Amulet](e.base.Packages, c); err == nil {
			e.free[amulet.Owner], e.err = count(e.free[amulet.Owner], amulet.Amount.InitialAmount)
			return
		}
	case "Splice.Amulet:LockedAmulet":
		if l, err := ledger.DecodePayload[coin.LockedAmulet](e.base.Packages, c); err == nil && l.Amulet.Owner == e.wallet {
			e.locked, e.err = count(e.locked, l.Amulet.Amount.InitialAmount)
			return
		}
	}
	if !c.IsStakeholder(e.wallet) {
		return
	}
	signers := make([]string, len(c.Signatories))
	for i, party := range c.Signatories {
		signers[i] = e.name(party)
	}
	e.contracts = append(e.contracts, verb+c.Template.QualifiedName()+" of package "+c.PackageName+", signed by "+
		strings.Join(signers, " and "))
}

// balances describes the changes of coin, the wallet's first.
func (e *effects) balances() (lines []string) {
	switch own := e.free[e.wallet]; own.Sign() {
	case 1:
		lines = append(lines, "Your balance goes up by "+inCoin(own))
	case -1:
		lines = append(lines, "Your balance goes down by "+inCoin(own.Neg()))
	}
	switch e.locked.Sign() {
	case 1:
		lines = append(lines, "Locks "+inCoin(e.locked)+" of yours")
	case -1:
		lines = append(lines, "Unlocks "+inCoin(e.locked.Neg())+" of yours")
	}
	for _, party := range slices.Sorted(maps.Keys(e.free)) {
		if got := e.free[party]; party != e.wallet && got.Sign() > 0 {
			lines = append(lines, e.name(party)+" gets "+inCoin(got))
		}
	}
	return lines
}

// inCoin formats an amount without trailing zeros.
func inCoin(amount decimal.Decimal) string { return strings.TrimSuffix(amount.Show(), ".0") + " CC" }

// name is a party's name for display.
func (e *effects) name(party ledger.Party) string {
	if party == e.wallet {
		return "you"
	}
	hint, _, _ := strings.Cut(string(party), "::")
	return hint
}
