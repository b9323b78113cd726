//go:build long

package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	sdkpb "go.temporal.io/api/sdk/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	sdkclient "go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/client"
)

// workflowResult is the result of a workflow about its submissions.
type workflowResult struct {
	Outcomes []struct {
		CommandID string `json:"commandId"`
		Offset    int64  `json:"offset"`
		UpdateID  string `json:"updateId"`
		Refusal   string `json:"refusal"`
	} `json:"outcomes"`
}

// observedNode is a node with a Temporal client of its operator.
type observedNode struct {
	*servedNode
	temporal sdkclient.Client
	dso      string
	coin     client.Coin
}

func newObserved(t *testing.T, flags ...string) *observedNode {
	t.Helper()
	i := install(t)
	o := &observedNode{servedNode: serve(t, "serve", i, flags...), temporal: temporalClient(t, i.temporalAddress, i.namespace)}
	o.dso = findDSO(t, o.endpoint)
	var err error
	o.coin, err = o.admin().FindCoin(t.Context(), o.dso)
	require.NoError(t, err)
	return o
}

// find lists the workflows of a query. It waits for the expected number, because Temporal's index is a moment late.
func (o *observedNode) find(t *testing.T, expected int, query string) []*workflowpb.WorkflowExecutionInfo {
	t.Helper()
	var found []*workflowpb.WorkflowExecutionInfo
	await(t, query, func() error {
		answer, err := o.temporal.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{
			PageSize: 1000, Query: query,
		})
		if found = answer.GetExecutions(); err == nil && len(found) != expected {
			err = fmt.Errorf("%d workflows and not %d", len(found), expected)
		}
		return err
	})
	return found
}

// attribute reads a search attribute, a keyword or a list of keywords.
func attribute(t *testing.T, of *workflowpb.WorkflowExecutionInfo, name string) []string {
	t.Helper()
	payload := of.GetSearchAttributes().GetIndexedFields()[name]
	require.NotNil(t, payload, "%s has no %s", of.GetExecution().GetWorkflowId(), name)
	var list []string
	if converter.GetDefaultDataConverter().FromPayload(payload, &list) == nil {
		return list
	}
	var single string
	require.NoError(t, converter.GetDefaultDataConverter().FromPayload(payload, &single))
	return []string{single}
}

func (o *observedNode) result(t *testing.T, of *workflowpb.WorkflowExecutionInfo) workflowResult {
	t.Helper()
	var result workflowResult
	run := o.temporal.GetWorkflow(t.Context(), of.GetExecution().GetWorkflowId(), of.GetExecution().GetRunId())
	require.NoError(t, run.Get(t.Context(), &result))
	return result
}

// shown is the summary of a workflow in the UI, and its details, which a worker computes.
func (o *observedNode) shown(t *testing.T, of *workflowpb.WorkflowExecutionInfo) (summary, details string) {
	t.Helper()
	id, run := of.GetExecution().GetWorkflowId(), of.GetExecution().GetRunId()
	described, err := o.temporal.DescribeWorkflow(t.Context(), id, run)
	require.NoError(t, err)
	summary, err = described.GetStaticSummary()
	require.NoError(t, err)
	answer, err := o.temporal.QueryWorkflow(t.Context(), id, run, "__temporal_workflow_metadata")
	require.NoError(t, err)
	var metadata sdkpb.WorkflowMetadata
	require.NoError(t, answer.Get(&metadata))
	return summary, metadata.GetCurrentDetails()
}

func TestTemporal_FindsSubmissionsBySearchAttributes(t *testing.T) {
	t.Parallel()
	o := newObserved(t)
	alice := newAccount(t, o.endpoint, o.dso, "alice", "alice")
	bob := newAccount(t, o.endpoint, o.dso, "bob", "bob")
	const each = 3
	outcomes := map[string]client.Outcome{}
	for i := range each {
		for _, who := range []account{alice, bob} {
			commandID := fmt.Sprintf("mint-%s-%d", who.user, i)
			outcome, err := who.SubmitAndWait(t.Context(), who.tap(o.coin, commandID, 1))
			require.NoError(t, err)
			outcomes[commandID] = outcome
		}
	}
	refused := alice.tap(o.coin, "mint-nothing", -1)
	_, err := alice.SubmitAndWait(t.Context(), refused)
	require.NotEmpty(t, client.Code(err), "%v", err)

	// An idle node starts a workflow for each submission.
	o.find(t, 2*each+1, "FlorinKind = 'command'")
	o.find(t, 2*each, "FlorinKind = 'command' AND FlorinOutcome = 'accepted'")
	o.find(t, each, fmt.Sprintf("FlorinParty = '%s'", bob.parties[0]))
	o.find(t, each+1, fmt.Sprintf("FlorinParty = '%s'", alice.parties[0]))
	o.find(t, each, "FlorinUser = 'bob'")
	o.find(t, each, "FlorinPartyHint = 'bob' AND FlorinKind = 'command'")
	o.find(t, each+1, "FlorinPartyHint = 'ali:*' AND FlorinKind = 'command'")
	o.find(t, 2*each+1, "FlorinChoice = 'AmuletRules_DevNet_Tap' AND FlorinKind = 'command'")
	o.find(t, 2*each+1, "FlorinTemplate = 'Splice.AmuletRules.AmuletRules' AND FlorinKind = 'command'")
	o.find(t, 2*each+1, "FlorinTemplate = 'AmuletR:*' AND FlorinKind = 'command'")
	for commandID, outcome := range outcomes {
		workflow := o.find(t, 1, fmt.Sprintf("FlorinCommandId = '%s'", commandID))[0]
		require.Regexp(t, "^[0-9a-f]{8}:submit:"+commandID+":", workflow.GetExecution().GetWorkflowId())
		require.Equal(t, "SubmitCommands", workflow.GetType().GetName())
		require.Equal(t, []string{"accepted"}, attribute(t, workflow, "FlorinOutcome"))
		result := o.result(t, workflow)
		require.Len(t, result.Outcomes, 1)
		require.Equal(t, commandID, result.Outcomes[0].CommandID)
		require.Equal(t, outcome.UpdateID, result.Outcomes[0].UpdateID)
		require.Equal(t, outcome.CompletionOffset, result.Outcomes[0].Offset)
		who, _, _ := strings.Cut(strings.TrimPrefix(commandID, "mint-"), "-")
		summary, details := o.shown(t, workflow)
		require.Equal(t, who+" gets 1 CC of test coin", summary)
		require.Contains(t, details, fmt.Sprintf("| `%s` | `%s: AmuletRules_DevNet_Tap` | accepted | %d | `%s` |", commandID,
			who, outcome.CompletionOffset, outcome.UpdateID))
	}

	// The workflow of a refused submission completes, with the reason in its result.
	query := fmt.Sprintf("FlorinOutcome = 'refused' AND FlorinErrorCode = '%s'", client.Code(err))
	workflow := o.find(t, 1, query)[0]
	var commands string
	memo := workflow.GetMemo().GetFields()["commands"]
	require.NoError(t, converter.GetDefaultDataConverter().FromPayload(memo, &commands))
	require.Equal(t, "AmuletRules_DevNet_Tap", commands)
	o.find(t, 1, "FlorinErrorCode IS NOT NULL")
	require.Equal(t, []string{"mint-nothing"}, attribute(t, workflow, "FlorinCommandId"))
	require.Equal(t, "Completed", workflow.GetStatus().String())
	result := o.result(t, workflow)
	require.Empty(t, result.Outcomes[0].UpdateID)
	require.Contains(t, result.Outcomes[0].Refusal, client.Code(err))
	require.Equal(t, result.Outcomes[0].Offset, alice.awaitCompletion(t, "mint-nothing").Offset)
}

