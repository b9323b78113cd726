package activities

import (
	"context"

	"github.com/florinledger/florin/ledger"
)

// DueCost is what a submission of an account counts for when it comes due.
func (a *Activities) DueCost(who ledger.Identity, estimate int) int {
	return a.due.habits.Cost(who, estimate)
}

// DecideAnew has packages change whenever a batch is decided, and calls the function each time.
func (a *Activities) DecideAnew(ctx context.Context, decide func()) error {
	return a.withPackages(ctx, func() error {
		decide()
		return errOtherPackages
	})
}
