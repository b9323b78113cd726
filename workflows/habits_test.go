package workflows

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger"
)

// A choice may return a contract of which its command has only the id. What that really costs counts for the next
// submissions of the account.
func TestSubmissionsCountForWhatThoseOfTheirAccountReallyCost(t *testing.T) {
	t.Parallel()
	const estimate = 2000
	var known habits
	modest, greedy := ledger.DefaultUser("modest"), ledger.DefaultUser("greedy")
	require.Equal(t, 8*estimate, known.cost(modest, estimate), "a newcomer may turn out to be anybody")
	for range 100 {
		known.learn(modest, estimate, estimate/2)
	}
	require.Equal(t, estimate, known.cost(modest, estimate), "never less than the estimate")
	known.learn(greedy, estimate, 100*estimate)
	require.Greater(t, known.cost(greedy, estimate), 20*estimate)
	for range 100 {
		known.learn(greedy, estimate, 100*estimate)
	}
	require.Greater(t, known.cost(greedy, estimate), 90*estimate)
	require.Equal(t, estimate, known.cost(modest, estimate), "nobody else's count for more")
	known.learn(greedy, 10*estimate, 1<<40)
	require.Equal(t, maxUnderWay, known.cost(greedy, estimate))
	for range 10_000 {
		known.learn(greedy, estimate, estimate/2)
	}
	require.Equal(t, estimate, known.cost(greedy, estimate), "what was long ago is outweighed")
}

func TestSettledSubmissionsAreLearnedFrom(t *testing.T) {
	t.Parallel()
	b := newBatcher(nil, 1, DefaultAttributeBytes)
	for i := range 10 {
		p := turnOf("greedy", i, 2000)
		b.settle(p, ledger.Completion{PaidTrafficCost: 8 << 20})
		<-p.settled
	}
	for i := range 100 {
		p := turnOf("greedy", 20+i, 128<<10)
		b.settle(p, ledger.Completion{Refusal: fault.ContractNotFound.New("refused")})
	}
	p := turnOf("greedy", 11, 2000)
	b.enqueue(&b.shared, &b.busyShared, p)
	require.Greater(t, p.cost, 400_000)
	require.Equal(t, 2000, p.estimate)
}
