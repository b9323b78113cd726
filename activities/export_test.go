package activities

import "github.com/florinledger/florin/ledger"

// DueCost is what a submission of an account counts for when it comes due.
func (a *Activities) DueCost(who ledger.Identity, estimate int) int {
	return a.due.habits.Cost(who, estimate)
}
