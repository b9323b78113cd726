package validator

import (
	"context"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
)

// maxNamedContracts is the maximum number of contracts that a list reads: more than it shows, because it drops some.
const maxNamedContracts = 2 * MaxContracts

// EachNamed visits the active contracts of some templates that name a party, oldest first, until visit returns false.
// Anybody can make such contracts: if there are more than [maxNamedContracts], it reads only the newest of each maker.
// It reads all contracts of the network that name the DSO, because only the network makes them.
func (b *Base) EachNamed(
	ctx context.Context, named db.NamedQuery,
	visit func(ctx context.Context, stored db.StoredContract) (more bool, err error),
) error {
	named.Limit = maxNamedContracts
	reading, release := budget.Part(ctx)
	defer release()
	var ids []ledger.ContractID
	few, err := named.InNetwork && named.Party == b.Node.DSO, error(nil)
	if !few {
		ids, few, err = b.record.Shared(reading, named)
	}
	if err != nil {
		return err
	}
	if !few {
		return eachByID(ctx, ids, func(ctx context.Context, ids []ledger.ContractID) (storedByID, error) {
			if named.InNetwork {
				return b.record.NetworkContracts(ctx, ids)
			}
			return b.record.Contracts(ctx, ids)
		}, visit)
	}
	query := db.ActiveQuery{
		Parties: []ledger.Party{named.Party}, Templates: named.Templates, At: latest, Limit: contractsPage,
	}
	return eachOf(ctx, query, func(ctx context.Context, query db.ActiveQuery) ([]db.StoredContract, error) {
		if named.InNetwork {
			return b.record.ActiveNetworkContracts(ctx, query)
		}
		return b.record.ActiveContracts(ctx, query)
	}, visit)
}

type storedByID = map[ledger.ContractID]db.StoredContract

// eachByID visits the contracts that are still active, as [budget.Each] does.
func eachByID(
	ctx context.Context, ids []ledger.ContractID, read func(context.Context, []ledger.ContractID) (storedByID, error),
	visit func(ctx context.Context, stored db.StoredContract) (more bool, err error),
) error {
	readPortion := func(ctx context.Context, limit int32) ([]db.StoredContract, error) {
		page := ids[:min(int(limit), len(ids))]
		found, err := read(ctx, page)
		listed := make([]db.StoredContract, len(page)) // empty for archived contracts
		for i, id := range page {
			if stored := found[id]; stored.Archived == nil {
				listed[i] = stored
			}
		}
		return listed, err
	}
	return budget.Each(ctx, budget.NewPortions(contractsPage), readPortion,
		func(ctx context.Context, stored db.StoredContract) (bool, error) {
			if ids = ids[1:]; stored.ID == "" {
				return true, nil
			}
			return visit(ctx, stored)
		})
}
