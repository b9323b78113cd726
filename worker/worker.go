package worker

import (
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/workflows"
)

// Concurrency of the worker. Commits queue up behind the lock of the ledger's head anyway; workflow tasks are cheap.
const (
	workflowTasks   = 64
	localActivities = 64
	cachedWorkflows = 2000
)

// Options are the settings of a worker.
type Options struct {
	Client     client.Client
	Activities *activities.Activities
	// OnFatalError is called when the worker stops by itself, for example because its namespace was deleted.
	OnFatalError func(error)
	// Failures is told which activities fail; nil tells nobody.
	Failures *Failures
}

// New makes a worker with all workflows and activities. The caller starts and stops it.
func New(options Options) sdkworker.Worker {
	sdkworker.SetStickyWorkflowCacheSize(cachedWorkflows)
	var interceptors []interceptor.WorkerInterceptor
	if options.Failures != nil {
		interceptors = append(interceptors, options.Failures)
	}
	w := sdkworker.New(options.Client, workflows.TaskQueue, sdkworker.Options{
		Interceptors:                            interceptors,
		MaxConcurrentWorkflowTaskExecutionSize:  workflowTasks,
		MaxConcurrentLocalActivityExecutionSize: localActivities,
		MaxConcurrentWorkflowTaskPollers:        2,
		DisableRegistrationAliasing:             true,
		OnFatalError:                            options.OnFatalError,
	})
	Register(w, options.Activities)
	return w
}

// Register registers all workflows and activities under their permanent names.
func Register(w sdkworker.Registry, a *activities.Activities) {
	RegisterWorkflows(w)
	w.RegisterActivityWithOptions(a, activity.RegisterOptions{})
}

// RegisterWorkflows registers the workflows alone, as replaying histories needs them.
func RegisterWorkflows(w sdkworker.WorkflowRegistry) {
	for name, lifecycle := range workflows.Lifecycles() {
		w.RegisterWorkflowWithOptions(lifecycle, workflow.RegisterOptions{Name: name})
	}
	w.RegisterWorkflowWithOptions(workflows.SubmitCommands, workflow.RegisterOptions{Name: "SubmitCommands"})
	w.RegisterWorkflowWithOptions(workflows.RunAutomation, workflow.RegisterOptions{Name: "RunAutomation"})
	w.RegisterWorkflowWithOptions(workflows.OnboardExternalParty, workflow.RegisterOptions{Name: "OnboardExternalParty"})
}
