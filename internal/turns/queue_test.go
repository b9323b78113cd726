package turns

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// While somebody waits, the queue remembers a limited number of accounts; without waiters none.
func TestQueue_ForgetsIdleAccounts(t *testing.T) {
	t.Parallel()
	var queue Queue[string, int]
	queue.Push("patient", 1<<30, 0)
	queue.Push("patient", 1, 0)
	for i := range 3 * maxAccounts {
		queue.Push(strconv.Itoa(i), 100, i)
		queue.Push(strconv.Itoa(i), 100, i)
		queue.Pop()
		queue.Pop()
	}
	require.LessOrEqual(t, len(queue.ends), maxAccounts+1)
	for queue.Len() > 0 {
		queue.Pop()
	}
	require.Empty(t, queue.ends)
	_, ok := queue.Pop()
	require.False(t, ok)
}

func TestQueue_RemovedItemCostsNothing(t *testing.T) {
	t.Parallel()
	var queue Queue[string, string]
	queue.Push("alice", 10, "first")
	queue.Remove(queue.Push("alice", 1000, "removed"))
	queue.Push("bob", 100, "second")
	queue.Push("bob", 100, "fourth")
	queue.Push("alice", 1, "third")
	var order []string
	for item, ok := queue.Pop(); ok; item, ok = queue.Pop() {
		order = append(order, item)
	}
	require.Equal(t, []string{"first", "second", "third", "fourth"}, order)
}

// Skipped accounts keep their places.
func TestQueue_SkipsBlockedAccounts(t *testing.T) {
	t.Parallel()
	var queue Queue[string, int]
	for i := range 10 {
		queue.Push(strconv.Itoa(i), 1, i)
	}
	got, ok := queue.PopFirst(func(i int) bool { return i > 3 })
	require.True(t, ok)
	require.Equal(t, 4, got)
	_, ok = queue.PopFirst(func(i int) bool { return i > 100 })
	require.False(t, ok)
	got, _ = queue.Pop()
	require.Equal(t, 0, got)
}
