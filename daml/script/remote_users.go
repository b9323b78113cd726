package script

import (
	"net/url"

	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// wireUser is a user in the API.
type wireUser struct {
	ID      string       `json:"id"`
	Primary ledger.Party `json:"primaryParty"`
}

func (u wireUser) user() *user {
	out := &user{id: u.ID, primary: none}
	if u.Primary != "" {
		out.primary = some(u.Primary)
	}
	return out
}

// wireRight is a right in the API: {"kind":{"CanActAs":{"value":{"party":…}}}}.
type wireRight struct {
	Kind map[string]wireKind `json:"kind"`
}

type wireKind struct {
	Value struct {
		Party ledger.Party `json:"party,omitempty"`
	} `json:"value"`
}

func toWire(rights []right) []wireRight {
	out := make([]wireRight, len(rights))
	for i, r := range rights {
		var kind wireKind
		kind.Value.Party = r.party
		out[i].Kind = map[string]wireKind{r.kind: kind}
	}
	return out
}

// fromWire leaves out rights that the script's library does not have.
func (q *question) fromWire(rights []wireRight) []right {
	var out []right
	for _, r := range rights {
		for kind, content := range r.Kind {
			if q.make.hasConstructor(q.make.in(usersModule, "UserRight"), kind) {
				out = append(out, right{kind, content.Value.Party})
			}
		}
	}
	return out
}

func userPath(id string) string { return "/v2/users/" + url.PathEscape(id) }

func (l *remote) createUser(q *question, u *user) (bool, error) {
	body := wireUser{ID: u.id}
	if primary, ok := u.primary.(*engine.Optional); ok && primary != nil {
		body.Primary, _ = primary.Value.(lf.Party)
	}
	err := l.call(q, post, "/v2/users", map[string]any{"user": body, "rights": toWire(u.rights)}, nil)
	if has(err, fault.UserAlreadyExists) {
		return false, nil
	}
	return err == nil, err
}

func (l *remote) user(q *question, id string) (*user, error) {
	var out struct {
		User wireUser `json:"user"`
	}
	err := l.call(q, get, userPath(id), nil, &out)
	if has(err, fault.UserNotFound) {
		return nil, nil //nolint:nilnil // as the interface has it
	}
	if err != nil {
		return nil, err
	}
	var has struct {
		Rights []wireRight `json:"rights"`
	}
	if err := l.call(q, get, userPath(id)+"/rights", nil, &has); err != nil {
		return nil, err
	}
	found := out.User.user()
	found.rights = q.fromWire(has.Rights)
	return found, nil
}

func (l *remote) users(q *question) ([]*user, error) {
	var out []*user
	err := pages(q, l, get, "/v2/users", nil, func(page struct {
		Users []wireUser `json:"users"`
	},
	) {
		for _, u := range page.Users {
			out = append(out, u.user())
		}
	})
	return out, err
}

func (l *remote) deleteUser(q *question, id string) error {
	return l.call(q, remove, userPath(id), nil, nil)
}

func (l *remote) grant(q *question, to *user, rights []right) ([]right, error) {
	var out struct {
		Rights []wireRight `json:"newlyGrantedRights"`
	}
	err := l.call(q, post, userPath(to.id)+"/rights", map[string]any{"userId": to.id, "rights": toWire(rights)}, &out)
	return q.fromWire(out.Rights), err
}

func (l *remote) revoke(q *question, of *user, rights []right) ([]right, error) {
	var out struct {
		Rights []wireRight `json:"newlyRevokedRights"`
	}
	err := l.call(q, patch, userPath(of.id)+"/rights", map[string]any{"userId": of.id, "rights": toWire(rights)}, &out)
	return q.fromWire(out.Rights), err
}
