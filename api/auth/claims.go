package auth

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// Claims are the identity and the rights of the caller. The zero value is a caller that is not authenticated: every
// Require method refuses it with 401.
type Claims struct {
	// reason says in the log why the caller is not authenticated.
	reason error
	// wildcard callers have all rights and no user: authorization is disabled.
	wildcard bool
	user     *ledger.User
	// expires is the end of the token; zero for never.
	expires time.Time

	admin, idpAdmin bool
	// actAny callers may also read and execute as any party.
	actAny, readAny, executeAny bool
	actAs, readAs, executeAs    map[ledger.Party]bool
	// growing claims count as the same when they gain parties.
	growing bool
	// anybody claims come from a valid token; its user may not exist.
	anybody bool
	// needs records the rights that the request uses; nil for no record.
	needs *needs
}

// NewClaims makes the claims of an active user with these rights.
func NewClaims(user ledger.User, rights []ledger.Right) Claims {
	claims := Claims{
		user:      &user,
		actAs:     make(map[ledger.Party]bool),
		readAs:    make(map[ledger.Party]bool),
		executeAs: make(map[ledger.Party]bool),
	}
	partyRights := []struct {
		kind    ledger.RightKind
		any     *bool
		parties map[ledger.Party]bool
	}{
		{ledger.CanActAs, &claims.actAny, claims.actAs},
		{ledger.CanReadAs, &claims.readAny, claims.readAs},
		{ledger.CanExecuteAs, &claims.executeAny, claims.executeAs},
	}
	for _, right := range rights {
		claims.admin = claims.admin || right.Kind == ledger.ParticipantAdmin
		claims.idpAdmin = claims.idpAdmin || right.Kind == ledger.IdentityProviderAdmin &&
			user.IdentityProviderID != ledger.DefaultIdentityProvider // to whose users the right means nothing
		for _, of := range partyRights {
			switch {
			case !right.Allows(of.kind, right.Party):
			case right.Party == "":
				*of.any = true
			default:
				of.parties[right.Party] = true
			}
		}
	}
	return claims
}

// Wildcard returns the claims of every caller when authorization is disabled.
func Wildcard() Claims {
	return Claims{wildcard: true, admin: true, idpAdmin: true, actAny: true, readAny: true, executeAny: true}
}

// Unauthenticated returns the claims of a caller without a valid token; the reason is for the log.
func Unauthenticated(reason error) Claims { return Claims{reason: reason} }

// Authenticated reports whether the caller has a user, or authorization is disabled.
func (c Claims) Authenticated() bool { return c.wildcard || c.user != nil }

// Presented reports whether the caller sent a token, valid or not.
func (c Claims) Presented() bool { return c.Authenticated() || c.reason != nil }

// User returns the caller's user; ok is false without one.
func (c Claims) User() (user ledger.User, ok bool) {
	if c.user == nil {
		return ledger.User{}, false
	}
	return *c.user, true
}

// Identity returns the caller's identity; the zero value without a user.
func (c Claims) Identity() ledger.Identity {
	if c.user == nil {
		return ledger.Identity{}
	}
	return c.user.Identity()
}

// UserID is the id of the caller's user for texts, "" without one. Use [Claims.Identity] to store or look up something.
func (c Claims) UserID() string {
	if c.user == nil {
		return ""
	}
	return c.user.ID
}

// ExpiresAt is the end of the caller's token, zero for never. Code that serves a caller for longer must check it.
func (c Claims) ExpiresAt() time.Time { return c.expires }

// Growing marks the claims of a user who gets parties when other users register: such a new party must not end the
// user's streams.
func (c Claims) Growing() Claims {
	c.growing = true
	return c
}

// Keeps reports whether the caller and its rights are the same as before; [Claims.Growing] ones may have more parties.
// Other fields of the user and the end of the token make no difference.
func (c Claims) Keeps(before Claims) bool {
	return c.Authenticated() == before.Authenticated() && c.wildcard == before.wildcard &&
		c.Identity() == before.Identity() && c.admin == before.admin && c.idpAdmin == before.idpAdmin &&
		c.actAny == before.actAny && c.readAny == before.readAny && c.executeAny == before.executeAny &&
		c.keeps(c.actAs, before.actAs) && c.keeps(c.readAs, before.readAs) && c.keeps(c.executeAs, before.executeAs)
}

func (c Claims) keeps(parties, before map[ledger.Party]bool) bool {
	if !c.growing {
		return maps.Equal(parties, before)
	}
	for party, allowed := range before {
		if allowed && !parties[party] {
			return false
		}
	}
	return true
}

