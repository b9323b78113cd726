package remote

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
)

// PartyCommand creates and lists parties.
type PartyCommand struct {
	New  PartyNewCommand  `cmd:"" help:"Create parties, each with a user, a wallet, and a preapproval for incoming coin."`
	List PartyListCommand `cmd:"" help:"List the parties that the node knows, with their users."`
}

// PartyNewCommand creates parties.
type PartyNewCommand struct {
	Node
	console.Output

	Names       []string `arg:"" name:"name" help:"Names of the users. A name is also the first part of the party's id."`
	Preapproval bool     `help:"Let the operator pay for a preapproval, so that the party receives coin without accepting each transfer." default:"true" negatable:""`
}

type newParty struct {
	Name    string `json:"name"`
	Party   string `json:"party"`
	Created bool   `json:"created"`
	// Preapproval is its contract id; null without one.
	Preapproval *string `json:"preapproval"`
}

// Run creates each party that does not exist, also after a failure. Its exit code is that of the first failure.
func (c *PartyNewCommand) Run(ctx context.Context) error {
	return c.with(ctx, func(ctx context.Context, s *Session) error {
		admin, err := s.Admin()
		if err != nil {
			return err
		}
		var made []newParty
		var failures []error
		for _, name := range c.Names {
			one, err := c.make(ctx, s, admin, name)
			if one.Party != "" {
				made = append(made, one)
			}
			if err != nil {
				failures = append(failures, named(s.Explain(err), name, len(c.Names)))
			}
			if ctx.Err() != nil || console.CodeOf(s.Explain(err)) == console.ExitNoNode {
				break // the other parties would fail in the same way
			}
		}
		if len(made) > 0 {
			if err := c.Print(c.answer(made)); err != nil {
				return err
			}
		}
		return console.FailAll(failures)
	})
}

// named adds a name to an error if there are several names.
func named(err error, name string, of int) error {
	failed, ok := errors.AsType[*console.Error](err)
	if of == 1 || !ok {
		return err
	}
	return console.Fail(failed.Code, failed.Hint, "%s: %w", name, failed.Err)
}

func (c *PartyNewCommand) make(
	ctx context.Context, s *Session, admin *client.Client, name string,
) (made newParty, err error) {
	before, _, err := userNamed(ctx, admin, name)
	if err != nil {
		return made, err
	}
	var out struct {
		Party string `json:"party_id"`
	}
	in := map[string]any{"name": name, "createPartyIfMissing": true}
	if err := admin.Post(ctx, "/v0/admin/users", in, &out); err != nil {
		return made, err
	}
	made = newParty{Name: name, Party: out.Party, Created: before.PrimaryParty != out.Party}
	if s.token != "" { // only the user's own token may read or change more
		return made, nil
	}
	client, err := s.as(name)
	if err != nil {
		return made, err
	}
	if !made.Created {
		has, err := showPreapproval(ctx, account{Party: made.Party}, client)
		made.Preapproval = has.ContractID
		return made, err
	}
	if c.Preapproval {
		made.Preapproval, err = c.approve(ctx, s, client, name)
	}
	return made, err
}

func (c *PartyNewCommand) approve(
	ctx context.Context, s *Session, client *client.Client, name string,
) (*string, error) {
	id, _, err := approve(ctx, client)
	if err != nil {
		again := s.node.Florin("preapproval", "on", name)
		return nil, console.Fail(console.CodeOf(s.Explain(err)), "then try again: "+again,
			"%s exists, but has no preapproval: %s", name, firstLine(s.Explain(err)))
	}
	return &id, nil
}

// firstLine is the error without its hint.
func firstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}

func (c *PartyNewCommand) answer(made []newParty) console.Answer {
	answer := console.Answer{
		Data:  map[string]any{"parties": made},
		Table: console.Table{Head: []string{"NAME", "PARTY", "INCOMING COIN", ""}},
	}
	for _, one := range made {
		incoming, note := "is offered", ""
		if one.Preapproval != nil {
			incoming = "arrives at once"
		}
		if !one.Created {
			note = "existed already"
		}
		answer.Table.Rows = append(answer.Table.Rows, []string{one.Name, one.Party, incoming, note})
		answer.Names = append(answer.Names, one.Party)
	}
	return answer
}

// approve creates a preapproval for the client's user, unless there is one.
func approve(ctx context.Context, client *client.Client) (id string, created bool, err error) {
	var out struct {
		ID string `json:"transfer_preapproval_contract_id"`
	}
	err = client.Post(ctx, preapprovalPath, nil, &out)
	if refused := asRefusal(err); refused != nil && refused.Status == http.StatusConflict {
		return existingPreapproval(refused)
	}
	return out.ID, err == nil, err
}

// PartyListCommand lists parties.
type PartyListCommand struct {
	Node
	console.Output
}

type listedParty struct {
	Party string   `json:"party"`
	Local bool     `json:"local"`
	Users []string `json:"users"`
}

// Run lists the parties.
func (c *PartyListCommand) Run(ctx context.Context) error {
	return c.with(ctx, func(ctx context.Context, s *Session) error {
		admin, err := s.Admin()
		if err != nil {
			return err
		}
		all, err := parties(ctx, admin)
		if err != nil {
			return err
		}
		known, err := users(ctx, admin)
		if err != nil {
			return err
		}
		answer := console.Answer{Table: console.Table{Head: []string{"NAME", "USERS", "PARTY"}}}
		for i, party := range all {
			all[i].Users = []string{}
			for _, u := range known {
				if u.PrimaryParty == party.Party {
					all[i].Users = append(all[i].Users, u.ID)
				}
			}
			slices.Sort(all[i].Users)
			answer.Table.Rows = append(answer.Table.Rows,
				[]string{client.PartyName(party.Party), strings.Join(all[i].Users, ", "), party.Party})
			answer.Names = append(answer.Names, party.Party)
		}
		answer.Data = map[string]any{"parties": all}
		return c.Print(answer)
	})
}

func parties(ctx context.Context, admin *client.Client) ([]listedParty, error) {
	all := []listedParty{}
	for token := ""; ; {
		var page struct {
			Parties []struct {
				Party string `json:"party"`
				Local bool   `json:"isLocal"`
			} `json:"partyDetails"`
			Next string `json:"nextPageToken"`
		}
		if err := admin.Get(ctx, "/v2/parties"+pageQuery(token), &page); err != nil {
			return nil, err
		}
		for _, one := range page.Parties {
			all = append(all, listedParty{Party: one.Party, Local: one.Local})
		}
		if token = page.Next; token == "" {
			return all, nil
		}
	}
}
