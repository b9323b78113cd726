package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/workflows"
)

// deliveries is a webhook whose turns have these results.
type deliveries struct {
	turns []activities.DeliverWebhookResult
	done  int
}

func (d *deliveries) DeliverWebhook(
	_ context.Context, in activities.DeliverWebhookInput,
) (activities.DeliverWebhookResult, error) {
	result := activities.DeliverWebhookResult{Over: true}
	if d.done < len(d.turns) && in.ID == "wh_1" {
		result = d.turns[d.done]
	}
	d.done++
	return result, nil
}

func newWebhookRun(t *testing.T, turns ...activities.DeliverWebhookResult) (*testsuite.TestWorkflowEnvironment, *deliveries) {
	t.Helper()
	environment := (&testsuite.WorkflowTestSuite{}).NewTestWorkflowEnvironment()
	made := &deliveries{turns: turns}
	environment.RegisterActivityWithOptions(made.DeliverWebhook, activity.RegisterOptions{Name: "DeliverWebhook"})
	environment.RegisterWorkflow(workflows.DeliverWebhook)
	return environment, made
}

func TestDeliverWebhook_SleepsBetweenFailedAttempts(t *testing.T) {
	t.Parallel()
	environment, made := newWebhookRun(t,
		activities.DeliverWebhookResult{}, activities.DeliverWebhookResult{Pause: time.Hour},
		activities.DeliverWebhookResult{Over: true})
	began := environment.Now()
	environment.ExecuteWorkflow(workflows.DeliverWebhook, workflows.DeliverWebhookInput{ID: "wh_1"})
	require.NoError(t, environment.GetWorkflowError())
	require.Equal(t, 3, made.done)
	require.GreaterOrEqual(t, environment.Now().Sub(began), time.Hour)
}

func TestDeliverWebhook_LooksAfterASignal(t *testing.T) {
	t.Parallel()
	environment, made := newWebhookRun(t,
		activities.DeliverWebhookResult{Pause: time.Hour}, activities.DeliverWebhookResult{Over: true})
	began := environment.Now()
	environment.RegisterDelayedCallback(func() { environment.SignalWorkflow(workflows.LookSignal, nil) }, time.Minute)
	environment.ExecuteWorkflow(workflows.DeliverWebhook, workflows.DeliverWebhookInput{ID: "wh_1"})
	require.NoError(t, environment.GetWorkflowError())
	require.Equal(t, 2, made.done)
	require.Less(t, environment.Now().Sub(began), time.Hour, "a resumed webhook does not wait for its pause")
}

func TestDeliverWebhook_ContinuesAsNew(t *testing.T) {
	t.Parallel()
	turns := make([]activities.DeliverWebhookResult, 2000)
	environment, made := newWebhookRun(t, turns...)
	environment.ExecuteWorkflow(workflows.DeliverWebhook, workflows.DeliverWebhookInput{ID: "wh_1"})
	require.ErrorContains(t, environment.GetWorkflowError(), "continue as new")
	require.Less(t, made.done, len(turns))
}
