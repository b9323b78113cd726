package validator

import (
	"context"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// View is the ledger for the wallet's rules, which endpoints, automation and lifecycles share.
func (b *Base) View(ctx context.Context) plan.View {
	return plan.View{
		Packages: b.Packages, Node: b.Node, Now: b.Now(), Ledger: reader{ctx, b.record},
		Network: func() (plan.Network, error) {
			return b.memory.networkOf(ctx, func() (plan.Network, error) {
				return plan.ReadNetwork(plan.View{Packages: b.Packages, Ledger: reader{ctx, b.record}})
			})
		},
	}
}

// reader reads the record for one request.
type reader struct {
	ctx    context.Context //nolint:containedctx // lives within one request, behind an interface without contexts
	record WalletRecord
}

// Held implements [plan.Reader].
func (r reader) Held(
	template lf.TypeName, holder ledger.Party, order plan.Order, limit int,
) ([]ledger.Contract, error) {
	found, err := r.record.HeldContracts(r.ctx, db.HeldQuery{
		Template: template.String(), Holder: holder, LeastFirst: order == plan.Least, Limit: int32(limit),
	})
	return r.takeBudget(found, err)
}

// Balance implements [plan.Reader].
func (r reader) Balance(template lf.TypeName, holder ledger.Party) (decimal.Decimal, error) {
	return r.record.Balance(r.ctx, template.String(), holder)
}

// EachOffer implements [plan.Reader].
func (r reader) EachOffer(
	template lf.TypeName, sender, receiver ledger.Party, visit func(ledger.Contract) (bool, error),
) error {
	query := db.OfferQuery{Template: template.String(), Sender: sender, Receiver: receiver, Limit: contractsPage}
	for {
		page, err := r.record.Offers(r.ctx, query)
		if err != nil {
			return err
		}
		for _, stored := range page {
			if more, err := visit(stored.Contract); err != nil || !more {
				return err
			}
			query.After = stored.Position()
		}
		if len(page) < contractsPage {
			return nil
		}
	}
}

// MergeDelegations implements [plan.Reader].
func (r reader) MergeDelegations(
	template lf.TypeName, owner, operator ledger.Party, limit int,
) ([]ledger.Contract, error) {
	found, err := r.record.MergeDelegations(r.ctx, template.String(), owner, operator, int32(limit))
	return r.takeBudget(found, err)
}

// Shared implements [plan.Reader].
func (r reader) Shared(template lf.TypeName, limit int) ([]ledger.Contract, error) {
	found, err := r.record.ActiveByTemplate(r.ctx, template.String(), int32(limit))
	return r.takeBudget(found, err)
}

// IsActive implements [plan.Reader].
func (r reader) IsActive(id ledger.ContractID) (bool, error) {
	stored, ok, err := r.record.NetworkContract(r.ctx, id)
	return ok && stored.Archived == nil, err
}

// takeBudget returns the contracts and takes their size from the budget of the request.
func (r reader) takeBudget(found []db.StoredContract, err error) ([]ledger.Contract, error) {
	contracts, bytes := make([]ledger.Contract, len(found)), int64(0)
	for i, stored := range found {
		contracts[i] = stored.Contract
		bytes += int64(len(stored.Payload))
	}
	if err == nil {
		err = budget.Of(r.ctx).Take(bytes)
	}
	return contracts, err
}
