package workflows

import (
	"maps"

	"github.com/florinledger/florin/ledger"
)

// What is assumed of an account of which nothing is known: newcomerRatio times the estimate, with the weight of
// newcomerWeight. Estimates of more than habitsWeight outweigh what was before.
const (
	newcomerRatio  = 8
	newcomerWeight = 8 << 10
	habitsWeight   = 256 << 10
)

// habits know how many times the estimate the commits of accounts really cost. A choice may return or make anew a
// contract of which the command has only the id, so that a few bytes of commands record much. It is not safe for
// concurrent use.
type habits struct{ accounts map[ledger.Identity]habit }

// habit is what an account's submissions were estimated to cost, and what they did, lately.
type habit struct{ estimated, actual int64 }

// learn notes what a submission really cost.
func (h *habits) learn(who ledger.Identity, estimated int, actual int64) {
	if h.accounts == nil {
		h.accounts = map[ledger.Identity]habit{}
	}
	of := h.accounts[who]
	of.estimated += int64(estimated)
	of.actual += actual
	if of.estimated > habitsWeight {
		of.estimated, of.actual = of.estimated/2, of.actual/2
	}
	h.accounts[who] = of
	if len(h.accounts) > manyUsers {
		h.forget()
	}
}

// forget drops the accounts that cost what they show, and all of them when too many are left.
func (h *habits) forget() {
	maps.DeleteFunc(h.accounts, func(_ ledger.Identity, one habit) bool { return one.actual <= one.estimated })
	if len(h.accounts) > manyUsers/2 {
		clear(h.accounts)
	}
}

// cost is what a submission is to count for: its estimate, or more when the account's submissions cost more.
func (h *habits) cost(who ledger.Identity, estimate int) int {
	of := h.accounts[who]
	weight := of.estimated + newcomerWeight
	actual := of.actual + newcomerRatio*newcomerWeight
	return int(max(int64(estimate), min(int64(estimate)*actual/weight, maxUnderWay)))
}
