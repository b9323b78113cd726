package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/florinledger/florin/client"
)

const (
	usersPath = "/v2/users"
	// usersPage is the number of users on a page; the page reads the rights of each.
	usersPage = 50
	// maxSearched is the maximum number of users whose rights a search reads.
	maxSearched = 1000
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

// isAbout reports whether the right lets a user act, read or execute as a party, which is given by its id or its name.
func (r userRight) isAbout(party string) bool {
	isNamed := !strings.Contains(party, "::") && client.PartyName(r.Party) == party
	return r.Party == party || r.Party != "" && isNamed || strings.HasSuffix(r.Kind, "AsAnyParty")
}

// userRow is a user in the list, with the rights that the list is about.
type userRow struct {
	User   nodeUser
	Rights []userRight
	More   int
}

type usersView struct {
	Users []userRow
	// As is the party that the visitor asked about; "" for all users.
	As string
	// IsCut is true if the search did not read all users.
	IsCut bool
	// Next is the token of the next page; "" on the last.
	Next string
	// ID and Party are what the visitor typed into the form for a new user.
	ID, Party string
	Problem   *problem
}

// usersAfter lists a page of users.
func (v *visit) usersAfter(token string) (users []nodeUser, next string, err error) {
	var out struct {
		Users []nodeUser `json:"users"`
		Next  string     `json:"nextPageToken"`
	}
	err = v.api.Get(v.ctx(), usersPath+"?pageSize="+strconv.Itoa(usersPage)+"&pageToken="+url.QueryEscape(token), &out)
	return out.Users, out.Next, err
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
	data.As, data.Next = strings.TrimSpace(query.Get("as")), query.Get("after")
	for read := 0; ; {
		var users []nodeUser
		if users, data.Next, err = v.usersAfter(data.Next); err != nil {
			return data, err
		}
		for _, user := range users {
			rights, err := v.rightsOf(user.ID)
			if isStatus(err, http.StatusNotFound) { // somebody has deleted it since
				continue
			}
			if err != nil {
				return data, err
			}
			data.add(user, rights)
		}
		read += len(users)
		if data.As == "" || data.Next == "" {
			return data, nil
		}
		if read >= maxSearched {
			data.IsCut, data.Next = true, ""
			return data, nil
		}
	}
}

// maxRights is the maximum number of rights of a user in the list.
const maxRights = 8

// add adds a user, unless the list is about a party and the user has no right about it.
func (u *usersView) add(user nodeUser, rights []userRight) {
	if u.As != "" {
		rights = slices.DeleteFunc(rights, func(right userRight) bool { return !right.isAbout(u.As) })
		if len(rights) == 0 {
			return
		}
	}
	shown := rights[:min(maxRights, len(rights))]
	u.Users = append(u.Users, userRow{user, shown, len(rights) - len(shown)})
}

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
