package activities_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// commitCounter counts commits and their new completions.
type commitCounter struct {
	mu    sync.Mutex
	sizes []int
	began chan struct{}
}

func (c *commitCounter) Did(string) {}

func (c *commitCounter) Committed(completions []ledger.Completion) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sizes = append(c.sizes, len(completions))
}

// whileHeadIsLocked runs a function during which nothing commits.
func (b *bundle) whileHeadIsLocked(do func()) {
	b.t.Helper()
	require.NoError(b.t, b.db.InTx(b.t.Context(), func(tx *db.Tx) error {
		_, err := tx.LockHead(b.t.Context())
		if err == nil {
			do()
		}
		return err
	}))
}

// awaitGroup waits until this number of activities waits for the next group.
func (b *bundle) awaitGroup(members int) {
	b.t.Helper()
	require.Eventually(b.t, func() bool { return b.activities.WaitingForGroup() == members }, time.Minute,
		time.Millisecond)
}

// commitTogether runs an activity for each submission. All but the first begin while the first waits for the head. It
// returns the outcomes, and the number of completions in each transaction.
func (b *bundle) commitTogether(submissions ...ledger.Submission) ([]activities.Outcome, []int) {
	b.t.Helper()
	counter := &commitCounter{began: make(chan struct{}, 1)}
	b.activities.Measure = func() activities.Measurement {
		select {
		case counter.began <- struct{}{}:
		default: // the test waits for the first only
		}
		return counter
	}
	outcomes := make([]activities.Outcome, len(submissions))
	var group errgroup.Group
	run := func(i int) {
		group.Go(func() error {
			out, err := b.activities.CommitSubmissions(b.t.Context(),
				activities.CommitSubmissionsInput{Submissions: submissions[i : i+1]})
			if err == nil {
				outcomes[i] = out.Outcomes[0]
			}
			return err
		})
	}
	b.whileHeadIsLocked(func() {
		run(0)
		<-counter.began
		for i := 1; i < len(submissions); i++ {
			run(i)
		}
		b.awaitGroup(len(submissions) - 1)
	})
	require.NoError(b.t, group.Wait())
	return outcomes, counter.sizes
}

func TestGroupCommit_SharesATransaction(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	var submissions []ledger.Submission
	for _, name := range []string{"a", "b", "c", "d"} {
		submissions = append(submissions, b.submission(name, []ledger.Party{alice}, create(alice)))
	}
	outcomes, sizes := b.commitTogether(submissions...)
	require.Equal(t, []int{1, 3}, sizes)
	for i, outcome := range outcomes {
		require.Equal(t, submissions[i].CommandID, outcome.CommandID)
		require.Empty(t, outcome.Refusal)
		require.NotZero(t, outcome.Offset)
	}
}

func TestGroupCommit_KeepsRefusalsApart(t *testing.T) {
	t.Parallel()
	b, _ := newPoisonedBundle(t)
	poisoned := altered(func(s *ledger.Submission) { s.CommandID += "\x00" })(b, "poisoned")
	outcomes, _ := b.commitTogether(b.healthy("a"), b.healthy("b"), b.seal(poisoned), b.healthy("c"))
	for i, outcome := range outcomes {
		require.Equal(t, i == 2, outcome.Refusal != "", "%+v", outcome)
		require.NotZero(t, outcome.Offset)
	}
}

func TestGroupCommit_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	ctx, cancel := context.WithCancel(t.Context())
	leaves := b.submission("leaves", []ledger.Party{alice}, create(alice))
	first := b.submission("first", []ledger.Party{alice}, create(alice))
	began, committed := make(chan struct{}, 1), make(chan error, 1)
	b.activities.Measure = func() activities.Measurement {
		began <- struct{}{}
		return &commitCounter{}
	}
	var left error
	b.whileHeadIsLocked(func() {
		go func() { //nolint:contextcheck // only the other activity has the context that ends
			_, err := b.activities.CommitSubmissions(t.Context(),
				activities.CommitSubmissionsInput{Submissions: []ledger.Submission{first}})
			committed <- err
		}()
		<-began
		done := make(chan error)
		go func() {
			_, err := b.activities.CommitSubmissions(ctx,
				activities.CommitSubmissionsInput{Submissions: []ledger.Submission{leaves}})
			done <- err
		}()
		b.awaitGroup(1)
		cancel()
		left = <-done
		b.awaitGroup(0)
	})
	require.NoError(t, <-committed)
	require.ErrorIs(t, left, context.Canceled)
	completions, err := b.db.CompletionsByKey(t.Context(), []string{leaves.Key})
	require.NoError(t, err)
	require.Empty(t, completions)
}

// panickingMeasurement panics when the first commit has ended.
type panickingMeasurement struct{ commits atomic.Int32 }

func (*panickingMeasurement) Did(string) {}

func (p *panickingMeasurement) Committed([]ledger.Completion) {
	if p.commits.Add(1) == 1 {
		panic("a defect")
	}
}

func TestGroupCommit_SurvivesAPanicOfItsLeader(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	measurement := &panickingMeasurement{}
	b.activities.Measure = func() activities.Measurement { return measurement }
	commit := func(name string) (activities.CommitSubmissionsResult, error) {
		return b.activities.CommitSubmissions(t.Context(), activities.CommitSubmissionsInput{
			Submissions: []ledger.Submission{b.submission(name, []ledger.Party{alice}, create(alice))},
		})
	}
	require.Panics(t, func() { _, _ = commit("a") }, "the worker recovers")
	out, err := commit("b")
	require.NoError(t, err)
	require.Len(t, out.Outcomes, 1)
}
