package activities

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// Submissions that come due at one moment go on one after the other, with those of other accounts in between.
func TestDueTurns_LetsAccountsTakeTurns(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	var due dueTurns
	greedy, modest := ledger.DefaultUser("greedy"), ledger.DefaultUser("modest")
	pace := minDue * time.Second / duePerSecond
	for i := range 100 {
		require.Equal(t, time.Duration(i)*pace, due.wait(now, "greedy-"+strconv.Itoa(i), greedy, 100))
	}
	require.Equal(t, 50*pace, due.wait(now, "greedy-50", greedy, 100), "a workflow that asks again keeps its turn")
	require.Zero(t, due.wait(now, "modest", modest, 100), "others do not wait for them")
	require.Equal(t, 2*pace, due.wait(now, "modest-2", modest, 100), "accounts share the pace")

	now = now.Add(50 * pace)
	require.Zero(t, due.wait(now, "greedy-50", greedy, 100))
	require.Equal(t, pace, due.wait(now, "greedy-51", greedy, 100))
	require.NotContains(t, due.tickets, "greedy-50")

	now = now.Add(time.Hour)
	require.Zero(t, due.wait(now, "later", modest, duePerSecond))
	require.Equal(t, time.Second, due.wait(now, "later-2", modest, 100), "an expensive submission has a long turn")
	require.Len(t, due.next, 1, "accounts without a future turn are deleted")
}

// An identity provider can have any number of users.
func TestDueTurns_CountsAnIdentityProviderAsOneAccount(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	var due dueTurns
	for i := range 10 {
		who := ledger.Identity{IdentityProviderID: "acme", UserID: strconv.Itoa(i)}
		due.wait(now, who.UserID, who, 100)
	}
	require.Len(t, due.next, 1)
}

// Workflows that went on in another process do not come back for their tickets.
func TestDueTurns_ForgetsUnusedTickets(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	var due dueTurns
	for i := range maxTickets + 1 {
		due.wait(now, strconv.Itoa(i), ledger.DefaultUser("user"), 100)
	}
	now = now.Add(time.Hour)
	for i := range 2 {
		due.wait(now, "new-"+strconv.Itoa(i), ledger.DefaultUser("user"), duePerSecond)
	}
	require.Less(t, len(due.tickets), maxTickets)
}

// The traffic of an account's commits counts for its due submissions, whether the commits waited or not. Refusals do
// not lower the cost.
func TestDueTurns_CountsTheCostOfCommits(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	var due dueTurns
	greedy, modest := ledger.DefaultUser("greedy"), ledger.DefaultUser("modest")
	large := ledger.Command{Create: &ledger.CreateCommand{Argument: make([]byte, 2000)}}
	var submissions []ledger.Submission
	var completions []ledger.Completion
	add := func(who ledger.Identity, completion ledger.Completion) {
		completion.Key = strconv.Itoa(len(submissions))
		submissions = append(submissions, ledger.Submission{
			Key: completion.Key, Identity: who, Commands: []ledger.Command{large},
		})
		completions = append(completions, completion)
	}
	for range 100 {
		add(greedy, ledger.Completion{PaidTrafficCost: 240_000})
		add(modest, ledger.Completion{PaidTrafficCost: 3000})
	}
	for range 100 {
		add(greedy, ledger.Completion{Refusal: fault.ContractNotFound.New("refused")})
	}
	due.learn(submissions, completions)
	const estimate = 64 << 10
	pace := estimate * time.Second / duePerSecond
	require.Zero(t, due.wait(now, "modest", modest, estimate))
	require.Equal(t, pace, due.wait(now, "modest-2", modest, estimate))
	now = now.Add(time.Hour)
	require.Zero(t, due.wait(now, "greedy", greedy, estimate))
	require.Greater(t, due.wait(now, "greedy-2", greedy, estimate), 10*pace)
}
