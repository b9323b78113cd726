package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/florinledger/florin/client"
)

const (
	usersPath = "/v2/users"
	// usersPage is the number of users on a page.
	usersPage = 50
)

// nodeUser is a user of the node.
type nodeUser struct {
	ID            string `json:"id"`
	Party         string `json:"primaryParty"`
	IsDeactivated bool   `json:"isDeactivated"`
	Provider      string `json:"identityProviderId"`
}

// userRight is a right of a user; Party is "" if it concerns none.
type userRight struct{ Kind, Party string }

// rightWords are the rights in words, before the party if the right concerns one.
var rightWords = map[string]string{
	"CanActAs": "acts as", "CanReadAs": "reads as", "CanExecuteAs": "executes what is signed by",
	"CanActAsAnyParty": "acts as every party", "CanReadAsAnyParty": "reads as every party",
	"CanExecuteAsAnyParty":  "executes what any party has signed",
	"ParticipantAdmin":      "administers the node",
	"IdentityProviderAdmin": "administers its identity provider",
}

// Words is the right in words.
func (r userRight) Words() string {
	if words, known := rightWords[r.Kind]; known {
		return words
	}
	return r.Kind
}

// userRow is a user in the list, with the rights that the list is about.
type userRow struct {
	ID            string      `json:"id"`
	Provider      string      `json:"identity_provider_id"`
	Party         string      `json:"primary_party"`
	IsDeactivated bool        `json:"is_deactivated"`
	Rights        []userRight `json:"rights"`
	// More is the number of rights that the list leaves out.
	More int `json:"-"`
}

type usersView struct {
	Users []userRow
	// As is the party that the visitor asked about; "" for all users.
	As string
	// Next is the last user of the page; "" on the last page.
	Next string
	// ID and Party are what the visitor typed into the form for a new user.
	ID, Party string
	Problem   *problem
}

// rightsOf lists the rights of a user in order.
func (v *visit) rightsOf(user string) (rights []userRight, err error) {
	var out struct {
		Rights []client.Right `json:"rights"`
	}
	if err := v.api.Get(v.ctx(), usersPath+"/"+url.PathEscape(user)+"/rights", &out); err != nil {
		return nil, err
	}
	for _, right := range out.Rights {
		for kind, of := range right.Kind {
			rights = append(rights, userRight{kind, of.Value.Party})
		}
	}
	slices.SortFunc(rights, func(a, b userRight) int {
		return strings.Compare(a.Kind+a.Party, b.Kind+b.Party)
	})
	return rights, nil
}

// listUsers lists the users and their rights: a page of all, or those with a right about one party.
func (s *site) listUsers(v *visit) error {
	data, err := v.usersView()
	if err != nil {
		return err
	}
	return s.show(v, "admin_users", data)
}

func (v *visit) usersView() (data usersView, err error) {
	query := v.r.URL.Query()
	data.As = strings.TrimSpace(query.Get("as"))
	var out struct {
		Users []userRow `json:"users"`
	}
	err = v.api.Get(v.ctx(), "/v0/admin/user-rights?"+url.Values{
		"party": {data.As}, "after": {query.Get("after")}, "limit": {strconv.Itoa(usersPage)},
	}.Encode(), &out)
	data.Users = out.Users
	for i, user := range data.Users {
		shown := user.Rights[:min(maxRights, len(user.Rights))]
		data.Users[i].Rights, data.Users[i].More = shown, len(user.Rights)-len(shown)
	}
	if len(data.Users) == usersPage {
		data.Next = data.Users[usersPage-1].ID
	}
	return data, err
}

// maxRights is the maximum number of rights of a user in the list.
const maxRights = 8

// addUser creates a user, who may act as a party if one is given.
func (s *site) addUser(v *visit) error {
	id := v.field("id")
	err := unfilled(id, "User", "alice")
	party := ""
	if err == nil {
		party, err = v.partyTyped(v.field("party"))
	}
	if err == nil {
		var rights []client.Right
		if party != "" {
			rights = append(rights, client.CanActAs(party))
		}
		err = v.api.CreateUser(v.ctx(), id, party, rights...)
	}
	if err == nil {
		return s.done(v, userPage(id), "The user "+id+" is added.")
	}
	return refused(s, v, "admin_users", err, v.usersView, func(data *usersView, why *problem) {
		data.ID, data.Party, data.Problem = id, v.field("party"), why
	})
}

// partyTyped is the id of a party that a visitor typed: the id itself, or the name of one party of this node.
func (v *visit) partyTyped(typed string) (string, error) {
	if typed == "" || strings.Contains(typed, "::") {
		return typed, nil
	}
	parties, err := v.api.Parties(v.ctx(), typed+"::")
	switch {
	case err != nil:
		return "", err
	case len(parties) == 0:
		return "", unprocessable("No party is called "+strconv.Quote(typed)+".",
			"Add it under Parties, or type the whole id of a party.")
	case len(parties) > 1:
		return "", unprocessable(strconv.Itoa(len(parties))+" parties are called "+strconv.Quote(typed)+".",
			"Type the whole id: Parties lists them.")
	default:
		return parties[0], nil
	}
}
