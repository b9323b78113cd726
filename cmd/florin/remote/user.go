package remote

import (
	"context"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
)

// UserCommand creates and lists users.
type UserCommand struct {
	New  UserNewCommand  `cmd:"" help:"Create a user of the ledger API, with rights."`
	List UserListCommand `cmd:"" help:"List the users, with their parties."`
}

// UserNewCommand creates a user.
type UserNewCommand struct {
	Node
	console.Output

	Name   string   `arg:"" help:"Id of the user, as in its tokens."`
	Party  string   `complete:"name" help:"Primary party of the user, which it may act as: a user, a party, or a party id."`
	ActAs  []string `complete:"name" help:"Further parties that the user may act as."`
	ReadAs []string `complete:"name" help:"Parties that the user may read as."`
	Admin  bool     `help:"Let the user administer the node."`
}

type shownUser struct {
	ID           string `json:"id"`
	PrimaryParty string `json:"primary_party"`
}

// Run creates the user.
func (c *UserNewCommand) Run(ctx context.Context) error {
	return c.with(ctx, func(ctx context.Context, s *Session) error {
		admin, err := s.Admin()
		if err != nil {
			return err
		}
		made := shownUser{ID: c.Name}
		var rights []client.Right
		if c.Party != "" {
			found, err := s.find(ctx, c.Party)
			if err != nil {
				return err
			}
			made.PrimaryParty = found.Party
			rights = append(rights, client.CanActAs(found.Party))
		}
		for _, granted := range []struct {
			names []string
			right func(string) client.Right
		}{{c.ActAs, client.CanActAs}, {c.ReadAs, client.CanReadAs}} {
			for _, name := range granted.names {
				found, err := s.find(ctx, name)
				if err != nil {
					return err
				}
				rights = append(rights, granted.right(found.Party))
			}
		}
		if c.Admin {
			rights = append(rights, client.ParticipantAdmin())
		}
		if err := admin.CreateUser(ctx, made.ID, made.PrimaryParty, rights...); err != nil {
			return err
		}
		return c.Print(console.Answer{
			Data: made, Names: []string{made.ID},
			Text: "created user " + made.ID + "; " + OnData("", "token", "--user", made.ID) + " prints a token",
		})
	})
}

// UserListCommand lists users.
type UserListCommand struct {
	Node
	console.Output
}

// Run lists the users.
func (c *UserListCommand) Run(ctx context.Context) error {
	return c.with(ctx, func(ctx context.Context, s *Session) error {
		admin, err := s.Admin()
		if err != nil {
			return err
		}
		all, err := users(ctx, admin)
		if err != nil {
			return err
		}
		shown := []shownUser{}
		answer := console.Answer{Table: console.Table{Head: []string{"USER", "PRIMARY PARTY"}}}
		for _, u := range all {
			shown = append(shown, shownUser(u))
			answer.Table.Rows = append(answer.Table.Rows, []string{u.ID, u.PrimaryParty})
			answer.Names = append(answer.Names, u.ID)
		}
		answer.Data = map[string]any{"users": shown}
		return c.Print(answer)
	})
}
