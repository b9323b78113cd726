package devapi

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger/fault"
)

const (
	// settlePause is between two looks whether everything that is due was dealt with.
	settlePause = 20 * time.Millisecond
	// callPause is between two calls of the workflows, which the advance itself calls as well.
	callPause = 500 * time.Millisecond
	// settleTimeout is for how long nothing of it may happen: longer than it takes until a workflow that did not look is
	// called again, and than a run that died keeps others from what it worked on.
	settleTimeout = 45 * time.Second
	// sameTime is how close deadlines are that are dealt with together.
	sameTime = time.Second
)

// advanceTo moves the clock to a ledger time. On the way it stops at each deadline until what is due there has
// happened, so that what follows from it, and when, is as if all the time had passed. A static clock stops at the very
// deadline; on one that runs, deadlines that are close to one another are dealt with together.
func (a *API) advanceTo(ctx context.Context, target time.Time) error {
	err := a.stopOver(ctx, target)
	if err != nil && ctx.Err() != nil { // the request has taken too long as a whole
		return &endpoint.TimeoutError{Advice: "The clock stands on the way, and goes on when it is told to: send " +
			"advance_to " + endpoint.Timestamp(target).String() + ". If it has come there by now, send advance_by 1ms: what " +
			"is due there is not done yet."}
	}
	return err
}

// stopOver moves the clock to the target, from one deadline to the next.
func (a *API) stopOver(ctx context.Context, target time.Time) error {
	for {
		state, err := a.options.Clock.ClockState(ctx)
		if err != nil {
			return err
		}
		now := state.At(a.options.Now())
		if err := a.settle(ctx, now); err != nil {
			return err
		}
		next, found, err := a.options.Clock.NextDue(ctx, now, target)
		if err != nil {
			return err
		}
		if !found { // what may be late, such as the rounds of the coin, is dealt with at the end
			if err := a.jump(ctx, target); err != nil {
				return err
			}
			return a.settle(ctx, target)
		}
		if !state.Static() {
			next = next.Add(sameTime)
		}
		if next.After(target) {
			next = target
		}
		if err := a.jump(ctx, next); err != nil {
			return err
		}
	}
}

// jump moves the clock to a ledger time, unless it has come there by itself.
func (a *API) jump(ctx context.Context, to time.Time) error {
	state, err := a.options.Clock.ClockState(ctx)
	now := a.options.Now()
	if err != nil || !state.At(now).Before(to) {
		return err
	}
	_, err = a.options.Clock.AdvanceClock(ctx, func(state db.ClockState) db.ClockState {
		if !state.At(now).Before(to) { // another advance was faster
			return state.AdvancedTo(state.At(now).Add(time.Microsecond), now)
		}
		return state.AdvancedTo(to, now)
	})
	return err
}

// settle waits until everything that is due at a time was dealt with, for as long as some of it happens.
func (a *API) settle(ctx context.Context, by time.Time) error {
	left, err := a.options.Clock.Overdue(ctx, by)
	for err == nil && len(left) > 0 {
		left, err = a.awaitLess(ctx, by, left)
	}
	return err
}

// awaitLess waits until something other than before is due at a time, or nothing at all. A kind of automation with much
// to do stays in the list, but what it is at changes.
func (a *API) awaitLess(ctx context.Context, by time.Time, before []db.Overdue) ([]db.Overdue, error) {
	waiting, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	var called time.Time
	for {
		if now := a.options.Now(); now.Sub(called) > callPause {
			called = now
			if err := a.options.Clock.CallWorkflows(ctx); err != nil {
				return nil, err
			}
		}
		expired := wait.For(waiting, settlePause)
		switch {
		case ctx.Err() != nil: // the request has taken too long as a whole
			return nil, ctx.Err()
		case expired != nil:
			return nil, fault.ServiceNotRunning.New("The clock stands at %s: what is due there does not happen, such as "+
				"in workflow %s", endpoint.Timestamp(by), join(before)).
				WithHint("Look at the workflow in the Temporal UI and at the node's log, or pass over it with jump.")
		}
		left, err := a.options.Clock.Overdue(ctx, by)
		if err != nil || !slices.Equal(left, before) {
			return left, err
		}
	}
}

func join(overdue []db.Overdue) string {
	var names []string
	for _, each := range overdue {
		names = append(names, each.String())
	}
	return strings.Join(names, ", ")
}
