package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/wallet/lifecycle"
	"github.com/florinledger/florin/workflows"
)

// TestEachClassOfWorkHasAQueueOfItsOwn names what somebody waits for: nothing else may have its slots.
func TestEachClassOfWorkHasAQueueOfItsOwn(t *testing.T) {
	t.Parallel()
	queues := map[string]string{}
	for _, queue := range workflows.Queues() {
		require.Positive(t, queue.Slots, queue.Name)
		for name := range queue.Workflows {
			require.NotContains(t, queues, name, "a workflow is started on one queue")
			queues[name] = queue.Name
		}
	}
	require.Equal(t, map[string]string{
		"SubmitCommands": workflows.SubmissionQueue, "OnboardExternalParty": workflows.SubmissionQueue,
		lifecycle.KeepPreapproval: workflows.LifecycleQueue, lifecycle.TwoStepTransfer: workflows.LifecycleQueue,
		lifecycle.RunMergeDelegation: workflows.LifecycleQueue, lifecycle.BuyTraffic: workflows.LifecycleQueue,
		lifecycle.RunTransferCommands: workflows.LifecycleQueue,
		"RunAutomation":               workflows.AutomationQueue,
	}, queues)
}

// on runs the life of a preapproval on a queue, in which contracts wait for a day, and returns how it ended.
func on(t *testing.T, queue string, before workflow.Version) (looks int, err error) {
	t.Helper()
	var env *testsuite.TestWorkflowEnvironment
	env = following(t, func(in activities.PlanLifecycleInput) activities.LifecyclePlan {
		if looks++; looks > 2 {
			return activities.LifecyclePlan{Over: true, Now: env.Now()}
		}
		return activities.LifecyclePlan{Now: env.Now(), Until: env.Now().Add(24 * time.Hour), WaitsFor: "its end"}
	})
	env.SetStartWorkflowOptions(client.StartWorkflowOptions{TaskQueue: queue})
	env.OnGetVersion("own-queue-0", workflow.DefaultVersion, workflow.Version(1)).Return(before)
	env.OnGetVersion(mock.Anything, workflow.DefaultVersion, workflow.Version(1)).Return(workflow.Version(1))
	env.ExecuteWorkflow(workflows.KeepPreapproval, workflows.LifecycleInput{
		Last: &activities.LastAction{CommandID: "renew", Key: "key", Tries: 3},
	})
	return looks, env.GetWorkflowError()
}

func TestALifecycleOfAnEarlierReleaseGoesOnOnItsOwnQueue(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		queue  string
		before workflow.Version
		looks  int
		leaves bool
	}{
		"its own queue":                     {workflows.LifecycleQueue, 1, 3, false},
		"started by an earlier release":     {workflows.SubmissionQueue, 1, 0, true},
		"that has looked before the change": {workflows.SubmissionQueue, workflow.DefaultVersion, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			looks, err := on(t, c.queue, c.before)
			require.Equal(t, c.looks, looks)
			if !c.leaves {
				require.NoError(t, err)
				return
			}
			var next *workflow.ContinueAsNewError
			require.ErrorAs(t, err, &next)
			require.Equal(t, lifecycle.KeepPreapproval, next.WorkflowType.Name)
			var in workflows.LifecycleInput
			require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(next.Input, &in))
			require.Equal(t, 3, in.Last.Tries, "it takes over what was done last")
		})
	}
}

// TestWhoeverNudgesARunThatLeavesIsAnswered wakes a run of an earlier release, which goes on elsewhere, with a nudge:
// the nudge waits for a look, and the run for the nudge's end.
func TestWhoeverNudgesARunThatLeavesIsAnswered(t *testing.T) {
	t.Parallel()
	looks, answered := 0, false
	var env *testsuite.TestWorkflowEnvironment
	env = following(t, func(activities.PlanLifecycleInput) activities.LifecyclePlan {
		looks++
		return activities.LifecyclePlan{Now: env.Now(), Until: env.Now().Add(24 * time.Hour), WaitsFor: "its end"}
	})
	env.SetStartWorkflowOptions(client.StartWorkflowOptions{TaskQueue: workflows.SubmissionQueue})
	env.OnGetVersion("own-queue-0", workflow.DefaultVersion, workflow.Version(1)).Return(workflow.DefaultVersion)
	env.OnGetVersion(mock.Anything, workflow.DefaultVersion, workflow.Version(1)).Return(workflow.Version(1))
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(workflows.NudgeUpdate, "nudge", &testsuite.TestUpdateCallback{
			OnAccept: func() {}, OnReject: func(err error) { require.NoError(t, err) },
			OnComplete: func(_ any, err error) {
				require.NoError(t, err)
				answered = true
			},
		})
	}, time.Hour)
	env.ExecuteWorkflow(workflows.KeepPreapproval, workflows.LifecycleInput{})
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, env.GetWorkflowError(), &next)
	require.True(t, answered)
	require.Equal(t, 2, looks)
}
