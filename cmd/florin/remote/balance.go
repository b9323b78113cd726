package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/ledger/decimal"
)

// BalanceCommand shows the balances of wallets.
type BalanceCommand struct {
	Node
	console.Output

	Names []string `complete:"name" arg:"" optional:"" name:"name" help:"Users or parties. Default: all users with a wallet."`
}

type balance struct {
	Name      string          `json:"name"`
	Party     string          `json:"party"`
	Available decimal.Decimal `json:"available"`
	Locked    decimal.Decimal `json:"locked"`
}

// Run prints the balances. A wallet that it cannot read does not hide the others.
func (c *BalanceCommand) Run(ctx context.Context) error {
	return c.with(ctx, func(ctx context.Context, s *Session) error {
		names, err := c.names(ctx, s)
		if err != nil {
			return err
		}
		all, leftOut, failures := s.balances(ctx, names)
		if len(all) == 0 {
			return console.FailAll(failures)
		}
		answer := console.Answer{Table: console.Table{Head: []string{"NAME", "AVAILABLE", "LOCKED"}}}
		for _, has := range all {
			answer.Table.Rows = append(answer.Table.Rows, []string{has.Name, coins(has.Available), coins(has.Locked)})
			answer.Names = append(answer.Names, has.Available.String())
		}
		answer.Data = map[string]any{"balances": all, "left_out": leftOut}
		return errors.Join(c.Print(answer), console.FailAll(failures))
	})
}

// unreadable is a wallet whose balance could not be read.
type unreadable struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// balances reads the balances of wallets. It leaves out those that it cannot read, such as that of a deleted user. If
// the node does not answer, it returns no balance.
func (s *Session) balances(
	ctx context.Context, names []string,
) (all []balance, leftOut []unreadable, failures []error) {
	all, leftOut = []balance{}, []unreadable{}
	for _, name := range names {
		has, err := s.balance(ctx, name)
		if err == nil {
			all = append(all, has)
			continue
		}
		err = s.Explain(err)
		failed, ok := errors.AsType[*console.Error](err)
		if !ok || failed.Code != console.ExitFailed && failed.Code != console.ExitDenied {
			return nil, nil, []error{err}
		}
		leftOut = append(leftOut, unreadable{name, firstLine(err)})
		failures = append(failures, err)
	}
	return all, leftOut, failures
}

func (s *Session) balance(ctx context.Context, name string) (balance, error) {
	owner, client, err := s.wallet(ctx, name)
	if err != nil {
		return balance{}, err
	}
	has, err := balanceOf(ctx, owner, client)
	if err != nil {
		return balance{}, s.node.withoutWallet(owner, err)
	}
	return has, nil
}

// names are the wallets of the arguments. Without arguments they are all wallets, or the wallet of the token.
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
func usersWithWallets(ctx context.Context, admin *client.Client) (names []string, err error) {
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

func balanceOf(ctx context.Context, owner account, client *client.Client) (balance, error) {
	var out struct {
		Unlocked decimal.Decimal `json:"effective_unlocked_qty"`
		Locked   decimal.Decimal `json:"effective_locked_qty"`
	}
	err := client.Get(ctx, "/v0/wallet/balance", &out)
	return balance{owner.Name, owner.Party, out.Unlocked, out.Locked}, err
}

// withoutWallet adds a hint to the error of a user without a wallet.
func (n Node) withoutWallet(owner account, err error) error {
	refused := asRefusal(err)
	if refused == nil || refused.Status != http.StatusNotFound {
		return err
	}
	text, _ := words(refused)
	return console.Fail(console.ExitFailed, n.Florin("party", "new", owner.User)+" gives the user a wallet", "%w",
		errors.New(text))
}
