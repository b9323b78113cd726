// Package client stands in for the part of Temporal's server that starts and stops workers on Kubernetes and on the
// functions of clouds. Florin's workers are processes of its own, so nothing of the kind exists and none can be made.
package client

import (
	"context"

	deploymentpb "go.temporal.io/api/deployment/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/auto-scaled-workers/wci/workflow/iface"
	"go.temporal.io/server/common/namespace"
	"go.uber.org/fx"
)

// Module provides the client.
var Module = fx.Options(fx.Provide(func() Client { return absent{} }))

// Client is what Temporal's server calls.
type Client interface {
	// DescribeWorkerControllerInstance finds nothing.
	DescribeWorkerControllerInstance(
		ctx context.Context, namespaceEntry *namespace.Namespace, version *deploymentpb.WorkerDeploymentVersion,
	) (*iface.QueryDescribeWorkerControllerInstanceResponse, []byte, error)
	// UpdateWorkerControllerInstance refuses.
	UpdateWorkerControllerInstance(
		ctx context.Context, namespaceEntry *namespace.Namespace, version *deploymentpb.WorkerDeploymentVersion,
		conflictToken []byte, identity string, upsertScalingGroups map[string]iface.ScalingGroupSpecUpdate,
		removeScalingGroups []string,
	) (*iface.UpdateWorkerControllerInstanceResponse, error)
	// ValidateWorkerControllerInstanceSpec refuses.
	ValidateWorkerControllerInstanceSpec(
		ctx context.Context, namespaceEntry *namespace.Namespace, version *deploymentpb.WorkerDeploymentVersion,
		identity string, upsertScalingGroups map[string]iface.ScalingGroupSpecUpdate, removeScalingGroups []string,
	) error
	// DeleteWorkerControllerInstance has nothing to delete.
	DeleteWorkerControllerInstance(
		ctx context.Context, namespaceEntry *namespace.Namespace, version *deploymentpb.WorkerDeploymentVersion,
		identity string,
	) error
}

type absent struct{}

func leftOut() error {
	return serviceerror.NewInvalidArgument("this build of Florin does not scale workers by itself: run a Temporal server " +
		"of your own for that")
}

func (absent) DescribeWorkerControllerInstance(
	context.Context, *namespace.Namespace, *deploymentpb.WorkerDeploymentVersion,
) (*iface.QueryDescribeWorkerControllerInstanceResponse, []byte, error) {
	return nil, nil, serviceerror.NewNotFound("no workers are scaled")
}

func (absent) UpdateWorkerControllerInstance(
	context.Context, *namespace.Namespace, *deploymentpb.WorkerDeploymentVersion, []byte, string,
	map[string]iface.ScalingGroupSpecUpdate, []string,
) (*iface.UpdateWorkerControllerInstanceResponse, error) {
	return nil, leftOut()
}

func (absent) ValidateWorkerControllerInstanceSpec(
	context.Context, *namespace.Namespace, *deploymentpb.WorkerDeploymentVersion, string,
	map[string]iface.ScalingGroupSpecUpdate, []string,
) error {
	return leftOut()
}

func (absent) DeleteWorkerControllerInstance(
	context.Context, *namespace.Namespace, *deploymentpb.WorkerDeploymentVersion, string,
) error {
	return nil
}
