package web

import (
	"cmp"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// homeView is the front page.
type homeView struct {
	Participant, Synchronizer, TemporalUI string
	// Ready says whether the node is well; only visitors without a session see it.
	Ready readiness
}

func (s *site) home(v *visit) error {
	data := homeView{Participant: s.Participant, Synchronizer: s.Synchronizer, TemporalUI: s.TemporalUI}
	var err error
	if data.Ready, err = v.readiness(); err != nil {
		s.note(v.ctx(), http.StatusServiceUnavailable, err) // the front page works without it
	}
	return s.show(v, "home", data)
}

type signInView struct {
	// ByName is true if a name is enough to sign in.
	ByName bool
	// Provider is the provider's name; "" if there is none.
	Provider string
	Users    []user
	Problem  *problem
	// User is the name that the visitor typed. The page never shows a token again.
	User string
	// To is the page to open after sign-in. Explores is true if it is outside the wallet, Operates if it is in the
	// operator's part.
	To                 string
	Explores, Operates bool
}

const walletPath = "/wallet"

// maxNextBytes is the maximum length of the address to open after sign-in.
const maxNextBytes = 600

// next is the address to open after sign-in: the requested page of the explorer, or the wallet. Anybody can make a link
// to this page, so the address is never on another site.
func (v *visit) next() string {
	target := cmp.Or(v.returnTo, v.r.FormValue("to"))
	if isOutsideWallet(v.r.URL.Path) {
		target = v.r.URL.RequestURI()
	}
	to, ok := pageAt(target)
	if !ok || len(target) > maxNextBytes || !isOutsideWallet(to.Path) {
		return walletPath
	}
	return to.String()
}

// isOutsideWallet reports whether a path is of another part of the page than the wallet.
func isOutsideWallet(path string) bool {
	place := placeOf(path)
	return place != "" && place != "wallet"
}

// pageAt parses an address of this site; false if it is none. It removes dots from the path, because browsers resolve
// them, in any spelling, after the page has checked the path.
func pageAt(address string) (*url.URL, bool) {
	parsed, err := url.ParseRequestURI(address)
	if err != nil || parsed.Scheme != "" || parsed.Host != "" {
		return nil, false
	}
	to := &url.URL{Path: parsed.Path, RawPath: parsed.RawPath, RawQuery: parsed.RawQuery}
	if clean := path.Clean(to.Path); clean != to.Path {
		to.Path, to.RawPath = clean, ""
	}
	return to, isPagePath(to.Path)
}

// wallet shows the balance, or the sign-in form if there is no session.
func (s *site) wallet(v *visit) error {
	if v.session.Token == "" {
		return s.showSignIn(v, http.StatusOK, "", nil)
	}
	if err := s.identify(v); err != nil {
		return err
	}
	if v.party == "" {
		return s.show(v, "new", nil)
	}
	return s.overview(v)
}

func (s *site) showSignIn(v *visit, status int, typed string, refused *problem) error {
	next := v.next()
	if isFragment(v.r) { // the session of its page has ended
		s.goTo(v, next)
		return nil
	}
	users, err := s.users(v)
	if err != nil {
		return err
	}
	data := signInView{
		ByName: s.Development != nil, Users: users, User: typed, Problem: refused, To: next, Explores: next != walletPath,
		Operates: strings.HasPrefix(next, adminPath),
	}
	if s.signInProvider != nil {
		data.Provider = s.signInProvider.host()
	}
	return s.write(v, status, "signin", data)
}

// signIn starts a session by a token or, on development nodes, by a name.
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

// begin starts the session of a token's user, whom the node names.
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

// open registers the user.
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
