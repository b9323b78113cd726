package ledgerapi

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
)

// boundCaller is the caller when its rights over users end at its identity provider; false for ParticipantAdmin, and
// without authorization.
func boundCaller(ctx context.Context) (ledger.User, bool) {
	claims := endpoint.Claims(ctx)
	user, ok := claims.User()
	return user, ok && !claims.IsAdmin()
}

// notOfProvider is the answer for a user that the caller's identity provider does not have, whoever else has.
func notOfProvider(userID, identityProviderID string) error {
	return fault.PermissionDenied.New("The identity provider %q has no user %q", identityProviderID, userID)
}

// withinReach refuses changes of users beyond the caller's reach: those of other identity providers, and those with a
// right that the caller could not give. It is asked in the transaction that makes the change.
func withinReach(ctx context.Context) db.UserGuard {
	caller, bound := boundCaller(ctx)
	return func(target db.UserReach) error {
		switch {
		case !bound:
			return nil
		case target.User.IdentityProviderID != caller.IdentityProviderID:
			return notOfProvider(target.User.ID, caller.IdentityProviderID)
		case target.User.ID == caller.ID: // what it may do with itself is checked apart
			return nil
		}
		for _, right := range target.Rights {
			if !givenWithin(right, target.Providers, caller.IdentityProviderID) {
				return fault.PermissionDenied.New("User %q has the right %s, which only a ParticipantAdmin may give: only one "+
					"may change the user", target.User.ID, right.Kind)
			}
		}
		return nil
	}
}

// givenWithin reports whether an administrator of the identity provider may give the right.
func givenWithin(right ledger.Right, providers map[ledger.Party]string, identityProviderID string) bool {
	switch right.Kind {
	case ledger.CanActAs, ledger.CanReadAs, ledger.CanExecuteAs:
		of, known := providers[right.Party]
		return known && of == identityProviderID
	case ledger.IdentityProviderAdmin:
		return true
	default:
		return false
	}
}
