package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/ledger"
)

// How one speaks to a workflow that looks after contracts.
const (
	// LookSignal means that something may have changed: the contracts, or the ledger's clock. It carries nothing, since
	// the workflow asks the ledger.
	LookSignal = "look"
	// NudgeUpdate makes the workflow look now, and try again at once what was refused. It answers with the
	// [LifecycleStatus] after that.
	NudgeUpdate = "nudge"
	// LifecycleQuery asks for the [LifecycleStatus].
	LifecycleQuery = "Lifecycle"
)

// LifecycleInput is what a run takes over from the one before; empty for the first.
type LifecycleInput struct {
	Last *activities.LastAction `json:"last,omitempty"`
}

// LifecycleStatus tells people what a workflow waits for.
type LifecycleStatus struct {
	// Contracts are those that it looks after.
	Contracts []ledger.ContractID `json:"contracts"`
	WaitsFor  string              `json:"waitsFor"`
	// Until is the ledger time at which it looks again by itself; zero when it waits for a change only.
	Until time.Time `json:"until,omitzero"`
	// LookedAt is the ledger time at which it looked last.
	LookedAt time.Time `json:"lookedAt"`
	// Last is what it did last, and Refusal why that was refused; "" if it was not.
	Last    *activities.LastAction `json:"last,omitempty"`
	Refusal string                 `json:"refusal,omitempty"`
	Over    bool                   `json:"over,omitempty"`
}

// longRun is how often a run looks before the next one takes over.
const longRun = 500

// follower looks after the contracts of one lifecycle: it asks what is due, does it, and waits until more is.
type follower struct {
	plan   activities.LifecyclePlan
	last   *activities.LastAction
	look   workflow.ReceiveChannel
	nudges workflow.Channel
	// nudged means that what was refused is to be tried again at once; looks counts what was asked.
	nudged bool
	looks  int
}

// follow is the life of every workflow that looks after contracts. Its [localID] is that of the lifecycle. The ledger decides:
// a workflow that is lost, started twice or woken for nothing does no harm.
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

// leaves reports whether the next run is to take over. Whoever nudged waits for a look, so this run looks for them
// first.
func (f *follower) leaves(ctx workflow.Context) bool {
	return workflow.AllHandlersFinished(ctx) &&
		(f.looks >= longRun || workflow.GetInfo(ctx).GetContinueAsNewSuggested())
}

// listen answers questions and nudges.
func (f *follower) listen(ctx workflow.Context) error {
	err := workflow.SetQueryHandler(ctx, LifecycleQuery, func() (LifecycleStatus, error) { return f.status(), nil })
	if err != nil {
		return err
	}
	return workflow.SetUpdateHandlerWithOptions(ctx, NudgeUpdate,
		func(ctx workflow.Context) (LifecycleStatus, error) {
			f.nudged = true
			seen := f.looks
			f.nudges.SendAsync(nil)
			// One look that began after the nudge, and what came of it.
			err := workflow.Await(ctx, func() bool { return f.looks > seen && !f.nudged && f.plan.Action == nil })
			return f.status(), err
		}, workflow.UpdateHandlerOptions{Description: "Look at the contracts now, and try again what was refused."})
}

func (f *follower) status() LifecycleStatus {
	return LifecycleStatus{
		Contracts: f.plan.Contracts, WaitsFor: f.plan.WaitsFor, Until: f.plan.Until, LookedAt: f.plan.Now,
		Last: f.last, Refusal: f.plan.Refusal, Over: f.plan.Over,
	}
}

// turn asks once what is due, and does it or waits. It reports whether everything is over.
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
		// Contracts that came just now have sent a signal.
		return f.look.Len() == 0, nil
	case plan.Action != nil:
		return false, f.submit(ctx)
	default:
		return false, f.wait(ctx)
	}
}

// submit makes the submission that is due, through the activity that commits all submissions.
func (f *follower) submit(ctx workflow.Context) error {
	submission := *f.plan.Action
	found := AttributeCommandID.ValueSet([]string{submission.CommandID}, DefaultAttributeBytes)
	if err := workflow.UpsertTypedSearchAttributes(ctx, found); err != nil {
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

// wait ends when the time of the plan has come, or when somebody knows better.
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

// waitFor waits for a duration, or until something is to be received; no duration is for ever. What is received stays
// where it is.
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
