package ledgerapi

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/florinledger/florin/ledger"
)

const (
	// StreamReads is how many streams may read at once. However many are woken by one commit, connections to the database
	// are left for everybody else.
	StreamReads = 8
	// UserStreamReads is how many of them may be one user's, so that others' streams need not wait for all of its own.
	UserStreamReads = 4
)

// turns are those of the streams to read. They are safe for concurrent use.
type turns struct {
	all *semaphore.Weighted

	mu     sync.Mutex
	byUser map[ledger.Identity]*userTurns
}

// userTurns are the turns of one user. They are forgotten when nobody has or waits for one.
type userTurns struct {
	turns *semaphore.Weighted
	used  int
}

func newTurns() *turns {
	return &turns{all: semaphore.NewWeighted(StreamReads), byUser: make(map[ledger.Identity]*userTurns)}
}

// take waits for a turn of the user. Call give when it is over. The error is that of ctx.
func (t *turns) take(ctx context.Context, who ledger.Identity) (give func(), err error) {
	own := t.join(who)
	if err := own.turns.Acquire(ctx, 1); err != nil {
		t.part(who, own)
		return nil, context.Cause(ctx)
	}
	if err := t.all.Acquire(ctx, 1); err != nil { // only with a turn of its own, so that nobody queues up here
		own.turns.Release(1)
		t.part(who, own)
		return nil, context.Cause(ctx)
	}
	return func() {
		t.all.Release(1)
		own.turns.Release(1)
		t.part(who, own)
	}, nil
}

func (t *turns) join(who ledger.Identity) *userTurns {
	t.mu.Lock()
	defer t.mu.Unlock()
	own, known := t.byUser[who]
	if !known {
		each := int64(UserStreamReads)
		if who == (ledger.Identity{}) { // a node that asks for no tokens does not tell its callers apart
			each = StreamReads
		}
		own = &userTurns{turns: semaphore.NewWeighted(each)}
		t.byUser[who] = own
	}
	own.used++
	return own
}

func (t *turns) part(who ledger.Identity, own *userTurns) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if own.used--; own.used == 0 {
		delete(t.byUser, who)
	}
}
