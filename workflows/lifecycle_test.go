package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/workflows"
)

// lifecycleEnvironment is an environment for KeepPreapproval with plans from a function.
func lifecycleEnvironment(
	t *testing.T, plan func(activities.PlanLifecycleInput) activities.LifecyclePlan,
) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	suite := &testsuite.WorkflowTestSuite{}
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{DisableRegistrationAliasing: true})
	env.RegisterWorkflowWithOptions(workflows.KeepPreapproval, workflow.RegisterOptions{Name: "KeepPreapproval"})
	env.RegisterActivity(&activities.Activities{})
	env.OnActivity(act.PlanLifecycle, mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.PlanLifecycleInput) (activities.LifecyclePlan, error) {
			return plan(in), nil
		})
	env.OnUpsertTypedSearchAttributes(mock.Anything).Return(nil)
	return env
}

func TestLifecycle_SleepsUntilDueThenActsAndEnds(t *testing.T) {
	t.Parallel()
	var due time.Time
	var committed []string
	var env *testsuite.TestWorkflowEnvironment
	env = lifecycleEnvironment(t, func(in activities.PlanLifecycleInput) activities.LifecyclePlan {
		now := env.Now()
		renewal := submission("renew")
		switch {
		case in.Last != nil:
			return activities.LifecyclePlan{Over: true, Now: now}
		case now.Before(due):
			return activities.LifecyclePlan{Now: now, Until: due, WaitsFor: "renewal"}
		default:
			return activities.LifecyclePlan{Now: now, Action: &renewal}
		}
	})
	due = env.Now().Add(60 * 24 * time.Hour)
	env.OnActivity(act.CommitSubmissions, mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.CommitSubmissionsInput) (activities.CommitSubmissionsResult, error) {
			committed = append(committed, in.Submissions[0].Key)
			return activities.CommitSubmissionsResult{Outcomes: []activities.Outcome{{Offset: 7}}}, nil
		})
	env.RegisterDelayedCallback(func() {
		value, err := env.QueryWorkflow(workflows.LifecycleQuery)
		require.NoError(t, err)
		var status workflows.LifecycleStatus
		require.NoError(t, value.Get(&status))
		require.Equal(t, "renewal", status.WaitsFor)
		require.True(t, status.Until.Equal(due))
	}, time.Hour)
	env.ExecuteWorkflow(workflows.KeepPreapproval, workflows.LifecycleInput{})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []string{"key-renew"}, committed)
	require.False(t, env.Now().Before(due))
}

func TestLifecycle_LooksWhenCalled(t *testing.T) {
	t.Parallel()
	looks := 0
	var env *testsuite.TestWorkflowEnvironment
	env = lifecycleEnvironment(t, func(activities.PlanLifecycleInput) activities.LifecyclePlan {
		looks++
		if looks == 1 {
			return activities.LifecyclePlan{Now: env.Now(), WaitsFor: "a change"}
		}
		return activities.LifecyclePlan{Now: env.Now(), Over: true}
	})
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.LookSignal, nil) }, time.Minute)
	env.ExecuteWorkflow(workflows.KeepPreapproval, workflows.LifecycleInput{})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 2, looks)
}

func TestLifecycle_CountsTriesOfARefusedAction(t *testing.T) {
	t.Parallel()
	var env *testsuite.TestWorkflowEnvironment
	var tries []int
	env = lifecycleEnvironment(t, func(in activities.PlanLifecycleInput) activities.LifecyclePlan {
		again := submission("again")
		if in.Last != nil {
			tries = append(tries, in.Last.Tries)
		}
		if len(tries) == 3 {
			return activities.LifecyclePlan{Over: true}
		}
		return activities.LifecyclePlan{Now: env.Now(), Action: &again}
	})
	env.OnActivity(act.CommitSubmissions, mock.Anything, mock.Anything).Return(
		activities.CommitSubmissionsResult{Outcomes: []activities.Outcome{{Refusal: "NO"}}}, nil)
	env.ExecuteWorkflow(workflows.KeepPreapproval, workflows.LifecycleInput{})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []int{1, 2, 3}, tries)
}

func TestLifecycle_ContinuesInANewRun(t *testing.T) {
	t.Parallel()
	var env *testsuite.TestWorkflowEnvironment
	env = lifecycleEnvironment(t, func(activities.PlanLifecycleInput) activities.LifecyclePlan {
		now := env.Now()
		return activities.LifecyclePlan{
			Now: now, Until: now.Add(time.Hour), WaitsFor: "nothing", Contracts: []ledger.ContractID{"00aa"},
		}
	})
	env.ExecuteWorkflow(workflows.KeepPreapproval, workflows.LifecycleInput{})
	require.True(t, workflow.IsContinueAsNewError(env.GetWorkflowError()))
}

// A run that has looked often enough waits for the end of a nudge, and the nudge waits for a look.
func TestLifecycle_AnswersANudgeBeforeTheNextRun(t *testing.T) {
	t.Parallel()
	const longRun = 500
	looks, answered := 0, false
	var env *testsuite.TestWorkflowEnvironment
	env = lifecycleEnvironment(t, func(activities.PlanLifecycleInput) activities.LifecyclePlan {
		looks++
		return activities.LifecyclePlan{Now: env.Now(), Until: env.Now().Add(time.Hour), WaitsFor: "its end"}
	})
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(workflows.NudgeUpdate, "nudge", &testsuite.TestUpdateCallback{
			OnAccept: func() {}, OnReject: func(err error) { require.NoError(t, err) },
			OnComplete: func(_ any, err error) {
				require.NoError(t, err)
				answered = true
			},
		})
	}, longRun*time.Hour-time.Minute)
	last := &activities.LastAction{CommandID: "renew", Key: "key", Tries: 3}
	env.ExecuteWorkflow(workflows.KeepPreapproval, workflows.LifecycleInput{Last: last})
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, env.GetWorkflowError(), &next)
	require.True(t, answered)
	require.Equal(t, longRun+1, looks)
	require.Equal(t, "KeepPreapproval", next.WorkflowType.Name)
	var in workflows.LifecycleInput
	require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(next.Input, &in))
	require.Equal(t, last, in.Last, "the next run gets the last action")
}
