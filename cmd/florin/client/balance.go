package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/decimal"
	"github.com/florinledger/florin/ledgerclient"
)

// BalanceCommand shows what wallets hold.
type BalanceCommand struct {
	Node
	console.Output

	Names []string `complete:"name" arg:"" optional:"" name:"name" help:"Whose: users, or parties. Left out: all users with a wallet."`
}

// balance is what a wallet holds.
type balance struct {
	Name      string          `json:"name"`
	Party     string          `json:"party"`
	Available decimal.Decimal `json:"available"`
	Locked    decimal.Decimal `json:"locked"`
}

// Run prints the balances.
func (c *BalanceCommand) Run(ctx context.Context) error {
	return c.with(ctx, func(ctx context.Context, s *Session) error {
		names, err := c.names(ctx, s)
		if err != nil {
			return err
		}
		all := []balance{}
		answer := console.Answer{Table: console.Table{Head: []string{"NAME", "AVAILABLE", "LOCKED"}}}
		for _, name := range names {
			owner, client, err := s.wallet(ctx, name)
			if err != nil {
				return err
			}
			has, err := balanceOf(ctx, owner, client)
			if err != nil {
				return s.node.withoutWallet(owner, err)
			}
			all = append(all, has)
			answer.Table.Rows = append(answer.Table.Rows, []string{has.Name, coins(has.Available), coins(has.Locked)})
			answer.Names = append(answer.Names, has.Available.String())
		}
		answer.Data = map[string]any{"balances": all}
		return c.Print(answer)
	})
}

// names are the wallets that were asked for: all, or that of the token, when none was named.
func (c *BalanceCommand) names(ctx context.Context, s *Session) ([]string, error) {
	if len(c.Names) > 0 {
		return c.Names, nil
	}
	admin, err := s.Admin()
	if err != nil {
		return nil, err
	}
	if s.token != "" {
		var out struct {
			User user `json:"user"`
		}
		err := admin.Get(ctx, "/v2/authenticated-user", &out)
		return []string{out.User.ID}, err
	}
	return usersWithWallets(ctx, admin)
}

// usersWithWallets are the users of all wallets, page by page.
func usersWithWallets(ctx context.Context, admin *ledgerclient.Client) (names []string, err error) {
	path := "/v0/admin/users"
	for {
		var page struct {
			Names []string `json:"usernames"`
			Next  *int64   `json:"next_page_token"`
		}
		if err := admin.Get(ctx, path, &page); err != nil {
			return nil, err
		}
		if names = append(names, page.Names...); page.Next == nil {
			return names, nil
		}
		path = fmt.Sprintf("/v0/admin/users?after=%d", *page.Next)
	}
}

// balanceOf asks for the balance of a wallet.
func balanceOf(ctx context.Context, owner account, client *ledgerclient.Client) (balance, error) {
	var out struct {
		Unlocked decimal.Decimal `json:"effective_unlocked_qty"`
		Locked   decimal.Decimal `json:"effective_locked_qty"`
	}
	err := client.Get(ctx, "/v0/wallet/balance", &out)
	return balance{owner.Name, owner.Party, out.Unlocked, out.Locked}, err
}

// withoutWallet says how a user gets a wallet who has none.
func (n Node) withoutWallet(owner account, err error) error {
	refused := asRefusal(err)
	if refused == nil || refused.Status != http.StatusNotFound {
		return err
	}
	text, _ := words(refused)
	return console.Fail(console.ExitFailed, n.Florin("party", "new", owner.User)+" gives the user a wallet", "%w",
		errors.New(text))
}
