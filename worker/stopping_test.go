package worker_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/worker"
)

func TestStopping_CancelsActivities(t *testing.T) {
	t.Parallel()
	stopping := worker.NewStopping()
	var ctxErr error
	commit := func(ctx context.Context) error {
		stopping.Break()
		<-ctx.Done()
		ctxErr = ctx.Err()
		return nil
	}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{stopping}})
	env.RegisterActivityWithOptions(commit, activity.RegisterOptions{Name: "Commit"})
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{ScheduleToCloseTimeout: 10 * time.Second})
		return workflow.ExecuteLocalActivity(ctx, "Commit").Get(ctx, nil)
	})
	require.NoError(t, env.GetWorkflowError())
	require.ErrorIs(t, ctxErr, context.Canceled)
}
