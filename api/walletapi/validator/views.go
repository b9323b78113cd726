package validator

import (
	"context"
	"errors"
	"slices"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/tokens"
)

// ViewSteps limits the total cost of the views of a list, a tenth of a second of a core: anybody can make contracts
// with costly views that name the reader. Views of published packages cost about 50 steps each.
const ViewSteps = ledger.MaxCodeSteps / 5

// errCostlyViews is the error of views that were not computed.
var errCostlyViews = errors.New("the views of its makers' contracts cost too much")

// EachView computes the views of contracts in the order of [FairList.ByMaker]. All makers have equal shares of the
// cost, and later makers get what earlier ones leave, so that a maker of costly contracts cannot hide those of others.
// visit gets the error of a view that fails, or has no share left.
func EachView(
	ctx context.Context, packages *ledger.Packages, makers [][]ledger.Contract, name lf.TypeName,
	visit func(contract ledger.Contract, view []byte, err error),
) error {
	steps := int64(ViewSteps)
	for i, made := range makers {
		share := steps / int64(len(makers)-i)
		views, left := ledger.WithViewsUpTo(ctx, share)
		for _, contract := range made {
			if left() == 0 {
				visit(contract, nil, errCostlyViews)
				continue
			}
			view, _, err := packages.View(views, contract, name)
			if ended := ctx.Err(); ended != nil {
				return ended
			}
			visit(contract, view, err)
		}
		steps -= share - left()
	}
	return nil
}

// Viewed is a contract and its view, or the reason why it has none.
type Viewed struct {
	Contract ledger.Contract
	View     []byte
	Err      error
}

// Implementing lists the active contracts of which the party is a stakeholder and whose uploaded templates implement an
// interface, with their views, oldest first. If there are too many, [FairList] picks.
func (b *Base) Implementing(
	ctx context.Context, packages *ledger.Packages, party ledger.Party, interfaceName string,
) ([]Viewed, error) {
	name, templates, err := Implementers(packages, interfaceName)
	if err != nil {
		return nil, err
	}
	templates = slices.DeleteFunc(templates, func(t lf.TypeName) bool { return !packages.IsUploaded(t.Package) })
	if len(templates) == 0 {
		return nil, nil
	}
	picked := NewFairList[ledger.Contract](MaxContracts, party)
	named := db.NamedQuery{Party: party, Templates: typeNames(templates)}
	err = b.EachNamed(ctx, named, func(_ context.Context, stored db.StoredContract) (bool, error) {
		picked.Add(stored.Contract, stored.Contract)
		return true, nil
	})
	if err == nil {
		err = budget.Of(ctx).Take(picked.Bytes)
	}
	if err != nil {
		return nil, err
	}
	views, bytes := map[ledger.ContractID]Viewed{}, int64(0)
	err = EachView(ctx, packages, picked.ByMaker(), name, func(c ledger.Contract, view []byte, err error) {
		if err == nil && len(view) > tokens.MaxViewBytes {
			view, err = nil, tokens.ErrViewTooLarge
		}
		bytes += int64(len(view))
		views[c.ID] = Viewed{Contract: c, View: view, Err: err}
	})
	if err == nil {
		err = budget.Of(ctx).Take(bytes)
	}
	all := make([]Viewed, 0, len(views))
	for _, contract := range picked.Items() {
		all = append(all, views[contract.ID])
	}
	return all, err
}

// Implementers returns the interface and the templates that implement it, in order of name.
func Implementers(packages *ledger.Packages, interfaceName string) (name lf.TypeName, templates []lf.TypeName, err error) {
	reference, err := lf.ParseTypeName(interfaceName)
	if err != nil {
		return name, nil, fault.Internal(err)
	}
	name, refusal := packages.ResolveTemplate(reference, nil)
	if refusal != nil {
		return name, nil, refusal
	}
	return name, packages.Implementers(name), nil
}

func typeNames(names []lf.TypeName) []string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = name.String()
	}
	return texts
}
