package remote

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
)

// operatorName names the validator operator's user, unless another user has this name.
const operatorName = "operator"

// account is a party with one of its names, and the user of its wallet.
type account struct {
	// Name is the user's name, or the argument that named the party.
	Name  string
	Party string
	// User is "" if the party is no user's primary party.
	User string
}

type user struct {
	ID           string `json:"id"`
	PrimaryParty string `json:"primaryParty"`
}

// hint is the readable part of a party id.
func hint(party string) string {
	readable, _ := client.SplitParty(party)
	return readable
}

// find finds a party by the name of its user, by its id, or by its hint if only one has it.
func (s *Session) find(ctx context.Context, name string) (account, error) {
	admin, err := s.Admin()
	if err != nil {
		return account{}, err
	}
	if s.token != "" && strings.Contains(name, "::") {
		return account{Name: hint(name), Party: name}, nil // a token without the administrator's right suffices
	}
	found, known, err := userNamed(ctx, admin, name)
	if err != nil {
		return account{}, s.lookupFailed(name, err)
	}
	if known && found.PrimaryParty != "" {
		return account{name, found.PrimaryParty, found.ID}, nil
	}
	if name == operatorName && !known {
		return s.operator(ctx)
	}
	prefix := name
	if !strings.Contains(name, "::") {
		prefix += "::"
	}
	parties, err := admin.Parties(ctx, prefix)
	// The node also returns parties with a longer hint.
	parties = slices.DeleteFunc(parties, func(party string) bool { return party != name && hint(party) != name })
	switch {
	case err != nil:
		return account{}, s.lookupFailed(name, err)
	case len(parties) == 1:
		owner, err := s.userOf(ctx, admin, parties[0])
		return account{hint(name), parties[0], owner}, err
	case len(parties) > 1:
		return account{}, console.Fail(console.ExitFailed, "give the whole id of one: "+strings.Join(parties, ", "),
			"%d parties are called %s", len(parties), name)
	case known:
		return account{}, console.Fail(console.ExitFailed, s.node.Florin("party", "new", name)+" creates one",
			"user %s has no party", name)
	default:
		return account{}, s.unknown(ctx, admin, name)
	}
}

func userNamed(ctx context.Context, admin *client.Client, id string) (found user, known bool, err error) {
	var out struct {
		User user `json:"user"`
	}
	err = admin.Get(ctx, "/v2/users/"+url.PathEscape(id), &out)
	switch code := client.Code(err); {
	case code == "USER_NOT_FOUND", strings.Contains(id, "::") && code == "INVALID_ARGUMENT":
		return user{}, false, nil
	default:
		return out.User, err == nil, err
	}
}

// operator is the validator operator; every user may ask for it.
func (s *Session) operator(ctx context.Context) (account, error) {
	var out struct {
		Party string `json:"party_id"`
		User  string `json:"user_name"`
	}
	err := s.http.Get(ctx, "/v0/validator-user", &out)
	return account{operatorName, out.Party, out.User}, err
}

// pageQuery is the query for a page of a list; "" means the first page.
func pageQuery(token string) string {
	if token == "" {
		return ""
	}
	return "?pageToken=" + url.QueryEscape(token)
}

func users(ctx context.Context, admin *client.Client) ([]user, error) {
	var all []user
	for token := ""; ; {
		var page struct {
			Users []user `json:"users"`
			Next  string `json:"nextPageToken"`
		}
		if err := admin.Get(ctx, "/v2/users"+pageQuery(token), &page); err != nil {
			return nil, err
		}
		all = append(all, page.Users...)
		if token = page.Next; token == "" {
			return all, nil
		}
	}
}

// Names are the names of parties on the node: users, and unique hints of party ids. If the node does not answer, or
// refuses this user, there are none.
func (n Node) Names(ctx context.Context) []string {
	var names []string
	err := n.with(ctx, func(ctx context.Context, s *Session) error {
		admin, err := s.Admin()
		if err != nil {
			return err
		}
		known, err := users(ctx, admin)
		if err != nil {
			return err
		}
		for _, one := range known {
			if one.PrimaryParty != "" {
				names = append(names, one.ID)
			}
		}
		all, err := parties(ctx, admin)
		if err != nil {
			return err
		}
		called := map[string]int{}
		for _, one := range all {
			called[hint(one.Party)]++
		}
		for name, times := range called {
			if times == 1 {
				names = append(names, name)
			}
		}
		return nil
	})
	if err != nil {
		return names
	}
	names = append(names, operatorName)
	slices.Sort(names)
	return slices.Compact(names)
}

// userOf is the user with this primary party; "" for none.
func (s *Session) userOf(ctx context.Context, admin *client.Client, party string) (string, error) {
	all, err := users(ctx, admin)
	if i := slices.IndexFunc(all, func(u user) bool { return u.PrimaryParty == party }); i >= 0 {
		return all[i].ID, err
	}
	return "", err
}

// lookupFailed explains that a token's user may not look up other users.
func (s *Session) lookupFailed(name string, err error) error {
	if refused := asRefusal(err); refused != nil && refused.Status == http.StatusForbidden {
		return console.Fail(console.ExitDenied, "give the whole id of the party: "+name+"::1220…",
			"the token's user may not look up %s", name)
	}
	return err
}

// unknown says that nobody has this name, and suggests a similar name.
func (s *Session) unknown(ctx context.Context, admin *client.Client, name string) error {
	all, err := users(ctx, admin)
	if err != nil {
		return err
	}
	names := make([]string, 0, 2*len(all))
	for _, u := range all {
		names = append(names, u.ID, hint(u.PrimaryParty))
	}
	if nearest, ok := console.Nearest(name, names); ok {
		return console.Fail(console.ExitFailed, "did you mean "+nearest+"? "+s.node.Florin("party", "list")+" shows all",
			"there is no party or user %s", name)
	}
	if strings.Contains(name, "::") {
		return console.Fail(console.ExitFailed, s.node.Florin("party", "list")+" shows all", "there is no party %s", name)
	}
	hint := s.node.Florin("party", "new", name) + " creates it, " + s.node.Florin("party", "list") + " shows all"
	return console.Fail(console.ExitFailed, hint,
		"there is no party or user %s", name)
}

// wallet finds a party and returns a client of its user. A token of the command line must belong to that user.
func (s *Session) wallet(ctx context.Context, name string) (account, *client.Client, error) {
	if s.token != "" {
		return s.ownWallet(ctx, name)
	}
	found, err := s.find(ctx, name)
	if err != nil {
		return found, nil, err
	}
	if found.User == "" {
		return found, nil, console.Fail(console.ExitFailed,
			s.node.Florin("user", "new", "NAME", "--party", found.Party)+" creates one",
			"party %s has no user that could do this", found.Name)
	}
	client, err := s.as(found.User)
	return found, client, err
}

// ownWallet is the wallet of the token of the command line.
func (s *Session) ownWallet(ctx context.Context, name string) (account, *client.Client, error) {
	api := s.http.With(s.token)
	var out struct {
		User user `json:"user"`
	}
	if err := api.Get(ctx, "/v2/authenticated-user", &out); err != nil {
		return account{}, nil, err
	}
	own := out.User
	if name != own.ID && name != own.PrimaryParty && name != hint(own.PrimaryParty) {
		return account{}, nil, console.Fail(console.ExitDenied, "give a token of "+name+" with --token",
			"the token belongs to user %s with party %s, not to %s", own.ID, client.PartyName(own.PrimaryParty), name)
	}
	return account{name, own.PrimaryParty, own.ID}, api, nil
}
