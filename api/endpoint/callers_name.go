package endpoint

import (
	"context"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// inCallersName is the context under which an endpoint that changes something is called: each transaction of the record
// that it begins waits for the caller's turn, and asks in itself for the rights by which the request was permitted. What
// is submitted instead has turns of its own, and is asked about at its commit.
func inCallersName(ctx context.Context, current *call) context.Context {
	if !current.claims.Known() {
		return db.ForCaller(ctx, db.Caller{Turn: commitTurn})
	}
	return db.ForCaller(ctx, db.Caller{
		Identity: current.claims.Identity(),
		Turn:     commitTurn,
		Check: func(user ledger.User, rights []ledger.Right) error {
			if user.IsDeactivated || !auth.NewClaims(user, rights).Permits(current.claims) {
				return rightLost(current.claims)
			}
			return nil
		},
	})
}
