package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/florinledger/florin/client"
)

// Development is a node whose tokens everybody can make.
type Development struct {
	// Admin administers users. The page reads their names and parties as Admin, and changes nothing.
	Admin string
	// Token makes a token of a user.
	Token func(user string) (string, error)
	// CountFor has calls under ctx count for whoever has the visitor's token, and without one for the address. The page
	// asks so with tokens of users who know nothing of it.
	CountFor func(ctx context.Context, visitor string) context.Context
}

// user is one of the node's.
type user struct {
	ID    string `json:"id"`
	Party string `json:"primaryParty"`
}

// clientFor is a client with another token than the visitor's own: its calls count for the visitor all the same.
func (s *site) clientFor(v *visit, token string) *client.Client {
	if s.Development == nil { // then the token is the visitor's
		return s.api.With(token)
	}
	visitor := v.session.Token
	return s.api.Over(apiTransport{api: s.API, withAccount: func(ctx context.Context) context.Context {
		return s.Development.CountFor(ctx, visitor)
	}}).With(token)
}

// lookUp reads something of the users as their administrator, for the visitor.
func (s *site) lookUp(v *visit, path string, out any) error {
	token, err := s.Development.Token(s.Development.Admin)
	if err != nil {
		return err
	}
	return s.clientFor(v, token).Get(v.ctx(), path, out)
}

// maxNames is how many users a page names.
const maxNames = 200

// users are the first users with a party, on nodes whose tokens everybody can make; nobody on others, where only an
// administrator may list them. They are for choosing: who is not among them is found by [site.findParty].
func (s *site) users(v *visit) (named []user, err error) {
	if s.Development == nil {
		return nil, nil
	}
	var out struct {
		Users []user `json:"users"`
	}
	if err := s.lookUp(v, "/v2/users?pageSize="+strconv.Itoa(maxNames), &out); err != nil {
		return nil, err
	}
	for _, one := range out.Users {
		if one.Party != "" && len(named) < maxNames {
			named = append(named, one)
		}
	}
	return named, nil
}

// findParty is the party of the user with a name, "" for nobody's.
func (s *site) findParty(v *visit, name string) (party string, err error) {
	if s.Development == nil {
		return "", nil
	}
	var out struct {
		User user `json:"user"`
	}
	err = s.lookUp(v, "/v2/users/"+url.PathEscape(name), &out)
	if isStatus(err, http.StatusNotFound) || isStatus(err, http.StatusBadRequest) { // or it can be nobody's name
		return "", nil
	}
	return out.User.Party, err
}

// tokenOf is a token of a user who has a wallet, or gives itself one: the user itself registers, so that nobody has
// back what an administrator took.
func (s *site) tokenOf(v *visit, name string) (string, error) {
	token, err := s.Development.Token(name)
	if err != nil {
		return "", err
	}
	err = s.clientFor(v, token).Post(v.ctx(), "/v0/register", map[string]any{}, nil)
	if isStatus(err, http.StatusUnauthorized) { // the token is good, so it is the name
		return "", unprocessable(strconv.Quote(name)+" is not a valid user name.",
			"Use up to 128 letters, digits and signs such as - and _, without spaces.")
	}
	return token, err
}
