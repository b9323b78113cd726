package walletapi

import (
	"context"
	"math"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/budget"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
)

const (
	// maxContracts bounds lists that have no pages (upstream's limit).
	maxContracts = 1000
	// listBytes bounds what their contracts have: a list is answered whatever others put into it.
	listBytes = 4 << 20
	// contractsPage is how many contracts are read at once.
	contractsPage = 250
	// latest is the offset of what is active now.
	latest = ledger.Offset(math.MaxInt64)
)

// contract is a contract and its payload.
type contract[T any] struct {
	ledger.Contract

	Payload T
}

// show shows the contract as clients of /v0 see contracts.
func (c contract[T]) show(a *API) (v0.Contract, error) {
	return v0.ToAPIContract(a.packages, c.Contract)
}

// active lists the network's contracts of a template that are active now and that the party is a stakeholder of, oldest
// first, at most maxContracts and listBytes: see [fairList] for which, where there are more.
func active[T any](ctx context.Context, a *API, party ledger.Party) ([]contract[T], error) {
	return activeIf(ctx, a, party, func(T) bool { return true })
}

// activeIf is [active] for those contracts that are wanted.
func activeIf[T any](
	ctx context.Context, a *API, party ledger.Party, wanted func(T) bool,
) ([]contract[T], error) {
	name, err := ledger.TemplateName[T](a.packages)
	if err != nil {
		return nil, fault.Internal(err)
	}
	picked := newFairList[contract[T]](maxContracts, party, a.node.DSO)
	named := db.Named{Party: party, Templates: []string{name.String()}, InNetwork: true}
	err = a.eachNamed(ctx, named, func(_ context.Context, stored db.StoredContract) (bool, error) {
		payload, err := ledger.DecodePayload[T](a.packages, stored.Contract)
		if err != nil {
			return false, fault.Internal(err)
		}
		if wanted(payload) {
			picked.add(contract[T]{stored.Contract, payload}, stored.Contract)
		}
		return true, nil
	})
	if err == nil {
		err = budget.Of(ctx).Take(picked.bytes)
	}
	return picked.items(), err
}

// eachActive visits the contracts of a template that are active now and that the party is a stakeholder of, oldest
// first, until visit says that it has seen enough.
func eachActive[T any](ctx context.Context, a *API, party ledger.Party, visit func(contract[T]) (more bool)) error {
	return eachActiveAfter(ctx, a, party, db.Position{},
		func(_ context.Context, c contract[T], _ db.Position) (bool, error) { return visit(c), nil })
}

// eachActiveAfter is [eachActive] from a place on; visit is told where each contract is.
func eachActiveAfter[T any](
	ctx context.Context, a *API, party ledger.Party, after db.Position,
	visit func(ctx context.Context, c contract[T], at db.Position) (more bool, err error),
) error {
	name, err := ledger.TemplateName[T](a.packages)
	if err != nil {
		return fault.Internal(err)
	}
	query := db.ActiveQuery{
		Parties: []ledger.Party{party}, Templates: []string{name.String()}, At: latest, Limit: contractsPage, After: after,
	}
	read := a.record.ActiveNetworkContracts
	return eachOf(ctx, query, read, func(ctx context.Context, stored db.StoredContract) (bool, error) {
		payload, err := ledger.DecodePayload[T](a.packages, stored.Contract)
		if err != nil {
			return false, fault.Internal(err)
		}
		return visit(ctx, contract[T]{stored.Contract, payload}, stored.Position())
	})
}

// eachOf visits contracts as [budget.Each] does, until visit says that it has seen enough.
func eachOf(
	ctx context.Context, query db.ActiveQuery,
	read func(context.Context, db.ActiveQuery) ([]db.StoredContract, error),
	visit func(ctx context.Context, stored db.StoredContract) (more bool, err error),
) error {
	readPortion := func(ctx context.Context, limit int32) ([]db.StoredContract, error) {
		query.Limit = limit
		return read(ctx, query)
	}
	return budget.Each(ctx, budget.NewPortions(contractsPage), readPortion,
		func(ctx context.Context, stored db.StoredContract) (bool, error) {
			query.After = stored.Position()
			return visit(ctx, stored)
		})
}

// eachUpdate visits the transactions of a party's history from an offset on, the newest first and as [budget.Each]
// does, until visit says that it has seen enough.
func (a *API) eachUpdate(
	ctx context.Context, party ledger.Party, from ledger.Offset,
	visit func(ctx context.Context, update ledger.NetworkUpdate) (more bool, err error),
) error {
	query := db.HistoryQuery{Party: party, UpTo: from}
	readPortion := func(ctx context.Context, limit int32) ([]ledger.NetworkUpdate, error) {
		query.Limit = limit
		return a.record.History(ctx, query)
	}
	return budget.Each(ctx, budget.NewPortions(updatesPage), readPortion,
		func(ctx context.Context, update ledger.NetworkUpdate) (bool, error) {
			query.UpTo = update.Update().Offset - 1
			return visit(ctx, update)
		})
}

// activeByID finds an active contract of a template that the party is a stakeholder of. Everything else is not there:
// nobody learns of contracts that are not theirs.
func activeByID[T any](ctx context.Context, a *API, party ledger.Party, id string) (contract[T], error) {
	missing := v0.NotFound("Contract id not found: ContractId(id = %s). It does not exist, has been archived, or is not "+
		"yours: list what is open and use an id from there.", id)
	name, err := ledger.TemplateName[T](a.packages)
	if err != nil {
		return contract[T]{}, fault.Internal(err)
	}
	stored, found, err := a.record.NetworkContract(ctx, ledger.ContractID(id))
	if err != nil {
		return contract[T]{}, err
	}
	if !found || stored.Archived != nil || stored.Template != name || !stored.IsStakeholder(party) {
		return contract[T]{}, missing
	}
	payload, err := ledger.DecodePayload[T](a.packages, stored.Contract)
	if err != nil {
		return contract[T]{}, fault.Internal(err)
	}
	return contract[T]{stored.Contract, payload}, nil
}
