package turns

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// ShareLimits are the limits of a [Share].
type ShareLimits struct {
	// Processors is the most long computations that run at the same time.
	Processors int
	// ShortSteps and ShortBytes bound a short computation, which never waits.
	ShortSteps, ShortBytes int64
	// Places is the most long computations that have begun and not ended, each with up to PlaceBytes of memory. One of
	// them at a time may take more.
	Places     int
	PlaceBytes int64
}

const (
	// sliceTime is how long a computation runs before others get the processor.
	sliceTime = 2 * time.Millisecond
	// While others work, a processor of the share rests after each slice for restRatio times as long: the share is then
	// 1/(restRatio+1) of the machine.
	restRatio = 19
	// workTime is how long other work counts as present after it was noted.
	workTime = 50 * time.Millisecond
)

// Share divides a part of the machine between long computations. The account that has used least goes on first. While
// other work is present, all long computations together have a small part of the processors; on an idle machine they
// have all. A computation that ended, or whose [Computation.Work] is not called, uses nothing. It is safe for concurrent
// use.
type Share struct {
	limits ShareLimits
	// worked is when other work was noted last, in nanoseconds.
	worked atomic.Int64

	mu    sync.Mutex
	queue Queue[string, *Computation]
	// free are the processors that run nothing and do not rest.
	free   int
	places int
	// hasLarge reports whether a computation may take more than PlaceBytes.
	hasLarge bool
}

// NewShare makes a share.
func NewShare(limits ShareLimits) *Share { return &Share{limits: limits, free: limits.Processors} }

// Note records that work other than long computations is present.
func (s *Share) Note() {
	if s != nil {
		s.worked.Store(now().UnixNano())
	}
}

// now is the time by which computations take turns.
func now() time.Time { return time.Now() } //nolint:forbidigo // processors run in real time

func (s *Share) isBusy(at time.Time) bool { return at.UnixNano()-s.worked.Load() < int64(workTime) }

// Computation is one computation of an account. It is not safe for concurrent use.
type Computation struct {
	share   *Share
	account string
	// pause gives up what others wait for, before a wait. It returns the function that takes it back.
	pause func(context.Context) (resume func() error)
	// became is called when the computation becomes long.
	became func()

	steps, bytes int64
	// Of a long computation: hasPlace and runs say what it holds, began is when its slice began, resume takes back what
	// pause gave up.
	isLong, hasPlace, isLarge, runs bool
	began                           time.Time
	resume                          func() error
	granted                         chan struct{}
}

// Begin begins a computation. Call End at its end. became is called once when it becomes long. pause is called before
// its first wait, and what it returns by Rest; both may be nil.
func (s *Share) Begin(
	account string, became func(), pause func(context.Context) (resume func() error),
) *Computation {
	return &Computation{share: s, account: account, became: became, pause: pause}
}

// Work is called while the computation runs, with the steps and bytes since the last call. It waits if the computation is
// long and others have the turn. The error is the cause of the end of ctx.
func (c *Computation) Work(ctx context.Context, steps, bytes int64) error {
	limits := &c.share.limits
	c.steps, c.bytes = c.steps+steps, c.bytes+bytes
	if !c.isLong {
		if c.steps <= limits.ShortSteps && c.bytes <= limits.ShortBytes {
			return nil
		}
		c.isLong = true
		if c.became != nil {
			c.became()
		}
	}
	if c.runs && !c.needsMore() && c.share.continues(c) {
		return nil
	}
	return c.wait(ctx)
}

// needsMore reports whether the computation needs to become the large one.
func (c *Computation) needsMore() bool { return c.bytes > c.share.limits.PlaceBytes && !c.isLarge }

// continues reports whether a computation keeps its processor, and otherwise takes it back.
func (s *Share) continues(c *Computation) bool {
	at := now()
	took := at.Sub(c.began)
	if took < sliceTime {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queue.Len() == 0 && !s.isBusy(at) {
		c.began = at
		return true
	}
	s.leave(c, at)
	return false
}

// leave takes the processor back from a computation. The caller holds the lock.
func (s *Share) leave(c *Computation, at time.Time) {
	c.runs = false
	if !s.isBusy(at) {
		s.free++
		return
	}
	time.AfterFunc(restRatio*at.Sub(c.began), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.free++
		s.grant()
	})
}

// wait waits for the next slice.
func (c *Computation) wait(ctx context.Context) error {
	s := c.share
	if c.pause != nil && c.resume == nil {
		c.resume = c.pause(ctx)
	}
	c.granted = make(chan struct{})
	s.mu.Lock()
	if c.runs {
		s.leave(c, now())
	}
	turn := s.queue.Push(c.account, int(sliceTime/time.Microsecond), c)
	s.grant()
	s.mu.Unlock()
	select {
	case <-c.granted:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !c.runs {
		s.queue.Remove(turn)
	}
	return context.Cause(ctx)
}

// grant gives free processors to computations in turn. The caller holds the lock.
func (s *Share) grant() {
	for s.free > 0 {
		c, ok := s.queue.PopFirst(func(c *Computation) bool {
			hasRoom := c.hasPlace || s.places < s.limits.Places
			return hasRoom && (!s.hasLarge || !c.needsMore())
		})
		if !ok {
			return
		}
		s.free--
		if !c.hasPlace {
			c.hasPlace = true
			s.places++
		}
		if c.needsMore() {
			s.hasLarge, c.isLarge = true, true
		}
		c.runs, c.began = true, now()
		close(c.granted)
	}
}

// Rest gives the processor back, and takes back what the computation paused: a part of it has ended.
func (c *Computation) Rest() error {
	c.yield(false)
	if c.resume == nil {
		return nil
	}
	resume := c.resume
	c.resume = nil
	return resume()
}

// End ends the computation.
func (c *Computation) End() { c.yield(true) }

func (c *Computation) yield(ends bool) {
	if !c.isLong {
		return
	}
	s := c.share
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.runs {
		s.leave(c, now())
	}
	if c.bytes = 0; c.isLarge {
		s.hasLarge, c.isLarge = false, false
	}
	if ends && c.hasPlace {
		c.hasPlace = false
		s.places--
	}
	s.grant()
}
