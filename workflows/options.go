package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// eagerStart lets the server give the first task of a new workflow directly to the worker in this process, without the
// task queue. Temporal calls the feature experimental; with a worker elsewhere it has no effect.
const eagerStart = true

// commitOptions are for the activity that commits: short tries without an end. An acknowledged submission must end in a
// completion, so it waits as long as the database is away.
func commitOptions() workflow.LocalActivityOptions {
	const forEver = 10 * 365 * 24 * time.Hour // without it, ScheduleToClose would be StartToClose
	return workflow.LocalActivityOptions{
		StartToCloseTimeout:    30 * time.Second,
		ScheduleToCloseTimeout: forEver,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 50 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 10 * time.Second,
		},
	}
}
