package workflows

import (
	"context"

	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/activities"
)

// act is only for references to its methods; nobody calls them on it.
var act *activities.Activities

// callLocal runs an activity in the process of the workflow's worker and returns its typed result.
func callLocal[In, Out any](
	ctx workflow.Context, activity func(context.Context, In) (Out, error), in In,
) (Out, error) {
	var out Out
	err := workflow.ExecuteLocalActivity(ctx, activity, in).Get(ctx, &out)
	return out, err
}
