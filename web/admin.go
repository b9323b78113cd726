package web

import (
	"net/http"
	"slices"
	"strconv"
)

// adminPath is the operator's part of the page.
const adminPath = "/admin"

// adminRoutes adds the operator's views.
func (s *site) adminRoutes(mux *http.ServeMux) {
	for pattern, show := range map[string]view{
		"GET /admin":                           s.health,
		"GET /admin/ledger-time":               s.ledgerTimeLine,
		"GET /admin/automation":                s.automation,
		"POST /admin/automation/{kind}":        s.nudge,
		"POST /admin/automation/{kind}/paused": s.pauseAutomation,
		"GET /admin/users":                     s.listUsers,
		"POST /admin/users":                    s.addUser,
		"GET /admin/users/{id}":                s.showUser,
		"POST /admin/users/{id}":               s.changeUser,
		"POST /admin/users/{id}/state":         s.changeUser,
		"POST /admin/users/{id}/grant":         s.grant,
		"POST /admin/users/{id}/revoke":        s.revoke,
		"POST /admin/users/{id}/delete":        s.deleteUser,
		"GET /admin/parties":                   s.listParties,
		"POST /admin/parties":                  s.addParty,
		"GET /admin/providers":                 s.identityProviders,
		"POST /admin/providers":                s.addProvider,
		"POST /admin/providers/{id}":           s.changeProvider,
		"POST /admin/providers/{id}/delete":    s.deleteProvider,
		"GET /admin/packages":                  s.vettedPackages,
		"POST /admin/packages":                 s.upload,
		"POST /admin/packages/{id}":            s.vet,
		"GET /admin/settings":                  s.settings,
		"POST /admin/settings/{name}":          s.changeSetting,
		"GET /admin/clock":                     s.clock,
		"POST /admin/clock":                    s.advance,
		"GET /admin/audit":                     s.audit,
		"GET /admin/history":                   s.auditLog,
	} {
		mux.Handle(pattern, s.page(s.operating(show)))
	}
}

// operating is a view of the operator's part. A visitor without a session signs in first. The API checks the rights.
func (s *site) operating(show view) view {
	return func(v *visit) error {
		if v.session.Token == "" {
			return s.showSignIn(v, http.StatusOK, "", nil)
		}
		err := show(v)
		if isStatus(err, http.StatusForbidden) {
			return s.lacksRight(v, err)
		}
		return err
	}
}

// unfilled is the problem with an empty field of a form; nil if it has a value.
func unfilled(value, name, example string) error {
	if value != "" {
		return nil
	}
	return unprocessable("The field "+strconv.Quote(name)+" is empty.", "Type a value, such as "+example+".")
}

// lacksRight says which right a visitor lacks, and who can give it.
func (s *site) lacksRight(v *visit, why error) *problem {
	has, err := v.rightsOf(v.session.User)
	if err != nil || slices.ContainsFunc(has, func(right userRight) bool { return right.Kind == "ParticipantAdmin" }) {
		return &problem{
			Status: http.StatusForbidden, why: why, What: "The node refused this to " + strconv.Quote(v.session.User) + ".",
			Next: "The user is deactivated, or what you asked for is of another identity provider: change that through the API.",
		}
	}
	found := &problem{
		Status: http.StatusForbidden, why: why,
		What: "This needs the right ParticipantAdmin, which " + strconv.Quote(v.session.User) + " does not have.",
		Next: "Somebody who has it can give it to you: in Operate, Users and rights, at your name.",
	}
	if s.Development != nil {
		found.Next += " On this development node you can also sign in as " + s.Development.Admin + ", who has it."
	}
	return found
}
