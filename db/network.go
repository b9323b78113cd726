package db

import (
	"context"
	"errors"
	"math"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// This file reads the network's contracts. Anybody can create contracts that claim to be the network's; the commit
// decided which ones are ([ledger.Contract.InNetwork]). Wallets, automation, the registry, scan and traffic read only
// through this file. All other readers of contracts serve the ledger API, interpretation and the audit, which deal with
// every contract there is.

// scope lists the values of in_network that a query finds.
type scope []bool

func inNetwork() scope  { return scope{true} }
func everything() scope { return scope{true, false} }

// NetworkContract finds a contract of the network, active or archived; false when there never was one of this id.
func (r Reader) NetworkContract(ctx context.Context, id ledger.ContractID) (StoredContract, bool, error) {
	contract, found, err := r.Contract(ctx, id)
	if err != nil || !found || !contract.InNetwork {
		return StoredContract{}, false, err
	}
	return contract, true, nil
}

// NetworkContracts finds contracts of the network, active or archived. All others are absent.
func (r Reader) NetworkContracts(
	ctx context.Context, ids []ledger.ContractID,
) (map[ledger.ContractID]StoredContract, error) {
	found, err := r.Contracts(ctx, ids)
	for id, contract := range found {
		if !contract.InNetwork {
			delete(found, id)
		}
	}
	return found, err
}

// ActiveNetworkContracts is [Reader.ActiveContracts] for the contracts of the network. The query must name templates.
func (r Reader) ActiveNetworkContracts(ctx context.Context, query ActiveQuery) ([]StoredContract, error) {
	if query.Templates == nil {
		return nil, errors.New("listing the network's contracts: the query names no templates")
	}
	return r.activeContracts(ctx, query, inNetwork())
}

// ActiveByTemplate lists the network's contracts of a template that are active now, in order of creation. The template
// is package-id:Module:Entity.
func (r Reader) ActiveByTemplate(ctx context.Context, template string, limit int32) ([]StoredContract, error) {
	query := ActiveQuery{Templates: []string{template}, At: math.MaxInt64, Limit: limit}
	rows, err := r.listActive(ctx, query, inNetwork())
	if err != nil {
		return nil, failed("listing active contracts of a template", err)
	}
	return fromDBContracts(rows)
}

// KeptOffset is the last offset at which contracts changed that nodes keep in memory; 0 before the first.
func (r Reader) KeptOffset(ctx context.Context) (ledger.Offset, error) {
	last, err := r.queries.GetKeptOffset(ctx)
	return ledger.Offset(last), failed("reading when contracts in memory changed", err)
}

// NewContracts lists the network's active contracts of some templates that were created after a position, up to an
// offset, in order.
func (r Reader) NewContracts(
	ctx context.Context, templates []string, after Position, upTo ledger.Offset, limit int32,
) ([]StoredContract, error) {
	return r.StillActive(ctx, ActiveQuery{Templates: templates, At: upTo, After: after, Limit: limit})
}

// EndedContracts lists the network's contracts of some templates that ended after an offset, up to another, in order:
// as many as the limit, and all that ended at the same offset as the last.
func (r Reader) EndedContracts(
	ctx context.Context, templates []string, after, upTo ledger.Offset, limit int32,
) ([]StoredContract, error) {
	rows, err := r.queries.ListEndedOfTemplates(ctx, dbgen.ListEndedOfTemplatesParams{
		TemplateIds: templates, AfterOffset: int64(after), UpTo: int64(upTo), CountMax: int64(limit),
	})
	if err != nil {
		return nil, failed("looking for contracts that ended", err)
	}
	return fromDBContracts(rows)
}

// StillActive is [Reader.ActiveNetworkContracts] without the contracts that have been archived since the offset. The
// cost of a page does not depend on the age of the offset. The query must name templates.
func (r Reader) StillActive(ctx context.Context, query ActiveQuery) ([]StoredContract, error) {
	if query.Templates == nil {
		return nil, errors.New("listing the network's contracts: the query names no templates")
	}
	rows, err := r.listActive(ctx, query, inNetwork())
	if err != nil {
		return nil, failed("listing contracts that are still active", err)
	}
	return fromDBContracts(rows)
}

// OpenRounds pages through the open rounds that were created before a position in the record, the newest first. It
// includes those that are closed by now.
func (r Reader) OpenRounds(ctx context.Context, before Position, limit int32) ([]StoredContract, error) {
	rows, err := r.queries.ListOpenRounds(ctx, dbgen.ListOpenRoundsParams{
		BeforeOffset: int64(before.Offset), BeforeNode: before.NodeID, CountMax: limit,
	})
	if err != nil {
		return nil, failed("listing rounds", err)
	}
	return fromDBContracts(rows)
}

// HistoryQuery asks for the transactions of a party's history.
type HistoryQuery struct {
	Party ledger.Party
	UpTo  ledger.Offset // inclusive
	Limit int32
}

// History lists the updates that may have something in the history of a party, the newest first, with only the events
// of the network's contracts. It finds no other updates, even if the party sees many contracts of other makers.
func (r Reader) History(ctx context.Context, query HistoryQuery) ([]ledger.NetworkUpdate, error) {
	rows, err := r.queries.ListHistory(ctx, dbgen.ListHistoryParams{
		Party: query.Party, UpTo: query.UpTo, CountMax: query.Limit,
	})
	if err != nil {
		return nil, failed("listing the history of a party", err)
	}
	updates, err := fromDBUpdates(rows)
	if err != nil {
		return nil, err
	}
	return r.inNetwork(ctx, updates)
}

// NetworkUpdateByOffset is [Reader.UpdateByOffset] with only the events of the network's contracts.
func (r Reader) NetworkUpdateByOffset(
	ctx context.Context, offset ledger.Offset,
) (ledger.NetworkUpdate, bool, error) {
	update, found, err := r.UpdateByOffset(ctx, offset)
	return r.oneInNetwork(ctx, update, found, err)
}

// NetworkUpdateByID is [Reader.UpdateByID] with only the events of the network's contracts.
func (r Reader) NetworkUpdateByID(ctx context.Context, id ledger.UpdateID) (ledger.NetworkUpdate, bool, error) {
	update, found, err := r.UpdateByID(ctx, id)
	return r.oneInNetwork(ctx, update, found, err)
}

func (r Reader) oneInNetwork(
	ctx context.Context, update ledger.Update, found bool, err error,
) (ledger.NetworkUpdate, bool, error) {
	if err != nil || !found {
		return ledger.NetworkUpdate{}, false, err
	}
	updates, err := r.inNetwork(ctx, []ledger.Update{update})
	if err != nil {
		return ledger.NetworkUpdate{}, false, err
	}
	return updates[0], true, nil
}

// inNetwork keeps only the events of the network's contracts in updates. The record has every contract that one of its
// updates mentions.
func (r Reader) inNetwork(ctx context.Context, updates []ledger.Update) ([]ledger.NetworkUpdate, error) {
	mentioned := map[ledger.ContractID]bool{}
	for _, update := range updates {
		for _, event := range update.Events {
			mentioned[event.ContractID] = false
		}
	}
	ids := make([]string, 0, len(mentioned))
	for id := range mentioned {
		ids = append(ids, string(id))
	}
	members, err := r.queries.ListMembers(ctx, ids)
	if err != nil {
		return nil, failed("reading which contracts are the network's", err)
	}
	for _, id := range members {
		mentioned[id] = true
	}
	out := make([]ledger.NetworkUpdate, len(updates))
	for i, update := range updates {
		out[i] = ledger.InNetwork(update, func(id ledger.ContractID) bool { return mentioned[id] })
	}
	return out, nil
}