func TestBatch_SharesWorkflows(t *testing.T) {
	t.Parallel()
	o := newObserved(t)
	const submissions = 150
	names := o.burst(t, submissions)
	workflows := o.closedWorkflows(t, submissions)
	require.Less(t, len(workflows), submissions, "fewer workflows than submissions")
	t.Logf("%d submissions in %d workflows", submissions, len(workflows))
	var carried []string
	for _, workflow := range workflows {
		listed := attribute(t, workflow, "FlorinCommandId")
		result := o.result(t, workflow)
		require.Len(t, result.Outcomes, len(listed))
		for i, outcome := range result.Outcomes {
			require.Equal(t, listed[i], outcome.CommandID)
		}
		if len(listed) > 1 {
			require.Regexp(t, "^[0-9a-f]{8}:submit-batch:", workflow.GetExecution().GetWorkflowId())
		}
		carried = append(carried, listed...)
	}
	slices.Sort(carried)
	require.Equal(t, names, carried, "each submission is in exactly one workflow, and is found there")
	for _, name := range []string{names[0], names[submissions/2], names[submissions-1]} {
		o.find(t, 1, fmt.Sprintf("FlorinCommandId = '%s'", name))
	}
}

func TestBatch_OfOneHasItsOwnWorkflow(t *testing.T) {
	t.Parallel()
	o := newObserved(t, "--max-batch", "1")
	const submissions = 40
	names := o.burst(t, submissions)
	var carried []string
	for _, workflow := range o.find(t, submissions, "FlorinKind = 'command' AND FlorinOutcome = 'accepted'") {
		carried = append(carried, attribute(t, workflow, "FlorinCommandId")...)
	}
	slices.Sort(carried)
	require.Equal(t, names, carried)
}

// burst makes submissions all at once, waits for their completions, and returns their sorted command ids.
func (o *observedNode) burst(t *testing.T, submissions int) []string {
	t.Helper()
	alice := newAccount(t, o.endpoint, o.dso, "alice", "alice")
	names := make([]string, submissions)
	group, ctx := errgroup.WithContext(t.Context())
	for i := range names {
		names[i] = fmt.Sprintf("burst-%03d", i)
		group.Go(func() error { return alice.Submit(ctx, alice.tap(o.coin, names[i], 1)) })
	}
	require.NoError(t, group.Wait())
	await(t, "the completions of the burst", func() error {
		completions, err := alice.completionsFrom(t.Context(), 0)
		if err == nil && len(completions) < submissions {
			err = fmt.Errorf("%d of %d", len(completions), submissions)
		}
		for _, completion := range completions {
			require.Zero(t, completion.Status.Code, completion.Status.Message)
		}
		return err
	})
	return names
}

// closedWorkflows lists the closed workflows of commands. It waits until they have the expected number of submissions.
func (o *observedNode) closedWorkflows(t *testing.T, submissions int) []*workflowpb.WorkflowExecutionInfo {
	t.Helper()
	var closed []*workflowpb.WorkflowExecutionInfo
	await(t, "Temporal's index is up to date", func() error {
		answer, err := o.temporal.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{
			PageSize: 1000, Query: "FlorinKind = 'command' AND FlorinOutcome IS NOT NULL",
		})
		if err != nil {
			return err
		}
		closed = answer.GetExecutions()
		carried := 0
		for _, workflow := range closed {
			carried += len(attribute(t, workflow, "FlorinCommandId"))
		}
		if carried < submissions {
			return fmt.Errorf("%d of %d submissions in %d workflows", carried, submissions, len(closed))
		}
		return nil
	})
	return closed
}
