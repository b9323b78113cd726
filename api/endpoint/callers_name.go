package endpoint

import (
	"context"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// inCallersName is the context under which an endpoint that changes something is called: each transaction of the record
// that it begins asks in itself for the rights by which the request was permitted. What is submitted instead is asked
// about at its commit.
func inCallersName(ctx context.Context) context.Context {
	current := callOf(ctx)
	if !current.claims.Known() {
		return ctx
	}
	return db.ForCaller(ctx, db.Caller{
		Identity: current.claims.Identity(),
		Check: func(user ledger.User, rights []ledger.Right) error {
			if user.IsDeactivated || !auth.NewClaims(user, rights).Permits(current.claims) {
				return rightLost(current.claims)
			}
			return nil
		},
	})
}
