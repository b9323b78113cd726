package worker

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
)

// staleFailure is when a failure that nobody has repeated counts no more: its workflow was ended by hand, or another
// process has taken it over. It is longer than the pauses between tries and the longest try together.
const staleFailure = time.Minute

// Failures knows which activities of this process have failed and were not done since. They are tried again, for ever:
// somebody should know. Use it as an interceptor of the worker. It is safe for concurrent use.
type Failures struct {
	interceptor.WorkerInterceptorBase

	now   func() time.Time
	count func(activity string)

	mu     sync.Mutex
	failed map[failureKey]Failure
}

// failureKey names an activity of a run of a workflow.
type failureKey struct{ runID, activity string }

// Failure is an activity that has failed and was not done since.
type Failure struct {
	// Activity is its name.
	Activity string
	// Since is when it failed first, Last when it failed last, and Tries how often it did.
	Since, Last time.Time
	Tries       int
}

// NewFailures makes one that counts each failure with the function, by the name of the activity.
func NewFailures(now func() time.Time, count func(activity string)) *Failures {
	return &Failures{now: now, count: count, failed: map[failureKey]Failure{}}
}

// Longest is the failure that lasts longest, and how many there are.
func (f *Failures) Longest() (longest Failure, count int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	oldest := f.now().Add(-staleFailure)
	for key, failure := range f.failed {
		if failure.Last.Before(oldest) {
			delete(f.failed, key)
			continue
		}
		if count++; longest.Since.IsZero() || failure.Since.Before(longest.Since) {
			longest = failure
		}
	}
	return longest, count
}

// InterceptActivity implements [interceptor.WorkerInterceptor].
func (f *Failures) InterceptActivity(
	_ context.Context, next interceptor.ActivityInboundInterceptor,
) interceptor.ActivityInboundInterceptor {
	return &watched{ActivityInboundInterceptorBase: interceptor.ActivityInboundInterceptorBase{Next: next}, failures: f}
}

// note takes the outcome of one try of an activity.
func (f *Failures) note(key failureKey, err error) {
	if err != nil {
		f.count(key.activity)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		delete(f.failed, key)
		return
	}
	failure, known := f.failed[key]
	failure.Activity, failure.Last = key.activity, f.now()
	if !known {
		failure.Since = failure.Last
	}
	failure.Tries++
	f.failed[key] = failure
}

// watched notes what becomes of activities.
type watched struct {
	interceptor.ActivityInboundInterceptorBase

	failures *Failures
}

// ExecuteActivity implements [interceptor.ActivityInboundInterceptor].
func (w *watched) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	info := activity.GetInfo(ctx)
	key := failureKey{runID: info.WorkflowExecution.RunID, activity: info.ActivityType.Name}
	done := false
	defer func() {
		if !done { // it panicked, which Temporal makes an error of
			w.failures.note(key, context.Canceled)
		}
	}()
	out, err := w.Next.ExecuteActivity(ctx, in)
	done = true
	w.failures.note(key, err)
	return out, err
}
