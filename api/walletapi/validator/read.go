package validator

import (
	"context"
	"encoding/base64"
	"math"
	"slices"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/wallet/plan"
)

const (
	// MaxContracts limits lists without pages (upstream's limit).
	MaxContracts = 1000
	// MaxListBytes limits the contracts of a list, so that others cannot make it too large to answer.
	MaxListBytes = 6 << 20
	// contractsPage is the number of contracts in one database read.
	contractsPage = 250
	// latest is the offset for the contracts that are active now.
	latest = ledger.Offset(math.MaxInt64)
)

// Contract is a contract and its payload.
type Contract[T any] = plan.Contract[T]

// ListedBytes is the size of a contract in a list: the answer has its payload twice, once in the blob.
func ListedBytes(c ledger.Contract) int64 {
	const facts = 512 // ids, names of fields and the time
	return int64(facts + len(c.Payload) + base64.StdEncoding.EncodedLen(ledger.BlobBytes(c)))
}

// Active lists the network's active contracts of a template of which the party is a stakeholder, oldest first, at most
// [MaxContracts] and [MaxListBytes]. If there are more, [FairList] picks.
func Active[T any](ctx context.Context, b *Base, party ledger.Party) ([]Contract[T], error) {
	return ActiveIf(ctx, b, party, func(T) bool { return true })
}

// ActiveIf is [Active] for the wanted contracts.
func ActiveIf[T any](
	ctx context.Context, b *Base, party ledger.Party, wanted func(T) bool,
) ([]Contract[T], error) {
	name, err := ledger.TemplateName[T](b.Packages)
	if err != nil {
		return nil, fault.Internal(err)
	}
	picked := NewFairList[Contract[T]](MaxContracts, party, b.Node.DSO)
	named := db.NamedQuery{Party: party, Templates: []string{name.String()}, InNetwork: true}
	err = b.EachNamed(ctx, named, func(_ context.Context, stored db.StoredContract) (bool, error) {
		c, err := plan.Decode[T](b.Packages, stored.Contract)
		if err != nil {
			return false, fault.Internal(err)
		}
		if wanted(c.Payload) {
			picked.Add(c, stored.Contract)
		}
		return true, nil
	})
	if err == nil {
		err = budget.Of(ctx).Take(picked.Bytes)
	}
	return picked.Items(), err
}

// EachActive visits the active contracts of a template of which the party is a stakeholder, oldest first, until visit
// returns false.
func EachActive[T any](ctx context.Context, b *Base, party ledger.Party, visit func(Contract[T]) (more bool)) error {
	return EachActiveAfter(ctx, b, party, db.Position{},
		func(_ context.Context, c Contract[T], _ db.Position) (bool, error) { return visit(c), nil })
}

// EachActiveAfter is [EachActive] after a position; visit gets the position of each contract.
func EachActiveAfter[T any](
	ctx context.Context, b *Base, party ledger.Party, after db.Position,
	visit func(ctx context.Context, c Contract[T], at db.Position) (more bool, err error),
) error {
	name, err := ledger.TemplateName[T](b.Packages)
	if err != nil {
		return fault.Internal(err)
	}
	query := db.ActiveQuery{
		Parties: []ledger.Party{party}, Templates: []string{name.String()}, At: latest, Limit: contractsPage, After: after,
	}
	read := b.record.ActiveNetworkContracts
	return eachOf(ctx, query, read, func(ctx context.Context, stored db.StoredContract) (bool, error) {
		c, err := plan.Decode[T](b.Packages, stored.Contract)
		if err != nil {
			return false, fault.Internal(err)
		}
		return visit(ctx, c, stored.Position())
	})
}

// HasSigned reports whether the party signed an active contract. It is true without a further search if the party has
// many contracts, which anybody may make.
func (b *Base) HasSigned(ctx context.Context, party ledger.Party) (bool, error) {
	const most = 1000
	seen, signed := 0, false
	query := db.ActiveQuery{Parties: []ledger.Party{party}, At: latest}
	err := eachOf(ctx, query, b.record.ActiveContracts, func(_ context.Context, stored db.StoredContract) (bool, error) {
		seen++
		signed = seen == most || slices.Contains(stored.Signatories, party)
		return !signed, nil
	})
	return signed, err
}

// eachOf visits contracts as [budget.Each] does, until visit returns false.
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

// ActiveByID finds an active contract of a template of which the party is a stakeholder. All others get the same 404,
// so that callers learn nothing about contracts of others.
func ActiveByID[T any](ctx context.Context, b *Base, party ledger.Party, id string) (Contract[T], error) {
	missing := v0.NotFound("Contract id not found: ContractId(id = %s). It does not exist, is archived, or is not "+
		"yours: use an id from the list of active contracts.", id)
	name, err := ledger.TemplateName[T](b.Packages)
	if err != nil {
		return Contract[T]{}, fault.Internal(err)
	}
	stored, found, err := b.record.NetworkContract(ctx, ledger.ContractID(id))
	if err != nil {
		return Contract[T]{}, err
	}
	if !found || stored.Archived != nil || stored.Template != name || !stored.IsStakeholder(party) {
		return Contract[T]{}, missing
	}
	c, err := plan.Decode[T](b.Packages, stored.Contract)
	if err != nil {
		return Contract[T]{}, fault.Internal(err)
	}
	return c, nil
}
