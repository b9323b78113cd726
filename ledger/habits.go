package ledger

import (
	"maps"
	"sync"
)

// MaxCommitCost is the cost of the commit of the largest transaction, in the unit of [Submission.CommitCost].
const MaxCommitCost = 1 << 20

// An unknown account is assumed to cost newcomerRatio times its estimates, with the weight newcomerWeight. Estimates
// above habitsWeight in total outweigh older ones.
const (
	newcomerRatio  = 8
	newcomerWeight = 8 << 10
	habitsWeight   = 256 << 10
)

// maxHabits is the most accounts in memory.
const maxHabits = 4096

// Habits record for each account the cost of its commits in relation to the estimates. A choice may return or recreate
// a contract of which the command has only the id, so that a few bytes of commands record much. Each queue that orders
// commits by cost has its own habits, because estimates differ. The zero value is ready to use. It is safe for
// concurrent use.
type Habits struct {
	mu       sync.Mutex
	accounts map[Identity]habit
}

// habit is the estimated and the actual cost of an account's last submissions, and whether the last one ran long code.
type habit struct {
	estimated, actual int64
	runsCode          bool
}

// Learn records the actual cost of a submission: its bytes in the record and its code. A refused submission records
// nothing, so its code can only raise the cost of the account: otherwise a few refused ones would lower it.
func (h *Habits) Learn(who Identity, estimate int, completion Completion) {
	runsCode := completion.CodeCost > longCodeCost
	if !runsCode && completion.Refusal != nil && completion.CodeCost <= int64(h.Cost(who, estimate)) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.accounts == nil {
		h.accounts = map[Identity]habit{}
	}
	of := h.accounts[who.Account()]
	of.estimated += int64(estimate)
	of.runsCode = runsCode
	of.actual += CostOfRecorded(completion.PaidTrafficCost) + completion.CodeCost
	if of.estimated > habitsWeight {
		of.estimated, of.actual = of.estimated/2, of.actual/2
	}
	h.accounts[who.Account()] = of
	if len(h.accounts) > maxHabits {
		h.forget()
	}
}

// forget drops at least half of the accounts, so that it seldom runs: first those that cost what they estimate, then
// those that cost no more than unknown accounts, and at last all.
func (h *Habits) forget() {
	for _, ratio := range []int64{1, newcomerRatio} {
		maps.DeleteFunc(h.accounts, func(_ Identity, one habit) bool { return one.actual <= ratio*one.estimated })
		if len(h.accounts) <= maxHabits/2 {
			return
		}
	}
	clear(h.accounts)
}

// longCodeCost is the cost of code that takes too long for the head lock.
const longCodeCost = MaxCommitCost * maxLockedSteps / MaxCodeSteps

// RunsCode reports whether the last submission of the account ran long code.
func (h *Habits) RunsCode(who Identity) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.accounts[who.Account()].runsCode
}

// Cost is the estimate of a submission, or more if the account's submissions cost more.
func (h *Habits) Cost(who Identity, estimate int) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	of := h.accounts[who.Account()]
	weight := of.estimated + newcomerWeight
	actual := of.actual + newcomerRatio*newcomerWeight
	return int(max(int64(estimate), min(int64(estimate)*actual/weight, MaxCommitCost)))
}
