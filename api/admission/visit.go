package admission

import (
	"context"
	"time"

	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/internal/turns"
)

// Visit is what one request has of the node while it is served. It belongs to the goroutine that serves the request.
// Nil has nothing, and waits for nothing: it is for what is served however many requests there are.
type Visit struct {
	limits *Limits
	who    Caller
	in     place
	// reading ends the turn to read; nil while there is none.
	reading func()
	// after is called at the end; nil for nothing.
	after func()
}

// Enter counts a request that is being served, and says within which time. Leave when it is answered, unless there is a
// refusal.
func (l *Limits) Enter(ctx context.Context, who Caller) (within context.Context, visit *Visit, refusal error) {
	if who.Anonymous {
		return l.enterAnonymous(ctx, who)
	}
	if err := l.try(requests, who.Account, 1); err != nil {
		return nil, nil, err
	}
	return ctx, &Visit{limits: l, who: who, in: requests}, nil
}

const (
	// anonymousTime is how long a request without a token is worked on.
	anonymousTime = 5 * time.Second
	// maxRest bounds how long a turn rests after a request that took long.
	maxRest = 10 * time.Second
)

// enterAnonymous waits for the turn of a request without a usable token. A turn rests after each request for a multiple
// of the time that it took. So what costs much is served seldom, what costs little often, and all of it together takes
// a fixed share of the node.
func (l *Limits) enterAnonymous(ctx context.Context, who Caller) (context.Context, *Visit, error) {
	if err := l.try(anonymousRequests, who.Account, 1); err != nil {
		return nil, nil, err
	}
	release, err := l.take(ctx, anonymousTurns, who.Account)
	if err != nil {
		l.places[anonymousRequests].Give(who.Account, 1)
		return nil, nil, err
	}
	began := l.time()
	within, end := context.WithTimeout(ctx, anonymousTime)
	return within, &Visit{limits: l, who: who, in: anonymousRequests, after: func() {
		end()
		time.AfterFunc(l.restAfter(l.time().Sub(began)), release)
	}}, nil
}

// restAfter is how long a turn rests after a request that took so long.
func (l *Limits) restAfter(took time.Duration) time.Duration {
	rest := max(0, AnonymousTurns/l.now().AnonymousShare-1)
	return min(maxRest, time.Duration(float64(took)*rest))
}

// time is that of the clock, if there is one: without a clock, turns do not rest.
func (l *Limits) time() time.Time {
	if clock := l.now().Now; clock != nil {
		return clock()
	}
	return time.Time{}
}

// Open counts a stream. One that is refused is open too, until its client has been told. Leave when it has ended,
// unless unopened is the refusal, because even too many refused ones are open.
func (l *Limits) Open(who Caller) (visit *Visit, refusal, unopened error) {
	visit = &Visit{limits: l, who: who, in: streams}
	if who.Anonymous {
		if err := l.try(anonymousStreams, who.Account, 1); err != nil {
			return nil, nil, err
		}
		visit.after = func() { l.places[anonymousStreams].Give(who.Account, 1) }
	}
	refusal = l.try(streams, who.Account, 1)
	if refusal == nil {
		return visit, nil, nil
	}
	visit.in = refusedStreams
	if l.places[refusedStreams].Try(who.Account, 1) != turns.NoShortage {
		if visit.after != nil {
			visit.after()
		}
		return nil, nil, refusal
	}
	return visit, refusal, nil
}

// Leave ends the visit.
func (v *Visit) Leave() {
	v.limits.places[v.in].Give(v.who.Account, 1)
	if v.after != nil {
		v.after()
	}
}

// Read waits for the turn of a request that reads: end it when the answer is made. Whoever has one, or needs none, gets
// no end.
func (v *Visit) Read(ctx context.Context) (end func(), err error) {
	if v == nil || v.who.Anonymous || v.reading != nil {
		return nil, nil
	}
	v.reading, err = v.limits.take(ctx, reads, v.who.Account)
	if err != nil {
		return nil, err
	}
	return v.endReading, nil
}

func (v *Visit) endReading() {
	if v.reading != nil {
		v.reading()
		v.reading = nil
	}
}

// Pause lets others read while the request waits for what takes neither the database nor a processor. Call resume
// before going on; it waits for the request's next turn, and fails when ctx ends.
func (v *Visit) Pause(ctx context.Context) (resume func() error) {
	if v == nil || v.reading == nil {
		return func() error { return nil }
	}
	v.endReading()
	return func() (err error) {
		v.reading, err = v.limits.places[reads].Take(ctx, v.who.Account)
		return err
	}
}

// Wait moves the request to the places of those that only wait for news, where it stays. It is refused when there is
// none, or when the request holds more of its answer than what does not count: others need that meanwhile.
func (v *Visit) Wait(ctx context.Context) error {
	if held := budget.Of(ctx).Held(); held > freeAnswer {
		return Overloaded(RetryAfter, "The answer already has %d bytes. An answer with more than %d cannot wait for more.",
			held, freeAnswer)
	}
	if v == nil || v.in != requests {
		return nil
	}
	if err := v.limits.try(waiting, v.who.Account, 1); err != nil {
		return err
	}
	v.limits.places[v.in].Give(v.who.Account, 1)
	v.in = waiting
	return nil
}

// Commit waits for the turn to commit what needs no submission; there is none to release where there are no turns.
func (v *Visit) Commit(ctx context.Context) (release func(), err error) { return v.turn(ctx, commits) }

// Onboard is [Visit.Commit] for onboardings.
func (v *Visit) Onboard(ctx context.Context) (release func(), err error) {
	return v.turn(ctx, onboardings)
}

// ReadPage is [Visit.Commit] for streams that read a page.
func (v *Visit) ReadPage(ctx context.Context) (release func(), err error) {
	if v == nil {
		return nil, nil
	}
	return v.limits.take(ctx, streamReads, v.who.Account)
}

func (v *Visit) turn(ctx context.Context, in place) (release func(), err error) {
	if v == nil || v.who.Anonymous {
		return nil, nil
	}
	return v.limits.take(ctx, in, v.who.Account)
}