// Covers reports whether this is the same caller with at least the rights of before.
func (c Claims) Covers(before Claims) bool {
	c.growing = true
	c.admin = c.admin && before.admin // what is new takes nothing away
	c.idpAdmin = c.idpAdmin && before.idpAdmin
	c.actAny = c.actAny && before.actAny
	c.readAny = c.readAny && before.readAny
	c.executeAny = c.executeAny && before.executeAny
	return c.Keeps(before)
}

// CoversButParties is [Claims.Covers] without regard to parties, for [Claims.Growing] claims only: the node gives them
// parties when others register and takes them back later.
func (c Claims) CoversButParties(before Claims) bool {
	if !before.growing {
		return false
	}
	c.actAs, c.readAs, c.executeAs = before.actAs, before.readAs, before.executeAs
	return c.Covers(before)
}

// IsAdmin reports whether the caller is ParticipantAdmin.
func (c Claims) IsAdmin() bool { return c.holds(ledger.ParticipantAdmin, "") }

// CanActAs reports whether the caller may submit as the party.
func (c Claims) CanActAs(party ledger.Party) bool { return c.holds(ledger.CanActAs, party) }

// CanReadAs reports whether the caller may read as the party.
func (c Claims) CanReadAs(party ledger.Party) bool { return c.holds(ledger.CanReadAs, party) }

// CanExecuteAs reports whether the caller may submit transactions that the party signed externally.
func (c Claims) CanExecuteAs(party ledger.Party) bool {
	return c.holds(ledger.CanExecuteAs, party)
}

// ReadableParties lists the parties that the caller may read as, in no order. all is true, and the list nil, for a
// caller that may read as every party.
func (c Claims) ReadableParties() (parties []ledger.Party, all bool) {
	if c.CanReadAsAnyParty() {
		return nil, true
	}
	// Not nil: nil stands for all.
	return slices.AppendSeq([]ledger.Party{}, maps.Keys(c.noteReadable())), false
}

// CanReadAsAnyParty reports whether the caller may read as every party.
func (c Claims) CanReadAsAnyParty() bool { return c.holds(ledger.CanReadAs, "") }

// Known reports whether the caller is an existing user.
func (c Claims) Known() bool { return c.user != nil && !c.anybody }

// Require returns a 401 unless the caller is authenticated.
func (c Claims) Require() error {
	if c.Authenticated() {
		return nil
	}
	if c.reason == nil {
		return unauthenticated(errors.New("the request carries no token"))
	}
	if refusal, ok := fault.As(c.reason); ok {
		return refusal
	}
	return unauthenticated(c.reason)
}

// RequireAdmin requires ParticipantAdmin.
func (c Claims) RequireAdmin() error { return c.require(c.IsAdmin(), "ParticipantAdmin is needed") }

// RequireIDPAdmin requires ParticipantAdmin or the administration of the identity provider. An empty id is the caller's
// own provider.
func (c Claims) RequireIDPAdmin(identityProviderID string) error {
	return c.require(c.AdministersIDP(identityProviderID),
		"ParticipantAdmin, or IdentityProviderAdmin of %q, is needed", identityProviderID)
}

// RequireIDPAdminOf is [Claims.RequireIDPAdmin] with the default identity provider for an empty id: for objects that a
// request creates in the named provider (contract, POST /v2/users and /v2/parties).
func (c Claims) RequireIDPAdminOf(identityProviderID string) error {
	isNamed := identityProviderID != ledger.DefaultIdentityProvider
	return c.require(c.IsAdmin() || isNamed && c.AdministersIDP(identityProviderID),
		"ParticipantAdmin, or IdentityProviderAdmin of %q, is needed; the request names its identity provider in "+
			"identityProviderId, and the default one when it names none", identityProviderID)
}

// AdministersIDP reports whether [Claims.RequireIDPAdmin] would pass.
func (c Claims) AdministersIDP(identityProviderID string) bool {
	if c.IsAdmin() {
		return true
	}
	own := c.user != nil && (identityProviderID == "" || identityProviderID == c.user.IdentityProviderID)
	return own && c.holds(ledger.IdentityProviderAdmin, "")
}

// RequireSelf requires that the caller is the user, or administers users.
func (c Claims) RequireSelf(userID, identityProviderID string) error {
	self := c.user != nil && c.user.ID == userID
	return c.require(self || c.AdministersIDP(identityProviderID),
		"only the user %q itself or an administrator may do this", userID)
}

// RequireActAs requires the right to act as each party.
func (c Claims) RequireActAs(parties ...ledger.Party) error {
	return c.requireEach(parties, c.CanActAs, "act as")
}

