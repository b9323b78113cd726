package lifecycles_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/workflows"
)

// tapping is a submission that mints one coin for a party.
func tapping(n *node, party ledger.Party, commandID string) ledger.Submission {
	n.t.Helper()
	commands, refusal := n.packages.PrepareCommands([]ledger.Command{
		exercise[coin.AmuletRules](n, n.rules(), "AmuletRules_DevNet_Tap",
			coin.AmuletRulesDevNetTap{Receiver: party, Amount: decimal.MustParse("1.0"), OpenRound: n.round()}),
	}, nil)
	require.Nil(n.t, refusal)
	key := uuid.NewString()
	return ledger.Submission{
		Key: key, Identity: ledger.DefaultUser("tester"), CommandID: commandID, SubmissionID: key,
		ActAs:  []ledger.Party{party},
		ReadAs: []ledger.Party{n.identity.DSO}, Commands: commands, Kind: ledger.KindCommand,
	}
}

func TestLedgerTime_WaitingSubmissionResumes(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice := n.party("alice")
	bound := n.now().Add(day).Truncate(time.Microsecond)
	late := tapping(n, alice, "late")
	late.MinLedgerTime = &bound
	late, err := n.commits.Seal(t.Context(), late)
	require.NoError(t, err)
	run, err := n.temporal.ExecuteWorkflow(t.Context(),
		client.StartWorkflowOptions{ID: n.ledger.Name("submit:late"), TaskQueue: n.ledger.Name(workflows.SubmissionQueue)},
		workflows.SubmitCommands, workflows.SubmitCommandsInput{Submissions: []ledger.Submission{late}})
	require.NoError(t, err)
	n.eventually("it waits", func() bool {
		row, ok, err := n.db.Lifecycle(t.Context(), "submit:late")
		return err == nil && ok && row.DueAt.Equal(bound)
	})
	require.Empty(t, n.coins(alice))
	n.advance(2 * day)
	require.NoError(t, run.Get(t.Context(), nil))
	require.Len(t, n.coins(alice), 1)
	completion, ok, err := n.db.CompletionBySubmissionKey(t.Context(), late.Key)
	require.NoError(t, err)
	require.True(t, ok)
	require.WithinDuration(t, bound, completion.RecordTime, time.Minute)
}

func TestRecordTime_FollowsTheClockWithDeduplication(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice := n.party("alice")
	again := func() error { return n.commit(tapping(n, alice, "same")) }
	require.NoError(t, again())
	before, err := n.db.Head(t.Context())
	require.NoError(t, err)
	n.jump(23 * time.Hour)
	require.ErrorContains(t, again(), "DUPLICATE_COMMAND")
	n.jump(2 * time.Hour) // the window of the test node is a day
	require.NoError(t, again())
	after, err := n.db.Head(t.Context())
	require.NoError(t, err)
	require.WithinDuration(t, before.RecordTime.Add(25*time.Hour), after.RecordTime, time.Minute)
}
