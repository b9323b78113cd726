package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// A user of Temporal can bring a timed submission to the commit at once: alone, and beside submissions that make it
// look as if it had waited.
func TestCommitSubmissions_WaitsForTheLowerBoundOfLedgerTime(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{
		ledger.KindCommand, ledger.KindWallet, ledger.KindLifecycle, ledger.KindBootstrap, ledger.KindExternal,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t)
			count := countForged(b)
			bound := b.now.Add(2 * time.Hour)
			early := b.submission("early", []ledger.Party{alice}, create(alice))
			early.Kind, early.MinLedgerTime = kind, &bound
			early = b.seal(early)
			forged, far := early, b.now.Add(73*365*24*time.Hour)
			forged.MinLedgerTime, forged.CommandID = &far, "forged"
			claimed := early
			claimed.Signed, claimed.CommandID = &ledger.SignedTransaction{}, "claimed"
			signed := b.submission("signed", []ledger.Party{alice})
			signed.Signed = &ledger.SignedTransaction{}
			good := b.submission("good", []ledger.Party{alice}, create(alice))
			batch := []ledger.Submission{forged, claimed, b.seal(signed), early, good}

			commit := func() []activities.Outcome {
				done, err := b.activities.CommitSubmissions(t.Context(), activities.CommitSubmissionsInput{Submissions: batch})
				require.NoError(t, err)
				return done.Outcomes
			}
			first := commit()
			require.Equal(t, notSealed, first[0].Refusal)
			require.Equal(t, notSealed, first[1].Refusal)
			require.Equal(t, int64(2), count.Load())
			require.NotEmpty(t, first[2].Refusal)
			require.Equal(t, activities.Outcome{CommandID: "early", TooEarly: true}, first[3])
			require.NotEmpty(t, first[4].UpdateID)
			head, err := b.db.Head(t.Context())
			require.NoError(t, err)
			require.Equal(t, ledger.Offset(2), head.Offset, "an early submission leaves nothing in the record")
			wait, err := b.activities.ReachLedgerTime(t.Context(), activities.ReachLedgerTimeInput{
				WorkflowID: "w", Submission: early,
			})
			require.NoError(t, err)
			require.Equal(t, 2*time.Hour, wait)

			b.now = bound.Add(-time.Microsecond)
			require.True(t, commit()[3].TooEarly)
			b.now = bound
			last := commit()
			require.Equal(t, first[2], last[2])
			require.Equal(t, first[4], last[4])
			update, found, err := b.db.UpdateByID(t.Context(), last[3].UpdateID)
			require.NoError(t, err)
			require.True(t, found)
			require.Equal(t, bound, update.EffectiveAt)
			require.Equal(t, bound, update.RecordTime)
			b.now = b.now.Add(time.Hour)
			require.Equal(t, last, commit(), "the completion stays")
		})
	}
}

// Submissions of every kind come at the end of the deduplication period, and after it, when the refusal is final.
func TestCommitSubmissions_RefusesAfterTheDeduplicationPeriod(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{
		ledger.KindCommand, ledger.KindWallet, ledger.KindLifecycle, ledger.KindBootstrap,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t)
			onTime, late := b.submission("on time", []ledger.Party{alice}, create(alice)),
				b.submission("late", []ledger.Party{alice}, create(alice))
			onTime.Kind, late.Kind = kind, kind
			b.now = b.now.Add(24 * time.Hour)
			require.Nil(t, b.commit(onTime)[0].Refusal)
			b.now = b.now.Add(time.Microsecond)
			refused := b.commit(late)[0]
			require.True(t, fault.NotSequencedTimeout.Matches(refused.Refusal), "%v", refused.Refusal)
			b.now = b.now.Add(365 * 24 * time.Hour)
			require.Equal(t, refused, b.commit(late)[0])
			again := b.submission("late", []ledger.Party{alice}, create(alice))
			again.Key, again.Kind = "key-again", kind
			require.Nil(t, b.commit(again)[0].Refusal, "a new submission of the client")
		})
	}
}
