// Package turns says one thing: an account waits its turn by what it costs. A [Queue] is the order in which accounts
// have their turns; [Turns] are so many of them at once.
package turns

import (
	"context"
	"errors"
	"sync"
)

// ErrCrowded is the refusal of [Turns.Take] to one more that would wait.
var ErrCrowded = errors.New("too many requests wait")

// Shortage is why there is no turn.
type Shortage int

const (
	// NoShortage means that there is one.
	NoShortage Shortage = iota
	// ShortForAll means that all turns are taken.
	ShortForAll
	// ShortForProvider means that the users of the identity provider have as many as they may have together.
	ShortForProvider
	// ShortForAccount means that the account has as many as it may have.
	ShortForAccount
)

// Account is who takes turns.
type Account struct {
	// Name tells accounts apart. Those with the name "" are not told apart, and may have all turns.
	Name string
	// Provider is the identity provider whose users share with all others and queue up as one; "" for accounts that do
	// not share.
	Provider string
}

// queued is who queues up: the users of an identity provider as one, since there may be any number of them.
func (a Account) queued() Account {
	if a.Provider != "" {
		return Account{Provider: a.Provider}
	}
	return a
}

// Limits are how many turns there are at once; zero is any number, and a negative one none.
type Limits struct {
	// All is how many there are, Each how many one account has, and Together how many the users of one identity provider
	// have.
	All, Each, Together int
	// Beside is how many an account has while others take turns as well; zero is Each.
	Beside int
	// Waiting is how many of one account may wait for their turn.
	Waiting int
}

// Turns are so many at once: of requests, say, or of bytes. Others wait, in fair order, or are refused. The zero value
// has any number. It is safe for concurrent use.
type Turns struct {
	mu     sync.Mutex
	limits Limits
	taken  int
	// accounts have taken a turn or wait for one, and providers are those whose users have taken one.
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

// Set changes how many there are. Who has a turn keeps it.
func (t *Turns) Set(limits Limits) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.limits = limits
	t.grant()
}

// Try takes so many turns, or none when there are not as many. Give them back.
func (t *Turns) Try(who Account, count int) Shortage {
	t.mu.Lock()
	defer t.mu.Unlock()
	short := t.short(who, count)
	if short == NoShortage {
		t.add(who, count, 0)
	}
	return short
}

// Give gives turns back.
func (t *Turns) Give(who Account, count int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(who, -count, 0)
	t.grant()
}

// Short is why there is no turn now.
func (t *Turns) Short(who Account) Shortage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.short(who, 1)
}

// Taken is how many are taken.
func (t *Turns) Taken() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.taken
}

// TakenBy is how many an account has.
func (t *Turns) TakenBy(who Account) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.accounts[who.Name].taken
}

// Take waits for a turn. Call release once when it is over. The error is [ErrCrowded], or the cause of the end of ctx.
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
		release() // it came as its waiter left
	}
	return nil, context.Cause(ctx)
}

// Waiting is how many wait for a turn.
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

// short is why there are not so many more turns. The caller holds the lock. Whoever waits has none, so nobody is
// overtaken.
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

// each is how many turns an account may have now. The caller holds the lock.
func (t *Turns) each(who Account) int {
	if t.limits.Beside > 0 && t.neighbours.Of(who.Name) {
		return min(t.limits.Beside, t.limits.Each)
	}
	return t.limits.Each
}

// grant gives turns to those who wait. The caller holds the lock.
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

// add counts turns that are taken and waited for. The caller holds the lock.
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