// RequireReadAs requires the right to read as each party.
func (c Claims) RequireReadAs(parties ...ledger.Party) error {
	return c.requireEach(parties, c.CanReadAs, "read as")
}

// RequireExecuteAs requires the right to execute prepared transactions as each party.
func (c Claims) RequireExecuteAs(parties ...ledger.Party) error {
	return c.requireEach(parties, c.CanExecuteAs, "execute as")
}

// RequireAsSome requires the right for at least one party, before costly work finds out which.
func (c Claims) RequireAsSome(right ledger.RightKind) error {
	return c.require(c.holdsSome(right), "it has %s for no party", right)
}

// RequireAsOneOf requires the right for one of the parties; without parties, for any party.
func (c Claims) RequireAsOneOf(right ledger.RightKind, among iter.Seq[ledger.Party]) error {
	if err := c.Require(); err != nil {
		return err
	}
	every, parties := c.partyRight(right)
	if every && c.holds(right, "") {
		return nil
	}
	var first *ledger.Party
	for party := range among {
		if parties[party] && c.holds(right, party) {
			return nil
		}
		if first == nil {
			first = &party
		}
	}
	if first == nil {
		return c.RequireAsSome(right)
	}
	return denied("user %q has %s for none of the parties of the request, such as %q", c.UserID(), right, *first)
}

// partyRight returns the parties of a right, or every.
func (c Claims) partyRight(right ledger.RightKind) (every bool, parties map[ledger.Party]bool) {
	switch right {
	case ledger.CanActAs:
		return c.actAny, c.actAs
	case ledger.CanReadAs:
		return c.readAny, c.readAs
	case ledger.CanExecuteAs:
		return c.executeAny, c.executeAs
	default:
		return false, nil
	}
}

// RequireReadAsAnyParty requires the right to read as every party.
func (c Claims) RequireReadAsAnyParty() error {
	return c.require(c.CanReadAsAnyParty(), "CanReadAsAnyParty is needed")
}

// RequireOperateAs requires the right to act, read or execute as each party. Administrators of the identity provider
// pass.
func (c Claims) RequireOperateAs(identityProviderID string, parties ...ledger.Party) error {
	if c.AdministersIDP(identityProviderID) {
		return nil
	}
	operates := func(party ledger.Party) bool {
		return c.CanActAs(party) || c.CanReadAs(party) || c.CanExecuteAs(party)
	}
	return c.requireEach(parties, operates, "act, read or execute as")
}

// SubmittingUser returns the user that a request works for: by default the token's user. Another user is refused
// (contract, "Authentication"). With authorization disabled it is a user of the default identity provider, and "" is
// left to the validation of the request.
func (c Claims) SubmittingUser(requested string) (ledger.Identity, error) {
	if err := c.Require(); err != nil {
		return ledger.Identity{}, err
	}
	switch {
	case c.wildcard:
		return ledger.DefaultUser(requested), nil
	case requested == "" || requested == c.user.ID:
		return c.Identity(), nil
	default:
		return ledger.Identity{}, denied("the token of user %q cannot be used for user %q", c.user.ID, requested)
	}
}

// Admission returns the rights that the commit of a submission checks again: none with authorization disabled.
func (c Claims) Admission(wanted ledger.Admission) ledger.Admission {
	if c.wildcard {
		return ""
	}
	return wanted
}

// ReadingUser is [Claims.SubmittingUser] for readers of completions: callers that may read as any party may name any
// user of their identity provider.
func (c Claims) ReadingUser(requested string) (ledger.Identity, error) {
	if requested != "" && c.CanReadAsAnyParty() {
		return ledger.Identity{IdentityProviderID: c.Identity().IdentityProviderID, UserID: requested}, nil
	}
	return c.SubmittingUser(requested)
}

func (c Claims) requireEach(parties []ledger.Party, allowed func(ledger.Party) bool, verb string) error {
	if err := c.Require(); err != nil {
		return err
	}
	for _, party := range parties {
		if !allowed(party) {
			return denied("user %q may not %s %q", c.UserID(), verb, party)
		}
	}
	return nil
}

func (c Claims) require(allowed bool, rule string, args ...any) error {
	if err := c.Require(); err != nil {
		return err
	}
	if !allowed {
		return denied("user %q: "+rule, append([]any{c.UserID()}, args...)...)
	}
	return nil
}

// denied is the 403. Only the log has the rule and the values.
func denied(format string, args ...any) *fault.Fault {
	return fault.PermissionDenied.New("The caller does not have the required right.").Wrap(fmt.Errorf(format, args...))
}
