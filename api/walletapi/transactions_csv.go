package walletapi

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/wallet/history"
)

type exportTransactionsRequest struct {
	PageSize     *int64 `query:"page_size" doc:"Maximum number of items, 1 to 1000; default: 100 as JSON, all as CSV"`
	BeginAfterID string `query:"begin_after_id" doc:"The event_id of the last item of the previous page"`
}

const (
	csvType = "text/csv"
	// usualPage is the default number of items in JSON.
	usualPage = 100
)

// exportTransactions is the history of the caller's wallet as CSV, or as JSON like POST /v0/wallet/transactions.
func (a *API) exportTransactions(ctx context.Context, req exportTransactionsRequest) (endpoint.Content, error) {
	w, err := a.Caller(ctx, "exportTransactions")
	if err != nil {
		return endpoint.Content{}, err
	}
	asCSV := endpoint.Prefers(ctx, csvType, "application/json")
	size := int64(usualPage)
	if req.PageSize != nil {
		size = *req.PageSize
		if err := validator.CheckLimit(size); err != nil {
			return endpoint.Content{}, err
		}
	}
	if asCSV {
		limit := 0
		if req.PageSize != nil {
			limit = int(size)
		}
		return a.csvContent(ctx, w.Party, req.BeginAfterID, limit)
	}
	items, err := a.page(ctx, w.Party, req.BeginAfterID, int(size))
	if err != nil {
		return endpoint.Content{}, err
	}
	response := ListTransactionsResponse{}
	for _, item := range items {
		response.Items = append(response.Items, toAPIItem(item))
	}
	content, err := endpoint.JSON(response)
	content.Header = http.Header{"Vary": {"Accept"}}
	return content, err
}

// csvContent streams a table of the party's items after one of them, up to limit; 0 for all.
func (a *API) csvContent(ctx context.Context, party ledger.Party, after string, limit int) (endpoint.Content, error) {
	from, found, err := a.historyAfter(ctx, after)
	if err != nil {
		return endpoint.Content{}, err
	}
	return endpoint.Content{
		Type: csvType + "; charset=utf-8",
		Header: http.Header{
			"Content-Disposition": {`attachment; filename="transactions.csv"`}, "Vary": {"Accept"},
		},
		Stream: func(to io.Writer) error {
			table := &csvTable{to: csv.NewWriter(to), party: party, prices: a.newPrices()}
			if err := table.to.Write(csvColumns()); err != nil {
				return err
			}
			if found {
				if err := a.writeItems(ctx, table, from, after, limit); err != nil {
					return err
				}
			}
			table.to.Flush()
			return table.to.Error()
		},
	}, nil
}

// writeItems writes the items after one of them.
func (a *API) writeItems(ctx context.Context, table *csvTable, from ledger.Offset, after string, limit int) error {
	behind, written := after == "", 0
	return a.eachItem(ctx, table.party, from, func(ctx context.Context, item history.Item) (bool, error) {
		if behind {
			if err := table.write(ctx, item); err != nil {
				return false, err
			}
			written++
		}
		behind = behind || item.EventID == after
		return limit == 0 || written < limit, nil
	})
}

// csvColumns are the names of the columns, in order. They are part of the API: add new ones at the end.
func csvColumns() []string {
	return []string{
		"date", "event_id", "transaction_type", "choice", "party", "amount", "coin_price_usd", "amount_usd",
		"sender", "sender_amount", "receivers", "app_rewards_used", "validator_rewards_used", "sv_rewards_used",
		"development_fund_coupons_used", "transfer_instruction_cid", "transfer_instruction_receiver",
		"transfer_instruction_amount", "description", "sentence", "state",
	}
}

type csvTable struct {
	to     *csv.Writer
	party  ledger.Party
	prices *prices
}

func (t *csvTable) write(ctx context.Context, item history.Item) error {
	amount, err := changeOf(item, t.party)
	if err != nil {
		return err
	}
	price, known, err := t.prices.at(ctx, item.Date)
	if err != nil {
		return err
	}
	inUSD := ""
	if known {
		value, err := amount.Mul(price)
		if err != nil {
			return fault.Internal(fmt.Errorf("what %s was worth: %w", item.EventID, err))
		}
		inUSD = value.String()
	}
	row := []string{
		endpoint.Timestamp(item.Date).String(), item.EventID, string(item.Kind), textCell(item.Subtype.Choice),
		textCell(string(t.party)), amount.String(), optionalCell(price, known), inUSD,
	}
	row = append(row, transferCells(item)...)
	row = append(row, textCell(item.Sentence.String()), string(item.Sentence.State))
	return t.to.Write(row)
}

// transferCells are the cells of transfers, and the receivers of all kinds.
func transferCells(item history.Item) []string {
	isTransfer := item.Kind == history.KindTransfer
	receivers := make([]string, len(item.Receivers))
	for i, receiver := range item.Receivers {
		receivers[i] = string(receiver.Party) + " " + receiver.Amount.String()
	}
	cells := []string{
		textCell(string(item.Sender.Party)), optionalCell(item.Sender.Amount, isTransfer),
		textCell(strings.Join(receivers, "; ")),
		optionalCell(item.Rewards.App, isTransfer), optionalCell(item.Rewards.Validator, isTransfer),
		optionalCell(item.Rewards.SV, isTransfer), optionalCell(item.Rewards.DevelopmentFund, isTransfer),
		"", "", "", textCell(item.Details),
	}
	const instruction, description = 7, 10
	if i := item.Instruction; i != nil {
		cells[instruction], cells[instruction+1] = string(i.ID), textCell(string(i.Receiver))
		if i.Amount != nil {
			cells[instruction+2] = i.Amount.String()
		}
	}
	if item.Description != nil {
		cells[description] = textCell(*item.Description)
	}
	return cells
}

// changeOf is the change of a party's spendable coin by an item.
func changeOf(item history.Item, party ledger.Party) (sum decimal.Decimal, err error) {
	if item.Kind == history.KindTransfer && item.Sender.Party == party {
		sum = item.Sender.Amount
	}
	for _, receiver := range item.Receivers {
		if receiver.Party == party {
			if sum, err = sum.Add(receiver.Amount); err != nil {
				return sum, fault.Internal(err)
			}
		}
	}
	return sum, nil
}

func optionalCell(amount decimal.Decimal, known bool) string {
	if !known {
		return ""
	}
	return amount.String()
}

// textCell is a cell with text of others. An apostrophe prevents spreadsheets from running it as a formula.
func textCell(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r\n'|", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}
