package workflows

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/signing"
)

func turnOf(user string, number, bytes int) *pending {
	s := testSubmission(number)
	s.Identity, s.Key = ledger.DefaultUser(user), user+"-"+strconv.Itoa(number)
	return newPending(s, make([]byte, bytes))
}

type submissionQueue struct {
	turns.Queue[ledger.Identity, *pending]
}

func (q *submissionQueue) push(p *pending) { push(&q.Queue, p) }

func (q *submissionQueue) pop() *pending {
	p, _ := q.Pop()
	return p
}

func TestBatcher_PrefersAccountsThatUsedLittle(t *testing.T) {
	t.Parallel()
	var queue submissionQueue
	for i := range 500 {
		queue.push(turnOf("greedy", i, 60_000))
	}
	for range 10 {
		require.Equal(t, "greedy", queue.pop().submission.UserID)
	}
	for i := range 3 {
		queue.push(turnOf("modest", i, 2000))
	}
	for range 3 {
		require.Equal(t, "modest", queue.pop().submission.UserID)
	}
	require.Equal(t, "greedy", queue.pop().submission.UserID)
	require.Equal(t, 489, queue.Len())
}

// The administrator of an identity provider can make any number of users, so they take turns as one account.
func TestBatcher_CountsAnIdentityProviderAsOneAccount(t *testing.T) {
	t.Parallel()
	var queue submissionQueue
	for i := range 100 {
		p := turnOf("", i, 60_000)
		p.submission.Identity = ledger.Identity{IdentityProviderID: "acme", UserID: strconv.Itoa(i)}
		queue.push(p)
	}
	queue.pop()
	queue.push(turnOf("alice", 0, 2000))
	require.Equal(t, "alice", queue.pop().submission.UserID)
}

// Users come and go at random. All that wait get the same share, and the submissions of a user keep their order.
func TestBatcher_SharesTurnsFairly(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		var queue submissionQueue
		users, pushed, popped := 2+random.IntN(5), map[string]int{}, map[string]int{}
		shares := map[string]int{}
		const largest = 64 << 10
		push := func(user string) {
			queue.push(turnOf(user, pushed[user], 1+random.IntN(largest)))
			pushed[user]++
		}
		for user := range users { // from now on each has a submission that waits
			push(strconv.Itoa(user))
		}
		for range 1000 {
			for range random.IntN(4) {
				push(strconv.Itoa(random.IntN(users)))
			}
			p := queue.pop()
			who := p.submission.UserID
			require.Equal(t, fmt.Sprintf("%s-%d", who, popped[who]), p.submission.Key, "seed %d", seed)
			popped[who]++
			shares[who] += max(p.bytes, minTurn)
			if pushed[who] == popped[who] {
				push(who)
			}
			for _, share := range shares {
				for user := range users {
					require.LessOrEqual(t, share-shares[strconv.Itoa(user)], 2*largest, "seed %d", seed)
				}
			}
		}
	}
	var queue submissionQueue
	require.Nil(t, queue.pop())
}

// A small submission with an expensive commit counts by its cost: others go before its account's next one.
func TestBatcher_CountsTheCostOfCommits(t *testing.T) {
	t.Parallel()
	var queue submissionQueue
	for i := range 10 {
		p := turnOf("dear", i, 2000)
		p.submission.Signed = &ledger.SignedTransaction{}
		for j := range 10 {
			party := ledger.Party(fmt.Sprintf("party-%d", j))
			p.submission.ActAs = append(p.submission.ActAs, party)
			p.submission.Signed.Signatures = append(p.submission.Signed.Signatures, ledger.PartySignatures{
				Party: party, Signatures: make([]signing.Signature, 20),
			})
		}
		queue.push(newPending(p.submission, make([]byte, p.bytes)))
	}
	for i := range 100 {
		queue.push(turnOf("modest", i, 2000))
	}
	require.Equal(t, "dear", queue.pop().submission.UserID)
	for range 100 {
		require.Equal(t, "modest", queue.pop().submission.UserID)
	}
	require.Equal(t, "dear", queue.pop().submission.UserID)
}

func TestBatcher_LearnsCostsFromCompletions(t *testing.T) {
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
	b.enqueue(&b.ordinary, p)
	require.Greater(t, p.cost, 400_000)
	require.Equal(t, 2000, p.estimate)
}

// A busy account fills whole batches while it is alone. If another account submits little at the same time, the busy
// one has a sixteenth of each batch, until the other has been away for a while.
func TestBatcher_GivesOneAccountASmallPartBesideOthers(t *testing.T) {
	t.Parallel()
	b := newBatcher(nil, 64, DefaultAttributeBytes)
	number := 0
	submit := func(user string, count int) {
		for range count {
			number++
			push(&b.ordinary.queue, turnOf(user, number, 2000))
		}
	}
	submit("busy", 2000)
	require.Len(t, b.nextBatch(&b.ordinary), 64)
	submit("modest", 1)
	require.Len(t, b.nextBatch(&b.ordinary), 64, "the other account is new")
	batches := 0
	for ; len(b.nextBatch(&b.ordinary)) == 4; batches++ {
		require.Less(t, batches, 100)
	}
	require.Greater(t, batches, 10)
	require.Len(t, b.nextBatch(&b.ordinary), 64)
}

func TestBatcher_FillsBatchesOfBusyAccounts(t *testing.T) {
	t.Parallel()
	b := newBatcher(nil, 64, DefaultAttributeBytes)
	for i := range 1000 {
		push(&b.ordinary.queue, turnOf([]string{"busy", "eager"}[i%2], i, 2000))
	}
	for range 10 {
		require.Len(t, b.nextBatch(&b.ordinary), 64)
	}
}
