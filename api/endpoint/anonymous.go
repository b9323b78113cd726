package endpoint

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger/fault"
)

const (
	// AnonymousTurns is how many requests without a token are worked on at the same moment.
	AnonymousTurns = 4
	// anonymousWait is how long one waits for its turn, and anonymousTime how long it is worked on.
	anonymousWait, anonymousTime = 5 * time.Second, 5 * time.Second
	// maxRest bounds how long a turn rests after a request that took long.
	maxRest = 10 * time.Second
	// anonymousBody is how long the body of a request without a token may be.
	anonymousBody = 64 << 10
)

// anonymous is the part of the node that is there for callers without a usable token: places, and turns to be worked on.
// A turn rests after each request for a multiple of the time that it took. So what costs much is served seldom, what
// costs little often, and all of it together takes a fixed share of the node.
type anonymous struct {
	places *places
	turns  *turns.Turns
	// rest is that multiple, the bits of a float64.
	rest atomic.Uint64
	now  func() time.Time
	// streams are places for streams: they take no turn, because nothing is done for them but to refuse.
	streams *places
}

func newAnonymous(options LimitOptions) *anonymous {
	a := &anonymous{
		places: newPlaces(0, 0), streams: newPlaces(0, 0),
		turns: turns.New(turns.Limits{All: AnonymousTurns}), now: options.Now,
	}
	a.set(options)
	return a
}

// set changes the limits.
func (a *anonymous) set(options LimitOptions) {
	a.places.resize(int64(options.AnonymousRequests), 0)
	a.streams.resize(int64(options.AnonymousRequests), 0)
	a.rest.Store(math.Float64bits(max(0, AnonymousTurns/options.AnonymousShare-1)))
}

// refuse says that there is no place for one more.
func (a *anonymous) refuse(places *places) error {
	all, _ := places.limits()
	return Overloaded(retryAfter, "%d requests without a usable token are being served, the most at once.", all)
}

// crowded refuses a request before its body is read when there is no place for it.
func (a *anonymous) crowded() error {
	if a.places.shortage(turns.Account{}) != noShortage {
		return a.refuse(a.places)
	}
	return nil
}

// enter waits for the request's turn and gives it so much time. Call leave when it is answered, unless there is a
// refusal.
func (a *anonymous) enter(ctx context.Context) (within context.Context, leave func(), refusal error) {
	if a.places.take(turns.Account{}, 1) != noShortage {
		return nil, nil, a.refuse(a.places)
	}
	waiting, cancel := context.WithTimeout(ctx, anonymousWait)
	defer cancel()
	release, err := a.turns.Take(waiting, turns.Account{})
	if err != nil {
		a.places.give(turns.Account{}, 1)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, Overloaded(retryAfter, "Requests without a usable token take turns, and this one's did not come "+
			"within %s.", anonymousWait)
	}
	began := a.time()
	within, end := context.WithTimeout(ctx, anonymousTime)
	return within, func() {
		end()
		a.places.give(turns.Account{}, 1)
		time.AfterFunc(a.restAfter(a.time().Sub(began)), release)
	}, nil
}

// restAfter is how long a turn rests after a request that took so long.
func (a *anonymous) restAfter(took time.Duration) time.Duration {
	return min(maxRest, time.Duration(float64(took)*math.Float64frombits(a.rest.Load())))
}

// open takes a place for a stream.
func (a *anonymous) open() (leave func(), refusal error) {
	if a.streams.take(turns.Account{}, 1) != noShortage {
		return nil, a.refuse(a.streams)
	}
	return func() { a.streams.give(turns.Account{}, 1) }, nil
}

// time is that of the clock, if there is one: without a clock, turns do not rest.
func (a *anonymous) time() time.Time {
	if a.now == nil {
		return time.Time{}
	}
	return a.now()
}

// open takes a place for a stream: of those without a usable token, or of the identity provider for all others. [Streams] has those of all, and of each user.
func (l *Limits) open(who caller) (leave func(), refusal error) {
	if who.anonymous {
		return l.anonymous.open()
	}
	if l.streams.take(who.holder, 1) == shortForProvider {
		_, together := l.streams.limits()
		return nil, fault.MaximumNumberOfStreams.New(
			"The users of identity provider %q have %d streams open already, which is as many as all of them may have.",
			who.holder.Provider, together)
	}
	return func() { l.streams.give(who.holder, 1) }, nil
}
