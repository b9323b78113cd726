package worker

import (
	"context"

	"go.temporal.io/sdk/interceptor"
)

// Stopping breaks off the activities that still run when a worker no longer waits for them: otherwise they would hold
// the node's connections for as long as the code takes that they run for users. Use it as an interceptor of the worker.
type Stopping struct {
	interceptor.WorkerInterceptorBase

	// Break ends all activities.
	Break context.CancelFunc

	ctx context.Context //nolint:containedctx // the life of the worker
}

// NewStopping makes one whose Break ends all activities.
func NewStopping() *Stopping {
	s := &Stopping{}
	s.ctx, s.Break = context.WithCancel(context.Background()) //nolint:forbidigo // the worker outlives who makes it
	return s
}

// InterceptActivity implements [interceptor.WorkerInterceptor].
func (s *Stopping) InterceptActivity(
	_ context.Context, next interceptor.ActivityInboundInterceptor,
) interceptor.ActivityInboundInterceptor {
	return &stoppable{ActivityInboundInterceptorBase: interceptor.ActivityInboundInterceptorBase{Next: next}, by: s}
}

// stoppable ends activities with the worker.
type stoppable struct {
	interceptor.ActivityInboundInterceptorBase

	by *Stopping
}

// ExecuteActivity implements [interceptor.ActivityInboundInterceptor].
func (s *stoppable) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.by.ctx, cancel)() //nolint:contextcheck // the activity ends with either of them
	return s.Next.ExecuteActivity(ctx, in)
}
