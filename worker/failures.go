package worker

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
)

// staleFailure is the age at which a failure without another try no longer counts: somebody ended its workflow, or
// another process took it over. It is longer than the longest pause and the longest try together.
const staleFailure = time.Minute

// Failures records the activities of this process whose last try failed. Temporal retries them for ever, so somebody
// should know. Use it as an interceptor of the worker. It is safe for concurrent use.
type Failures struct {
	interceptor.WorkerInterceptorBase

	now   func() time.Time
	count func(activity string)

	mu     sync.Mutex
	failed map[failureKey]Failure
}

type failureKey struct{ runID, activity string }

// Failure is an activity whose last try failed.
type Failure struct {
	// Activity is its name.
	Activity string
	// Since is the time of its first failure, Last that of its last, and Tries the number of failures.
	Since, Last time.Time
	Tries       int
}

// NewFailures makes an empty record. It calls count for each failure, with the name of the activity.
func NewFailures(now func() time.Time, count func(activity string)) *Failures {
	return &Failures{now: now, count: count, failed: map[failureKey]Failure{}}
}

// Longest returns the oldest failure and the number of failures.
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
	base := interceptor.ActivityInboundInterceptorBase{Next: next}
	return &failureInterceptor{ActivityInboundInterceptorBase: base, failures: f}
}

// note records the outcome of a try.
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

type failureInterceptor struct {
	interceptor.ActivityInboundInterceptorBase

	failures *Failures
}

// ExecuteActivity implements [interceptor.ActivityInboundInterceptor].
func (w *failureInterceptor) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	info := activity.GetInfo(ctx)
	key := failureKey{runID: info.WorkflowExecution.RunID, activity: info.ActivityType.Name}
	done := false
	defer func() {
		if !done { // the activity panicked; Temporal makes an error of that
			w.failures.note(key, context.Canceled)
		}
	}()
	out, err := w.Next.ExecuteActivity(ctx, in)
	done = true
	w.failures.note(key, err)
	return out, err
}
