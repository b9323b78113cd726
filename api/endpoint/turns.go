package endpoint

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/florinledger/florin/ledger"
)

// Turns are semaphores for what takes the database and the processors: so many callers at once, so many of the users of
// each identity provider other than the default one, and so many of one user. Others wait, in the order of coming. They
// are safe for concurrent use.
type Turns struct {
	all   *semaphore.Weighted
	count int64
	each  int64

	mu         sync.Mutex
	byHolder   map[string]*ownTurns
	byProvider map[string]*ownTurns
}

// ownTurns are the turns of one user, or of one identity provider. They are forgotten when nobody has or waits for one.
type ownTurns struct {
	turns *semaphore.Weighted
	used  int
}

// NewTurns makes turns: so many for all, and so many of them for one user.
func NewTurns(all, each int) *Turns {
	return &Turns{
		all: semaphore.NewWeighted(int64(all)), count: int64(all), each: int64(min(all, each)),
		byHolder: make(map[string]*ownTurns), byProvider: make(map[string]*ownTurns),
	}
}

// Take waits for a turn of a user. Call release when it is over. The error is the cause of the end of ctx. On a node
// that asks for no tokens callers are not told apart, and share all turns.
func (t *Turns) Take(ctx context.Context, who ledger.Identity) (release func(), err error) {
	return t.take(ctx, holderOf(who))
}

func (t *Turns) take(ctx context.Context, who holder) (release func(), err error) {
	each := t.each
	if who.name == "" {
		each = t.count
	}
	var taken []func()
	release = func() {
		for _, leave := range slices.Backward(taken) {
			leave()
		}
	}
	own, leave := t.join(t.byHolder, who.name, each)
	taken = append(taken, leave)
	together, leave := t.join(t.byProvider, who.provider, t.ofProvider(who))
	taken = append(taken, leave)
	// In this order, so that nobody queues up for the turns of all without one of its own.
	for _, turns := range []*semaphore.Weighted{own, together, t.all} {
		if err := turns.Acquire(ctx, 1); err != nil {
			release()
			return nil, context.Cause(ctx)
		}
		taken = append(taken, func() { turns.Release(1) })
	}
	return release, nil
}

// ofProvider is how many turns the users of an identity provider have together.
func (t *Turns) ofProvider(who holder) int64 {
	if who.provider == "" {
		return t.count
	}
	return ledger.ProviderShare(t.count)
}

// join finds the turns of a name. Call leave when they are not needed any more.
func (t *Turns) join(among map[string]*ownTurns, name string, count int64) (turns *semaphore.Weighted, leave func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	own, known := among[name]
	if !known {
		own = &ownTurns{turns: semaphore.NewWeighted(count)}
		among[name] = own
	}
	own.used++
	return own.turns, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if own.used--; own.used == 0 {
			delete(among, name)
		}
	}
}
