package remote

import (
	"context"
	"strconv"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/ledger/decimal"
)

// HoldingsCommand shows the tokens of uploaded packages in a wallet, and sets them or coin aside.
type HoldingsCommand struct {
	List        HoldingsListCommand        `cmd:"" default:"withargs" help:"Show the balances by token."`
	History     HoldingsHistoryCommand     `cmd:"" help:"Show the transactions that changed holdings, newest first."`
	Requests    HoldingsRequestsCommand    `cmd:"" help:"Show what apps ask to set aside for settlements."`
	Allocate    HoldingsAllocateCommand    `cmd:"" help:"Set coin or tokens aside, as an app requests."`
	Allocations HoldingsAllocationsCommand `cmd:"" help:"Show the coin and the tokens that are set aside for settlements."`
	Withdraw    HoldingsWithdrawCommand    `cmd:"" help:"Take back the coin or the tokens of an allocation."`
}

// tokens is an amount of a token; a nil amount is larger than any amount.
func tokens(amount *decimal.Decimal, of client.TokenKind) string {
	shown := "too many"
	if amount != nil {
		shown = short(*amount)
	}
	return shown + " " + client.ShowName(of.Instrument.ID)
}

// claimed is an amount with the package that says so, for sentences and tables that have coin, too.
func claimed(amount decimal.Decimal, of client.TokenKind) string {
	return tokens(&amount, of) + " of " + of.Package
}

// administrator is the party that the package's code claims, and whether it signed.
func administrator(reader string, of client.TokenKind) string {
	name := client.PartyFor(reader, of.Instrument.Admin)
	if !of.Signed {
		name += " (did not sign)"
	}
	return name
}

// HoldingsListCommand shows balances.
type HoldingsListCommand struct {
	Node
	console.Output

	Name string `complete:"name" arg:"" help:"User or party."`
}

// Run prints the balances.
func (c *HoldingsListCommand) Run(ctx context.Context) error {
	return c.withWallet(ctx, c.Name, func(ctx context.Context, _ *Session, owner account, wallet *client.Client) error {
		held, err := wallet.TokenHoldings(ctx)
		if err != nil {
			return c.withoutWallet(owner, err)
		}
		answer := console.Answer{Data: held, Table: console.Table{
			Head: []string{"AVAILABLE", "LOCKED", "SAYS PACKAGE", "ADMINISTRATOR"},
		}}
		for _, one := range held.Tokens {
			answer.Table.Rows = append(answer.Table.Rows, []string{
				tokens(one.Unlocked, one.TokenKind), tokens(one.Locked, one.TokenKind), one.Package,
				administrator(owner.Party, one.TokenKind),
			})
			answer.Names = append(answer.Names, one.Instrument.ID)
		}
		for _, one := range held.Unreadable {
			c.Note("contract %s of package %s cannot be read: %s", one.ContractID, one.Package, client.Short(one.Reason))
		}
		if len(held.Tokens) == 0 {
			answer.Text = owner.Name + " holds no tokens; " + c.Florin("balance", owner.Name) + " shows coin"
		}
		return c.Print(answer)
	})
}

// HoldingsHistoryCommand shows a history.
type HoldingsHistoryCommand struct {
	Node
	console.Output

	Name   string `complete:"name" arg:"" help:"User or party."`
	Before int64  `help:"Show what happened before this offset." placeholder:"OFFSET"`
}

// Run prints the history.
func (c *HoldingsHistoryCommand) Run(ctx context.Context) error {
	return c.withWallet(ctx, c.Name, func(ctx context.Context, _ *Session, owner account, wallet *client.Client) error {
		entries, next, err := wallet.TokenHistory(ctx, c.Before)
		if err != nil {
			return c.withoutWallet(owner, err)
		}
		answer := console.Answer{
			Data:  map[string]any{"party": owner.Party, "transactions": entries, "next": next},
			Table: console.Table{Head: []string{"TIME", "OFFSET", "WHOSE", "AVAILABLE", "LOCKED", "SAYS PACKAGE"}},
		}
		for _, entry := range entries {
			for _, moved := range entry.Movements {
				answer.Table.Rows = append(answer.Table.Rows, []string{
					entry.Date.Local().Format(time.DateTime), strconv.FormatInt(entry.Offset, 10),
					client.PartyFor(owner.Party, moved.Owner), tokens(moved.Unlocked, moved.TokenKind),
					tokens(moved.Locked, moved.TokenKind), moved.Package,
				})
			}
			answer.Names = append(answer.Names, entry.UpdateID)
		}
		if next > 0 {
			c.Note("%s shows what happened before", c.Florin("holdings", "history", c.Name, "--before", strconv.FormatInt(next, 10)))
		}
		if len(answer.Table.Rows) == 0 {
			answer.Text = "nothing has happened with tokens"
		}
		return c.Print(answer)
	})
}

// token finds the token that a sender means.
func (c *SendCommand) token(
	ctx context.Context, s *Session, sender account, wallet *client.Client,
) (*client.Instrument, error) {
	admin := ""
	if c.Administrator != "" {
		found, err := s.find(ctx, c.Administrator)
		if err != nil {
			return nil, err
		}
		admin = found.Party
	}
	held, err := wallet.TokenHoldings(ctx)
	if err != nil {
		return nil, s.node.withoutWallet(sender, err)
	}
	of, packages := map[client.Instrument]bool{}, []string{}
	for _, one := range held.Tokens {
		if one.Instrument.ID == c.Instrument && (admin == "" || one.Instrument.Admin == admin) {
			of[one.Instrument] = true
			packages = append(packages, one.Package)
		}
	}
	list := c.Florin("holdings", sender.Name) + " lists the tokens"
	switch {
	case len(of) > 1:
		return nil, console.Fail(console.ExitFailed, list+"; choose one with --administrator",
			"%s holds tokens of several administrators with the name %s", sender.Name, c.Instrument)
	case len(c.Trust) == 0 && len(packages) > 0:
		return nil, untrusted(sender.Name, c.Instrument, packages)
	case len(of) == 0 && admin == "":
		return nil, console.Fail(console.ExitFailed, list, "%s holds no token with the name %s", sender.Name, c.Instrument)
	}
	for instrument := range of {
		return &instrument, nil
	}
	return &client.Instrument{Admin: admin, ID: c.Instrument}, nil
}
