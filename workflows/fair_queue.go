package workflows

import (
	"container/heap"
	"maps"

	"github.com/florinledger/florin/ledger"
)

// minTurn is what the smallest submission counts for, in the unit of [ledger.Submission.CommitCost]: a commit costs
// something for each.
const minTurn = 1 << 10

// maxAccounts is how many accounts are remembered before those without a claim are forgotten.
const maxAccounts = 4096

// fairQueue holds submissions that wait, in the order of their turns: start-time fair queueing (Goyal, Vin and Cheng,
// 1996) of accounts by what the commits of their submissions cost. Whoever has had little goes before whoever has had
// much; an account's own submissions stay in order. It is not safe for concurrent use.
type fairQueue struct {
	waiting turnHeap
	// now is the virtual time: the start of the turn that was given last.
	now int64
	// ends are where the last turns of accounts end.
	ends  map[ledger.Identity]int64
	count uint64
}

// turn is a submission and where its turn starts.
type turn struct {
	*pending

	start int64
	order uint64
}

// push adds a submission behind those of its account.
func (q *fairQueue) push(p *pending) {
	if q.ends == nil {
		q.ends = map[ledger.Identity]int64{}
	}
	who := p.submission.Account()
	start := max(q.now, q.ends[who])
	q.ends[who] = start + int64(max(p.cost, minTurn))
	q.count++
	heap.Push(&q.waiting, turn{pending: p, start: start, order: q.count})
}

// first is the submission whose turn it is, nil when none waits.
func (q *fairQueue) first() *pending {
	if len(q.waiting) == 0 {
		return nil
	}
	return q.waiting[0].pending
}

// pop takes the submission whose turn it is, nil when none waits.
func (q *fairQueue) pop() *pending {
	if len(q.waiting) == 0 {
		return nil
	}
	taken, _ := heap.Pop(&q.waiting).(turn)
	q.now = taken.start
	switch {
	case len(q.waiting) == 0: // nobody waits, so nobody is ahead of others
		clear(q.ends)
		q.now = 0
	case len(q.ends) > maxAccounts:
		maps.DeleteFunc(q.ends, func(_ ledger.Identity, end int64) bool { return end <= q.now })
	}
	return taken.pending
}

// len is how many wait.
func (q *fairQueue) len() int { return len(q.waiting) }

// turnHeap has the earliest turn first.
type turnHeap []turn

func (h *turnHeap) Len() int { return len(*h) }

func (h *turnHeap) Less(i, j int) bool {
	one, other := (*h)[i], (*h)[j]
	if one.start != other.start {
		return one.start < other.start
	}
	return one.order < other.order
}

func (h *turnHeap) Swap(i, j int) { (*h)[i], (*h)[j] = (*h)[j], (*h)[i] }

// Push implements [heap.Interface].
func (h *turnHeap) Push(x any) {
	one, _ := x.(turn)
	*h = append(*h, one)
}

// Pop implements [heap.Interface].
func (h *turnHeap) Pop() any {
	last := len(*h) - 1
	one := (*h)[last]
	(*h)[last] = turn{}
	*h = (*h)[:last]
	return one
}
