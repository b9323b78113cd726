package activities

import (
	"context"

	"github.com/florinledger/florin/ledger"
)

// DueCost returns the cost of an account's submission when it comes due.
func (a *Activities) DueCost(who ledger.Identity, estimate int) int {
	return a.due.habits.Cost(who, estimate)
}

// CommitUninterpreted commits submissions that nobody has interpreted ahead.
func (a *Activities) CommitUninterpreted(
	ctx context.Context, submissions ...ledger.Submission,
) ([]ledger.Completion, error) {
	return a.commitInGroup(ctx, submissions)
}

// ForgetInterpretation interprets a submission once more, as after a change of the ledger.
func (a *Activities) ForgetInterpretation(submission ledger.Submission) {
	packages, _ := a.knownPackages()
	a.ahead.begin(packages, []ledger.Submission{submission}, a.Clock())
	a.ahead.want(submission.Key, a.Clock())
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
