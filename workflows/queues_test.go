package workflows_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/wallet/lifecycle"
	"github.com/florinledger/florin/workflows"
)

// Clients wait for the submission queue: no other work may have its slots.
func TestQueues_SeparateClassesOfWork(t *testing.T) {
	t.Parallel()
	queues := map[string]string{}
	for _, queue := range workflows.Queues() {
		require.Positive(t, queue.Slots, queue.Name)
		for name := range queue.Workflows {
			require.NotContains(t, queues, name, "a workflow has one queue")
			queues[name] = queue.Name
		}
	}
	require.Equal(t, map[string]string{
		"SubmitCommands": workflows.SubmissionQueue, "OnboardExternalParty": workflows.SubmissionQueue,
		lifecycle.KeepPreapproval: workflows.LifecycleQueue, lifecycle.TwoStepTransfer: workflows.LifecycleQueue,
		lifecycle.RunMergeDelegation: workflows.LifecycleQueue, lifecycle.BuyTraffic: workflows.LifecycleQueue,
		lifecycle.RunTransferCommands: workflows.LifecycleQueue,
		"RunAutomation":               workflows.AutomationQueue,
		"DeliverWebhook":              workflows.WebhookQueue,
	}, queues)
}
