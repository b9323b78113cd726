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

// Claims are who the caller is and what the caller may do. The zero value is a caller that is not authenticated: every
// Require method refuses it with 401.
type Claims struct {
	// reason says why the caller is not authenticated; for the log.
	reason error
	// wildcard callers may do everything and have no user: authorization is disabled.
	wildcard bool
	user     *ledger.User
	// expires is when the token ends; zero for never.
	expires time.Time

	admin, idpAdmin bool
	// actAny callers may also read and execute as any party.
	actAny, readAny, executeAny bool
	actAs, readAs, executeAs    map[ledger.Party]bool
	// growing claims may have more parties and still be the same.
	growing bool
	// anybody claims are of a token that verifies, whether or not its user exists.
	anybody bool
	// needs note what the claims are asked for; nil for nothing.
	needs *needs
}

// NewClaims are the claims of an active user with these rights.
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

// Wildcard are the claims of every caller when authorization is disabled.
func Wildcard() Claims {
	return Claims{wildcard: true, admin: true, idpAdmin: true, actAny: true, readAny: true, executeAny: true}
}

// Unauthenticated are the claims of a caller without a usable token; the reason is for the log.
func Unauthenticated(reason error) Claims { return Claims{reason: reason} }

// Authenticated reports whether somebody is there: a user, or anybody when authorization is disabled.
func (c Claims) Authenticated() bool { return c.wildcard || c.user != nil }

// Presented reports whether the caller sent a token at all, be it usable or not.
func (c Claims) Presented() bool { return c.Authenticated() || c.reason != nil }

// User returns the caller's user; ok is false without one.
func (c Claims) User() (user ledger.User, ok bool) {
	if c.user == nil {
		return ledger.User{}, false
	}
	return *c.user, true
}

// Identity is who calls; the zero value without a user.
func (c Claims) Identity() ledger.Identity {
	if c.user == nil {
		return ledger.Identity{}
	}
	return c.user.Identity()
}

// UserID is the id of the caller's user, "" without one: for texts. Whatever is kept or looked up for the caller goes
// by [Claims.Identity].
func (c Claims) UserID() string {
	if c.user == nil {
		return ""
	}
	return c.user.ID
}

// ExpiresAt is when the caller's token ends, zero for never: whoever is served for longer than that must be told.
func (c Claims) ExpiresAt() time.Time { return c.expires }

// Growing are the claims of a user to whom the node gives parties when others register: more parties are then no change
// of rights that must end what the user reads.
func (c Claims) Growing() Claims {
	c.growing = true
	return c
}

// Keeps reports whether this is the caller of before with the same rights, or, where they are [Claims.Growing], with
// further parties. What else is known of the user, and until when the token is valid, makes no difference.
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

// Covers reports whether this is the caller of before with all rights that it had; it may have further ones.
func (c Claims) Covers(before Claims) bool {
	c.growing = true
	c.admin = c.admin && before.admin // what is new takes nothing away
	c.idpAdmin = c.idpAdmin && before.idpAdmin
	c.actAny = c.actAny && before.actAny
	c.readAny = c.readAny && before.readAny
	c.executeAny = c.executeAny && before.executeAny
	return c.Keeps(before)
}

// CoversButParties is [Claims.Covers] whatever parties the caller had. It holds for [Claims.Growing] alone: the node
// gives them parties when others come, and takes them when these go.
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

// CanExecuteAs reports whether the caller may submit transactions that the party signed elsewhere.
func (c Claims) CanExecuteAs(party ledger.Party) bool {
	return c.holds(ledger.CanExecuteAs, party)
}

// ReadableParties lists the parties that the caller may read as, in no order; all is true for a caller that may read
// as every party, and the list is nil then.
func (c Claims) ReadableParties() (parties []ledger.Party, all bool) {
	if c.CanReadAsAnyParty() {
		return nil, true
	}
	// Never nil, which would stand for all.
	return slices.AppendSeq([]ledger.Party{}, maps.Keys(c.noteReadable())), false
}

