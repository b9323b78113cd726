package db

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger/fault"
)

// ClockState says how ledger time relates to real time.
type ClockState struct {
	// Simulated clocks can be advanced.
	Simulated bool
	// Ahead is how far ledger time is ahead of real time: never less than before, and 0 unless simulated.
	Ahead time.Duration
	// StandsAt is the ledger time of a static clock, which only moves when it is advanced: in UTC and whole microseconds.
	// It is the zero time for a clock that runs.
	StandsAt time.Time
}

// At is the ledger time at a real time.
func (s ClockState) At(now time.Time) time.Time {
	if s.Static() {
		return s.StandsAt
	}
	return now.UTC().Add(s.Ahead).Truncate(time.Microsecond)
}

// Static reports whether the clock stands still between advances.
func (s ClockState) Static() bool { return !s.StandsAt.IsZero() }

// Before reports whether the ledger's clock had this state before the other.
func (s ClockState) Before(other ClockState) bool {
	return s.Ahead < other.Ahead || s.Ahead == other.Ahead && s.StandsAt.Before(other.StandsAt)
}

// AdvancedTo returns a state with a later ledger time, given the real time now.
func (s ClockState) AdvancedTo(to, now time.Time) ClockState {
	if s.Static() {
		s.StandsAt = to.UTC().Truncate(time.Microsecond)
	} else {
		s.Ahead = max(s.Ahead+time.Microsecond, to.Sub(now))
	}
	return s
}

// MaxAhead limits the lead of ledger time over real time. It is longer than any deadline, and a duration can hold it.
const MaxAhead = 100 * year

const year = 365 * 24 * time.Hour

// ClockState reads the ledger's clock.
func (r Reader) ClockState(ctx context.Context) (ClockState, error) {
	row, err := r.queries.GetClock(ctx)
	return fromDBClock(row), failed("reading the ledger's clock", err)
}

// HoldClock reads the ledger's clock and keeps it from being advanced until the transaction ends. Commits go on.
func (t *Tx) HoldClock(ctx context.Context) (ClockState, error) {
	row, err := t.queries.HoldClock(ctx)
	return fromDBClock(dbgen.GetClockRow(row)), failed("reading the ledger's clock", err)
}

func fromDBClock(row dbgen.GetClockRow) ClockState {
	state := ClockState{Simulated: row.IsSimulated, Ahead: time.Duration(row.AheadMicros) * time.Microsecond}
	if row.StandsAt != nil {
		state.StandsAt = row.StandsAt.UTC()
	}
	return state
}

// SetClockMode makes the clock of the ledger a simulated or a real one. A ledger whose time is ahead of real time
// cannot go back to real time, and a static clock stays static: the error says what to do.
func (d *DB) SetClockMode(ctx context.Context, simulated bool) error {
	return d.changeClock(ctx, func(state ClockState) (ClockState, error) {
		if state.Static() {
			return state, fmt.Errorf("the clock of this ledger is static and stands at %s: start it with "+
				"`florin up --clock static`, or start a fresh ledger in another --data-dir",
				state.StandsAt.Format(time.RFC3339Nano))
		}
		if !simulated && state.Ahead > 0 {
			return state, fmt.Errorf("the time of this ledger was advanced and is %s ahead of real time; time never goes "+
				"back: start it with `florin up --clock simulated`, or start a fresh ledger in another --data-dir", state.Ahead)
		}
		return ClockState{Simulated: simulated, Ahead: state.Ahead}, nil
	})
}

// StopClock makes the clock of the ledger a static one, which stands at its present time until it is advanced. One that
// is static already stays where it is.
func (d *DB) StopClock(ctx context.Context, now time.Time) error {
	return d.changeClock(ctx, func(state ClockState) (ClockState, error) {
		if !state.Static() {
			state.Simulated, state.StandsAt = true, state.At(now)
		}
		return state, nil
	})
}

// AdvanceClock moves the ledger's time forward to the state that the function returns for the present one. Every commit
// after it has the new time, in every process. The refusals are *fault.Fault: the clock is not simulated, or the new
// time is not after the old one, or too far away.
func (d *DB) AdvanceClock(ctx context.Context, to func(ClockState) ClockState) (ClockState, error) {
	var advanced ClockState
	err := d.changeClock(ctx, func(state ClockState) (ClockState, error) {
		if !state.Simulated {
			return state, fault.ClockNotSimulated.New("The ledger's clock is real time, which nobody can advance.")
		}
		advanced = to(state)
		switch {
		case !state.Before(advanced) || state.Static() != advanced.Static():
			return state, fault.InvalidArgumentf("the clock moves only forward: the new time is %s before the ledger time",
				state.At(time.Time{}).Sub(advanced.At(time.Time{}))).
				WithHint("Send a time after the one that GET /v0/dev/clock shows.")
		case advanced.Ahead > MaxAhead:
			return state, fault.InvalidArgumentf("ledger time may be at most %d years ahead of real time", MaxAhead/year)
		}
		return advanced, nil
	})
	return advanced, err
}

func (d *DB) changeClock(ctx context.Context, change func(ClockState) (ClockState, error)) error {
	var changed ClockState
	err := d.InTx(ctx, func(tx *Tx) error {
		row, err := tx.queries.LockClock(ctx)
		if err != nil {
			return failed("locking the ledger's clock", err)
		}
		state := fromDBClock(dbgen.GetClockRow(row))
		if changed, err = change(state); err != nil || changed == state {
			return err
		}
		params := dbgen.SetClockParams{IsSimulated: changed.Simulated, AheadMicros: changed.Ahead.Microseconds()}
		if changed.Static() {
			params.StandsAt = &changed.StandsAt
		}
		return failed("setting the ledger's clock", tx.queries.SetClock(ctx, params))
	})
	if err == nil {
		d.NoteClock(changed)
	}
	return err
}

// NoteClock gives the clocks of this process a state that was just read or written, so that they need not wait for the
// notification.
func (d *DB) NoteClock(state ClockState) {
	for _, watcher := range d.allWatchers() {
		watcher.clockChanged(state)
	}
}

// Clock tells the ledger's time without asking the database: a [Watcher] keeps it up to date. It may lag a moment
// behind an advance by another process; commits ask the database. It is safe for concurrent use.
type Clock struct {
	real  func() time.Time
	state atomic.Pointer[ClockState]
}

// Clock makes a clock over real time that the watcher keeps up to date.
func (w *Watcher) Clock(realTime func() time.Time) *Clock {
	c := &Clock{real: realTime}
	w.OnClockChange(func(state ClockState) { c.state.Store(&state) })
	return c
}

// Simulated reports whether the ledger's time can be advanced.
func (c *Clock) Simulated() bool { return c.state.Load().Simulated }

// Now is the ledger's time.
func (c *Clock) Now() time.Time { return c.state.Load().At(c.real()) }
