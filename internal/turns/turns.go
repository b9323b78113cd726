// Package turns shares work fairly between accounts: an account waits according to what its work costs. A [Queue]
// orders the work; [Turns] limits how much runs at the same time.
package turns

import (
	"context"
	"errors"
	"sync"
)

// ErrCrowded is the error of [Turns.Take] if too many of the account wait already.
var ErrCrowded = errors.New("too many requests wait")

// Shortage is the reason why there is no turn.
type Shortage int

const (
	// NoShortage means that there is a turn.
	NoShortage Shortage = iota
	// ShortForAll means that all turns are in use.
	ShortForAll
	// ShortForProvider means that the users of the identity provider have reached their common limit.
	ShortForProvider
	// ShortForAccount means that the account has reached its limit.
	ShortForAccount
)

// Account is who takes turns.
type Account struct {
	// Name identifies the account. Accounts with the name "" count as one without a limit of its own.
	Name string
	// Provider is the identity provider whose users have a common limit and one place in the queue; "" for none.
	Provider string
}

// queued is the account in the queue: one for all users of an identity provider, because it can have any number.
func (a Account) queued() Account {
	if a.Provider != "" {
		return Account{Provider: a.Provider}
	}
	return a
}

// Limits are the most turns at the same time; zero is no limit, and a negative number allows none.
type Limits struct {
	// All is for all accounts, Each for one account, and Together for the users of one identity provider.
	All, Each, Together int
	// Beside is for one account while other accounts take turns too; zero is Each.
	Beside int
	// Waiting is the most waiters of one account.
	Waiting int
}

// Turns limits how many turns (of requests, bytes) are in use at the same time. Others wait in fair order, or get an
// error. The zero value has no limit. It is safe for concurrent use.
type Turns struct {
	mu     sync.Mutex
	limits Limits
	taken  int
	// accounts are those that have a turn or wait for one; providers counts the turns of users of each provider.
	accounts   map[string]accountUse
	providers  map[string]int
	queue      Queue[Account, *waiter]
	neighbours Neighbours[string]
}

// accountUse is how many turns an account has, and how many it waits for.
type accountUse struct{ taken, waiting int }

// waiter waits until its turn is granted, which closes the channel.
type waiter struct {
	who     Account
	granted chan struct{}
}

// New makes turns.
func New(limits Limits) *Turns { return &Turns{limits: limits} }

// Set changes the limits. Turns in use stay.
func (t *Turns) Set(limits Limits) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.limits = limits
	t.grant()
}

// Try takes count turns, or none if there are fewer. The caller returns them with Give.
func (t *Turns) Try(who Account, count int) Shortage {
	t.mu.Lock()
	defer t.mu.Unlock()
	short := t.short(who, count)
	if short == NoShortage {
		t.add(who, count, 0)
	}
	return short
}

// Give returns turns.
func (t *Turns) Give(who Account, count int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(who, -count, 0)
	t.grant()
}

// Short is the reason why the account gets no turn, or NoShortage.
func (t *Turns) Short(who Account) Shortage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.short(who, 1)
}

// Taken is the number of turns in use.
func (t *Turns) Taken() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.taken
}

// TakenBy is the number of turns of an account.
func (t *Turns) TakenBy(who Account) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.accounts[who.Name].taken
}

// Take waits for a turn. The caller calls release once. The error is [ErrCrowded], or the cause of the end of ctx.
func (t *Turns) Take(ctx context.Context, who Account) (release func(), err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	release = func() { t.Give(who, 1) }
	t.mu.Lock()
	if t.short(who, 1) == NoShortage {
		t.add(who, 1, 0)
		t.mu.Unlock()
		return release, nil
	}
	if t.limits.Waiting > 0 && t.accounts[who.Name].waiting >= t.limits.Waiting {
		t.mu.Unlock()
		return nil, ErrCrowded
	}
	w := &waiter{who: who, granted: make(chan struct{})}
	t.add(who, 0, 1)
	turn := t.queue.Push(who.queued(), 1, w)
	t.mu.Unlock()
	select {
	case <-w.granted:
		return release, nil
	case <-ctx.Done():
	}
	if !t.leave(turn, w) {
		release() // the turn came while its waiter left
	}
	return nil, context.Cause(ctx)
}

// Waiting is the number of waiters.
func (t *Turns) Waiting() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.queue.Len()
}

func (t *Turns) leave(turn *Turn[Account, *waiter], w *waiter) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-w.granted:
		return false
	default:
		t.queue.Remove(turn)
		t.add(w.who, 0, -1)
		return true
	}
}

// short is the reason why there are not count more turns. The caller holds the lock. An account that waits gets none,
// so that nobody overtakes a waiter.
func (t *Turns) short(who Account, count int) Shortage {
	exceeds := func(taken, most int) bool { return most != 0 && taken+count > most }
	switch {
	case exceeds(t.taken, t.limits.All):
		return ShortForAll
	case who.Name != "" && exceeds(t.accounts[who.Name].taken, t.each(who)):
		return ShortForAccount
	case who.Provider != "" && exceeds(t.providers[who.Provider], t.limits.Together):
		return ShortForProvider
	default:
		return NoShortage
	}
}

// each is the limit of an account at this time. The caller holds the lock.
func (t *Turns) each(who Account) int {
	if t.limits.Beside > 0 && t.neighbours.Of(who.Name) {
		return min(t.limits.Beside, t.limits.Each)
	}
	return t.limits.Each
}

// grant gives turns to waiters. The caller holds the lock.
func (t *Turns) grant() {
	for t.limits.All == 0 || t.taken < t.limits.All {
		w, ok := t.queue.PopFirst(func(w *waiter) bool { return t.short(w.who, 1) == NoShortage })
		if !ok {
			return
		}
		t.add(w.who, 1, -1)
		close(w.granted)
	}
}

// add counts turns in use and waiters. The caller holds the lock.
func (t *Turns) add(who Account, taken, waiting int) {
	t.taken += taken
	if taken > 0 {
		t.neighbours.Note(who.Name)
	}
	if t.accounts == nil {
		t.accounts, t.providers = map[string]accountUse{}, map[string]int{}
	}
	now := t.accounts[who.Name]
	now.taken, now.waiting = now.taken+taken, now.waiting+waiting
	t.accounts[who.Name] = now
	if now == (accountUse{}) {
		delete(t.accounts, who.Name)
	}
	if who.Provider == "" {
		return
	}
	if t.providers[who.Provider] += taken; t.providers[who.Provider] == 0 {
		delete(t.providers, who.Provider)
	}
}
