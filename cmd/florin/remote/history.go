package remote

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/ledger/decimal"
)

// HistoryCommand shows the history of a wallet.
type HistoryCommand struct {
	Node
	console.Output

	Name  string `complete:"name" arg:"" help:"User or party."`
	Limit int    `help:"Maximum number of entries, newest first; 1 to 1000." default:"20"`
	After string `help:"Start after the entry with this id, which --json shows."`
}

// Validate is called by kong.
func (c *HistoryCommand) Validate() error {
	const largest = 1000
	if c.Limit < 1 || c.Limit > largest {
		return fmt.Errorf("--limit=%d: it must be 1 to %d; use --after for more", c.Limit, largest)
	}
	return nil
}

// change is the change of a party's coin.
type change struct {
	Party  string          `json:"party"`
	Amount decimal.Decimal `json:"amount"`
}

// historyItem is an entry of /v0/wallet/transactions.
type historyItem struct {
	Type    string `json:"transaction_type"`
	Subtype struct {
		Choice string `json:"choice"`
	} `json:"transaction_subtype"`
	EventID             string           `json:"event_id"`
	Date                time.Time        `json:"date"`
	Sender              *change          `json:"sender"`
	Receivers           []change         `json:"receivers"`
	Description         *string          `json:"description"`
	Details             string           `json:"details"`
	InstructionReceiver *string          `json:"transfer_instruction_receiver"`
	InstructionAmount   *decimal.Decimal `json:"transfer_instruction_amount"`
}

type entry struct {
	ID   string    `json:"id"`
	Time time.Time `json:"time"`
	// Kind is transfer, offer, allocation, tap, or the choice that made the entry.
	Kind string `json:"kind"`
	// Amount is the change of the owner's coin.
	Amount decimal.Decimal `json:"amount"`
	// With are the other parties, Received the amounts that they got.
	With     []string `json:"with"`
	Received []change `json:"received"`
	Note     string   `json:"note"`
}

// cells are the row of the entry in its owner's table. If the others got coin that had left the owner before, the
// amount is 0, and the note has their amounts.
func (e entry) cells(owner string) []string {
	with, note := make([]string, len(e.With)), e.Note
	for i, party := range e.With {
		with[i] = client.PartyFor(owner, party)
	}
	if note == "" && e.Amount.Sign() == 0 {
		got := make([]string, len(e.Received))
		for i, one := range e.Received {
			got[i] = client.PartyFor(owner, one.Party) + " got " + coins(one.Amount)
		}
		note = strings.Join(got, ", ")
	}
	return []string{
		e.Time.Local().Format(time.DateTime), e.Kind, coins(e.Amount), strings.Join(with, ", "), client.Short(note),
	}
}

// Run prints the history.
func (c *HistoryCommand) Run(ctx context.Context) error {
	return c.with(ctx, func(ctx context.Context, s *Session) error {
		owner, client, err := s.wallet(ctx, c.Name)
		if err != nil {
			return err
		}
		var out struct {
			Items []historyItem `json:"items"`
		}
		in := map[string]any{"page_size": c.Limit, "begin_after_id": c.After}
		if err := client.Post(ctx, "/v0/wallet/transactions", in, &out); err != nil {
			return s.node.withoutWallet(owner, err)
		}
		entries := []entry{}
		answer := console.Answer{Table: console.Table{Head: []string{"TIME", "WHAT", "AMOUNT", "WITH", "NOTE"}}}
		for _, item := range out.Items {
			shown := item.entryOf(owner.Party)
			entries = append(entries, shown)
			answer.Table.Rows = append(answer.Table.Rows, shown.cells(owner.Party))
			answer.Names = append(answer.Names, shown.ID)
		}
		if len(entries) == 0 {
			answer.Text = "nothing has happened yet"
		}
		answer.Data = map[string]any{"party": owner.Party, "entries": entries}
		return c.Print(answer)
	})
}

func (i historyItem) entryOf(owner string) entry {
	shown := entry{ID: i.EventID, Time: i.Date, Kind: i.kind(), With: []string{}, Received: []change{}, Note: i.Details}
	changes := i.Receivers
	if i.Sender != nil {
		changes = append([]change{*i.Sender}, changes...)
	}
	if i.InstructionReceiver != nil {
		changes = append(changes, change{Party: *i.InstructionReceiver})
	}
	for _, one := range changes {
		if one.Party != owner {
			shown.With = append(shown.With, one.Party)
			if one.Amount.Sign() > 0 {
				shown.Received = append(shown.Received, one)
			}
			continue
		}
		if sum, err := shown.Amount.Add(one.Amount); err == nil {
			shown.Amount = sum
		}
	}
	if i.Description != nil {
		shown.Note = *i.Description
	}
	return shown
}

func (i historyItem) kind() string {
	switch {
	case i.InstructionReceiver != nil:
		return "offer"
	case i.Type == "transfer" && len(i.Receivers) == 1 && i.Receivers[0].Amount.Sign() == 0:
		return "allocation"
	case i.Type == "transfer":
		return "transfer"
	case strings.HasSuffix(i.Subtype.Choice, "_Tap"):
		return "tap"
	default:
		return i.Subtype.Choice
	}
}
