package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// NamedQuery asks for the active contracts of some templates with a party as a stakeholder, by all makers.
type NamedQuery struct {
	Party ledger.Party
	// Templates are template ids, package-id:Module:Entity.
	Templates []string
	// InNetwork asks for the network's contracts alone.
	InNetwork bool
	// Limit is the number of contracts above which makers share it.
	Limit int32
}

func (n NamedQuery) scope() scope {
	if n.InNetwork {
		return inNetwork()
	}
	return everything()
}

// Shared lists the contracts that name a party, in order of creation, if there are more than the limit: the newest of
// each maker, who all have equal shares of the limit. The limit also bounds the rows that it reads. few reports that
// there are no more contracts than the limit; then it lists none. It does not count or list the network's contracts
// that all their stakeholders signed: nobody makes these for others.
func (r Reader) Shared(ctx context.Context, named NamedQuery) (ids []ledger.ContractID, few bool, err error) {
	in := named.scope()
	count, err := r.queries.CountMade(ctx, dbgen.CountMadeParams{
		TemplateIds: named.Templates, InNetworks: in, Party: named.Party, CountMax: named.Limit + 1,
	})
	if err != nil || count <= int64(named.Limit) {
		return nil, err == nil, failed("counting the contracts that name a party", err)
	}
	makers, err := r.queries.ListMakers(ctx, dbgen.ListMakersParams{
		TemplateIds: named.Templates, InNetworks: in, Party: named.Party, CountMax: named.Limit,
	})
	if err != nil || len(makers) == 0 {
		return nil, false, failed("listing who made the contracts that name a party", err)
	}
	newest := dbgen.ListNewestOfMakersParams{Party: named.Party, PerMaker: named.Limit / int32(len(makers))}
	for _, maker := range makers {
		newest.TemplateIds = append(newest.TemplateIds, maker.TemplateID)
		newest.InNetworks = append(newest.InNetworks, maker.InNetwork)
		newest.Makers = append(newest.Makers, maker.Maker)
	}
	ids, err = r.queries.ListNewestOfMakers(ctx, newest)
	return ids, false, failed("listing the newest contracts that name a party", err)
}
