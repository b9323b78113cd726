package lifecycles_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/workflows"
)

// TestForgedWorkflow_CannotHurryASubmission starts a sealed submission with a later time, and forges the signs that it
// has waited.
func TestForgedWorkflow_CannotHurryASubmission(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice := n.party("alice")
	bound := n.now().Add(day).Truncate(time.Microsecond)
	late := tapping(n, alice, "late")
	late.MinLedgerTime = &bound
	late, err := n.commits.Seal(t.Context(), late)
	require.NoError(t, err)
	later, signed := late, late
	far := bound.Add(20 * 365 * day)
	later.MinLedgerTime, signed.Signed = &far, &ledger.SignedTransaction{}
	runs := map[string]client.WorkflowRun{}
	for id, batch := range map[string][]ledger.Submission{
		"submit:forged": {late, later}, "submit:signed": {signed, late}, "submit:alone": {late},
	} {
		runs[id], err = n.temporal.ExecuteWorkflow(t.Context(),
			client.StartWorkflowOptions{ID: n.ledger.Name(id), TaskQueue: n.ledger.Name(workflows.SubmissionQueue)},
			workflows.SubmitCommands, workflows.SubmitCommandsInput{Submissions: batch})
		require.NoError(t, err)
	}
	for id := range runs {
		n.eventually(id+" waits", func() bool {
			row, ok, err := n.db.Lifecycle(t.Context(), id)
			return err == nil && ok && row.DueAt.Equal(bound)
		})
	}
	require.Empty(t, n.coins(alice))
	n.advance(2 * day)
	for _, run := range runs {
		require.NoError(t, run.Get(t.Context(), nil))
	}
	require.Len(t, n.coins(alice), 1)
	completion, _, err := n.db.CompletionBySubmissionKey(t.Context(), late.Key)
	require.NoError(t, err)
	update, _, err := n.db.UpdateByID(t.Context(), completion.UpdateID)
	require.NoError(t, err)
	require.Equal(t, update.RecordTime, update.EffectiveAt)
	require.False(t, update.EffectiveAt.Before(bound))
}
