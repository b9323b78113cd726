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

// freezer is a Temporal, and a record, that can stop answering.
type freezer struct {
	client.Client
	CompletionReader

	mu          sync.Mutex
	frozen      bool
	recordFails error
	// takes: what is started while it is frozen is started all the same, and only the answer is lost.
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
	return nil, nil //nolint:nilnil // nobody looks at the run
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

// doubting is a client of a frozen Temporal to which submissions were made: half of the callers left, half were told
// that it does not answer. All starts have failed.
type doubting struct {
	*Client
	*freezer

	now time.Time
}

// doubtfulCount is how many submissions a doubting client has.
const doubtfulCount = 24

func newDoubting(t *testing.T, takes bool) *doubting {
	t.Helper()
	d := &doubting{
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
		"all starts fail, whoever waits")
	return d
}

func (d *doubting) doubtful() (count int) {
	for _, flights := range d.flights.doubts() {
		count += len(flights)
	}
	return count
}

// submitAgain submits all anew, as a client does that tries again, and returns their errors.
func (d *doubting) submitAgain(t *testing.T) []error {
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
	d := newDoubting(t, false)
	d.askForDoubts(t.Context())
	for _, err := range d.submitAgain(t) {
		require.True(t, fault.ServiceNotRunning.Matches(err), "nobody knows yet: %v", err)
	}
	away := errors.New("the database does not answer")
	d.set(func() { d.frozen, d.recordFails = false, away })
	d.askForDoubts(t.Context())
	require.Equal(t, doubtfulCount, d.doubtful(), "nor can the record tell")

	d.set(func() { d.recordFails = nil })
	d.askForDoubts(t.Context())
	require.Empty(t, d.flights.byChange)
	require.Zero(t, d.flights.underWay.places.Taken())
	require.Empty(t, d.options.Outcomes.Expected())
	for _, err := range d.submitAgain(t) {
		require.NoError(t, err)
	}
}

func TestClient_KeepsAFlightThatHasStartedAlthoughTheAnswerWasAnError(t *testing.T) {
	t.Parallel()
	d := newDoubting(t, true)
	d.set(func() { d.frozen = false })
	d.askForDoubts(t.Context())
	require.Zero(t, d.doubtful())
	for _, err := range d.submitAgain(t) {
		require.True(t, fault.SubmissionAlreadyInFlight.Matches(err), "it is on its way: %v", err)
	}
	for i := range doubtfulCount {
		d.options.Outcomes.Publish(ledger.Completion{Key: testSubmission(i).Key})
	}
	require.Empty(t, d.flights.byChange)
}

func TestClient_EndsAFlightInDoubtThatTheRecordKnows(t *testing.T) {
	t.Parallel()
	d := newDoubting(t, false)
	completions := map[string]ledger.Completion{}
	for i := range doubtfulCount {
		key := testSubmission(i).Key
		completions[key] = ledger.Completion{Key: key}
	}
	d.set(func() { d.frozen, d.completions = false, completions })
	d.askForDoubts(t.Context())
	require.Empty(t, d.flights.byChange)
	require.Empty(t, d.options.Outcomes.Expected())
}

// A Temporal that never comes back, as one whose namespace moved, locks no change for longer than a lost flight.
func TestClient_DropsADoubtThatNobodySettles(t *testing.T) {
	t.Parallel()
	d := newDoubting(t, false)
	require.Empty(t, d.flights.dropLost())
	d.now = d.now.Add(maxFlight)
	require.Len(t, d.flights.dropLost(), doubtfulCount)
	require.Empty(t, d.flights.byChange)
}

// A flight that is submitted again after a loss stays acknowledged when that fails.
func TestClient_DoubtsNothingThatTemporalHad(t *testing.T) {
	t.Parallel()
	l := newLosing(t)
	l.temporal.says = serviceerror.NewNotFound("workflow execution not found")
	l.temporal.refuses = errors.New("away")
	require.Error(t, l.startWorkflow(t.Context(), []ledger.Submission{testSubmission(0)}))
	require.Empty(t, l.flights.doubts())
	l.askForDoubts(t.Context())
	require.Len(t, l.flights.byChange, 2)
}
