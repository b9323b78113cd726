package lifecycles_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/topology"
	florinworker "github.com/florinledger/florin/worker"
	"github.com/florinledger/florin/workflows"
)

// workflowNames collects the names of all workflows of a worker.
type workflowNames struct {
	worker.WorkflowRegistry

	names []string
}

func (w *workflowNames) RegisterWorkflowWithOptions(_ any, options workflow.RegisterOptions) {
	w.names = append(w.names, options.Name)
}

// TestForgedWorkflow_ChangesNothing starts each workflow of a worker as an attacker with access to Temporal but without
// a token: with invented inputs, under invented ids and in the place of an existing workflow.
func TestForgedWorkflow_ChangesNothing(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice, bob := n.party("alice"), n.party("bob")
	n.tap(alice, "100.0")
	id := n.instruct(alice, bob, 5*day)
	n.waits(id, "accept or reject")
	refused := tapping(n, alice, "refused")
	refused.Identity = ledger.DefaultUser(n.identity.OperatorUser)
	refused.ActAs = []ledger.Party{n.identity.DSO} // the receiver must agree
	require.Error(t, n.commit(refused))

	before, err := n.db.Head(t.Context())
	require.NoError(t, err)
	row, _, err := n.db.Lifecycle(t.Context(), id)
	require.NoError(t, err)

	now, later := tapping(n, alice, "now"), tapping(n, alice, "later")
	bound := n.now().Add(day)
	later.MinLedgerTime = &bound
	move := ledger.Submission{
		Key: "k", Identity: ledger.DefaultUser("mallory"), CommandID: "c", SubmissionID: "s", ActAs: []ledger.Party{alice},
		Kind: ledger.KindLifecycle, Seal: "1.1.AAAA", Commands: now.Commands,
	}
	last := &activities.LastAction{CommandID: "collect", Key: refused.Key, Tries: 1000}
	forged := map[string][]any{
		"SubmitCommands": {
			workflows.SubmitCommandsInput{Submissions: []ledger.Submission{now, move}},
			workflows.SubmitCommandsInput{Submissions: []ledger.Submission{later}},
		},
		"DeliverWebhook": {workflows.DeliverWebhookInput{ID: "wh_forged"}, workflows.DeliverWebhookInput{}},
		"RunAutomation":  {workflows.RunAutomationInput{Kind: "rounds"}, workflows.RunAutomationInput{}},
		"OnboardExternalParty": {workflows.OnboardExternalPartyInput{
			Party: alice, First: &topology.Contribution{ID: "forged", UserID: "mallory"},
		}},
	}
	for name := range workflows.Lifecycles() {
		forged[name] = []any{workflows.LifecycleInput{}, workflows.LifecycleInput{Last: last}}
	}
	known := &workflowNames{}
	florinworker.RegisterWorkflows(known)
	require.ElementsMatch(t, known.names, slices.Collect(maps.Keys(forged)), "forge each workflow")

	for name, inputs := range forged {
		for _, input := range inputs {
			run, err := n.temporal.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
				TaskQueue: n.ledger.Name(workflows.SubmissionQueue), WorkflowExecutionTimeout: time.Minute,
			}, name, input)
			require.NoError(t, err)
			require.NoError(t, run.Get(t.Context(), nil), name)
		}
	}
	// In the place of the transfer's workflow.
	require.NoError(t, n.temporal.TerminateWorkflow(t.Context(), n.ledger.Name(id), "", "taken over"))
	run, err := n.temporal.ExecuteWorkflow(t.Context(),
		client.StartWorkflowOptions{ID: n.ledger.Name(id), TaskQueue: n.ledger.Name(workflows.SubmissionQueue)}, "SubmitCommands",
		workflows.SubmitCommandsInput{Submissions: []ledger.Submission{later}})
	require.NoError(t, err)
	require.NoError(t, run.Get(t.Context(), nil))
	_, err = n.temporal.ExecuteWorkflow(t.Context(),
		client.StartWorkflowOptions{ID: n.ledger.Name(id), TaskQueue: n.ledger.Name(workflows.SubmissionQueue)},
		workflows.TwoStepTransfer, workflows.LifecycleInput{Last: last})
	require.NoError(t, err)
	n.waits(id, "accept or reject")

	after, err := n.db.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, after)
	still, there, err := n.db.Lifecycle(t.Context(), id)
	require.NoError(t, err)
	require.True(t, there)
	require.Equal(t, row.Contracts, still.Contracts)
	// Two at once, one that waits and is checked twice, the contribution, and one in another's place, checked twice.
	require.Equal(t, int64(7), n.forged.Load())
	found, err := n.db.CompletionsByKey(t.Context(), []string{now.Key, later.Key, move.Key})
	require.NoError(t, err)
	require.Empty(t, found)
}

// TestForgedWorkflow_CannotUseAForeignRefusal uses the key of another user's submission as that of the workflow's last
// one.
func TestForgedWorkflow_CannotUseAForeignRefusal(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice, bob := n.party("alice"), n.party("bob")
	n.tap(alice, "100.0")
	id := n.instruct(alice, bob, day)
	n.waits(id, "accept or reject")
	n.stop()
	n.jump(2 * day)
	plan, err := n.commits.PlanLifecycle(t.Context(), activities.PlanLifecycleInput{WorkflowID: id, RunID: "run"})
	require.NoError(t, err)
	require.NotNil(t, plan.Action, "it has expired, and the workflow ends it")
	refused := tapping(n, alice, plan.Action.CommandID)
	refused.ActAs = []ledger.Party{n.identity.DSO}
	require.Error(t, n.commit(refused))
	again, err := n.commits.PlanLifecycle(t.Context(), activities.PlanLifecycleInput{
		WorkflowID: id, RunID: "run",
		Last: &activities.LastAction{CommandID: plan.Action.CommandID, Key: refused.Key, Tries: 1000},
	})
	require.NoError(t, err)
	require.NotNil(t, again.Action)
	require.Empty(t, again.Refusal)
}
