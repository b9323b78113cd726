package activities_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/topology"
	"github.com/florinledger/florin/ledger/workflowid"
)

const notSealed = "not committed: no node of this ledger has sealed this submission"

// countForged counts the forged inputs of a bundle.
func countForged(b *bundle) *atomic.Int64 {
	count := &atomic.Int64{}
	b.activities.Forged = func() { count.Add(1) }
	return count
}

// The batch has unsealed, altered and foreign submissions beside a good one.
func TestSeal_RefusesAForgedSubmission(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	count := countForged(b)
	good := b.submission("good", []ledger.Party{alice}, create(alice))
	unsealed, altered, others := good, good, good
	unsealed.Key, unsealed.Seal = "key-unsealed", ""
	altered.ActAs = []ledger.Party{bob}
	others.Key = "key-others"
	other, err := newBundle(t).activities.Seal(t.Context(), others)
	require.NoError(t, err)
	done, err := b.activities.CommitSubmissions(t.Context(), activities.CommitSubmissionsInput{
		Submissions: []ledger.Submission{unsealed, altered, good, other},
	})
	require.NoError(t, err)
	for _, i := range []int{0, 1, 3} {
		require.Equal(t, activities.Outcome{CommandID: "good", Refusal: notSealed}, done.Outcomes[i])
	}
	require.Equal(t, activities.Outcome{
		CommandID: "good", Offset: 1, UpdateID: done.Outcomes[2].UpdateID,
	}, done.Outcomes[2])
	require.NotEmpty(t, done.Outcomes[2].UpdateID)
	require.Equal(t, int64(3), count.Load())
	head, err := b.db.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, ledger.Offset(1), head.Offset, "forged submissions leave nothing in the record")
	completions, err := b.db.CompletionsByKey(t.Context(), []string{unsealed.Key, other.Key})
	require.NoError(t, err)
	require.Empty(t, completions)
}

// The key comes after the process has read the keys.
func TestSeal_AcceptsANewKeyAtOnce(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	first, second := dbtest.Open(t, url), dbtest.Open(t, url)
	b := newBundle(t)
	b.db, b.activities.DB = first, first
	b.submission("warm", []ledger.Party{alice}) // reads the keys
	_, err := second.AddSealKey(t.Context())
	require.NoError(t, err)
	other := &activities.Activities{DB: second}
	sealed, err := other.Seal(t.Context(), b.submission("new", []ledger.Party{alice}, create(alice)))
	require.NoError(t, err)
	require.Contains(t, sealed.Seal, "1.2.")
	count := countForged(b)
	_, err = b.activities.CommitSubmissions(t.Context(),
		activities.CommitSubmissionsInput{Submissions: []ledger.Submission{sealed}})
	require.NoError(t, err)
	require.Zero(t, count.Load())
}

func TestCommitSubmissions_RefusesAfterItsCompletionIsPruned(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	refused := b.submission("refused", []ledger.Party{bob}, create(alice))
	first := b.commit(refused)[0]
	require.NotNil(t, first.Refusal)
	waits := b.submission("waits", []ledger.Party{alice}, create(alice))
	b.now = b.now.Add(time.Hour)
	_, err := dbtest.Prune(t.Context(), b.db, 1)
	require.NoError(t, err)
	require.Equal(t, first.Offset, b.commit(refused)[0].Offset, "recent completions are kept")

	b.now = b.now.Add(db.KeptCompletions)
	later := b.now
	waits.MinLedgerTime = &later
	b.commit(b.submission("next", []ledger.Party{alice}, create(alice)))
	_, err = dbtest.Prune(t.Context(), b.db, 1)
	require.NoError(t, err)
	again := b.commit(refused)[0]
	require.True(t, fault.ParticipantPrunedDataAccessed.Matches(again.Refusal), "%v", again.Refusal)
	require.Nil(t, b.commit(waits)[0].Refusal, "it has no earlier completion, because its time had not come")
	require.Nil(t, b.commit(b.submission("new", []ledger.Party{alice}, create(alice)))[0].Refusal)
}

// The prune comes between the receipt and the commit of a submission.
func TestCommitSubmissions_DecidesSubmissionsInFlightAfterAPrune(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	inFlight := b.submission("in-flight", []ledger.Party{alice}, create(alice))
	refused := b.submission("refused", []ledger.Party{bob}, create(alice))
	b.now = b.now.Add(time.Hour)
	b.commit(b.submission("others", []ledger.Party{alice}, create(alice)))
	end := b.commit(refused)[0]
	_, err := dbtest.Prune(t.Context(), b.db, end.Offset)
	require.NoError(t, err)
	b.now = b.now.Add(time.Minute)
	require.Nil(t, b.commit(inFlight)[0].Refusal)
	require.Equal(t, end, b.commit(refused)[0], "the first decision stays")
}

func TestReachLedgerTime_IgnoresAForgedSubmission(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	count := countForged(b)
	waits := b.submission("waits", []ledger.Party{alice}, create(alice))
	until := b.now.Add(time.Hour)
	waits.MinLedgerTime = &until
	id := workflowid.Of("preapproval", "alice")
	in := activities.ReachLedgerTimeInput{WorkflowID: id.String(), Submission: waits}
	wait, err := b.activities.ReachLedgerTime(t.Context(), in)
	require.NoError(t, err)
	require.Zero(t, wait)
	require.Equal(t, int64(1), count.Load())
	_, exists, err := b.db.Lifecycle(t.Context(), in.WorkflowID)
	require.NoError(t, err)
	require.False(t, exists)

	// A sealed one waits, but does not take the place of a lifecycle workflow.
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.TouchLifecycles(t.Context(), []db.LifecycleChange{{
			WorkflowID: id, Kind: "KeepPreapproval", Parties: []ledger.Party{alice},
			Created: []ledger.ContractID{"00aa"},
		}})
	}))
	before, _, err := b.db.Lifecycle(t.Context(), in.WorkflowID)
	require.NoError(t, err)
	in.Submission = b.seal(waits)
	wait, err = b.activities.ReachLedgerTime(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, time.Hour, wait)
	_, err = b.activities.LeaveLedgerTime(t.Context(), in.WorkflowID)
	require.NoError(t, err)
	after, exists, err := b.db.Lifecycle(t.Context(), in.WorkflowID)
	require.NoError(t, err)
	require.True(t, exists)
	require.Equal(t, before, after)
}

// One contribution has no seal; the other names another user than the sealed one.
func TestContributeToOnboarding_RefusesAForgedContribution(t *testing.T) {
	t.Parallel()
	a := onboarder(t)
	count := atomic.Int64{}
	a.Forged = func() { count.Add(1) }
	in := contributionTo(t, onboardingKey(t, 1), "one", a.Node.ParticipantID)
	altered, err := a.SealContribution(t.Context(), in)
	require.NoError(t, err)
	altered.UserID = "mallory"
	for _, forged := range []topology.Contribution{in, altered} {
		outcome, err := a.ContributeToOnboarding(t.Context(), forged)
		require.NoError(t, err)
		require.Equal(t, topology.Refused, outcome.Progress)
		require.ErrorContains(t, outcome.Err(), "No node of this ledger has sealed")
	}
	require.Equal(t, int64(2), count.Load())
	head, err := a.DB.Head(t.Context())
	require.NoError(t, err)
	require.Zero(t, head.Offset)
	outcome, err := contribute(t, a, in)
	require.NoError(t, err)
	require.Equal(t, topology.Allocated, outcome.Progress)
}
