package turns

import (
	"container/heap"
	"maps"
)

// Above maxAccounts, the queue forgets accounts that are not ahead of others.
const maxAccounts = 4096

// Queue orders waiting items by start-time fair queueing (Goyal, Vin and Cheng, 1996): the account with the least cost
// so far goes first; the items of one account stay in order. The zero value is empty. It is not safe for concurrent
// use.
type Queue[K comparable, T any] struct {
	waiting turnHeap[K, T]
	// now is the virtual time: the latest start of a turn that was given.
	now int64
	// ends are the virtual times at which the last turns of accounts end. At sweep entries, forget cleans up.
	ends  map[K]int64
	sweep int
	count uint64
}

// Turn is an item that waits, and where its turn starts.
type Turn[K comparable, T any] struct {
	Item        T
	account     K
	start, cost int64
	order       uint64
	place       int
}

// Push adds an item behind those of its account.
func (q *Queue[K, T]) Push(account K, cost int, item T) *Turn[K, T] {
	if q.ends == nil {
		q.ends = map[K]int64{}
	}
	q.count++
	turn := &Turn[K, T]{
		Item: item, account: account, start: max(q.now, q.ends[account]), cost: int64(cost), order: q.count,
	}
	q.ends[account] = turn.start + turn.cost
	heap.Push(&q.waiting, turn)
	return turn
}

// First is the first turn that may allows; nil if there is none.
func (q *Queue[K, T]) First(may func(T) bool) *Turn[K, T] {
	first := -1
	for i := 0; i < len(q.waiting) && first != 0; i++ {
		if (first < 0 || q.waiting.Less(i, first)) && may(q.waiting[i].Item) {
			first = i
		}
	}
	if first < 0 {
		return nil
	}
	return q.waiting[first]
}

// Give removes a turn from the queue and charges its account.
func (q *Queue[K, T]) Give(turn *Turn[K, T]) {
	heap.Remove(&q.waiting, turn.place)
	q.now = max(q.now, turn.start)
	q.forget()
}

// PopFirst gives the first turn that may allows, and returns its item; false if there is none.
func (q *Queue[K, T]) PopFirst(may func(T) bool) (item T, ok bool) {
	turn := q.First(may)
	if turn == nil {
		return item, false
	}
	q.Give(turn)
	return turn.Item, true
}

// Pop is [Queue.PopFirst] for any turn.
func (q *Queue[K, T]) Pop() (item T, ok bool) { return q.PopFirst(func(T) bool { return true }) }

// Remove removes a waiting item and charges nothing for it.
func (q *Queue[K, T]) Remove(turn *Turn[K, T]) {
	heap.Remove(&q.waiting, turn.place)
	q.ends[turn.account] -= turn.cost
	q.forget()
}

// forget removes accounts that are not ahead of others.
func (q *Queue[K, T]) forget() {
	switch {
	case len(q.waiting) == 0: // without waiters, no account is ahead
		clear(q.ends)
		q.now = 0
	case len(q.ends) > max(q.sweep, maxAccounts):
		maps.DeleteFunc(q.ends, func(_ K, end int64) bool { return end <= q.now })
		q.sweep = 2 * len(q.ends)
	}
}

// Len is the number of waiting items.
func (q *Queue[K, T]) Len() int { return len(q.waiting) }

// turnHeap has the earliest turn first.
type turnHeap[K comparable, T any] []*Turn[K, T]

func (h *turnHeap[K, T]) Len() int { return len(*h) }

func (h *turnHeap[K, T]) Less(i, j int) bool {
	one, other := (*h)[i], (*h)[j]
	if one.start != other.start {
		return one.start < other.start
	}
	return one.order < other.order
}

func (h *turnHeap[K, T]) Swap(i, j int) {
	(*h)[i], (*h)[j] = (*h)[j], (*h)[i]
	(*h)[i].place, (*h)[j].place = i, j
}

// Push implements [heap.Interface].
func (h *turnHeap[K, T]) Push(x any) {
	one, _ := x.(*Turn[K, T])
	one.place = len(*h)
	*h = append(*h, one)
}

// Pop implements [heap.Interface].
func (h *turnHeap[K, T]) Pop() any {
	last := len(*h) - 1
	one := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return one
}
