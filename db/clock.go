package db

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/fault"
)

// ClockState says how ledger time relates to real time.
type ClockState struct {
	// Simulated clocks can be advanced.
	Simulated bool
	// Ahead is how far ledger time is ahead of real time: never less than before, and 0 unless simulated.
	Ahead time.Duration
}

// At is the ledger time at a real time.
func (s ClockState) At(now time.Time) time.Time {
	return now.UTC().Add(s.Ahead).Truncate(time.Microsecond)
}

// MaxAhead is how far ledger time may be ahead of real time: more than any deadline, and within what a duration holds.
const MaxAhead = 100 * year

const year = 365 * 24 * time.Hour

// ClockState reads the ledger's clock.
func (r Reader) ClockState(ctx context.Context) (ClockState, error) {
	row, err := r.queries.GetClock(ctx)
	return fromDBClock(row.IsSimulated, row.AheadMicros), failed("reading the ledger's clock", err)
}

// HoldClock reads the ledger's clock and keeps it from being advanced until the transaction ends. Commits go on.
func (t *Tx) HoldClock(ctx context.Context) (ClockState, error) {
	row, err := t.queries.HoldClock(ctx)
	return fromDBClock(row.IsSimulated, row.AheadMicros), failed("reading the ledger's clock", err)
}

func fromDBClock(simulated bool, ahead int64) ClockState {
	return ClockState{Simulated: simulated, Ahead: time.Duration(ahead) * time.Microsecond}
}

// SetClockMode makes the clock of the ledger a simulated or a real one. A ledger whose time is ahead of real time
// cannot go back to real time: the error says so, and what to do.
func (d *DB) SetClockMode(ctx context.Context, simulated bool) error {
	return d.changeClock(ctx, func(state ClockState) (ClockState, error) {
		if !simulated && state.Ahead > 0 {
			return state, fmt.Errorf("the time of this ledger was advanced and is %s ahead of real time; time never goes "+
				"back: start it with `florin up --clock simulated`, or start a fresh ledger in another --data-dir", state.Ahead)
		}
		return ClockState{Simulated: simulated, Ahead: state.Ahead}, nil
	})
}

// AdvanceClock moves the ledger's time forward to where the function says, given the state at its call. Every commit
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
		case advanced.Ahead <= state.Ahead:
			return state, fault.InvalidArgumentf("the clock can only be advanced: the new time is %s before the present one",
				state.Ahead-advanced.Ahead).WithHint("GET /v0/dev/clock tells the present ledger time.")
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
		state := fromDBClock(row.IsSimulated, row.AheadMicros)
		if changed, err = change(state); err != nil || changed == state {
			return err
		}
		return failed("setting the ledger's clock", tx.queries.SetClock(ctx, dbgen.SetClockParams{
			IsSimulated: changed.Simulated, AheadMicros: changed.Ahead.Microseconds(),
		}))
	})
	if err == nil {
		d.NoteClock(changed)
	}
	return err
}

// NoteClock tells the clocks of this process of a state that was just read or written, so that they do not have to wait
// for the notification.
func (d *DB) NoteClock(state ClockState) {
	for _, watcher := range d.allWatchers() {
		watcher.clockChanged(state)
	}
}

// Clock tells the ledger's time without asking the database: a [Watcher] keeps it up to date. It may lag a moment
// behind an advance by another process; commits ask the database. It is safe for concurrent use.
type Clock struct {
	real  func() time.Time
	ahead atomic.Int64
}

// Clock makes a clock over real time that the watcher keeps up to date.
func (w *Watcher) Clock(realTime func() time.Time) *Clock {
	c := &Clock{real: realTime}
	w.OnClockChange(func(state ClockState) { c.ahead.Store(int64(state.Ahead)) })
	return c
}

// Now is the ledger's time.
func (c *Clock) Now() time.Time { return c.real().Add(time.Duration(c.ahead.Load())) }
