package web

// savedNamesView is the party to save under a name; "" for none. The browser stores the names, because a user may not
// change their own user on the node, and the page stores nothing.
type savedNamesView struct{ Save string }

func (s *site) savedNames(v *visit) error {
	return s.show(v, "names", savedNamesView{Save: v.r.URL.Query().Get("party")})
}
