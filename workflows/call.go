package workflows

import (
	"context"

	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/activities"
)

// act is only there for references to its methods; nothing is ever called on it.
var act *activities.Activities

// callLocal runs an activity in the process of the workflow's worker and returns its typed result. That the types fit
// is checked by the compiler.
func callLocal[In, Out any](
	ctx workflow.Context, activity func(context.Context, In) (Out, error), in In,
) (Out, error) {
	var out Out
	err := workflow.ExecuteLocalActivity(ctx, activity, in).Get(ctx, &out)
	return out, err
}
