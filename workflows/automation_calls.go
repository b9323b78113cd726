package workflows

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/florinledger/florin/wait"
)

// AutomationRecord is what an [AutomationCaller] reads of the record.
type AutomationRecord interface {
	// Due lists the kinds of automation that have something to look at by a ledger time, paused or not.
	Due(ctx context.Context, by time.Time) ([]string, error)
	// Paused notes whether the Schedule of a kind is paused.
	Paused(ctx context.Context, kind string, paused bool) error
}

// AutomationCallerOptions are the parts of an [AutomationCaller]; all are required.
type AutomationCallerOptions struct {
	Schedules *Schedules
	Record    AutomationRecord
	// LedgerTime tells the ledger's time, RealTime that of the machine.
	LedgerTime, RealTime func() time.Time
	Log                  *slog.Logger
}

// AutomationCaller runs automation as soon as something is due, where its Schedules alone would be late. Each process
// with a worker has one.
type AutomationCaller struct {
	options AutomationCallerOptions
	// woken is told when something changed.
	woken chan struct{}
	// asked is when each Schedule was last asked whether it is paused, in real time.
	asked map[string]time.Time
}

const (
	// pauseKnown is for how long it is taken for granted that a Schedule is not paused.
	pauseKnown = 5 * time.Second
	// minInterval is the shortest time between two looks into the record.
	minInterval = 20 * time.Millisecond
)

// NewAutomationCaller makes a caller.
func NewAutomationCaller(options AutomationCallerOptions) *AutomationCaller {
	return &AutomationCaller{options: options, woken: make(chan struct{}, 1), asked: map[string]time.Time{}}
}

// Changed notes that the ledger or its clock changed.
func (c *AutomationCaller) Changed() {
	select {
	case c.woken <- struct{}{}:
	default: // it is awake already
	}
}

// Run calls automation until ctx ends.
func (c *AutomationCaller) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := c.callDue(ctx); err != nil && ctx.Err() == nil {
			c.options.Log.WarnContext(ctx, "automation that is due could not be run", "error", err)
		}
		if wait.For(ctx, minInterval) != nil {
			return
		}
		c.await(ctx)
	}
}

func (c *AutomationCaller) await(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callPoll)
	defer cancel()
	select {
	case <-c.woken:
	case <-ctx.Done():
	}
}

// callDue runs every kind that has something to do and is not paused. One that cannot be run does not keep the others
// from it.
func (c *AutomationCaller) callDue(ctx context.Context) error {
	kinds, err := c.options.Record.Due(ctx, c.options.LedgerTime())
	if err != nil {
		return err
	}
	var failed error
	for _, kind := range kinds {
		if _, known := c.options.Schedules.automations.Find(kind); !known {
			continue // another version's, whose processes run it
		}
		if err := c.call(ctx, kind); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", automationID(kind), err))
		}
	}
	return failed
}

func (c *AutomationCaller) call(ctx context.Context, kind string) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if now := c.options.RealTime(); now.Sub(c.asked[kind]) > pauseKnown {
		paused, err := c.options.Schedules.Paused(ctx, kind)
		if err != nil {
			return err
		}
		if err := c.options.Record.Paused(ctx, kind, paused); err != nil || paused {
			return err
		}
		c.asked[kind] = now
	}
	return c.options.Schedules.Run(ctx, kind)
}
