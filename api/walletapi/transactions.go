package walletapi

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/history"
)

// eachUpdate visits the transactions of a party's history from an offset on, newest first, until visit returns false.
// It reads as [budget.Each] does.
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

// ListTransactionsRequest asks for a page of the wallet's history (contract, POST /v0/wallet/transactions).
type ListTransactionsRequest struct {
	endpoint.Strict

	PageSize     int64  `json:"page_size" required:"true" doc:"Maximum number of items, 1 to 1000"`
	BeginAfterID string `json:"begin_after_id" doc:"The event_id of the last item of the previous page"`
}

// ListTransactionsResponse is a page; the last page has fewer items than requested.
type ListTransactionsResponse struct {
	Items []TransactionItem `json:"items" required:"true" doc:"Newest first"`
}

type listTransactionsRequest struct {
	Body ListTransactionsRequest `body:"json"`
}

func (a *API) listTransactions(
	ctx context.Context, req listTransactionsRequest,
) (response ListTransactionsResponse, err error) {
	w, err := a.Caller(ctx, "listTransactions")
	if err != nil {
		return response, err
	}
	if err := validator.CheckLimit(req.Body.PageSize); err != nil {
		return response, err
	}
	items, err := a.page(ctx, w.Party, req.Body.BeginAfterID, int(req.Body.PageSize))
	if err != nil {
		return response, err
	}
	for _, item := range items {
		response.Items = append(response.Items, toAPIItem(item))
	}
	return response, nil
}

// page reads items of a party's history, newest first, from the item after the id on, or from the newest on. It is
// empty if the party has no item with the id.
func (a *API) page(ctx context.Context, party ledger.Party, after string, size int) ([]history.Item, error) {
	from, found, err := a.historyAfter(ctx, after)
	if err != nil || !found {
		return nil, err
	}
	var items []history.Item
	behind := after == ""
	err = a.eachItem(ctx, party, from, func(_ context.Context, item history.Item) (bool, error) {
		if behind {
			items = append(items, item)
			if err := budget.Of(ctx).Take(item.Size()); err != nil {
				return false, err
			}
		}
		behind = behind || item.EventID == after
		return len(items) < size, nil
	})
	if !behind { // the id is not of this party's history
		return nil, err
	}
	return items, err
}

// historyAfter returns the offset of the item, where the history after it starts; false if there is no such
// transaction.
func (a *API) historyAfter(ctx context.Context, after string) (ledger.Offset, bool, error) {
	if after == "" {
		return ledger.Offset(math.MaxInt64), true, nil
	}
	update, found, err := a.record.NetworkUpdateByID(ctx, updateOfEvent(after))
	return update.Update().Offset, found, err
}

// updateOfEvent returns the update id in the id of an item, #<update id>:<node>.
func updateOfEvent(id string) ledger.UpdateID {
	update, _, _ := strings.Cut(strings.TrimPrefix(id, "#"), ":")
	return ledger.UpdateID(update)
}

// updatesPage is the number of transactions in one database read.
const updatesPage = 100

// eachItem visits the items of a party's history, newest first, from the transaction at an offset on, until visit
// returns false.
func (a *API) eachItem(
	ctx context.Context, party ledger.Party, from ledger.Offset,
	visit func(ctx context.Context, item history.Item) (more bool, err error),
) error {
	now := a.Now().UTC()
	return a.eachUpdate(ctx, party, from, func(ctx context.Context, update ledger.NetworkUpdate) (bool, error) {
		reader := history.Reader{Party: party, Now: now, Contract: a.contractOf(ctx)}
		items, err := reader.Items(update)
		if err != nil {
			return false, err
		}
		for _, item := range slices.Backward(items) {
			if more, err := visit(ctx, item); err != nil || !more {
				return false, err
			}
		}
		return true, nil
	})
}

// contractOf returns a function that finds contracts for a history, also archived ones.
func (a *API) contractOf(ctx context.Context) func(ledger.ContractID) (ledger.Contract, bool, error) {
	return func(id ledger.ContractID) (ledger.Contract, bool, error) {
		stored, found, err := a.record.NetworkContract(ctx, id)
		return stored.Contract, found, err
	}
}

// visibleTo is the part of a transaction that a party sees.
func visibleTo(party ledger.Party, network ledger.NetworkUpdate) ledger.Update {
	update := network.Update()
	update.Events = slices.DeleteFunc(slices.Clone(update.Events), func(event ledger.Event) bool {
		return !ledger.PartiesContain(event.Witnesses, party)
	})
	return update
}
