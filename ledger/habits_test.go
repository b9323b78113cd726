package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// recording is the completion of a submission of this cost.
func recording(cost int) ledger.Completion {
	const bytes = 4 // of the record for one of cost
	return ledger.Completion{PaidTrafficCost: bytes * int64(cost)}
}

// A choice may return a contract of which its command has only the id. The real cost counts for the next submissions of
// the account.
func TestHabits_LearnTheCostOfAnAccount(t *testing.T) {
	t.Parallel()
	const estimate = 2000
	var known ledger.Habits
	modest, greedy := ledger.DefaultUser("modest"), ledger.DefaultUser("greedy")
	require.Equal(t, 8*estimate, known.Cost(modest, estimate), "the estimate for a newcomer is high")
	for range 100 {
		known.Learn(modest, estimate, recording(estimate/2))
	}
	require.Equal(t, estimate, known.Cost(modest, estimate), "never less than the estimate")
	known.Learn(greedy, estimate, recording(100*estimate))
	require.Greater(t, known.Cost(greedy, estimate), 20*estimate)
	for range 100 {
		known.Learn(greedy, estimate, recording(100*estimate))
	}
	require.Greater(t, known.Cost(greedy, estimate), 90*estimate)
	require.Equal(t, estimate, known.Cost(modest, estimate), "other accounts cost the same as before")
	known.Learn(greedy, 10*estimate, recording(1<<40))
	require.Equal(t, ledger.MaxCommitCost, known.Cost(greedy, estimate))
	for range 10_000 {
		known.Learn(greedy, estimate, recording(estimate/2))
	}
	require.Equal(t, estimate, known.Cost(greedy, estimate), "newer submissions outweigh old ones")
}

func TestHabits_IgnoreRefusedSubmissions(t *testing.T) {
	t.Parallel()
	var known ledger.Habits
	greedy := ledger.DefaultUser("greedy")
	for range 10 {
		known.Learn(greedy, 2000, recording(100*2000))
	}
	before := known.Cost(greedy, 2000)
	for range 1000 {
		known.Learn(greedy, 128<<10, ledger.Completion{Refusal: fault.ContractNotFound.New("refused")})
	}
	require.Equal(t, before, known.Cost(greedy, 2000))
	require.Greater(t, before, 50*2000)
}

// Code runs before its cost and the outcome are known, so its cost counts for the next submissions.
func TestHabits_LearnTheCodeCostOfRefusals(t *testing.T) {
	t.Parallel()
	const estimate = 2000
	var known ledger.Habits
	costly, failing := ledger.DefaultUser("costly"), ledger.DefaultUser("failing")
	refused := ledger.Completion{Refusal: fault.ContractNotFound.New("refused"), CodeCost: ledger.MaxCommitCost}
	for range 20 {
		known.Learn(costly, estimate, ledger.Completion{CodeCost: ledger.MaxCommitCost})
		known.Learn(failing, estimate, refused)
	}
	require.Greater(t, known.Cost(costly, estimate), ledger.MaxCommitCost/2)
	before := known.Cost(failing, estimate)
	require.Greater(t, before, ledger.MaxCommitCost/2)
	for range 1000 {
		known.Learn(failing, 128<<10, ledger.Completion{Refusal: refused.Refusal, CodeCost: 1})
	}
	require.Equal(t, before, known.Cost(failing, estimate), "cheap refusals do not make up for it")
}

// The users of an identity provider are one account.
func TestHabits_CountAnIdentityProviderAsOneAccount(t *testing.T) {
	t.Parallel()
	var known ledger.Habits
	one := ledger.Identity{IdentityProviderID: "acme", UserID: "one"}
	other := ledger.Identity{IdentityProviderID: "acme", UserID: "other"}
	for range 10 {
		known.Learn(one, 2000, recording(100*2000))
	}
	require.Equal(t, known.Cost(one, 2000), known.Cost(other, 2000))
	require.Greater(t, known.Cost(other, 2000), 50*2000)
}
