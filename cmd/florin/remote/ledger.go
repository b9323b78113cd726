package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
)

// ContractsCommand lists active contracts.
type ContractsCommand struct {
	Node
	console.Output

	Name     string   `complete:"name" arg:"" help:"User or party."`
	Template []string `help:"Only contracts of these templates, such as #splice-amulet:Splice.Amulet:Amulet."`
}

type shownContract struct {
	ContractID  string          `json:"contract_id"`
	TemplateID  string          `json:"template_id"`
	Offset      int64           `json:"offset"`
	Payload     json.RawMessage `json:"payload"`
	Signatories []string        `json:"signatories"`
	Observers   []string        `json:"observers"`
}

// Run lists the contracts that the party sees now.
func (c *ContractsCommand) Run(ctx context.Context) error {
	return c.withWallet(ctx, c.Name, func(ctx context.Context, s *Session, owner account, client *client.Client) error {
		end, err := client.LedgerEnd(ctx)
		if err != nil {
			return err
		}
		found, err := client.ActiveContracts(ctx, end, owner.Party, c.Template...)
		if err != nil {
			return err
		}
		all := []shownContract{}
		answer := console.Answer{Table: console.Table{Head: []string{"TEMPLATE", "SIGNATORIES", "OFFSET", "CONTRACT"}}}
		for _, one := range found {
			all = append(all, shownContract{
				one.ContractID, one.TemplateID, one.Offset, one.CreateArgument, one.Signatories, one.Observers,
			})
			answer.Table.Rows = append(answer.Table.Rows, []string{
				entity(one.TemplateID), strings.Join(namesFor(owner.Party, one.Signatories), ", "),
				strconv.FormatInt(one.Offset, 10), one.ContractID,
			})
			answer.Names = append(answer.Names, one.ContractID)
		}
		if len(all) == 0 {
			answer.Text = "no active contracts"
		}
		answer.Data = map[string]any{"party": owner.Party, "offset": end, "contracts": all}
		return c.Print(answer)
	})
}

func entity(template string) string { return template[strings.LastIndex(template, ":")+1:] }

// namesFor are the names of parties for a reader.
func namesFor(reader string, parties []string) []string {
	names := make([]string, len(parties))
	for i, party := range parties {
		names[i] = client.PartyFor(reader, party)
	}
	return names
}

// UpdatesCommand lists transactions.
type UpdatesCommand struct {
	Node

	Name   string `complete:"name" arg:"" help:"User or party."`
	After  int64  `help:"Only transactions after this offset." default:"0"`
	Follow bool   `short:"f" help:"Follow new transactions, until Ctrl-C."`
	JSON   bool   `name:"json" help:"Print each transaction as JSON, one a line, for programs." group:"Output"`
}

// Validate is called by kong.
func (c *UpdatesCommand) Validate() error {
	if c.After < 0 {
		return fmt.Errorf("--after=%d: an offset must not be negative", c.After)
	}
	return nil
}

// Run prints the transactions that the party sees, the oldest first.
func (c *UpdatesCommand) Run(ctx context.Context) error {
	return c.withWallet(ctx, c.Name, func(ctx context.Context, s *Session, owner account, client *client.Client) error {
		for after := c.After; ; {
			end, err := client.LedgerEnd(ctx)
			for err == nil && after < end {
				after, err = c.page(ctx, client, owner.Party, after, end)
			}
			if err != nil && ctx.Err() == nil {
				return err
			}
			if !c.Follow || !again(ctx) {
				return nil
			}
		}
	})
}

// page prints some transactions after an offset, and returns the last offset of the page.
func (c *UpdatesCommand) page(
	ctx context.Context, client *client.Client, party string, after, end int64,
) (int64, error) {
	const size = 100
	end = min(end, after+size) // each offset has at most one
	var answer []struct {
		Update struct {
			Transaction *struct {
				Value json.RawMessage `json:"value"`
			} `json:"Transaction"`
		} `json:"update"`
	}
	err := client.Post(ctx, "/v2/updates", map[string]any{
		"beginExclusive": after, "endInclusive": end,
		"updateFormat": map[string]any{"includeTransactions": map[string]any{
			"transactionShape": "TRANSACTION_SHAPE_LEDGER_EFFECTS",
			"eventFormat": map[string]any{
				"filtersByParty": map[string]any{party: map[string]any{"cumulative": []any{}}}, "verbose": true,
			},
		}},
	}, &answer)
	if err != nil {
		return after, err
	}
	for _, element := range answer {
		if element.Update.Transaction == nil {
			continue
		}
		if err := c.show(element.Update.Transaction.Value); err != nil {
			return after, err
		}
	}
	return end, nil
}

func (c *UpdatesCommand) show(raw json.RawMessage) error {
	if c.JSON {
		_, err := fmt.Fprintln(os.Stdout, string(raw))
		return err
	}
	var transaction client.Transaction
	if err := json.Unmarshal(raw, &transaction); err != nil {
		return err
	}
	var events []string
	for _, event := range transaction.Events {
		switch {
		case event.Created != nil:
			events = append(events, "+"+entity(event.Created.TemplateID))
		case event.Archived != nil:
			events = append(events, "-"+entity(event.Archived.TemplateID))
		case event.Exercised != nil:
			events = append(events, event.Exercised.Choice)
		}
	}
	console.Printf("%6d  %s  %s\n", transaction.Offset, transaction.RecordTime, strings.Join(events, " "))
	return nil
}
