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
	// settlePause is the time between two checks whether everything due has happened.
	settlePause = 20 * time.Millisecond
	// callPause is the time between two calls of the workflows. The advance itself calls them too.
	callPause = 500 * time.Millisecond
	// settleTimeout is the maximum time without progress. It is longer than the time until the next call of a workflow,
	// and than the locks of a dead run.
	settleTimeout = 45 * time.Second
	// sameTime is the distance of deadlines that the advance handles together.
	sameTime = time.Second
)

// advanceTo moves the clock to a ledger time. It stops at each deadline until everything due there has happened, so
// that the effects and their times are as if all the time had passed. A static clock stops exactly at the deadline; a
// running one handles close deadlines together.
func (a *API) advanceTo(ctx context.Context, target time.Time) error {
	err := a.stopOver(ctx, target)
	if err != nil && ctx.Err() != nil { // the whole request took too long
		return &endpoint.TimeoutError{Advice: "The clock is not at its target yet. To continue, send advance_to " +
			endpoint.Timestamp(target).String() + ". If the clock is there already, send advance_by 1ms: some work that is " +
			"due there is not done yet."}
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
		if !found { // work that may be late, such as the rounds of the coin, happens at the end
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

// jump moves the clock to a ledger time, unless the clock is already there.
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

// settle waits until everything due at a time has happened, as long as there is progress.
func (a *API) settle(ctx context.Context, by time.Time) error {
	left, err := a.options.Clock.Overdue(ctx, by)
	for err == nil && len(left) > 0 {
		left, err = a.awaitLess(ctx, by, left)
	}
	return err
}

// awaitLess waits until the list of due work changes or is empty. A busy kind of automation stays in the list, but its
// subject changes.
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
		case ctx.Err() != nil: // the whole request took too long
			return nil, ctx.Err()
		case expired != nil:
			return nil, fault.ServiceNotRunning.New("The clock stopped at %s because due work has not finished, for "+
				"example in workflow %s", endpoint.Timestamp(by), join(before)).
				WithHint("Look at the workflow in the Temporal UI and at the node's log, or set jump to skip the deadline.")
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
