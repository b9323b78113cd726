package ledger_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
)

// contract: submit-min-time-abs
func TestMinLedgerTime_IsALowerBound(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	for bound, early := range map[time.Duration]bool{
		-time.Hour: false, 0: false, 999: false, time.Microsecond: true, time.Minute: true, time.Hour: true,
	} {
		submission := issuing(t, book)
		minimum := ledgertest.Start.Add(bound)
		submission.MinLedgerTime = &minimum
		require.Equal(t, early, submission.TooEarly(ledgertest.Start), bound)
		decision, err := ledger.Decide(submission, ledger.Position{RecordTime: ledgertest.Start}, circumstances(book))
		if early {
			require.ErrorIs(t, err, ledger.ErrTooEarly, bound)
			require.Equal(t, ledger.Decision{}, decision)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, ledgertest.Start, decision.Update.EffectiveAt)
		require.Equal(t, ledgertest.Start, decision.Update.RecordTime)
	}
}

// TestDecide_KeepsLowerBoundsOfTime draws time bounds of submissions, also of signed ones, and creation times of their
// inputs. The effective time of an accepted submission is the record time, within the tolerance.
func TestDecide_KeepsLowerBoundsOfTime(t *testing.T) {
	t.Parallel()
	nothing := func(ledger.Transaction) error { return nil }
	rapid.Check(t, func(r *rapid.T) {
		book := newLedger(t)
		draw := func(label string) time.Duration {
			return time.Duration(rapid.Int64Range(-int64(3*time.Hour), int64(3*time.Hour)).Draw(r, label))
		}
		bound := func(label string) *time.Time {
			if rapid.Bool().Draw(r, "no "+label) {
				return nil
			}
			return new(ledgertest.Start.Add(draw(label)))
		}
		submission := issuing(t, book)
		submission.MinLedgerTime = bound("minimum")
		usedAt := ledgertest.Start
		if rapid.Bool().Draw(r, "uses") {
			book.Now = ledgertest.Start.Add(draw("used")).Truncate(time.Microsecond)
			id := create(t, book, iou(), alice)
			usedAt, book.Now = book.Now, ledgertest.Start
			command, err := ledgertest.ExerciseCommand(book, id, ledgertest.Inspect{By: []ledger.Party{alice}})
			require.NoError(t, err)
			submission.Commands = []ledger.Command{command}
		}
		circumstances := circumstances(book)
		signed := rapid.Bool().Draw(r, "signed")
		if signed {
			submission.Signed = &ledger.SignedTransaction{}
			circumstances.External = &ledger.External{
				Run: ledger.PreparedRun{RootSeeds: [][32]byte{{}}, At: ledgertest.Start}, Earliest: bound("earliest"),
				Latest: bound("latest"), Authorize: func() error { return nil }, Verify: nothing,
			}
		}
		decision, err := ledger.Decide(submission, ledger.Position{Offset: 1, RecordTime: ledgertest.Start}, circumstances)
		if err != nil {
			require.ErrorIs(t, err, ledger.ErrTooEarly)
			require.True(t, submission.TooEarly(ledgertest.Start))
			return
		}
		if refusal := decision.Completion.Refusal; refusal != nil {
			require.True(t, fault.LocalVerdictLedgerTimeOutOfBound.Matches(refusal), "%v", refusal)
			require.True(t, signed || usedAt.After(ledgertest.Start.Add(ledger.LedgerTimeTolerance)), "%v", refusal)
			return
		}
		ahead := decision.Update.EffectiveAt.Sub(ledgertest.Start)
		require.LessOrEqual(t, ahead, ledger.LedgerTimeTolerance)
		if !signed && !usedAt.After(ledgertest.Start) {
			require.Zero(t, ahead)
		}
		if bound := submission.MinLedgerTime; bound != nil && !signed {
			require.False(t, decision.Update.EffectiveAt.Before(bound.Truncate(time.Microsecond)))
		}
	})
}

// TestDecide_MakesNoChangeTwiceForALateSubmission holds a submission back. Its client makes the change again, and the
// first submission arrives at any time after that.
func TestDecide_MakesNoChangeTwiceForALateSubmission(t *testing.T) {
	t.Parallel()
	const maximum, most = 7 * 24 * time.Hour, int64(60 * 24 * time.Hour)
	rapid.Check(t, func(r *rapid.T) {
		book := newLedger(t)
		draw := func(label string, upTo int64) time.Duration {
			return time.Duration(rapid.Int64Range(0, upTo).Draw(r, label))
		}
		stopped := issuing(t, book)
		stopped.ReceivedAt = ledgertest.Start
		if rapid.Bool().Draw(r, "timed") {
			stopped.MinLedgerTime = new(ledgertest.Start.Add(draw("wait", int64(24*time.Hour))))
		}
		again := ledgertest.Start.Add(draw("again", most))
		late := again.Add(draw("late", most))
		if rapid.Bool().Draw(r, "at the end") {
			late = stopped.ReceivedAt.Add(maximum + draw("around", 2))
		}
		circumstances := circumstances(book)
		circumstances.Deduplication = ledger.DeduplicationRules{Now: late, Maximum: maximum}
		decide := func() ledger.Decision {
			decision, err := ledger.Decide(stopped, ledger.Position{Offset: 9, RecordTime: late}, circumstances)
			if err != nil {
				require.ErrorIs(t, err, ledger.ErrTooEarly)
			}
			return decision
		}
		// Without the second submission, the ledger accepts the first one until it is too old.
		if alone := decide(); alone.Completion.Offset != 0 {
			require.Equal(t, late.Sub(stopped.ReceivedAt) <= maximum, alone.Completion.Accepted(), alone.Completion.Refusal)
			if refusal := alone.Completion.Refusal; refusal != nil {
				require.True(t, fault.NotSequencedTimeout.Matches(refusal), "%v", refusal)
			}
		}
		if again.After(late) || stopped.TooEarly(late) {
			return
		}
		circumstances.Previous = &ledger.AcceptedChange{Offset: 8, At: again, SubmissionID: "again"}
		require.False(t, decide().Completion.Accepted())
	})
}

// TestDecide_GivesASubmissionADay has a ledger that deduplicates for only a microsecond.
func TestDecide_GivesASubmissionADay(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	book := newLedger(t)
	for name, c := range map[string]struct {
		wait, after, ahead time.Duration
		refused            bool
	}{
		"at once":                   {},
		"at the end of the day":     {after: day},
		"after it":                  {after: day + time.Microsecond, refused: true},
		"a day after its time":      {wait: 5 * time.Hour, after: day + 5*time.Hour},
		"later":                     {wait: 5 * time.Hour, after: day + 5*time.Hour + time.Microsecond, refused: true},
		"where the record is ahead": {after: time.Hour, ahead: 30 * day},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			submission := issuing(t, book)
			submission.ReceivedAt = ledgertest.Start
			submission.MinLedgerTime = new(ledgertest.Start.Add(c.wait))
			circumstances := circumstances(book)
			circumstances.Deduplication = ledger.DeduplicationRules{
				Now: ledgertest.Start.Add(c.after), Maximum: time.Microsecond,
			}
			at := ledger.Position{Offset: 9, RecordTime: circumstances.Deduplication.Now.Add(c.ahead)}
			decision, err := ledger.Decide(submission, at, circumstances)
			require.NoError(t, err)
			require.Equal(t, c.refused, fault.NotSequencedTimeout.Matches(decision.Completion.Refusal))
			require.Equal(t, !c.refused, decision.Completion.Accepted())
		})
	}
}
