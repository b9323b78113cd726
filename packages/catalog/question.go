package catalog

import (
	"context"
	"fmt"
	"sync"

	"github.com/florinledger/florin/ledger"
)

// question reads the offset of the last change from the database, with one query for all readers that wait at the same
// time. A reader gets the answer to a query that began after it came, never that of a running one: a running query may
// miss a change that the reader knows of.
type question struct {
	query func(context.Context) (ledger.Offset, error)
	// turn is the lock of the reader that queries the database.
	turn turn

	mu sync.Mutex
	// next is the answer to the next query; nil while no reader waits for it.
	next *answer
}

// answer has the offset once ready is closed.
type answer struct {
	ready  chan struct{}
	offset ledger.Offset
}

func newQuestion(query func(context.Context) (ledger.Offset, error)) question {
	return question{query: query, turn: newTurn()}
}

// ask returns an offset that the database had after the call. The reader with the lock queries for all that came before
// it; if that fails, each of the others queries for itself.
func (q *question) ask(ctx context.Context) (ledger.Offset, error) {
	pending := q.join()
	select {
	case <-pending.ready:
		return pending.offset, nil
	case q.turn <- struct{}{}:
	case <-ctx.Done():
		return 0, fmt.Errorf("read the last change of the packages: %w", ctx.Err())
	}
	defer q.turn.give()
	select {
	case <-pending.ready:
		return pending.offset, nil
	default: // nobody has asked yet
	}
	q.close(pending)
	offset, err := q.query(ctx)
	if err == nil {
		pending.offset = offset
		close(pending.ready)
	}
	return offset, err
}

// join returns the answer to the next query.
func (q *question) join() *answer {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == nil {
		q.next = &answer{ready: make(chan struct{})}
	}
	return q.next
}

// close makes new readers wait for a later answer.
func (q *question) close(pending *answer) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == pending {
		q.next = nil
	}
}
