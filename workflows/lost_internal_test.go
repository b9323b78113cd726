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

// forgetful is a Temporal that says of every workflow the same, and notes what is started.
type forgetful struct {
	client.Client

	says    error
	status  enumspb.WorkflowExecutionStatus
	asked   []string
	started []string
	// refuses is why nothing is started.
	refuses error
}

// DescribeWorkflowExecution implements [client.Client].
func (f *forgetful) DescribeWorkflowExecution(
	_ context.Context, workflowID, _ string,
) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	f.asked = append(f.asked, workflowID)
	return &workflowservice.DescribeWorkflowExecutionResponse{
		WorkflowExecutionInfo: &workflowpb.WorkflowExecutionInfo{Status: f.status},
	}, f.says
}

// ExecuteWorkflow implements [client.Client].
func (f *forgetful) ExecuteWorkflow(
	_ context.Context, options client.StartWorkflowOptions, _ any, _ ...any,
) (client.WorkflowRun, error) {
	if f.refuses == nil {
		f.started = append(f.started, options.ID)
	}
	return nil, f.refuses
}

// kept is a record with some completions.
type kept struct {
	CompletionReader

	completions map[string]ledger.Completion
}

// CompletionsByKey implements [CompletionReader].
func (k *kept) CompletionsByKey(context.Context, []string) (map[string]ledger.Completion, error) {
	return k.completions, nil
}

// testLedger is the ledger of clients in tests.
const testLedger workflowid.Ledger = "0123abcd"

// losing is a client two of whose submissions Temporal has taken in one workflow, and its clock.
type losing struct {
	*Client

	temporal *forgetful
	record   *kept
	now      time.Time
}

func newLosing(t *testing.T) *losing {
	t.Helper()
	l := &losing{
		temporal: &forgetful{}, record: &kept{completions: map[string]ledger.Completion{}},
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
		l.options.Outcomes.Expect(s.Key, func(ledger.Completion) { l.flights.leave(s.ChangeID(), s.Key) })
		both = append(both, s)
	}
	require.NoError(t, l.startWorkflow(t.Context(), both))
	require.Equal(t, []string{"0123abcd:" + workflowIDOf(both).String()}, l.temporal.started)
	l.temporal.started = nil
	return l
}

func TestLost_SubmitsAgainWhatTemporalLost(t *testing.T) {
	t.Parallel()
	l := newLosing(t)
	l.temporal.says = serviceerror.NewNotFound("workflow execution not found")
	l.now = l.now.Add(lostAfter - time.Second)
	l.resubmitLost(t.Context())
	require.Empty(t, l.temporal.asked, "it may still get its completion")

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
	require.Len(t, l.temporal.asked, 2, "Temporal is not asked all the time")

	l.temporal.started = nil
	l.record.completions[first.Key] = ledger.Completion{Key: first.Key}
	l.record.completions[second.Key] = ledger.Completion{Key: second.Key}
	l.now = l.now.Add(lostAfter)
	l.resubmitLost(t.Context())
	require.Empty(t, l.temporal.started)
	require.Empty(t, l.flights.byChange, "what the record has is no longer on its way")
}

// A worker on a copy of the database's files may end a workflow of a submission whose seal it does not know. Where that
// goes on, or the ledger's own workers do it, there is an end.
func TestLost_BoundsResubmissionsWithoutACompletion(t *testing.T) {
	t.Parallel()
	l := newLosing(t)
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

func TestLost_SparesWhatTemporalMayStillHave(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]error{
		"it has it": nil, "it does not answer": serviceerror.NewUnavailable("away"),
		"its namespace is gone": serviceerror.NewNamespaceNotFound("shop"),
	} {
		l := newLosing(t)
		l.temporal.says = says
		l.now = l.now.Add(lostAfter)
		l.resubmitLost(t.Context())
		require.Len(t, l.temporal.asked, 2, name)
		require.Empty(t, l.temporal.started, name)
		require.Equal(t, lostAfter, l.OldestWait(), "%s: it still waits", name)
	}
}
