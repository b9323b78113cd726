package validator

import (
	"context"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
)

// maxNamedContracts is how many of the contracts that name a party a list looks at: more than it shows, as not all are wanted.
const maxNamedContracts = 2 * MaxContracts

// EachNamed visits the active contracts of some templates that name a party, oldest first, until visit says that it has
// seen enough. Anybody can make them: of more than [maxNamedContracts] it reads and visits the newest of each maker alone. What
// names the DSO for the network is the network's own.
func (b *Base) EachNamed(
	ctx context.Context, named db.Named,
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

// eachByID visits those of some contracts that are still active, as [budget.Each] does.
func eachByID(
	ctx context.Context, ids []ledger.ContractID, read func(context.Context, []ledger.ContractID) (storedByID, error),
	visit func(ctx context.Context, stored db.StoredContract) (more bool, err error),
) error {
	readPortion := func(ctx context.Context, limit int32) ([]db.StoredContract, error) {
		page := ids[:min(int(limit), len(ids))]
		found, err := read(ctx, page)
		listed := make([]db.StoredContract, len(page)) // those that are gone are visited as nothing
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
