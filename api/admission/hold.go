package admission

import (
	"context"
	"time"

	"golang.org/x/time/rate"

	"github.com/florinledger/florin/ledger/fault"
)

// maxHold is the maximum delay of a refusal. Little more than a connection waits.
const maxHold = 10 * time.Second

// Hold delays a refusal that an immediate retry would make worse.
func (l *Limits) Hold(ctx context.Context, err error) {
	clock := l.now().Now
	if err == nil || clock == nil || l.refusals.Limit() == rate.Inf {
		return
	}
	if !IsOverloaded(err) && !fault.ParticipantBackpressure.Matches(err) {
		return
	}
	now := clock()
	turn := l.refusals.ReserveN(now, 1)
	wait := turn.DelayFrom(now)
	if wait > maxHold {
		turn.CancelAt(now)
		wait = maxHold
	}
	over := make(chan struct{})
	defer time.AfterFunc(wait, func() { close(over) }).Stop()
	select {
	case <-over:
	case <-ctx.Done():
		if wait < maxHold {
			turn.CancelAt(clock()) // gives the turn to clients that still wait
		}
	}
}
