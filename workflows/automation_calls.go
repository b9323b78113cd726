package workflows

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/florinledger/florin/internal/wait"
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
	dispatcher

	options AutomationCallerOptions
	// asked is when each Schedule was last asked whether it is paused, in real time.
	asked map[string]time.Time
}

// pauseKnown is for how long it is taken for granted that a Schedule is not paused.
const pauseKnown = 5 * time.Second

// NewAutomationCaller makes a caller.
func NewAutomationCaller(options AutomationCallerOptions) *AutomationCaller {
	c := &AutomationCaller{options: options, asked: map[string]time.Time{}}
	trouble := &wait.Trouble{Log: options.Log, What: "automation that is due could not be run"}
	c.dispatcher = newDispatcher(c.callDue, trouble)
	return c
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
			failed = errors.Join(failed, fmt.Errorf("%s: %w", ScheduleID(c.options.Schedules.ledger, kind), err))
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
