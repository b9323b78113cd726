package endpoint

import (
	"context"
	"time"

	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/internal/turns"
)

// readWait is how long a request waits for its turn to read.
const readWait = 10 * time.Second

// reading is the turn of a request that reads. It belongs to the goroutine that serves the request.
type reading struct {
	limits *Limits
	who    turns.Account
	// give ends the turn; nil while there is none.
	give func()
}

// read waits for the turn of a request that reads. End it when the answer is made.
func (l *Limits) read(ctx context.Context, who turns.Account) (*reading, error) {
	r := &reading{limits: l, who: who}
	waiting, cancel := context.WithTimeout(ctx, readWait)
	defer cancel()
	err := r.begin(waiting)
	if err != nil && ctx.Err() == nil {
		now := l.now()
		err = Overloaded(retryAfter, "%d requests that read are worked on at once, %d of one user, and this one's turn "+
			"did not come within %s.", now.Reads, now.UserReads, readWait)
	}
	return r, err
}

// ReadInTurn waits for the turn to read of a request that has none: for what requests that change something read before
// they do, which costs as much as what others read. Call end before the change is made: making it has bounds of its
// own.
func ReadInTurn(ctx context.Context) (end func(), err error) {
	c := callOf(ctx)
	if c.turn == nil || c.reading != nil {
		return func() {}, nil
	}
	turn, err := c.turn(ctx)
	if err != nil {
		return nil, err
	}
	if err := covered(ctx); err != nil {
		turn.end()
		return nil, err
	}
	c.reading = turn
	return func() {
		turn.end()
		c.reading = nil
	}, nil
}

func (r *reading) begin(ctx context.Context) (err error) {
	r.give, err = r.limits.reads.Take(ctx, r.who)
	return err
}

func (r *reading) end() {
	if r != nil && r.give != nil {
		r.give()
		r.give = nil
	}
}

// Wait is [Pause] for requests that wait for news. They have places of their own from then on, so that they take none
// of those of requests that work. The error is the refusal to wait when there is no place, or when the request holds
// more of its answer than what does not count: others need that meanwhile.
func Wait(ctx context.Context) (resume func() error, err error) {
	if held := budget.Of(ctx).Held(); held > freeAnswer {
		return nil, Overloaded(retryAfter, "The answer has %d bytes already, and one with more than %d waits for no news.",
			held, freeAnswer)
	}
	if place := callOf(ctx).place; place != nil {
		if err := place.wait(); err != nil {
			return nil, err
		}
	}
	return Pause(ctx), nil
}

// Pause lets others read while a request waits for what takes neither the database nor a processor, such as its client:
// for news there is [Wait]. Call resume before going on; it waits for the request's next turn, and fails when ctx ends.
func Pause(ctx context.Context) (resume func() error) {
	turn := callOf(ctx).reading
	if turn == nil {
		return func() error { return nil }
	}
	turn.end()
	return func() error { return turn.begin(ctx) }
}
