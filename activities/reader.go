package activities

import (
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// offersPage is the number of offers in a page.
const offersPage = 250

// Held implements [plan.Reader].
func (p planning) Held(
	template lf.TypeName, holder ledger.Party, order plan.Order, limit int,
) ([]ledger.Contract, error) {
	contracts, err := p.tx.HeldContracts(p.ctx, db.HeldQuery{
		Template: template.String(), Holder: holder, LeastFirst: order == plan.Least, Limit: int32(limit),
	})
	return withoutPlace(contracts), p.note(err)
}

// Balance implements [plan.Reader].
func (p planning) Balance(template lf.TypeName, holder ledger.Party) (decimal.Decimal, error) {
	total, err := p.tx.Balance(p.ctx, template.String(), holder)
	return total, p.note(err)
}

// EachOffer implements [plan.Reader].
func (p planning) EachOffer(
	template lf.TypeName, sender, receiver ledger.Party, visit func(ledger.Contract) (bool, error),
) error {
	query := db.OfferQuery{Template: template.String(), Sender: sender, Receiver: receiver, Limit: offersPage}
	for {
		page, err := p.tx.Offers(p.ctx, query)
		if err != nil {
			return p.note(err)
		}
		for _, stored := range page {
			if more, err := visit(stored.Contract); err != nil || !more {
				return err
			}
			query.After = stored.Position()
		}
		if len(page) < offersPage {
			return nil
		}
	}
}

// MergeDelegations implements [plan.Reader].
func (p planning) MergeDelegations(
	template lf.TypeName, owner, operator ledger.Party, limit int,
) ([]ledger.Contract, error) {
	contracts, err := p.tx.MergeDelegations(p.ctx, template.String(), owner, operator, int32(limit))
	return withoutPlace(contracts), p.note(err)
}

// Shared implements [plan.Reader].
func (p planning) Shared(template lf.TypeName, limit int) ([]ledger.Contract, error) {
	contracts, err := p.tx.ActiveByTemplate(p.ctx, template.String(), int32(limit))
	return withoutPlace(contracts), p.note(err)
}

// IsActive implements [plan.Reader].
func (p planning) IsActive(id ledger.ContractID) (bool, error) {
	stored, ok, err := p.tx.NetworkContract(p.ctx, id)
	return ok && stored.Archived == nil, p.note(err)
}
