package remote

import (
	"cmp"
	"context"
	"fmt"
	"time"

	api "github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/sentence"
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

// entry is an entry of the history in JSON.
type entry struct {
	ID   string    `json:"id"`
	Time time.Time `json:"time"`
	// What is what happened, in words, and State what became of it.
	What  string         `json:"what"`
	State sentence.State `json:"state"`
	// Choice is the choice that made the entry.
	Choice string `json:"choice"`
	// Amount is the change of the owner's coin.
	Amount decimal.Decimal `json:"amount"`
	Note   string          `json:"note"`
}

// Run prints the history.
func (c *HistoryCommand) Run(ctx context.Context) error {
	return c.withWallet(ctx, c.Name, func(ctx context.Context, s *Session, owner account, wallet *api.Client) error {
		var out struct {
			Items []api.HistoryItem `json:"items"`
		}
		in := map[string]any{"page_size": c.Limit, "begin_after_id": c.After}
		if err := wallet.Post(ctx, "/v0/wallet/transactions", in, &out); err != nil {
			return s.node.withoutWallet(owner, err)
		}
		read, err := api.HistoryOf(owner.Party, out.Items)
		if err != nil {
			return err
		}
		name := func(party string) string { return api.PartyFor(owner.Party, party) }
		entries := []entry{}
		answer := console.Answer{Table: console.Table{Head: []string{"TIME", "WHAT", "AMOUNT", "STATE", "NOTE"}}}
		for _, one := range read {
			entries = append(entries, entryOf(one, name))
			answer.Names = append(answer.Names, one.EventID)
		}
		joined, err := api.JoinOffers(read)
		if err != nil {
			return err
		}
		for _, one := range joined {
			shown := entryOf(one, name)
			answer.Table.Rows = append(answer.Table.Rows, []string{
				shown.Time.Local().Format(time.DateTime), shown.What, coins(one.Amount), string(shown.State), api.Short(shown.Note),
			})
		}
		if len(entries) == 0 {
			answer.Text = "nothing has happened yet"
		}
		answer.Data = map[string]any{"party": owner.Party, "entries": entries}
		return c.Print(answer)
	})
}

func entryOf(one api.HistoryEntry, name func(party string) string) entry {
	return entry{
		ID: one.EventID, Time: one.Date, What: one.Sentence.Named("", name).String(), State: one.Sentence.State,
		Choice: one.Subtype.Choice, Amount: one.Change, Note: cmp.Or(one.Description, one.Details),
	}
}
