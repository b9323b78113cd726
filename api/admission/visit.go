package admission

import (
	"context"
	"time"

	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
)

// Visit holds the places of one running request. It belongs to the goroutine of the request. A nil Visit holds nothing
// and never waits: health checks have one.
type Visit struct {
	limits *Limits
	caller Caller
	in     place
	// reading ends the turn to read in the place readsIn; nil without one.
	reading func()
	readsIn place
	after   func()
}

// Enter counts a running request. The context within has its deadline. Call Leave after the answer, unless there is a
// refusal.
func (l *Limits) Enter(ctx context.Context, caller Caller) (within context.Context, visit *Visit, refusal error) {
	if caller.Anonymous {
		return l.enterAnonymous(ctx, caller)
	}
	if err := l.try(requests, caller.Account, 1); err != nil {
		return nil, nil, err
	}
	l.Share.Note()
	return ctx, &Visit{limits: l, caller: caller, in: requests}, nil
}

const (
	// anonymousTime is the maximum time of a request without a token.
	anonymousTime = 5 * time.Second
	// maxRest limits the rest of a turn after a long request.
	maxRest = 10 * time.Second
)

// enterAnonymous waits for the turn of a request without a valid token. A turn rests after each request for a multiple
// of its time. So expensive requests run seldom and cheap ones often, and all together use a fixed share of the node.
func (l *Limits) enterAnonymous(ctx context.Context, caller Caller) (context.Context, *Visit, error) {
	if err := l.try(anonymousRequests, caller.Account, 1); err != nil {
		return nil, nil, err
	}
	release, err := l.take(ctx, anonymousTurns, caller.Account)
	if err != nil {
		l.places[anonymousRequests].Give(caller.Account, 1)
		return nil, nil, err
	}
	began := l.time()
	within, end := context.WithTimeout(ctx, anonymousTime)
	return within, &Visit{limits: l, caller: caller, in: anonymousRequests, after: func() {
		end()
		time.AfterFunc(l.restAfter(l.time().Sub(began)), release)
	}}, nil
}

// restAfter is the rest of a turn after a request that took this long.
func (l *Limits) restAfter(took time.Duration) time.Duration {
	rest := max(0, AnonymousTurns/l.now().AnonymousShare-1)
	return min(maxRest, time.Duration(float64(took)*rest))
}

// time reads the clock. Without a clock turns do not rest.
func (l *Limits) time() time.Time {
	if clock := l.now().Now; clock != nil {
		return clock()
	}
	return time.Time{}
}

// Open counts a stream. A refused stream counts until its client has the refusal. Call Leave at the end, unless
// unopened is set: then the user has too many refused streams.
func (l *Limits) Open(caller Caller) (visit *Visit, refusal, unopened error) {
	visit = &Visit{limits: l, caller: caller, in: streams}
	if caller.Anonymous {
		if err := l.try(anonymousStreams, caller.Account, 1); err != nil {
			return nil, nil, err
		}
		visit.after = func() { l.places[anonymousStreams].Give(caller.Account, 1) }
	}
	refusal = l.try(streams, caller.Account, 1)
	if refusal == nil {
		return visit, nil, nil
	}
	visit.in = refusedStreams
	if l.places[refusedStreams].Try(caller.Account, 1) != turns.NoShortage {
		if visit.after != nil {
			visit.after()
		}
		return nil, nil, refusal
	}
	return visit, refusal, nil
}

// Leave gives back the place of the request.
func (v *Visit) Leave() {
	v.limits.places[v.in].Give(v.caller.Account, 1)
	if v.after != nil {
		v.after()
	}
}

// Read waits for a turn to read; call end after the answer is made. end is nil if the request has a turn or needs none.
func (v *Visit) Read(ctx context.Context) (end func(), err error) {
	if v == nil || v.caller.Anonymous || v.reading != nil {
		return nil, nil
	}
	return v.read(ctx, reads)
}

func (v *Visit) read(ctx context.Context, in place) (end func(), err error) {
	v.readsIn = in
	v.reading, err = v.limits.take(ctx, in, v.caller.Account)
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

// Pause gives up the turn while the request waits for neither the database nor a processor. Call resume before going
// on; it waits for the next turn, and fails when ctx ends.
func (v *Visit) Pause(ctx context.Context) (resume func() error) {
	if v == nil || v.reading == nil {
		return func() error { return nil }
	}
	v.endReading()
	return func() (err error) {
		v.reading, err = v.limits.places[v.readsIn].Take(ctx, v.caller.Account)
		return err
	}
}

// Compute is a context for code of uploaded packages. Long code waits for the turn of its account, without a turn to read.
// Call end after the last code.
func (v *Visit) Compute(ctx context.Context) (computing context.Context, end func()) {
	if v == nil || v.limits.Share == nil {
		return ctx, func() {}
	}
	computation := v.limits.Share.Begin(v.caller.Account.Name, nil, v.Pause)
	return ledger.WithPacer(ctx, computation), computation.End
}

// Wait moves the request to the places of waiting requests, where it stays. It refuses if there is no place, or if the
// request holds more than the free part of its answer, which others need meanwhile.
func (v *Visit) Wait(ctx context.Context) error {
	if held := budget.Of(ctx).Held(); held > freeAnswer {
		return Overloaded(RetryAfter, "The answer already has %d bytes. An answer with more than %d cannot wait for more.",
			held, freeAnswer)
	}
	if v == nil || v.in != requests {
		return nil
	}
	if err := v.limits.try(waiting, v.caller.Account, 1); err != nil {
		return err
	}
	v.limits.places[v.in].Give(v.caller.Account, 1)
	v.in = waiting
	return nil
}

// Commit waits for a turn to commit without a submission; release is nil for requests without turns.
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
	return v.read(ctx, streamReads)
}

func (v *Visit) turn(ctx context.Context, in place) (release func(), err error) {
	if v == nil || v.caller.Anonymous {
		return nil, nil
	}
	return v.limits.take(ctx, in, v.caller.Account)
}
