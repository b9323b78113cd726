package worker_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/worker"
)

func TestFailures_LastUntilTheActivitySucceeds(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	counts := map[string]int{}
	failures := worker.NewFailures(func() time.Time { return now }, func(name string) { counts[name]++ })
	tries := 0
	commit := func(context.Context) error {
		tries++
		longest, count := failures.Longest()
		switch tries {
		case 1:
			require.Zero(t, count)
			return errors.New("the database is away")
		case 2:
			require.Equal(t, worker.Failure{Activity: "Commit", Since: now, Last: now, Tries: 1}, longest)
			now = now.Add(40 * time.Second)
			panic("a defect")
		case 3:
			require.Equal(t, 2, longest.Tries)
			require.Equal(t, 1, count)
			require.Equal(t, 40*time.Second, now.Sub(longest.Since))
			now = now.Add(2 * time.Minute)
			_, count = failures.Longest()
			require.Zero(t, count, "the failure is stale")
			return errors.New("the database is away")
		default:
			_, count = failures.Longest()
			require.Equal(t, 1, count)
			return nil
		}
	}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{failures}})
	env.RegisterActivityWithOptions(commit, activity.RegisterOptions{Name: "Commit"})
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
			ScheduleToCloseTimeout: time.Hour,
			RetryPolicy:            &temporal.RetryPolicy{InitialInterval: time.Millisecond, BackoffCoefficient: 1},
		})
		return workflow.ExecuteLocalActivity(ctx, "Commit").Get(ctx, nil)
	})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 4, tries)
	require.Equal(t, map[string]int{"Commit": 3}, counts)
	_, count := failures.Longest()
	require.Zero(t, count)
}
