package client

import (
	"time"

	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/sentence"
)

// HistoryItem is an item of a wallet's history, as GET /v0/wallet/transactions has it.
type HistoryItem struct {
	Type    string `json:"transaction_type"`
	Subtype struct {
		Choice string `json:"choice"`
	} `json:"transaction_subtype"`
	EventID     string            `json:"event_id"`
	Date        time.Time         `json:"date"`
	Sender      *PartyAmount      `json:"sender"`
	Receivers   []PartyAmount     `json:"receivers"`
	Offer       string            `json:"transfer_instruction_cid"`
	Offered     *decimal.Decimal  `json:"transfer_instruction_amount"`
	OfferedTo   string            `json:"transfer_instruction_receiver"`
	Description string            `json:"description"`
	Details     string            `json:"details"`
	Sentence    sentence.Sentence `json:"sentence"`
}

// PartyAmount is the change of a party's coin.
type PartyAmount struct {
	Party  string          `json:"party"`
	Amount decimal.Decimal `json:"amount"`
}

// HistoryEntry is a thing that happened to a wallet: an item, or an offer with its end.
type HistoryEntry struct {
	HistoryItem

	// Change is the change of the owner's unlocked coin; for an offer with its end, of both.
	Change decimal.Decimal
	// Amount is what the entry is about if nothing changed: the amount of an offer that came back; otherwise Change.
	Amount decimal.Decimal
}

// HistoryOf makes an entry of each item of an owner's history.
func HistoryOf(owner string, items []HistoryItem) ([]HistoryEntry, error) {
	entries := make([]HistoryEntry, 0, len(items))
	for _, item := range items {
		change, err := item.change(owner)
		if err != nil {
			return nil, err
		}
		entries = append(entries, HistoryEntry{HistoryItem: item, Change: change, Amount: change})
	}
	return entries, nil
}

// JoinOffers joins the start of each offer with its end, in the place of the end and with its state. The entries are
// newest first.
func JoinOffers(entries []HistoryEntry) (joined []HistoryEntry, err error) {
	ends := map[string]int{} // by offer
	for _, one := range entries {
		at, hasEnd := ends[one.Offer]
		switch {
		case one.Offer == "" || one.OfferedTo != "" && !hasEnd:
		case one.OfferedTo == "":
			ends[one.Offer] = len(joined)
		default:
			if err := joined[at].startsWith(one); err != nil {
				return nil, err
			}
			continue
		}
		joined = append(joined, one)
	}
	return joined, nil
}

// startsWith adds the start of an offer to its end.
func (e *HistoryEntry) startsWith(start HistoryEntry) (err error) {
	if e.Change, err = e.Change.Add(start.Change); err != nil {
		return err
	}
	e.Amount = e.Change
	if e.Change.Sign() == 0 && start.Offered != nil {
		e.Amount = *start.Offered
	}
	if e.Description == "" {
		e.Description = start.Description
	}
	e.Offered, e.OfferedTo = start.Offered, start.OfferedTo
	return nil
}

// change is the change of a party's unlocked coin.
func (i HistoryItem) change(party string) (sum decimal.Decimal, err error) {
	if i.Sender != nil && i.Sender.Party == party {
		sum = i.Sender.Amount
	}
	for _, receiver := range i.Receivers {
		if receiver.Party != party {
			continue
		}
		if sum, err = sum.Add(receiver.Amount); err != nil {
			return sum, err
		}
	}
	return sum, nil
}
