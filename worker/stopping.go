package worker

import (
	"context"

	"go.temporal.io/sdk/interceptor"
)

// Stopping cancels the activities that still run when a worker no longer waits for them. Otherwise they would hold the
// node's connections for as long as the users' code runs. Use it as an interceptor of the worker.
type Stopping struct {
	interceptor.WorkerInterceptorBase

	// Break ends all activities.
	Break context.CancelFunc

	ctx context.Context //nolint:containedctx // the life of the worker
}

// NewStopping makes a Stopping for one worker.
func NewStopping() *Stopping {
	s := &Stopping{}
	s.ctx, s.Break = context.WithCancel(context.Background()) //nolint:forbidigo // the worker outlives its creator
	return s
}

// InterceptActivity implements [interceptor.WorkerInterceptor].
func (s *Stopping) InterceptActivity(
	_ context.Context, next interceptor.ActivityInboundInterceptor,
) interceptor.ActivityInboundInterceptor {
	return &stopInterceptor{ActivityInboundInterceptorBase: interceptor.ActivityInboundInterceptorBase{Next: next}, by: s}
}

type stopInterceptor struct {
	interceptor.ActivityInboundInterceptorBase

	by *Stopping
}

// ExecuteActivity implements [interceptor.ActivityInboundInterceptor].
func (s *stopInterceptor) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.by.ctx, cancel)() //nolint:contextcheck // the activity ends with either of them
	return s.Next.ExecuteActivity(ctx, in)
}
