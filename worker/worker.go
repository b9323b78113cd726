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
	// cachedWorkflows are those of all queues that a process remembers between their tasks.
	cachedWorkflows = 2000
	// pollers is how many ask for the work of a queue at the same time.
	pollers = 2
	// stopTimeout bounds how long what runs may go on when the worker stops. It is longer than the first tries of a
	// commit, and shorter than what supervisors of services wait for.
	stopTimeout = 10 * time.Second
)

// Options are the settings of a worker.
type Options struct {
	Client     client.Client
	Ledger     workflowid.Ledger
	Activities *activities.Activities
	// OnFatalError is called when the worker stops by itself, for example because its namespace was deleted.
	OnFatalError func(error)
	// Failures is told which activities fail; nil tells nobody.
	Failures *Failures
}

// Worker works on all task queues of a ledger.
type Worker struct {
	queues   []sdkworker.Worker
	stopping *Stopping
}

// New makes a worker with all workflows and activities. The caller starts and stops it.
func New(options Options) *Worker {
	sdkworker.SetStickyWorkflowCacheSize(cachedWorkflows)
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
		// Every queue takes all workflows: one that was started before its kind had a queue of its own goes on where it is.
		Register(worker, options.Activities)
		w.queues = append(w.queues, worker)
	}
	return w
}

// Start begins to work. When a queue cannot be worked on, none is.
func (w *Worker) Start() error {
	for i, queue := range w.queues {
		if err := queue.Start(); err != nil {
			(&Worker{queues: w.queues[:i], stopping: w.stopping}).Stop()
			return err
		}
	}
	return nil
}

// Stop takes no more work, and returns when what runs is done, or has taken too long and was broken off. Work that was
// left goes to other processes, or to this one when it is started again.
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

// RegisterWorkflows registers the workflows alone, as replaying histories needs them.
func RegisterWorkflows(w sdkworker.WorkflowRegistry) {
	for _, queue := range workflows.Queues() {
		for name, run := range queue.Workflows {
			w.RegisterWorkflowWithOptions(run, workflow.RegisterOptions{Name: name})
		}
	}
}
