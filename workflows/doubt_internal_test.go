package workflows

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/seal"
)

// freezer fakes Temporal and a record that can stop answering.
type freezer struct {
	client.Client
	CompletionReader

	mu          sync.Mutex
	frozen      bool
	recordFails error
	// takes: a frozen Temporal starts workflows, and only the answer gets lost.
	takes       bool
	has         map[string]bool
	completions map[string]ledger.Completion
}

func (f *freezer) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// ExecuteWorkflow implements [client.Client].
func (f *freezer) ExecuteWorkflow(
	ctx context.Context, options client.StartWorkflowOptions, _ any, _ ...any,
) (client.WorkflowRun, error) {
	f.mu.Lock()
	frozen := f.frozen
	if !frozen || f.takes {
		f.has[options.ID] = true
	}
	f.mu.Unlock()
	if frozen {
		<-ctx.Done()
		return nil, serviceerror.NewDeadlineExceeded(ctx.Err().Error())
	}
	return nil, nil //nolint:nilnil // nobody uses the run
}

// DescribeWorkflowExecution implements [client.Client].
func (f *freezer) DescribeWorkflowExecution(
	ctx context.Context, workflowID, _ string,
) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	f.mu.Lock()
	frozen, known := f.frozen, f.has[workflowID]
	f.mu.Unlock()
	switch {
	case frozen:
		<-ctx.Done()
		return nil, serviceerror.NewDeadlineExceeded(ctx.Err().Error())
	case !known:
		return nil, serviceerror.NewNotFound("workflow execution not found")
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{}, nil
}

// CompletionsByKey implements [CompletionReader].
func (f *freezer) CompletionsByKey(context.Context, []string) (map[string]ledger.Completion, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.completions, f.recordFails
}

// SealKeys implements [CompletionReader].
func (f *freezer) SealKeys(context.Context) (*seal.Keys, error) {
	return seal.NewKeys(seal.Key{ID: 1, Secret: make([]byte, seal.SecretBytes)})
}

// doubtClient is a client of a frozen Temporal after submissions whose starts have all failed. Half of the callers
// left, half got the error.
type doubtClient struct {
	*Client
	*freezer

	now time.Time
}

// doubtfulCount is the number of submissions of a doubtClient.
const doubtfulCount = 24

func newDoubtClient(t *testing.T, takes bool) *doubtClient {
	t.Helper()
	d := &doubtClient{
		freezer: &freezer{frozen: true, takes: takes, has: map[string]bool{}}, now: time.Unix(1_800_000_000, 0),
	}
	d.Client = NewClient(ClientOptions{
		Temporal: d.freezer, Record: d.freezer, Outcomes: activities.NewOutcomes(), MaxBatch: 64, MaxInFlight: 100,
		MaxUserInFlight: 100, AttributeBytes: DefaultAttributeBytes, StartTimeout: 50 * time.Millisecond,
		Clock: func() time.Time { return d.now },
	})
	var callers sync.WaitGroup
	for i := range doubtfulCount {
		ctx, leave := context.WithCancel(t.Context())
		if i%2 == 0 {
			leave()
		}
		callers.Go(func() {
			defer leave()
			err := d.Submit(ctx, testSubmission(i))
			if i%2 == 0 && errors.Is(err, context.Canceled) {
				return
			}
			if !fault.ServiceNotRunning.Matches(err) {
				t.Errorf("submission %d: %v", i, err)
			}
		})
	}
	callers.Wait()
	require.Eventually(t, func() bool { return d.doubtful() == doubtfulCount }, testDeadline, time.Millisecond,
		"all starts fail, even if the caller has left")
	return d
}

func (d *doubtClient) doubtful() (count int) {
	for _, flights := range d.flights.doubts() {
		count += len(flights)
	}
	return count
}

// submitAgain submits all again, as a client does, and returns the errors.
func (d *doubtClient) submitAgain(t *testing.T) []error {
	t.Helper()
	errs := make([]error, doubtfulCount)
	var callers sync.WaitGroup
	for i := range doubtfulCount {
		callers.Go(func() {
			again := testSubmission(i)
			again.Key += "-again"
			errs[i] = d.Submit(t.Context(), again)
		})
	}
	callers.Wait()
	return errs
}

func TestClient_EndsAFlightWhoseStartHasFailed(t *testing.T) {
	t.Parallel()
	d := newDoubtClient(t, false)
	d.settleOnce(t.Context())
	for _, err := range d.submitAgain(t) {
		require.True(t, fault.ServiceNotRunning.Matches(err), "Temporal has not answered: %v", err)
	}
	away := errors.New("the database does not answer")
	d.set(func() { d.frozen, d.recordFails = false, away })
	d.settleOnce(t.Context())
	require.Equal(t, doubtfulCount, d.doubtful(), "the record does not answer either")

	d.set(func() { d.recordFails = nil })
	d.settleOnce(t.Context())
	require.Empty(t, d.flights.byChange)
	require.Zero(t, d.flights.underWay.places.Taken())
	require.Empty(t, d.options.Outcomes.Expected())
	for _, err := range d.submitAgain(t) {
		require.NoError(t, err)
	}
}

func TestClient_KeepsAStartedFlightDespiteAnError(t *testing.T) {
	t.Parallel()
	d := newDoubtClient(t, true)
	d.set(func() { d.frozen = false })
	d.settleOnce(t.Context())
	require.Zero(t, d.doubtful())
	for _, err := range d.submitAgain(t) {
		require.True(t, fault.SubmissionAlreadyInFlight.Matches(err), "it is in flight: %v", err)
	}
	for i := range doubtfulCount {
		d.options.Outcomes.Publish(ledger.Completion{Key: testSubmission(i).Key})
	}
	require.Empty(t, d.flights.byChange)
}

func TestClient_EndsADoubtfulFlightWithACompletion(t *testing.T) {
	t.Parallel()
	d := newDoubtClient(t, false)
	completions := map[string]ledger.Completion{}
	for i := range doubtfulCount {
		key := testSubmission(i).Key
		completions[key] = ledger.Completion{Key: key}
	}
	d.set(func() { d.frozen, d.completions = false, completions })
	d.settleOnce(t.Context())
	require.Empty(t, d.flights.byChange)
	require.Empty(t, d.options.Outcomes.Expected())
}

// Temporal may never come back, for example after a move to another namespace. A change must not stay locked for ever.
func TestClient_DropsADoubtfulFlightAfterMaxFlight(t *testing.T) {
	t.Parallel()
	d := newDoubtClient(t, false)
	require.Empty(t, d.flights.dropLost())
	d.now = d.now.Add(maxFlight)
	require.Len(t, d.flights.dropLost(), doubtfulCount)
	require.Empty(t, d.flights.byChange)
}

// A flight stays acknowledged if its resubmission after a loss fails.
func TestClient_KeepsAStartedFlightWhenItsResubmissionFails(t *testing.T) {
	t.Parallel()
	l := newLossyClient(t)
	l.temporal.err = serviceerror.NewNotFound("workflow execution not found")
	l.temporal.startErr = errors.New("away")
	require.Error(t, l.startWorkflow(t.Context(), []ledger.Submission{testSubmission(0)}, nil))
	require.Empty(t, l.flights.doubts())
	l.settleOnce(t.Context())
	require.Len(t, l.flights.byChange, 2)
}
