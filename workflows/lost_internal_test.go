package workflows

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/workflowid"
)

// lossyTemporal fakes a Temporal that gives the same description of every workflow, and records the starts.
type lossyTemporal struct {
	client.Client

	err     error
	status  enumspb.WorkflowExecutionStatus
	queries []string
	started []string
	// startErr makes all starts fail.
	startErr error
}

// DescribeWorkflowExecution implements [client.Client].
func (f *lossyTemporal) DescribeWorkflowExecution(
	_ context.Context, workflowID, _ string,
) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	f.queries = append(f.queries, workflowID)
	return &workflowservice.DescribeWorkflowExecutionResponse{
		WorkflowExecutionInfo: &workflowpb.WorkflowExecutionInfo{Status: f.status},
	}, f.err
}

// ExecuteWorkflow implements [client.Client].
func (f *lossyTemporal) ExecuteWorkflow(
	_ context.Context, options client.StartWorkflowOptions, _ any, _ ...any,
) (client.WorkflowRun, error) {
	if f.startErr == nil {
		f.started = append(f.started, options.ID)
	}
	return nil, f.startErr
}

// fakeRecord is a record with some completions.
type fakeRecord struct {
	CompletionReader

	completions map[string]ledger.Completion
}

// CompletionsByKey implements [CompletionReader].
func (r *fakeRecord) CompletionsByKey(context.Context, []string) (map[string]ledger.Completion, error) {
	return r.completions, nil
}

const testLedger workflowid.Ledger = "0123abcd"

// lossyClient is a client after Temporal has taken two submissions in one workflow.
type lossyClient struct {
	*Client

	temporal *lossyTemporal
	record   *fakeRecord
	now      time.Time
}

func newLossyClient(t *testing.T) *lossyClient {
	t.Helper()
	l := &lossyClient{
		temporal: &lossyTemporal{}, record: &fakeRecord{completions: map[string]ledger.Completion{}},
		now: time.Unix(1_800_000_000, 0),
	}
	l.Client = NewClient(ClientOptions{
		Temporal: l.temporal, Ledger: testLedger, Record: l.record, Outcomes: activities.NewOutcomes(), MaxInFlight: 10, MaxUserInFlight: 10,
		AttributeBytes: DefaultAttributeBytes, StartTimeout: testDeadline, Clock: func() time.Time { return l.now },
	})
	var both []ledger.Submission
	for i := range 2 {
		s := testSubmission(i)
		require.Nil(t, l.flights.enter(s.ChangeID(), s, 100, "global::1220"))
		l.options.Outcomes.Expect(s.Key, func(ledger.Completion) { l.flights.leave(s.ChangeID(), s.Key) }, nil)
		both = append(both, s)
	}
	require.NoError(t, l.startWorkflow(t.Context(), both, nil))
	require.Equal(t, []string{"0123abcd:" + workflowIDOf(both).String()}, l.temporal.started)
	l.temporal.started = nil
	return l
}

func TestLost_SubmitsAgainWhatTemporalLost(t *testing.T) {
	t.Parallel()
	l := newLossyClient(t)
	l.temporal.err = serviceerror.NewNotFound("workflow execution not found")
	l.now = l.now.Add(lostAfter - time.Second)
	l.resubmitLost(t.Context())
	require.Empty(t, l.temporal.queries, "it may still get its completion")

	l.now = l.now.Add(time.Second)
	l.resubmitLost(t.Context())
	first, second := testSubmission(0), testSubmission(1)
	alone := []string{
		"0123abcd:" + submissionWorkflowID(first.CommandID, first.Key).String(),
		"0123abcd:" + submissionWorkflowID(second.CommandID, second.Key).String(),
	}
	require.ElementsMatch(t, alone, l.temporal.started)
	require.Zero(t, l.OldestWait(), "they wait from now on")
	l.resubmitLost(t.Context())
	require.Len(t, l.temporal.queries, 2, "Temporal is not asked all the time")

	l.temporal.started = nil
	l.record.completions[first.Key] = ledger.Completion{Key: first.Key}
	l.record.completions[second.Key] = ledger.Completion{Key: second.Key}
	l.now = l.now.Add(lostAfter)
	l.resubmitLost(t.Context())
	require.Empty(t, l.temporal.started)
	require.Empty(t, l.flights.byChange, "submissions in the record are no longer in flight")
}

// A worker on a copy of the database's files may end a workflow whose seal it does not know. If that happens again and
// again, the client must give up.
func TestLost_BoundsResubmissionsWithoutACompletion(t *testing.T) {
	t.Parallel()
	l := newLossyClient(t)
	l.temporal.status = enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
	l.now = l.now.Add(lostAfter)
	l.resubmitLost(t.Context())
	require.Empty(t, l.temporal.started)
	l.temporal.status = enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
	for range 2 * maxStarts {
		l.now = l.now.Add(lostAfter)
		l.resubmitLost(t.Context())
	}
	require.Len(t, l.temporal.started, 2*(maxStarts-1))
	l.now = l.now.Add(maxFlight)
	require.Len(t, l.flights.dropLost(), 2)
}

func TestLost_ResubmitsNothingThatTemporalMayHave(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"it has it": nil, "it does not answer": serviceerror.NewUnavailable("away"),
		"its namespace is gone": serviceerror.NewNamespaceNotFound("shop"),
	} {
		l := newLossyClient(t)
		l.temporal.err = err
		l.now = l.now.Add(lostAfter)
		l.resubmitLost(t.Context())
		require.Len(t, l.temporal.queries, 2, name)
		require.Empty(t, l.temporal.started, name)
		require.Equal(t, lostAfter, l.OldestWait(), "%s: it still waits", name)
	}
}
