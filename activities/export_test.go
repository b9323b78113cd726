package activities

import (
	"context"

	"github.com/florinledger/florin/ledger"
)

// DueCost returns the cost of an account's submission when it comes due.
func (a *Activities) DueCost(who ledger.Identity, estimate int) int {
	return a.due.habits.Cost(who, estimate)
}

// DecideAnew runs a commit during which the packages change each time, and calls the function each time.
func (a *Activities) DecideAnew(ctx context.Context, decide func()) error {
	return a.withPackages(ctx, func() error {
		decide()
		return errOtherPackages
	})
}

// WaitingForGroup returns how many activities wait for the next common transaction.
func (a *Activities) WaitingForGroup() int {
	a.group.mu.Lock()
	defer a.group.mu.Unlock()
	return len(a.group.waiting)
}