// CanReadAsAnyParty reports whether the caller may read as every party.
func (c Claims) CanReadAsAnyParty() bool { return c.holds(ledger.CanReadAs, "") }

// Known reports whether the caller is a user who is known to exist: neither anybody with a token that verifies nor
// anybody with authorization disabled.
func (c Claims) Known() bool { return c.user != nil && !c.anybody }

// Require answers 401 unless somebody is authenticated.
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

// RequireAdmin asks for ParticipantAdmin.
func (c Claims) RequireAdmin() error { return c.require(c.IsAdmin(), "ParticipantAdmin is needed") }

// RequireIDPAdmin asks for ParticipantAdmin, or for the administration of the identity provider that the request
// names. An empty id stands for the caller's own.
func (c Claims) RequireIDPAdmin(identityProviderID string) error {
	return c.require(c.AdministersIDP(identityProviderID),
		"ParticipantAdmin, or IdentityProviderAdmin of %q, is needed", identityProviderID)
}

// RequireIDPAdminOf is [Claims.RequireIDPAdmin] where an empty id stands for the default identity provider: for what is
// created in the provider that the request names (contract, POST /v2/users and /v2/parties).
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

// RequireSelf asks that the caller is the user, or administers users.
func (c Claims) RequireSelf(userID, identityProviderID string) error {
	self := c.user != nil && c.user.ID == userID
	return c.require(self || c.AdministersIDP(identityProviderID),
		"only the user %q itself or an administrator may do this", userID)
}

// RequireActAs asks for the right to act as each party.
func (c Claims) RequireActAs(parties ...ledger.Party) error {
	return c.requireEach(parties, c.CanActAs, "act as")
}

// RequireReadAs asks for the right to read as each party.
func (c Claims) RequireReadAs(parties ...ledger.Party) error {
	return c.requireEach(parties, c.CanReadAs, "read as")
}

// RequireExecuteAs asks for the right to execute prepared transactions as each party.
func (c Claims) RequireExecuteAs(parties ...ledger.Party) error {
	return c.requireEach(parties, c.CanExecuteAs, "execute as")
}

// RequireAsSome asks for the right as some party, whichever: before it is known as whom, which may be dear to find out.
func (c Claims) RequireAsSome(right ledger.RightKind) error {
	return c.require(c.holdsSome(right), "it has %s for no party", right)
}

// RequireAsOneOf asks for the right as one of the parties; as some party where there are none.
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

// partyRight is as whom the caller has a right that is given by party: every party, or these.
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

// RequireReadAsAnyParty asks for the right to read as every party.
func (c Claims) RequireReadAsAnyParty() error {
	return c.require(c.CanReadAsAnyParty(), "CanReadAsAnyParty is needed")
}

// RequireOperateAs asks, for each party, for the right to act, read or execute as it. Administrators of the identity
// provider pass.
func (c Claims) RequireOperateAs(identityProviderID string, parties ...ledger.Party) error {
	if c.AdministersIDP(identityProviderID) {
		return nil
	}
	operates := func(party ledger.Party) bool {
		return c.CanActAs(party) || c.CanReadAs(party) || c.CanExecuteAs(party)
	}
	return c.requireEach(parties, operates, "act, read or execute as")
}

// SubmittingUser is whom a request works for: the token's user where the request names none. A different one is refused
// (contract, "Authentication"). With authorization disabled it is a user of the default identity provider, and its id
// may be "", which the request's own validation then reports as a missing field.
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

// Admission is what a commit has to ask for again of a submission that the caller makes: nothing with authorization
// disabled.
func (c Claims) Admission(wanted ledger.Admission) ledger.Admission {
	if c.wildcard {
		return ""
	}
	return wanted
}

// ReadingUser is like [Claims.SubmittingUser] for readers of completions: callers that may read as any party may also
// name any user of their own identity provider.
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

// denied is the 403 fault; clients see neither rule nor values, the log does.
func denied(format string, args ...any) *fault.Fault {
	return fault.PermissionDenied.New("The caller does not have the required right.").Wrap(fmt.Errorf(format, args...))
}
