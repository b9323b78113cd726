package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/florinledger/florin/client"
)

// Development is a node that lets everybody sign in by name.
type Development struct {
	// Admin is the user who administers users. The page reads names and parties as Admin, and changes nothing.
	Admin string
	// Token makes a token of a user.
	Token func(user string) (string, error)
	// CountFor makes calls under ctx count for the user of the visitor's token, or for the address if there is none.
	// The page uses it when it calls the API with other users' tokens.
	CountFor func(ctx context.Context, visitor string) context.Context
}

type user struct {
	ID    string `json:"id"`
	Party string `json:"primaryParty"`
}

// clientFor is a client with another token than the visitor's; its calls still count for the visitor.
func (s *site) clientFor(v *visit, token string) *client.Client {
	if s.Development == nil { // the token is the visitor's
		return s.api.With(token)
	}
	visitor := v.session.Token
	return s.api.Over(apiTransport{api: s.API, withAccount: func(ctx context.Context) context.Context {
		return s.Development.CountFor(ctx, visitor)
	}}).With(token)
}

// lookUp reads data of users with the administrator's token.
func (s *site) lookUp(v *visit, path string, out any) error {
	token, err := s.Development.Token(s.Development.Admin)
	if err != nil {
		return err
	}
	return s.clientFor(v, token).Get(v.ctx(), path, out)
}

// maxNames is the maximum number of user names on a page.
const maxNames = 200

// users lists the first users with a party on development nodes; on other nodes only an administrator may list users,
// and the list is empty. [site.findParty] finds users who are not in the list.
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

// findParty finds the party of a user by name; "" if there is none.
func (s *site) findParty(v *visit, name string) (party string, err error) {
	if s.Development == nil {
		return "", nil
	}
	var out struct {
		User user `json:"user"`
	}
	err = s.lookUp(v, "/v2/users/"+url.PathEscape(name), &out)
	if isStatus(err, http.StatusNotFound) || isStatus(err, http.StatusBadRequest) { // 400: not a valid name
		return "", nil
	}
	return out.User.Party, err
}

// tokenOf makes a token of the user and registers the user with it. The user itself registers, so that the page
// restores nothing that an administrator removed.
func (s *site) tokenOf(v *visit, name string) (string, error) {
	token, err := s.Development.Token(name)
	if err != nil {
		return "", err
	}
	err = s.clientFor(v, token).Post(v.ctx(), "/v0/register", map[string]any{}, nil)
	if isStatus(err, http.StatusUnauthorized) { // the token is valid, so the name is not
		return "", unprocessable(strconv.Quote(name)+" is not a valid user name.",
			"Use up to 128 letters, digits and signs such as - and _, without spaces.")
	}
	return token, err
}
