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

// LifecycleRecord is the part of the record that a [Caller] uses.
type LifecycleRecord interface {
	// TakeDue returns lifecycles that are due by a ledger time, as many as the caller may call now. For a while it does
	// not return them again. It reports whether it held others back.
	TakeDue(ctx context.Context, by time.Time) (due []activities.DueLifecycle, heldBack bool, err error)
	// Wake makes some lifecycles due that wait for a change outside of their contracts, and reports whether there are
	// more.
	Wake(ctx context.Context) (more bool, err error)
	// Drop deletes a lifecycle.
	Drop(ctx context.Context, workflowID string) error
	// Refused records that Temporal refuses the call of a workflow, so that nobody waits for it.
	Refused(ctx context.Context, workflowID, why string) error
}

// CallerOptions are the parts of a [Caller]; all are required.
type CallerOptions struct {
	Temporal client.Client
	Ledger   workflowid.Ledger
	Record   LifecycleRecord
	// LedgerTime returns the time of the ledger.
	LedgerTime func() time.Time
	Log        *slog.Logger
}

// Caller starts the workflow of every lifecycle of the record, and makes it look after a change or an advance of the
// ledger's clock. The record keeps the open work, so if this caller fails, another caller does it, or this one later.
// Each process with a worker has one. Changes of contracts and the looks of workflows must wake it.
type Caller struct {
	dispatcher

	options CallerOptions

	mu sync.Mutex
	// lastCall is the ledger time of the last call of due lifecycles. It is zero if the timers of workflows may be wrong
	// since: there was no call yet, the clock was advanced, or some calls are missing.
	lastCall time.Time
}

const (
	// timerGrace is how late a workflow's own timer may be before the caller calls the workflow.
	timerGrace = 5 * time.Second
	// maxCalls limits the concurrent calls of workflows.
	maxCalls = 4
)

// NewCaller makes a caller.
func NewCaller(options CallerOptions) *Caller {
	c := &Caller{options: options}
	c.dispatcher = newDispatcher(c.callDue, &wait.Trouble{
		Log: options.Log, What: "the node cannot call due lifecycle workflows",
	})
	return c
}

// Advanced tells the caller that the ledger's clock was advanced.
func (c *Caller) Advanced() {
	c.distrustTimers()
	c.Changed()
}

func (c *Caller) distrustTimers() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastCall = time.Time{}
}

// dueBy is the ledger time up to which lifecycles are called. If the timers of workflows can be trusted, they get a
// moment for the work that is due after it. If the clock stands still, no ledger time passes for the timers.
func (c *Caller) dueBy() (by time.Time, trusted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, last := c.options.LedgerTime(), c.lastCall
	c.lastCall = now
	if trusted = !last.IsZero() && !now.Equal(last); trusted {
		now = now.Add(-timerGrace)
	}
	return now, trusted
}

func (c *Caller) callDue(ctx context.Context) error {
	more, wakeErr := c.options.Record.Wake(ctx)
	if more {
		c.Changed() // for the call after this one
	}
	by, trusted := c.dueBy()
	for {
		due, heldBack, err := c.options.Record.TakeDue(ctx, by)
		if !trusted && (err != nil || heldBack) {
			c.distrustTimers()
		}
		if err != nil || len(due) == 0 {
			return errors.Join(wakeErr, err)
		}
		c.callAll(ctx, due)
	}
}

func (c *Caller) callAll(ctx context.Context, due []activities.DueLifecycle) {
	var group errgroup.Group
	group.SetLimit(maxCalls)
	for _, one := range due {
		group.Go(func() error {
			if err := c.call(ctx, one); err != nil && ctx.Err() == nil {
				c.distrustTimers()
				err = cmp.Or(c.noteRefusal(ctx, one, err), err)
				c.options.Log.WarnContext(ctx, "the node could not call a lifecycle workflow",
					"workflow_id", one.WorkflowID, "error", err)
			}
			return nil
		})
	}
	_ = group.Wait() // failures are in the log, and the next call tries again
}

// noteRefusal records that Temporal will not start a workflow, so that it does not hold up others that wait for it.
func (c *Caller) noteRefusal(ctx context.Context, due activities.DueLifecycle, err error) error {
	if _, refused := errors.AsType[*serviceerror.InvalidArgument](err); !refused {
		return nil
	}
	if recordErr := c.options.Record.Refused(ctx, due.WorkflowID, err.Error()); recordErr != nil {
		return errors.Join(err, recordErr)
	}
	return nil
}

// call makes a workflow look. It starts a lifecycle workflow that does not run.
func (c *Caller) call(ctx context.Context, due activities.DueLifecycle) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	id, ok := workflowid.Parse(due.WorkflowID)
	if !ok {
		return fmt.Errorf("lifecycle %q: this is not a workflow id", due.WorkflowID)
	}
	if _, ok := Lifecycles()[due.Kind]; !ok { // a submission that waits for its time
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
