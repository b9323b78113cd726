// Package iface has the shapes in which Temporal's server speaks of workers that it starts and stops by itself.
package iface

import (
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
)

// ComputeProviderType names what runs workers.
type ComputeProviderType string

// ScalingAlgorithmType names how many run.
type ScalingAlgorithmType string

// ValidationResult says whether a specification could be used.
type ValidationResult string

// ValidationResultFailed is the result of one that could not.
const ValidationResultFailed ValidationResult = "failed"

// ComputeProviderSpec says what runs workers.
type ComputeProviderSpec struct {
	ProviderType  ComputeProviderType `json:"provider_type,omitempty"`
	Config        *commonpb.Payload   `json:"config,omitempty"`
	NexusEndpoint string              `json:"nexus_endpoint,omitempty"`
}

// ScalingAlgorithmSpec says how many run.
type ScalingAlgorithmSpec struct {
	ScalingAlgorithm ScalingAlgorithmType `json:"scaling_algorithm,omitempty"`
	Config           *commonpb.Payload    `json:"config,omitempty"`
}

// ScalingGroupSpec is one group of workers.
type ScalingGroupSpec struct {
	TaskTypes []enumspb.TaskQueueType `json:"task_types"`
	Compute   ComputeProviderSpec     `json:"compute"`
	Scaling   *ScalingAlgorithmSpec   `json:"scaling,omitempty"`
}

// ScalingGroupSpecUpdate changes one group.
type ScalingGroupSpecUpdate struct {
	Spec       ScalingGroupSpec `json:"spec"`
	UpdateMask []string         `json:"update_mask"`
}

// WorkerControllerInstanceSpec is all groups, by name.
type WorkerControllerInstanceSpec struct {
	ScalingGroupSpecs map[string]ScalingGroupSpec `json:"scaling_group_specs"`
}

// ValidationStatus says when a specification was last looked at.
type ValidationStatus struct {
	LastValidationTime time.Time        `json:"last_validation_time"`
	Status             ValidationResult `json:"status"`
	ErrMessage         string           `json:"err_message,omitempty"`
}

// QueryDescribeWorkerControllerInstanceResponse describes the groups of a version.
type QueryDescribeWorkerControllerInstanceResponse struct {
	Spec             *WorkerControllerInstanceSpec `json:"spec,omitempty"`
	ValidationStatus *ValidationStatus             `json:"validation_state,omitempty"`
}

// UpdateWorkerControllerInstanceResponse is what a change made of the groups.
type UpdateWorkerControllerInstanceResponse struct {
	Spec *WorkerControllerInstanceSpec `json:"spec,omitempty"`
}
