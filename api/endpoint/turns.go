package endpoint

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Turns are those of callers to do what takes the database and the processors: so many at once, and so many of one
// user. Others wait, in the order of coming. They are safe for concurrent use.
type Turns struct {
	all   *semaphore.Weighted
	count int64
	each  int64

	mu     sync.Mutex
	byUser map[string]*userTurns
}

// userTurns are the turns of one user. They are forgotten when nobody has or waits for one.
type userTurns struct {
	turns *semaphore.Weighted
	used  int
}

// NewTurns makes turns: so many for all, and so many of them for one user.
func NewTurns(all, each int) *Turns {
	return &Turns{
		all: semaphore.NewWeighted(int64(all)), count: int64(all), each: int64(min(all, each)),
		byUser: make(map[string]*userTurns),
	}
}

// Take waits for a turn of a user. Call give when it is over. The error is the cause of the end of ctx. The user "" is
// that of a node that asks for no tokens: it does not tell its callers apart, and all turns are theirs.
func (t *Turns) Take(ctx context.Context, user string) (give func(), err error) {
	own := t.join(user)
	if err := own.turns.Acquire(ctx, 1); err != nil {
		t.part(user, own)
		return nil, context.Cause(ctx)
	}
	if err := t.all.Acquire(ctx, 1); err != nil { // only with a turn of its own, so that nobody queues up here
		own.turns.Release(1)
		t.part(user, own)
		return nil, context.Cause(ctx)
	}
	return func() {
		t.all.Release(1)
		own.turns.Release(1)
		t.part(user, own)
	}, nil
}

func (t *Turns) join(user string) *userTurns {
	t.mu.Lock()
	defer t.mu.Unlock()
	own, known := t.byUser[user]
	if !known {
		each := t.each
		if user == "" {
			each = t.count
		}
		own = &userTurns{turns: semaphore.NewWeighted(each)}
		t.byUser[user] = own
	}
	own.used++
	return own
}

func (t *Turns) part(user string, own *userTurns) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if own.used--; own.used == 0 {
		delete(t.byUser, user)
	}
}
