// Package coalesce makes one query for all readers who ask the same at the same time.
package coalesce

import (
	"context"
	"fmt"
	"sync"
)

// Query is a query that many readers make. Create one with [New].
type Query[T any] struct {
	run func(context.Context) (T, error)
	// turn is the lock of the reader that queries the database.
	turn chan struct{}

	mu sync.Mutex
	// next is the answer to the next query; nil while no reader waits for it.
	next *answer[T]
}

// answer has the value once ready is closed.
type answer[T any] struct {
	ready chan struct{}
	value T
}

// New makes a Query.
func New[T any](run func(context.Context) (T, error)) *Query[T] {
	return &Query[T]{run: run, turn: make(chan struct{}, 1)}
}

// Ask returns the answer to a query that began after the call, never that of a running one: a running query may miss a
// change that the reader knows of. The reader with the lock queries for all that came before it; if that fails, each of
// the others queries for itself.
func (q *Query[T]) Ask(ctx context.Context) (none T, err error) {
	pending := q.join()
	select {
	case <-pending.ready:
		return pending.value, nil
	case q.turn <- struct{}{}:
	case <-ctx.Done():
		return none, fmt.Errorf("wait for the answer of the database: %w", ctx.Err())
	}
	defer func() { <-q.turn }()
	select {
	case <-pending.ready:
		return pending.value, nil
	default: // nobody has asked yet
	}
	q.close(pending)
	value, err := q.run(ctx)
	if err == nil {
		pending.value = value
		close(pending.ready)
	}
	return value, err
}

// join returns the answer to the next query.
func (q *Query[T]) join() *answer[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == nil {
		q.next = &answer[T]{ready: make(chan struct{})}
	}
	return q.next
}

// close makes new readers wait for a later answer.
func (q *Query[T]) close(begun *answer[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == begun {
		q.next = nil
	}
}
