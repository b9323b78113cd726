package worker_test

import (
	"github.com/nexus-rpc/sdk-go/nexus"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/workflow"
)

// registry counts the registrations of each name.
type registry struct{ names map[string]int }

func (r *registry) RegisterWorkflow(any) { r.names["unnamed workflow"]++ }

func (r *registry) RegisterWorkflowWithOptions(_ any, options workflow.RegisterOptions) {
	r.names[options.Name]++
}

func (r *registry) RegisterDynamicWorkflow(any, workflow.DynamicRegisterOptions) {
	r.names["dynamic workflow"]++
}

func (r *registry) RegisterActivity(any) { r.names["unnamed activities"]++ }

func (r *registry) RegisterActivityWithOptions(any, activity.RegisterOptions) {
	r.names["activities"]++
}

func (r *registry) RegisterDynamicActivity(any, activity.DynamicRegisterOptions) {
	r.names["dynamic activity"]++
}

func (r *registry) RegisterNexusService(*nexus.Service) { r.names["nexus service"]++ }
