package endpoint

import (
	"context"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// inCallersName returns the context for an endpoint that changes something. Each transaction of the record waits for
// the caller's turn and checks, inside the transaction, the rights that permitted the request. Submissions have their
// own turns, and their commit checks the rights.
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
