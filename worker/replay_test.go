package worker_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	sdkworker "go.temporal.io/sdk/worker"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/worker"
)

func histories(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../workflows/testdata/replay/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// The histories are from earlier code. A failure means that running workflows could not go on after an upgrade: change
// the code behind a version, do not change the files.
func TestReplay_RecordedHistories(t *testing.T) {
	t.Parallel()
	for _, file := range histories(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			replayer := sdkworker.NewWorkflowReplayer()
			worker.RegisterWorkflows(replayer)
			require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(nil, file))
		})
	}
}

// If a history is missing, record one with test/e2e/record from the first version with the workflow: one in which the
// workflow does something and ends.
func TestReplay_EveryWorkflowHasAHistory(t *testing.T) {
	t.Parallel()
	recorded := map[string]int{}
	for _, file := range histories(t) {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		var history historypb.History
		require.NoError(t, temporalproto.CustomJSONUnmarshalOptions{}.Unmarshal(content, &history))
		require.NotEmpty(t, history.GetEvents(), file)
		started := history.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes()
		for _, event := range history.GetEvents() {
			if event.GetMarkerRecordedEventAttributes().GetMarkerName() == "LocalActivity" {
				recorded[started.GetWorkflowType().GetName()]++
			}
		}
	}
	registered := &registry{names: map[string]int{}}
	worker.RegisterWorkflows(registered)
	for name := range registered.names {
		require.Positive(t, recorded[name], "no history of the workflow %s is recorded in workflows/testdata/replay", name)
	}
}

func TestRegister_RegistersEverythingOnce(t *testing.T) {
	t.Parallel()
	registry := &registry{names: map[string]int{}}
	worker.Register(registry, &activities.Activities{})
	require.Equal(t, map[string]int{
		"SubmitCommands": 1, "OnboardExternalParty": 1, "KeepPreapproval": 1, "TwoStepTransfer": 1,
		"RunMergeDelegation": 1, "BuyTraffic": 1, "RunTransferCommands": 1, "RunAutomation": 1, "DeliverWebhook": 1,
		"activities": 1,
	}, registry.names)
}
