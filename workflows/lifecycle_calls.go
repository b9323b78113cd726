package workflows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/workflowid"
)

// LifecycleRecord is what a [Caller] reads of the record.
type LifecycleRecord interface {
	// TakeDue returns lifecycles that are due by a ledger time, as many as may be called now, and not again before a
	// while. It reports whether others were held back.
	TakeDue(ctx context.Context, by time.Time) (due []activities.DueLifecycle, heldBack bool, err error)
	// Wake makes due some of the lifecycles that wait for what no contract of their own tells, and reports whether there
	// are more.
	Wake(ctx context.Context) (more bool, err error)
	// Drop forgets a lifecycle.
	Drop(ctx context.Context, workflowID string) error
	// Refused notes that Temporal refuses the call of a workflow, so that nobody waits for it.
	Refused(ctx context.Context, workflowID, why string) error
}

// CallerOptions are the parts of a [Caller]; all are required.
type CallerOptions struct {
	Temporal client.Client
	Ledger   workflowid.Ledger
	Record   LifecycleRecord
	// LedgerTime tells the ledger's time.
	LedgerTime func() time.Time
	Log        *slog.Logger
}

// Caller sees to it that every lifecycle of the record has its workflow, and that the workflow looks when something
// changed or the ledger's clock was advanced. What it has not done, for whatever reason, another caller does, or it
// does itself later: the record remembers. Each process with a worker has one. Tell it of changes of contracts, and of
// workflows that have looked, so that others may be called.
type Caller struct {
	dispatcher

	options CallerOptions

	mu sync.Mutex
	// lookedAt is the ledger time at which was looked last; zero where the timers of workflows cannot be trusted since
	// then: nobody looked, the clock was advanced, or not everything was called.
	lookedAt time.Time
}

const (
	// timerGrace is how late a workflow's own timer may be before the workflow is called.
	timerGrace = 5 * time.Second
	// callsAtOnce bounds how many workflows are called at the same time.
	callsAtOnce = 4
)

// NewCaller makes a caller.
func NewCaller(options CallerOptions) *Caller {
	c := &Caller{options: options}
	c.dispatcher = newDispatcher(c.callDue, &wait.Trouble{
		Log: options.Log, What: "workflows that look after contracts could not be called",
	})
	return c
}

// Advanced notes that the ledger's clock was advanced.
func (c *Caller) Advanced() {
	c.distrustTimers()
	c.Changed()
}

func (c *Caller) distrustTimers() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lookedAt = time.Time{}
}

// dueBy is the ledger time by which lifecycles are to be called. What is due later, up to now, is left to the timers of
// workflows for a moment where these can be trusted: no ledger time passes for them on a clock that stands still.
func (c *Caller) dueBy() (by time.Time, trusted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, last := c.options.LedgerTime(), c.lookedAt
	c.lookedAt = now
	if trusted = !last.IsZero() && !now.Equal(last); trusted {
		now = now.Add(-timerGrace)
	}
	return now, trusted
}

// callDue calls all workflows that have something to look at.
func (c *Caller) callDue(ctx context.Context) error {
	more, waking := c.options.Record.Wake(ctx)
	if more {
		c.Changed() // when those have been called that are due
	}
	by, trusted := c.dueBy()
	for {
		due, heldBack, err := c.options.Record.TakeDue(ctx, by)
		if !trusted && (err != nil || heldBack) {
			c.distrustTimers()
		}
		if err != nil || len(due) == 0 {
			return errors.Join(waking, err)
		}
		c.callAll(ctx, due)
	}
}

func (c *Caller) callAll(ctx context.Context, due []activities.DueLifecycle) {
	var group errgroup.Group
	group.SetLimit(callsAtOnce)
	for _, one := range due {
		group.Go(func() error {
			if err := c.call(ctx, one); err != nil && ctx.Err() == nil {
				c.distrustTimers()
				err = cmp.Or(c.noteRefusal(ctx, one, err), err)
				c.options.Log.WarnContext(ctx, "a workflow that looks after contracts could not be called",
					"workflow_id", one.WorkflowID, "error", err)
			}
			return nil
		})
	}
	_ = group.Wait() // what fails is in the log, and is called again
}

// noteRefusal keeps a workflow that Temporal will not start from holding up those that wait for it. Where Temporal
// cannot be reached, everything waits.
func (c *Caller) noteRefusal(ctx context.Context, due activities.DueLifecycle, err error) error {
	if _, refused := errors.AsType[*serviceerror.InvalidArgument](err); !refused {
		return nil
	}
	if noting := c.options.Record.Refused(ctx, due.WorkflowID, err.Error()); noting != nil {
		return errors.Join(err, noting)
	}
	return nil
}

// call makes a workflow look. One that looks after contracts is started if it is not there.
func (c *Caller) call(ctx context.Context, due activities.DueLifecycle) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	id, ok := workflowid.Parse(due.WorkflowID)
	if !ok {
		return fmt.Errorf("lifecycle %q: its id is no workflow id", due.WorkflowID)
	}
	if _, ok := Lifecycles()[due.Kind]; !ok { // it waits for a time only
		err := c.options.Temporal.SignalWorkflow(ctx, c.options.Ledger.Name(due.WorkflowID), "", LookSignal, nil)
		if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
			return c.options.Record.Drop(ctx, due.WorkflowID)
		}
		return err
	}
	parties := ledger.Strings(due.Parties)
	options := start(c.options.Ledger, due.Kind, id, fmt.Sprintf("%s for %s", due.Kind, strings.Join(parties, ", ")),
		AttributeParty.ValueSet(parties, DefaultAttributeBytes),
		AttributePartyHint.ValueSet(hintsOf(parties), DefaultAttributeBytes),
		AttributeKind.ValueSet(ledger.KindLifecycle))
	options.Memo = map[string]any{"parties": parties}
	_, err := c.options.Temporal.SignalWithStartWorkflow(ctx, options.ID, LookSignal, nil, options, due.Kind,
		LifecycleInput{})
	return err
}
