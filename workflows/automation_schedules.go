package workflows

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/workflowid"
	"github.com/florinledger/florin/wallet/automation"
)

// Schedules creates and updates the Schedules of automation in Temporal, and reads which are paused. It is safe for
// concurrent use.
type Schedules struct {
	temporal    client.Client
	ledger      workflowid.Ledger
	automations *automation.Registry
}

// NewSchedules makes the Schedules of a ledger.
func NewSchedules(temporal client.Client, of workflowid.Ledger, automations *automation.Registry) *Schedules {
	return &Schedules{temporal: temporal, ledger: of, automations: automations}
}

// ScheduleID is the id of the Schedule of a kind of automation; the ids of its runs begin with it.
func ScheduleID(of workflowid.Ledger, kind string) string {
	return of.Name(workflowid.Of("automation", kind).String())
}

func (s *Schedules) id(kind automation.Automation) string { return ScheduleID(s.ledger, kind.Kind) }

// Ensure creates missing Schedules and updates the others. A Schedule that an operator paused stays paused. Ensure
// retries while Temporal is not available, until ctx ends.
func (s *Schedules) Ensure(ctx context.Context) error {
	for _, kind := range s.automations.All() {
		if err := untilAvailable(ctx, func() error { return s.ensure(ctx, kind) }); err != nil {
			return fmt.Errorf("the Schedule %s: %w", s.id(kind), err)
		}
	}
	return nil
}

func (s *Schedules) ensure(ctx context.Context, kind automation.Automation) error {
	want := s.schedule(kind)
	_, err := s.temporal.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: s.id(kind), Spec: *want.Spec, Action: want.Action,
		Overlap: want.Policy.Overlap, CatchupWindow: want.Policy.CatchupWindow, Note: kind.Summary,
	})
	if !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return err
	}
	handle := s.temporal.ScheduleClient().GetHandle(ctx, s.id(kind))
	return handle.Update(ctx, client.ScheduleUpdateOptions{
		DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			if in.Description.Schedule.State != nil {
				want.State = in.Description.Schedule.State
			}
			return &client.ScheduleUpdate{Schedule: &want}, nil
		},
	})
}

// ScheduleInterval is the interval of all Schedules. They only catch up: processes with a worker call due work at once.
const ScheduleInterval = 10 * time.Minute

// schedule is the Schedule of a kind: a run after each interval, unless the run before still lasts. After an outage one
// run does the work of all missed ones.
func (s *Schedules) schedule(kind automation.Automation) client.Schedule {
	const catchUp = time.Minute
	return client.Schedule{
		Spec: &client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: ScheduleInterval}}},
		Action: &client.ScheduleWorkflowAction{
			ID: s.id(kind), Workflow: runAutomation, TaskQueue: s.ledger.Name(queueOf(runAutomation)),
			Args:                  []any{RunAutomationInput{Kind: kind.Kind}},
			TypedSearchAttributes: automationAttributes(), StaticSummary: kind.Summary,
			Memo: map[string]any{"kind": kind.Kind},
		},
		Policy: &client.SchedulePolicies{
			Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_SKIP, CatchupWindow: catchUp,
		},
		State: &client.ScheduleState{Note: kind.Summary},
	}
}

func automationAttributes() temporal.SearchAttributes {
	return temporal.NewSearchAttributes(AttributeKind.ValueSet(ledger.KindAutomation))
}

// Paused reports whether the Schedule of a kind is paused. It creates a missing one, as after a loss of Temporal's
// state.
func (s *Schedules) Paused(ctx context.Context, kind string) (bool, error) {
	paused, err := SchedulePaused(ctx, s.temporal, ScheduleID(s.ledger, kind))
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		known, _ := s.automations.Find(kind)
		return false, s.ensure(ctx, known)
	}
	return paused, err
}

// SchedulePaused reports whether the Schedule with an id is paused now.
func SchedulePaused(ctx context.Context, temporal client.Client, id string) (bool, error) {
	description, err := temporal.ScheduleClient().GetHandle(ctx, id).Describe(ctx)
	if err != nil {
		return false, err
	}
	return description.Schedule.State.Paused, nil
}

// PauseSchedule pauses or resumes the Schedule with an id. Its note says who did it.
func PauseSchedule(ctx context.Context, temporal client.Client, id string, paused bool, by string) (err error) {
	handle := temporal.ScheduleClient().GetHandle(ctx, id)
	if paused {
		err = handle.Pause(ctx, client.SchedulePauseOptions{Note: "paused by " + by})
	} else {
		err = handle.Unpause(ctx, client.ScheduleUnpauseOptions{Note: "resumed by " + by})
	}
	if err != nil {
		return fault.ServiceNotRunning.New("Temporal did not change the Schedule %s", id).
			With("service_name", "temporal").Wrap(err)
	}
	return nil
}

// Run starts a run of a kind now, unless the run before still lasts. It does not check whether the Schedule is paused.
func (s *Schedules) Run(ctx context.Context, kind string) error {
	known, ok := s.automations.Find(kind)
	if !ok {
		return fmt.Errorf("there is no automation of the kind %q", kind)
	}
	options := start(s.ledger, runAutomation, workflowid.Of("automation", kind, "due"), known.Summary,
		AttributeKind.ValueSet(ledger.KindAutomation))
	options.EnableEagerStart = eagerStart
	// Not a signal: a signal that comes at the end of a run would make it run again.
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	options.Memo = map[string]any{"kind": kind}
	_, err := s.temporal.ExecuteWorkflow(ctx, options, runAutomation, RunAutomationInput{Kind: kind})
	return err
}
