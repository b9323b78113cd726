package web

import (
	"cmp"
	"net/http"
	"net/url"
	"path"
)

// homeView names the node.
type homeView struct{ Participant, Synchronizer, TemporalUI string }

func (s *site) home(v *visit) error {
	return s.show(v, "home", homeView{s.Participant, s.Synchronizer, s.TemporalUI})
}

// signInView is where people say who they are.
type signInView struct {
	// ByName: a name is enough.
	ByName bool
	// Provider is who signs people in, by name; "" without one.
	Provider string
	Users    []user
	Problem  *problem
	// User is the name that was typed. Tokens are never shown again.
	User string
	// To is where people go from here, Explores that it is to the explorer.
	To       string
	Explores bool
}

const walletPath = "/wallet"

// maxNextBytes bounds the address of a page that is remembered while somebody signs in.
const maxNextBytes = 600

// next is where the visitor goes after signing in: to the page of the explorer that was asked for, or to the wallet. It
// leads nowhere else, whoever made the link.
func (v *visit) next() string {
	asked := cmp.Or(v.returnTo, v.r.FormValue("to"))
	if isExplorer(v.r.URL.Path) {
		asked = v.r.URL.RequestURI()
	}
	to, ok := pageAt(asked)
	if !ok || len(asked) > maxNextBytes || !isExplorer(to.Path) {
		return walletPath
	}
	return to.String()
}

// pageAt is the page of this site at an address; false where there is none. Its path has no dots that lead elsewhere:
// browsers follow them, in any spelling, after the page has looked at the path.
func pageAt(address string) (*url.URL, bool) {
	asked, err := url.ParseRequestURI(address)
	if err != nil || asked.Scheme != "" || asked.Host != "" {
		return nil, false
	}
	to := &url.URL{Path: asked.Path, RawPath: asked.RawPath, RawQuery: asked.RawQuery}
	if clean := path.Clean(to.Path); clean != to.Path {
		to.Path, to.RawPath = clean, ""
	}
	return to, isPagePath(to.Path)
}

// wallet is the first page of a wallet, and before somebody has signed in the way to it.
func (s *site) wallet(v *visit) error {
	if v.session.Token == "" {
		return s.showSignIn(v, http.StatusOK, "", nil)
	}
	if err := v.identify(); err != nil {
		return err
	}
	if v.party == "" {
		return s.show(v, "new", nil)
	}
	return s.overview(v)
}

func (s *site) showSignIn(v *visit, status int, typed string, refused *problem) error {
	next := v.next()
	if isFragment(v.r) { // of a page whose session is over
		s.goTo(v, next)
		return nil
	}
	users, err := s.users(v)
	if err != nil {
		return err
	}
	data := signInView{
		ByName: s.Development != nil, Users: users, User: typed, Problem: refused, To: next, Explores: next != walletPath,
	}
	if s.signInProvider != nil {
		data.Provider = s.signInProvider.host()
	}
	return s.write(v, status, "signin", data)
}

// signIn begins the session of a user, by a token or, where that is enough, by a name.
func (s *site) signIn(v *visit) error {
	token, name := v.field("token"), v.field("user")
	var err error
	switch {
	case token == "" && s.Development != nil && name != "":
		token, err = s.tokenOf(v, name)
	case token == "" && s.Development != nil:
		err = unprocessable("No name was given.", "Type one, or choose one below.")
	case token == "":
		err = unprocessable("No token was given.", "Paste one.")
	}
	if err == nil {
		err = s.begin(v, token)
	}
	if err != nil {
		refused := problemOf(err)
		return s.showSignIn(v, refused.Status, name, refused)
	}
	s.goTo(v, v.next())
	return nil
}

// begin makes the session of whoever has a token. The node says who that is.
func (s *site) begin(v *visit, token string) error {
	var who struct {
		User user `json:"user"`
	}
	if err := s.clientFor(v, token).Get(v.ctx(), "/v2/authenticated-user", &who); err != nil {
		return err
	}
	one := v.sessions.fresh()
	one.Token, one.User = token, who.User.ID
	if ends, known := endOf(token); known && ends.Before(one.Ends) {
		one.Ends = ends
	}
	return v.sessions.write(v.w, v.r, one)
}

// identify asks the node whose wallet it is.
func (v *visit) identify() error {
	var status struct {
		Party string `json:"party_id"`
	}
	err := v.api.Get(v.ctx(), "/v0/wallet/user-status", &status)
	v.party = status.Party
	return err
}

// open gives a user a wallet who has none.
func (s *site) open(v *visit) error {
	if err := v.change("Open a wallet", http.MethodPost, "/v0/register", map[string]any{}, nil); err != nil {
		return err
	}
	return s.done(v, "/wallet", "Your wallet is open.")
}

func (s *site) signOut(v *visit) error {
	v.sessions.end(v.w, v.r)
	s.goTo(v, v.next())
	return nil
}
