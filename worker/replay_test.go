package worker_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	sdkworker "go.temporal.io/sdk/worker"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/worker"
)

// TestRecordedHistoriesReplay runs today's workflow code over histories that earlier code wrote. A failure means that
// workflows that are running now could not go on after an upgrade: change the code behind a version, do not change the
// files.
func TestRecordedHistoriesReplay(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../workflows/testdata/replay/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			replayer := sdkworker.NewWorkflowReplayer()
			worker.RegisterWorkflows(replayer)
			require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(nil, file))
		})
	}
}

func TestEverythingIsRegisteredOnce(t *testing.T) {
	t.Parallel()
	registry := &registry{names: map[string]int{}}
	worker.Register(registry, &activities.Activities{})
	require.Equal(t, map[string]int{
		"SubmitCommands": 1, "OnboardExternalParty": 1, "KeepPreapproval": 1, "TwoStepTransfer": 1,
		"RunMergeDelegation": 1, "BuyTraffic": 1, "RunTransferCommands": 1, "RunAutomation": 1, "activities": 1,
	}, registry.names)
}
