package db

import (
	"cmp"
	"context"
	"slices"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// Position orders contracts by creation. The zero Position is before the first.
type Position struct {
	Offset ledger.Offset
	NodeID int32
}

// ActiveQuery asks for the contracts that were active at an offset.
type ActiveQuery struct {
	// Parties: a contract matches when at least one is a stakeholder. Nil matches every contract.
	Parties []ledger.Party
	// Templates are template ids, package-id:Module:Entity. Nil matches every template.
	Templates []string
	// At is the offset; not after the head, not before the pruned offset.
	At ledger.Offset
	// After is the position of the last contract of the page before.
	After Position
	Limit int32
}

// ActiveContracts lists the contracts that were active at an offset, in order of creation. The cost of a page at the
// head does not depend on the length of the ledger. A page at an earlier offset also reads contracts of all parties
// that were active then and have been archived since; its cost does not depend on the age of the offset.
func (r Reader) ActiveContracts(ctx context.Context, query ActiveQuery) ([]StoredContract, error) {
	return r.activeContracts(ctx, query, everything())
}

func (r Reader) activeContracts(ctx context.Context, query ActiveQuery, in scope) ([]StoredContract, error) {
	// The order of the two queries matters, because others commit between them: a contract that is archived before the
	// first query is in the second result, one that is archived between them is in both, and one that is created between
	// them is in neither.
	rows, err := r.listActive(ctx, query, in)
	if err != nil {
		return nil, failed("listing active contracts", err)
	}
	since, err := r.queries.ListArchivedSince(ctx, dbgen.ListArchivedSinceParams{
		At:          int64(query.At),
		AfterOffset: int64(query.After.Offset),
		AfterNodeID: query.After.NodeID,
		Parties:     nullable(query.Parties),
		TemplateIds: query.Templates,
		InNetworks:  in,
		CountMax:    query.Limit,
	})
	if err != nil {
		return nil, failed("listing contracts that were archived since", err)
	}
	return fromDBContracts(merge(rows, since, int(query.Limit)))
}

// listActive lists the contracts that are active now. The scope counts only for queries that name templates.
func (r Reader) listActive(ctx context.Context, query ActiveQuery, in scope) ([]dbgen.Contract, error) {
	afterOffset, afterNodeID := int64(query.After.Offset), query.After.NodeID
	switch {
	case query.Parties == nil && query.Templates == nil:
		return r.queries.ListActive(ctx, dbgen.ListActiveParams{
			UpTo: query.At, AfterOffset: afterOffset, AfterNodeID: afterNodeID, CountMax: query.Limit,
		})
	case query.Parties == nil:
		return r.queries.ListActiveOfTemplates(ctx, dbgen.ListActiveOfTemplatesParams{
			TemplateIds: query.Templates, InNetworks: in,
			UpTo: query.At, AfterOffset: afterOffset, AfterNodeID: afterNodeID, CountMax: query.Limit,
		})
	case query.Templates == nil:
		return r.queries.ListActiveOfParties(ctx, dbgen.ListActiveOfPartiesParams{
			Parties: ledger.Strings(query.Parties),
			UpTo:    query.At, AfterOffset: afterOffset, AfterNodeID: afterNodeID, CountMax: query.Limit,
		})
	default:
		return r.queries.ListActiveOfPartiesAndTemplates(ctx, dbgen.ListActiveOfPartiesAndTemplatesParams{
			Parties: ledger.Strings(query.Parties), TemplateIds: query.Templates, InNetworks: in,
			UpTo: query.At, AfterOffset: afterOffset, AfterNodeID: afterNodeID, CountMax: query.Limit,
		})
	}
}

// merge returns the first rows of two lists in order of creation; a contract in both counts once.
func merge(active, since []dbgen.Contract, limit int) []dbgen.Contract {
	all := slices.Concat(active, since)
	slices.SortFunc(all, func(a, b dbgen.Contract) int {
		return cmp.Or(cmp.Compare(a.CreatedOffset, b.CreatedOffset), cmp.Compare(a.CreatedNodeID, b.CreatedNodeID))
	})
	all = slices.CompactFunc(all, func(a, b dbgen.Contract) bool { return a.ContractID == b.ContractID })
	return all[:min(len(all), limit)]
}

// nullable keeps nil, which stands for all, apart from the empty list.
func nullable(parties []ledger.Party) []string {
	if parties == nil {
		return nil
	}
	return ledger.Strings(parties)
}
