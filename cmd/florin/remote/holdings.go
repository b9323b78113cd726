package remote

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/ledger/decimal"
)

// HoldingsCommand shows the tokens of uploaded packages in a wallet.
type HoldingsCommand struct {
	List        HoldingsListCommand        `cmd:"" default:"withargs" help:"Show the balances by token."`
	History     HoldingsHistoryCommand     `cmd:"" help:"Show the transactions that changed holdings, newest first."`
	Allocations HoldingsAllocationsCommand `cmd:"" help:"Show the tokens of uploaded packages that are set aside for settlements."`
	Withdraw    HoldingsWithdrawCommand    `cmd:"" help:"Withdraw an allocation of a token of an uploaded package."`
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
	return c.with(ctx, func(ctx context.Context, s *Session) error {
		owner, wallet, err := s.wallet(ctx, c.Name)
		if err != nil {
			return err
		}
		held, err := wallet.TokenHoldings(ctx)
		if err != nil {
			return s.node.withoutWallet(owner, err)
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
	return c.with(ctx, func(ctx context.Context, s *Session) error {
		owner, wallet, err := s.wallet(ctx, c.Name)
		if err != nil {
			return err
		}
		entries, next, err := wallet.TokenHistory(ctx, c.Before)
		if err != nil {
			return s.node.withoutWallet(owner, err)
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

// HoldingsAllocationsCommand lists allocations.
type HoldingsAllocationsCommand struct {
	Node
	console.Output

	Name string `complete:"name" arg:"" help:"User or party."`
}

// Run prints the allocations.
func (c *HoldingsAllocationsCommand) Run(ctx context.Context) error {
	return c.with(ctx, func(ctx context.Context, s *Session) error {
		owner, wallet, err := s.wallet(ctx, c.Name)
		if err != nil {
			return err
		}
		all, err := wallet.TokenAllocations(ctx)
		if err != nil {
			return s.node.withoutWallet(owner, err)
		}
		answer := console.Answer{
			Data:  map[string]any{"allocations": all},
			Table: console.Table{Head: []string{"ID", "AMOUNT", "FOR", "SETTLED BY", "BEFORE", "SAYS PACKAGE"}},
		}
		for _, one := range all {
			answer.Table.Rows = append(answer.Table.Rows, []string{
				offer{ContractID: one.ContractID}.short(), tokens(&one.Amount, one.TokenKind),
				client.PartyFor(owner.Party, one.Receiver), client.PartyFor(owner.Party, one.Executor),
				one.SettleBefore.Local().Format(time.DateTime), one.Package,
			})
			answer.Names = append(answer.Names, one.ContractID)
		}
		if len(all) == 0 {
			answer.Text = "nothing is set aside"
		}
		return c.Print(answer)
	})
}

// HoldingsWithdrawCommand withdraws an allocation.
type HoldingsWithdrawCommand struct {
	Node
	console.Output

	Name  string   `complete:"name" arg:"" help:"User or party."`
	ID    string   `arg:"" help:"Id of the allocation, or the beginning of the id."`
	Trust []string `help:"Packages of the token whose code may act in the party's name, on their own contracts."`
}

// Run withdraws the allocation.
func (c *HoldingsWithdrawCommand) Run(ctx context.Context) error {
	return c.with(ctx, func(ctx context.Context, s *Session) error {
		owner, wallet, err := s.wallet(ctx, c.Name)
		if err != nil {
			return err
		}
		all, err := wallet.TokenAllocations(ctx)
		if err != nil {
			return s.node.withoutWallet(owner, err)
		}
		var found []client.TokenAllocation
		for _, one := range all {
			if strings.HasPrefix(one.ContractID, c.ID) {
				found = append(found, one)
			}
		}
		if len(found) != 1 {
			return console.Fail(console.ExitFailed, c.Florin("holdings", "allocations", c.Name)+" lists them",
				"%d allocations of %s have an id that begins with %q", len(found), owner.Name, c.ID)
		}
		one := found[0]
		err = wallet.Post(ctx, "/v0/allocations/"+one.ContractID+"/withdraw", client.Trusting(c.Trust), nil)
		if err != nil {
			return err
		}
		return c.Print(console.Answer{
			Data: one, Text: owner.Name + " took back " + claimed(one.Amount, one.TokenKind), Names: []string{one.ContractID},
		})
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
		return nil, console.Fail(console.ExitFailed, "add --trust "+strings.Join(packages, ",")+" if you trust it",
			"the code of the package of %s would act in the name of %s", c.Instrument, sender.Name)
	case len(of) == 0 && admin == "":
		return nil, console.Fail(console.ExitFailed, list, "%s holds no token with the name %s", sender.Name, c.Instrument)
	}
	for instrument := range of {
		return &instrument, nil
	}
	return &client.Instrument{Admin: admin, ID: c.Instrument}, nil
}
