package users

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// BoundCaller returns a caller whose rights over users are limited to its identity provider; false for ParticipantAdmin
// and without authorization.
func BoundCaller(ctx context.Context) (ledger.User, bool) {
	claims := endpoint.Claims(ctx)
	user, ok := claims.User()
	return user, ok && !claims.IsAdmin()
}

// WithinReach refuses changes of users beyond the caller's rights; nil without a limit. It runs in the transaction of
// the change.
func WithinReach(ctx context.Context) db.UserGuard {
	if caller, bound := BoundCaller(ctx); bound {
		return db.WithinReachOf(caller.Identity())
	}
	return nil
}
