package ledger

import (
	"maps"
	"sync"
)

// MaxCommitCost is what the commit of the largest transaction counts for, in the unit of [Submission.CommitCost].
const MaxCommitCost = 1 << 20

// What is assumed of an account of which nothing is known: newcomerRatio times the estimate, with the weight of
// newcomerWeight. Estimates of more than habitsWeight outweigh what was before.
const (
	newcomerRatio  = 8
	newcomerWeight = 8 << 10
	habitsWeight   = 256 << 10
)

// maxHabits is of how many accounts the habits are remembered before some are forgotten.
const maxHabits = 4096

// Habits know how many times the estimate the commits of accounts really cost. A choice may return or make anew a
// contract of which the command has only the id, so that a few bytes of commands record much. Whoever gives turns by
// the cost of commits has habits of its own, since estimates differ. The zero value is ready to use, and it is safe for
// concurrent use.
type Habits struct {
	mu       sync.Mutex
	accounts map[Identity]habit
}

// habit is what an account's submissions were estimated to cost, and what they did, lately.
type habit struct{ estimated, actual int64 }

// Learn notes what became of a submission whose cost was estimated: what it recorded, and what its code cost. Those
// that are refused record nothing and teach only that the account's submissions cost more than was known, by their
// code: otherwise an account would cost little again after a few of them.
func (h *Habits) Learn(who Identity, estimate int, completion Completion) {
	if completion.Refusal != nil && completion.CodeCost <= int64(h.Cost(who, estimate)) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.accounts == nil {
		h.accounts = map[Identity]habit{}
	}
	of := h.accounts[who.Account()]
	of.estimated += int64(estimate)
	of.actual += CostOfRecorded(completion.PaidTrafficCost) + completion.CodeCost
	if of.estimated > habitsWeight {
		of.estimated, of.actual = of.estimated/2, of.actual/2
	}
	h.accounts[who.Account()] = of
	if len(h.accounts) > maxHabits {
		h.forget()
	}
}

// forget makes room for half of the accounts at least, so that it is seldom called: it drops those that cost what they
// show, then those that cost no more than is assumed of newcomers, and in the end all of them.
func (h *Habits) forget() {
	for _, ratio := range []int64{1, newcomerRatio} {
		maps.DeleteFunc(h.accounts, func(_ Identity, one habit) bool { return one.actual <= ratio*one.estimated })
		if len(h.accounts) <= maxHabits/2 {
			return
		}
	}
	clear(h.accounts)
}

// Cost is what a submission is to count for: its estimate, or more when the account's submissions cost more.
func (h *Habits) Cost(who Identity, estimate int) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	of := h.accounts[who.Account()]
	weight := of.estimated + newcomerWeight
	actual := of.actual + newcomerRatio*newcomerWeight
	return int(max(int64(estimate), min(int64(estimate)*actual/weight, MaxCommitCost)))
}
