package ledger

import (
	"strings"

	"github.com/florinledger/florin/ledger/fault"
)

// Identity is a user and its identity provider. A verified token gives only an identity, and everything of a user
// (rights, wallet, completions, deduplication, keys, limits) belongs to it. The same user id at two identity providers
// is two identities.
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

// SharedProvider is the identity provider whose users have a common limit; "" for the default one. The administrator of
// another provider can make any number of users.
func (i Identity) SharedProvider() string { return i.IdentityProviderID }

// Account is the account for turns: the user, or for users of another identity provider than the default one the
// provider, because its administrator can make any number of users.
func (i Identity) Account() Identity {
	if provider := i.SharedProvider(); provider != "" {
		return Identity{IdentityProviderID: provider}
	}
	return i
}

// ProviderShare is the most places for all users of one identity provider other than the default one: half of all.
func ProviderShare(all int64) int64 { return max(1, all/2) }

// Identity is who the user is.
func (u User) Identity() Identity {
	return Identity{IdentityProviderID: u.IdentityProviderID, UserID: u.ID}
}

// IdentityText writes an identity as one text: the user id, and for users of another identity provider than the default
// one the provider behind an @. Two identities never have the same text: there is a blank before the @, and user ids
// have no blank.
func IdentityText(who Identity) string {
	if who.IdentityProviderID == DefaultIdentityProvider {
		return who.UserID
	}
	return strings.Join([]string{who.UserID, "@", who.IdentityProviderID}, " ")
}
