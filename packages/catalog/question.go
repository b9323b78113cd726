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
	put func(context.Context) (ledger.Offset, error)
	// asking is the lock of the reader that queries the database.
	asking turn

	mu sync.Mutex
	// next is the answer to the next query; nil while no reader waits for it.
	next *answer
}

// answer is the answer of the database, when it is there.
type answer struct {
	given  chan struct{}
	offset ledger.Offset
}

func newQuestion(put func(context.Context) (ledger.Offset, error)) question {
	return question{put: put, asking: newTurn()}
}

// ask returns an offset that the database had after the call. The reader with the lock queries for all that came before
// it; if that fails, each of the others queries for itself.
func (q *question) ask(ctx context.Context) (ledger.Offset, error) {
	waited := q.join()
	select {
	case <-waited.given:
		return waited.offset, nil
	case q.asking <- struct{}{}:
	case <-ctx.Done():
		return 0, fmt.Errorf("read the last change of the packages: %w", ctx.Err())
	}
	defer q.asking.give()
	select {
	case <-waited.given:
		return waited.offset, nil
	default: // nobody has asked yet
	}
	q.close(waited)
	offset, err := q.put(ctx)
	if err == nil {
		waited.offset = offset
		close(waited.given)
	}
	return offset, err
}

// join returns the answer to the next query.
func (q *question) join() *answer {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == nil {
		q.next = &answer{given: make(chan struct{})}
	}
	return q.next
}

// close makes new readers wait for a later answer.
func (q *question) close(begun *answer) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == begun {
		q.next = nil
	}
}
