package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// HeldQuery asks for the network's contracts of a template, package-id:Module:Entity, that a party holds: not those
// that name it otherwise, which others can make. The functions contract_holder and contract_rank of the schema say who
// holds a contract, and which come first.
type HeldQuery struct {
	Template string
	Holder   ledger.Party
	// LeastFirst reverses the order.
	LeastFirst bool
	Limit      int32
}

// HeldContracts lists active contracts of the network that a party holds.
func (r Reader) HeldContracts(ctx context.Context, held HeldQuery) ([]StoredContract, error) {
	list := r.queries.ListHeld
	if held.LeastFirst {
		list = func(ctx context.Context, p dbgen.ListHeldParams) ([]dbgen.Contract, error) {
			return r.queries.ListHeldLeastFirst(ctx, dbgen.ListHeldLeastFirstParams(p))
		}
	}
	rows, err := list(ctx, dbgen.ListHeldParams{
		TemplateID: held.Template, Holder: string(held.Holder), CountMax: held.Limit,
	})
	if err != nil {
		return nil, failed("listing the contracts of a party", err)
	}
	return fromDBContracts(rows)
}

// NewestHeld lists, for each party that holds some, the newest active contract of the network of a template, the oldest
// of these first. If more parties than the limit hold some, it lists those of the first party ids. All contracts of the
// template must have the same rank.
func (r Reader) NewestHeld(ctx context.Context, template string, limit int32) ([]StoredContract, error) {
	rows, err := r.queries.ListNewestHeld(ctx, dbgen.ListNewestHeldParams{TemplateID: template, CountMax: limit})
	if err != nil {
		return nil, failed("listing the newest contract of each party", err)
	}
	return fromDBContracts(rows)
}

// Balance adds up the amounts of a party's coins of one template, locked or not.
func (r Reader) Balance(ctx context.Context, template string, holder ledger.Party) (decimal.Decimal, error) {
	total, err := r.queries.SumHeld(ctx, dbgen.SumHeldParams{TemplateID: template, Holder: string(holder)})
	if err != nil {
		return decimal.Decimal{}, failed("adding up the coin of a party", err)
	}
	sum, err := decimal.Parse(total)
	return sum, failed("adding up the coin of a party", err)
}

// OfferQuery asks for the network's offers of a template from one party to another.
type OfferQuery struct {
	Template         string
	Sender, Receiver ledger.Party
	// After is the position of the last offer of the page before.
	After Position
	Limit int32
}

// Offers pages through active offers of the network, the oldest first.
func (r Reader) Offers(ctx context.Context, offered OfferQuery) ([]StoredContract, error) {
	rows, err := r.queries.ListOffered(ctx, dbgen.ListOfferedParams{
		TemplateID: offered.Template, Sender: string(offered.Sender), Receiver: string(offered.Receiver),
		AfterOffset: int64(offered.After.Offset), AfterNodeID: offered.After.NodeID, CountMax: offered.Limit,
	})
	if err != nil {
		return nil, failed("listing offers", err)
	}
	return fromDBContracts(rows)
}

// MergeDelegations lists an owner's active delegations to an operator, or its proposals of delegations, of the network,
// the oldest first, up to a limit.
func (r Reader) MergeDelegations(
	ctx context.Context, template string, owner, operator ledger.Party, limit int32,
) ([]StoredContract, error) {
	rows, err := r.queries.ListMergeDelegations(ctx, dbgen.ListMergeDelegationsParams{
		TemplateID: template, Owner: string(owner), Operator: string(operator), CountMax: limit,
	})
	if err != nil {
		return nil, failed("listing who merges a party's holdings", err)
	}
	return fromDBContracts(rows)
}
