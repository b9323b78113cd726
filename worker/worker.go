package worker

import (
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/ledger/workflowid"
	"github.com/florinledger/florin/workflows"
)

const (
	// workflowCacheSize is how many workflows of all queues a process keeps in memory between their tasks.
	workflowCacheSize = 2000
	// pollers is the number of concurrent polls of a queue.
	pollers = 2
	// stopTimeout bounds how long running activities may go on when the worker stops. It is longer than the first tries of
	// a commit, and shorter than service managers wait.
	stopTimeout = 10 * time.Second
)

// Options are the settings of a worker.
type Options struct {
	Client     client.Client
	Ledger     workflowid.Ledger
	Activities *activities.Activities
	// The worker calls OnFatalError when it stops by itself, for example because somebody deleted its namespace.
	OnFatalError func(error)
	// Failures records which activities fail; may be nil.
	Failures *Failures
}

// Worker polls all task queues of a ledger.
type Worker struct {
	queues   []sdkworker.Worker
	stopping *Stopping
}

// New makes a worker with all workflows and activities. The caller starts and stops it.
func New(options Options) *Worker {
	sdkworker.SetStickyWorkflowCacheSize(workflowCacheSize)
	w := &Worker{stopping: NewStopping()}
	interceptors := []interceptor.WorkerInterceptor{w.stopping}
	if options.Failures != nil {
		interceptors = append(interceptors, options.Failures)
	}
	for _, queue := range workflows.Queues() {
		worker := sdkworker.New(options.Client, options.Ledger.Name(queue.Name), sdkworker.Options{
			Interceptors:                            interceptors,
			MaxConcurrentWorkflowTaskExecutionSize:  queue.Slots,
			MaxConcurrentLocalActivityExecutionSize: queue.Slots,
			MaxConcurrentWorkflowTaskPollers:        pollers,
			WorkerStopTimeout:                       stopTimeout,
			LocalActivityWorkerOnly:                 true,
			DisableRegistrationAliasing:             true,
			OnFatalError:                            options.OnFatalError,
		})
		// Every queue runs all workflows: a workflow that began before its kind had its own queue stays where it is.
		Register(worker, options.Activities)
		w.queues = append(w.queues, worker)
	}
	return w
}

// Start starts all queues, or none if one fails.
func (w *Worker) Start() error {
	for i, queue := range w.queues {
		if err := queue.Start(); err != nil {
			(&Worker{queues: w.queues[:i], stopping: w.stopping}).Stop()
			return err
		}
	}
	return nil
}

// Stop takes no more work and waits for running work, which it cancels after a time. Other processes do the rest, or
// this one after a restart.
func (w *Worker) Stop() {
	defer w.stopping.Break()
	var stopping sync.WaitGroup
	defer stopping.Wait()
	for _, queue := range w.queues {
		stopping.Go(queue.Stop)
	}
}

// Register registers all workflows and activities under their permanent names.
func Register(w sdkworker.Registry, a *activities.Activities) {
	RegisterWorkflows(w)
	w.RegisterActivityWithOptions(a, activity.RegisterOptions{})
}

// RegisterWorkflows registers only the workflows, for the replay of histories.
func RegisterWorkflows(w sdkworker.WorkflowRegistry) {
	for _, queue := range workflows.Queues() {
		for name, run := range queue.Workflows {
			w.RegisterWorkflowWithOptions(run, workflow.RegisterOptions{Name: name})
		}
	}
}
