package endpoint

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// AnonymousTurns is how many requests without a token are worked on at the same moment.
	AnonymousTurns = 4
	// anonymousWait is how long one waits for its turn, and anonymousTime how long it is worked on.
	anonymousWait, anonymousTime = 5 * time.Second, 5 * time.Second
	// longestRest bounds how long a turn rests after a request that took long.
	longestRest = 10 * time.Second
	// anonymousBody is how long the body of a request without a token may be.
	anonymousBody = 64 << 10
)

// anonymous is the part of the node that is there for callers without a usable token: places, so many for each address,
// and turns to be worked on. A turn rests after each request for a multiple of the time that it took. So what costs
// much is served seldom, what costs little often, and all of it together takes a fixed share of the node.
type anonymous struct {
	places *places
	turns  *semaphore.Weighted
	// rest is that multiple.
	rest float64
	now  func() time.Time
	// streams are places for streams: they take no turn, because nothing is done for them but to refuse.
	streams *places
}

func newAnonymous(options LimitOptions) *anonymous {
	return &anonymous{
		places:  newPlaces(int64(options.AnonymousRequests), int64(options.AddressRequests)),
		turns:   semaphore.NewWeighted(AnonymousTurns),
		rest:    max(0, AnonymousTurns/options.AnonymousShare-1),
		now:     options.Now,
		streams: newPlaces(int64(options.AnonymousRequests), int64(options.AddressRequests)),
	}
}

// refuse says that there is no place for one more.
func (a *anonymous) refuse(places *places, all bool) error {
	if all {
		return Overloaded(overloadPause, "%d requests without a usable token are being served, the most at once.", places.all)
	}
	return Overloaded(overloadPause, "%d requests of the address without a usable token are being served, the most for "+
		"one address at once.", places.each)
}

// crowded refuses a request before its body is read when there is no place for it.
func (a *anonymous) crowded(address string) error {
	if all, each := a.places.full(networkOf(address), 1); all || each {
		return a.refuse(a.places, all)
	}
	return nil
}

// enter waits for the request's turn and gives it so much time. Call leave when it is answered, unless there is a
// refusal.
func (a *anonymous) enter(ctx context.Context, address string) (within context.Context, leave func(), refusal error) {
	network := networkOf(address)
	if all, each := a.places.take(network, 1); all || each {
		return nil, nil, a.refuse(a.places, all)
	}
	waiting, cancel := context.WithTimeout(ctx, anonymousWait)
	defer cancel()
	if err := a.turns.Acquire(waiting, 1); err != nil {
		a.places.give(network, 1)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, Overloaded(overloadPause, "Requests without a usable token take turns, and this one's did not come "+
			"within %s.", anonymousWait)
	}
	began := a.time()
	within, end := context.WithTimeout(ctx, anonymousTime)
	return within, func() {
		end()
		a.places.give(network, 1)
		time.AfterFunc(a.restAfter(a.time().Sub(began)), func() { a.turns.Release(1) })
	}, nil
}

// restAfter is how long a turn rests after a request that took so long.
func (a *anonymous) restAfter(took time.Duration) time.Duration {
	return min(longestRest, time.Duration(float64(took)*a.rest))
}

// open takes a place for a stream.
func (a *anonymous) open(address string) (leave func(), refusal error) {
	network := networkOf(address)
	if all, each := a.streams.take(network, 1); all || each {
		return nil, a.refuse(a.streams, all)
	}
	return func() { a.streams.give(network, 1) }, nil
}

// time is that of the clock, if there is one: without, turns do not rest.
func (a *anonymous) time() time.Time {
	if a.now == nil {
		return time.Time{}
	}
	return a.now()
}

// open takes a place for the stream of a caller without a usable token; [Streams] has those of all others.
func (l *Limits) open(who caller) (leave func(), refusal error) {
	if who.anonymous {
		return l.anonymous.open(who.address)
	}
	return func() {}, nil
}
