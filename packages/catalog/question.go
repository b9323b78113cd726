package catalog

import (
	"context"
	"fmt"
	"sync"

	"github.com/florinledger/florin/ledger"
)

// question asks the database for the offset of the last change, once for all who want to know at the same time: so
// many readers cost it no more than one after the other. Each gets an answer to what was asked after it came, never
// the one that was on its way: that one may not have what the reader was told just before.
type question struct {
	put func(context.Context) (ledger.Offset, error)
	// asking is held by who waits for the database.
	asking turn

	mu sync.Mutex
	// next is what is asked when the turn is free; nil when nobody waits for it.
	next *answer
}

// answer is what the database says, once it is given.
type answer struct {
	given  chan struct{}
	offset ledger.Offset
}

func newQuestion(put func(context.Context) (ledger.Offset, error)) question {
	return question{put: put, asking: newTurn()}
}

// ask returns the offset of a moment after the call. Whoever has the turn asks for all who came before; where that
// fails, each of the others asks for itself.
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

// join is the answer to what is asked next.
func (q *question) join() *answer {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == nil {
		q.next = &answer{given: make(chan struct{})}
	}
	return q.next
}

// close has those who come from now on wait for a later answer.
func (q *question) close(begun *answer) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == begun {
		q.next = nil
	}
}
