package workflows

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/florinledger/florin/internal/wait"
)

// AutomationRecord is the part of the record that an [AutomationCaller] uses.
type AutomationRecord interface {
	// Due lists the kinds of automation that have due work by a ledger time, paused or not.
	Due(ctx context.Context, by time.Time) ([]string, error)
	// Paused stores whether the Schedule of a kind is paused.
	Paused(ctx context.Context, kind string, paused bool) error
}

// AutomationCallerOptions are the parts of an [AutomationCaller]; all are required.
type AutomationCallerOptions struct {
	Schedules *Schedules
	Record    AutomationRecord
	// LedgerTime returns the time of the ledger, RealTime that of the machine.
	LedgerTime, RealTime func() time.Time
	Log                  *slog.Logger
}

// AutomationCaller runs automation as soon as it is due; its Schedules alone would be late. Each process with a worker
// has one.
type AutomationCaller struct {
	dispatcher

	options AutomationCallerOptions
	// lastCheck is the real time of the last check whether a Schedule is paused.
	lastCheck map[string]time.Time
}

// pauseCheckInterval is the time between two checks whether a Schedule is paused.
const pauseCheckInterval = 5 * time.Second

// NewAutomationCaller makes a caller.
func NewAutomationCaller(options AutomationCallerOptions) *AutomationCaller {
	c := &AutomationCaller{options: options, lastCheck: map[string]time.Time{}}
	trouble := &wait.Trouble{Log: options.Log, What: "the node cannot run due automation"}
	c.dispatcher = newDispatcher(c.callDue, trouble)
	return c
}

// callDue runs every kind that has due work and is not paused. An error of one kind does not stop the others.
func (c *AutomationCaller) callDue(ctx context.Context) error {
	kinds, err := c.options.Record.Due(ctx, c.options.LedgerTime())
	if err != nil {
		return err
	}
	var failures error
	for _, kind := range kinds {
		if _, known := c.options.Schedules.automations.Find(kind); !known {
			continue // a kind of another version, whose processes run it
		}
		if err := c.call(ctx, kind); err != nil {
			failures = errors.Join(failures, fmt.Errorf("%s: %w", ScheduleID(c.options.Schedules.ledger, kind), err))
		}
	}
	return failures
}

func (c *AutomationCaller) call(ctx context.Context, kind string) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if now := c.options.RealTime(); now.Sub(c.lastCheck[kind]) > pauseCheckInterval {
		paused, err := c.options.Schedules.Paused(ctx, kind)
		if err != nil {
			return err
		}
		if err := c.options.Record.Paused(ctx, kind, paused); err != nil || paused {
			return err
		}
		c.lastCheck[kind] = now
	}
	return c.options.Schedules.Run(ctx, kind)
}
