package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/ledger"
)

// The signal, update and query of a lifecycle workflow.
const (
	// LookSignal says that the contracts or the ledger's clock may have changed. It has no content, because the workflow
	// asks the ledger.
	LookSignal = "look"
	// NudgeUpdate makes the workflow look now, and try a refused action again at once. It returns the [LifecycleStatus]
	// after that.
	NudgeUpdate = "nudge"
	// LifecycleQuery returns the [LifecycleStatus].
	LifecycleQuery = "Lifecycle"
)

// LifecycleInput is the state that a run takes over from the run before; empty for the first.
type LifecycleInput struct {
	Last *activities.LastAction `json:"last,omitempty"`
}

// LifecycleStatus shows people the time or event that a workflow waits for.
type LifecycleStatus struct {
	// Contracts are the contracts of the lifecycle.
	Contracts []ledger.ContractID `json:"contracts"`
	WaitsFor  string              `json:"waitsFor"`
	// Until is the ledger time at which it looks again by itself; zero if it only waits for a change.
	Until time.Time `json:"until,omitzero"`
	// LookedAt is the ledger time of the last look.
	LookedAt time.Time `json:"lookedAt"`
	// Last is the last action, and Refusal the reason why the ledger refused it; "" if it did not.
	Last    *activities.LastAction `json:"last,omitempty"`
	Refusal string                 `json:"refusal,omitempty"`
	Over    bool                   `json:"over,omitempty"`
}

// longRun is the number of looks after which the next run takes over.
const longRun = 500

// follower is the state of a lifecycle workflow: it asks what is due, does it, and waits until more is due.
type follower struct {
	plan   activities.LifecyclePlan
	last   *activities.LastAction
	look   workflow.ReceiveChannel
	nudges workflow.Channel
	// nudged: it must try a refused action again at once. looks counts the questions to the ledger.
	nudged bool
	looks  int
}

// follow runs every lifecycle workflow. Its [localID] is the id of the lifecycle. The ledger decides: a workflow that
// is lost, started twice or woken for nothing does no harm.
func follow(ctx workflow.Context, in LifecycleInput) error {
	ctx = workflow.WithLocalActivityOptions(ctx, commitOptions())
	f := &follower{
		last: in.Last, look: workflow.GetSignalChannel(ctx, LookSignal), nudges: workflow.NewBufferedChannel(ctx, 1),
	}
	if err := f.listen(ctx); err != nil {
		return err
	}
	for !f.leaves(ctx) {
		over, err := f.turn(ctx)
		if err != nil {
			return err
		}
		if over {
			return workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) })
		}
	}
	if err := workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) }); err != nil {
		return err
	}
	return workflow.NewContinueAsNewError(ctx, workflow.GetInfo(ctx).WorkflowType.Name, LifecycleInput{Last: f.last})
}

// leaves reports whether the next run must take over. A caller of a nudge waits for a look, so this run answers it
// first.
func (f *follower) leaves(ctx workflow.Context) bool {
	return workflow.AllHandlersFinished(ctx) &&
		(f.looks >= longRun || workflow.GetInfo(ctx).GetContinueAsNewSuggested())
}

// listen sets the handlers of the query and of nudges.
func (f *follower) listen(ctx workflow.Context) error {
	err := workflow.SetQueryHandler(ctx, LifecycleQuery, func() (LifecycleStatus, error) { return f.status(), nil })
	if err != nil {
		return err
	}
	return workflow.SetUpdateHandlerWithOptions(ctx, NudgeUpdate,
		func(ctx workflow.Context) (LifecycleStatus, error) {
			f.nudged = true
			before := f.looks
			f.nudges.SendAsync(nil)
			// Wait for a look that began after the nudge, and for its action.
			err := workflow.Await(ctx, func() bool { return f.looks > before && !f.nudged && f.plan.Action == nil })
			return f.status(), err
		}, workflow.UpdateHandlerOptions{Description: "Look at the contracts now, and try again what was refused."})
}

func (f *follower) status() LifecycleStatus {
	return LifecycleStatus{
		Contracts: f.plan.Contracts, WaitsFor: f.plan.WaitsFor, Until: f.plan.Until, LookedAt: f.plan.Now,
		Last: f.last, Refusal: f.plan.Refusal, Over: f.plan.Over,
	}
}

// turn asks once what is due, and does it or waits. It reports whether the lifecycle is over.
func (f *follower) turn(ctx workflow.Context) (over bool, err error) {
	for f.look.ReceiveAsync(nil) { // this look answers all of them
	}
	f.nudges.ReceiveAsync(nil)
	atOnce := f.nudged
	plan, err := callLocal(ctx, act.PlanLifecycle, activities.PlanLifecycleInput{
		WorkflowID: localID(ctx), RunID: workflow.GetInfo(ctx).WorkflowExecution.RunID,
		Last: f.last, AtOnce: atOnce,
	})
	if err != nil {
		return false, err
	}
	f.looks++
	if plan.Again {
		return false, nil
	}
	f.plan, f.nudged = plan, f.nudged && !atOnce
	switch {
	case plan.Over:
		// A new contract has sent a signal.
		return f.look.Len() == 0, nil
	case plan.Action != nil:
		return false, f.submit(ctx)
	default:
		return false, f.wait(ctx)
	}
}

// submit commits the action of the plan, with the activity that commits all submissions.
func (f *follower) submit(ctx workflow.Context) error {
	submission := *f.plan.Action
	attribute := AttributeCommandID.ValueSet([]string{submission.CommandID}, DefaultAttributeBytes)
	if err := workflow.UpsertTypedSearchAttributes(ctx, attribute); err != nil {
		return err
	}
	_, err := callLocal(ctx, act.CommitSubmissions, activities.CommitSubmissionsInput{
		Submissions: []ledger.Submission{submission},
	})
	tries := 1
	if f.last != nil && f.last.CommandID == submission.CommandID {
		tries += f.last.Tries
	}
	f.last = &activities.LastAction{CommandID: submission.CommandID, Key: submission.Key, Tries: tries}
	return err
}

// wait waits until the time of the plan, or for a signal or nudge.
func (f *follower) wait(ctx workflow.Context) error {
	duration := time.Duration(0)
	details := "Waits for " + f.plan.WaitsFor
	if !f.plan.Until.IsZero() {
		duration = f.plan.Until.Sub(f.plan.Now)
		details = fmt.Sprintf("%s, until ledger time %s", details, f.plan.Until.Format(time.RFC3339Nano))
	}
	workflow.SetCurrentDetails(ctx, details)
	return waitFor(ctx, duration, f.plan.WaitsFor, f.look, f.nudges)
}

// waitFor waits for a duration, or until a channel has a message; 0 is for ever. The message stays in the channel.
func waitFor(ctx workflow.Context, d time.Duration, summary string, wakers ...workflow.ReceiveChannel) error {
	timers, cancel := workflow.WithCancel(ctx)
	defer cancel()
	var timer workflow.Future
	if d > 0 {
		timer = workflow.NewTimerWithOptions(timers, d, workflow.TimerOptions{Summary: summary})
	}
	return workflow.Await(ctx, func() bool {
		for _, waker := range wakers {
			if waker.Len() > 0 {
				return true
			}
		}
		return timer != nil && timer.IsReady()
	})
}
