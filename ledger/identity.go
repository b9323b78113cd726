package ledger

import (
	"strings"

	"github.com/florinledger/florin/ledger/fault"
)

// Identity is who acts: a user, and the identity provider that vouches for it. A verified token yields an identity and
// nothing else, and whatever belongs to a user (rights, a wallet, completions, deduplication, keys, limits) is kept and
// looked up by it. The same user id at two identity providers is two identities.
type Identity struct {
	// IdentityProviderID is DefaultIdentityProvider for users of the default one.
	IdentityProviderID string `json:"identityProviderId,omitempty"`
	UserID             string `json:"userId"`
}

// DefaultUser is the identity of a user of the default identity provider, which the node's own users are.
func DefaultUser(userID string) Identity {
	return Identity{IdentityProviderID: DefaultIdentityProvider, UserID: userID}
}

// CheckUser refuses a user id that is missing, which happens only without authorization, or malformed.
func (i Identity) CheckUser() error {
	if i.UserID == "" {
		return fault.MissingFieldNamed("user_id")
	}
	if err := CheckUserID(i.UserID); err != nil {
		return fault.InvalidFieldNamed("user_id", err.Error())
	}
	return nil
}

// SharedProvider is the identity provider whose users share what there is, "" for the default one: the administrator of
// another one can make any number of users.
func (i Identity) SharedProvider() string { return i.IdentityProviderID }

// Account is whose turns the user takes: its own, or those of its identity provider, whose administrator can make as
// many users as it likes. The default provider's users are the operator's.
func (i Identity) Account() Identity {
	if provider := i.SharedProvider(); provider != "" {
		return Identity{IdentityProviderID: provider}
	}
	return i
}

// ProviderShare is how many of so many places the users of one identity provider other than the default one may have
// together: half of them.
func ProviderShare(all int64) int64 { return max(1, all/2) }

// Identity is who the user is.
func (u User) Identity() Identity {
	return Identity{IdentityProviderID: u.IdentityProviderID, UserID: u.ID}
}

// IdentityText writes an identity as one text: the user id, and for users of another identity provider than the default
// one the provider behind an @. Two identities never have the same text: no user id of a user that can exist holds a
// blank, which is before the @.
func IdentityText(who Identity) string {
	if who.IdentityProviderID == DefaultIdentityProvider {
		return who.UserID
	}
	return strings.Join([]string{who.UserID, "@", who.IdentityProviderID}, " ")
}
