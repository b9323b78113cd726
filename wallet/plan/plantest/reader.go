// Package plantest reads contracts from memory as the database does.
package plantest

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// Reader is a [plan.Reader] of the contracts that a function lists, oldest first.
type Reader func() []ledger.Contract

// Held implements [plan.Reader].
func (r Reader) Held(
	template lf.TypeName, holder ledger.Party, order plan.Order, limit int,
) (found []ledger.Contract, err error) {
	for _, contract := range r() {
		party, ok, err := plan.Holder(contract)
		if err != nil {
			return nil, err
		}
		if ok && contract.Template == template && party == holder {
			found = append(found, contract)
		}
	}
	slices.SortStableFunc(found, func(a, b ledger.Contract) int {
		x, y := rankOf(a), rankOf(b)
		return cmp.Or(cmp.Compare(x.round(), y.round()), y.amount().Cmp(x.amount()), cmp.Compare(y.ExpiresAt, x.ExpiresAt))
	})
	if order == plan.Least {
		slices.Reverse(found)
	}
	return found[:min(len(found), limit)], nil
}

// rank is the sort key of a contract.
type rank struct {
	Amount    json.RawMessage `json:"amount"`
	ExpiresAt string          `json:"expiresAt"`
	Round     struct {
		Number json.Number `json:"number"`
	} `json:"round"`
}

func rankOf(contract ledger.Contract) (r rank) {
	var locked struct {
		Amulet *rank `json:"amulet"`
	}
	_ = json.Unmarshal(contract.Payload, &r) // what has none of these fields has no order
	if json.Unmarshal(contract.Payload, &locked) == nil && locked.Amulet != nil {
		return *locked.Amulet
	}
	return r
}

func (r rank) round() int64 {
	number, _ := r.Round.Number.Int64()
	return number
}

// amount returns the amount of a coin (which may expire) or of a coupon.
func (r rank) amount() (amount decimal.Decimal) {
	var coin struct {
		InitialAmount decimal.Decimal `json:"initialAmount"`
	}
	if json.Unmarshal(r.Amount, &coin) == nil {
		return coin.InitialAmount
	}
	_ = json.Unmarshal(r.Amount, &amount)
	return amount
}

// Balance implements [plan.Reader].
func (r Reader) Balance(template lf.TypeName, holder ledger.Party) (total decimal.Decimal, err error) {
	held, err := r.Held(template, holder, plan.First, len(r()))
	for _, contract := range held {
		if err == nil {
			total, err = total.Add(rankOf(contract).amount())
		}
	}
	return total, err
}

// EachOffer implements [plan.Reader].
func (r Reader) EachOffer(
	template lf.TypeName, sender, receiver ledger.Party, visit func(ledger.Contract) (bool, error),
) error {
	for _, contract := range r() {
		if contract.Template != template {
			continue
		}
		var offer struct{ Sender, Receiver ledger.Party }
		if err := json.Unmarshal(contract.Payload, &offer); err != nil {
			return err
		}
		if offer.Sender == sender && offer.Receiver == receiver {
			if more, err := visit(contract); err != nil || !more {
				return err
			}
		}
	}
	return nil
}

// MergeDelegations implements [plan.Reader].
func (r Reader) MergeDelegations(
	template lf.TypeName, owner, operator ledger.Party, limit int,
) (found []ledger.Contract, err error) {
	type delegation struct{ Owner, Operator ledger.Party }
	for _, contract := range r() {
		if contract.Template != template || len(found) == limit {
			continue
		}
		var payload struct {
			delegation

			Delegation *delegation
		}
		if err := json.Unmarshal(contract.Payload, &payload); err != nil {
			return nil, err
		}
		if payload.Delegation != nil {
			payload.delegation = *payload.Delegation
		}
		if payload.delegation == (delegation{owner, operator}) {
			found = append(found, contract)
		}
	}
	return found, nil
}

// Shared implements [plan.Reader].
func (r Reader) Shared(template lf.TypeName, limit int) (found []ledger.Contract, err error) {
	for _, contract := range r() {
		if contract.Template == template && len(found) < limit {
			found = append(found, contract)
		}
	}
	return found, nil
}

// IsActive implements [plan.Reader].
func (r Reader) IsActive(id ledger.ContractID) (bool, error) {
	return slices.ContainsFunc(r(), func(c ledger.Contract) bool { return c.ID == id }), nil
}
