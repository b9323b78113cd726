package ledger_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
)

// contract: completion-deduplication, submit-deduplication, submit-deduplication-default
func TestDeduplication_FindsAcceptedChanges(t *testing.T) {
	t.Parallel()
	offset := func(n ledger.Offset) *ledger.DeduplicationPeriod { return &ledger.DeduplicationPeriod{Offset: &n} }
	lasting := func(d time.Duration) *ledger.DeduplicationPeriod { return &ledger.DeduplicationPeriod{Duration: &d} }
	accepted := &ledger.AcceptedChange{Offset: 10, At: ledgertest.Start.Add(-time.Hour), SubmissionID: "earlier"}
	for name, c := range map[string]struct {
		requested *ledger.DeduplicationPeriod
		previous  *ledger.AcceptedChange
		pruned    ledger.Offset
		code      string        // "" when the submission may go on
		reported  ledger.Offset // of the completion
	}{
		"nothing before":                        {nil, nil, 3, "", 3},
		"an earlier success within the maximum": {nil, accepted, 0, "DUPLICATE_COMMAND", 9},
		"an empty period is the maximum":        {&ledger.DeduplicationPeriod{}, accepted, 0, "DUPLICATE_COMMAND", 9},
		"a duration that reaches the success":   {lasting(time.Hour), accepted, 0, "DUPLICATE_COMMAND", 9},
		"a duration that does not":              {lasting(time.Hour - time.Microsecond), accepted, 0, "", 10},
		"no duration at all":                    {lasting(0), accepted, 0, "", 10},
		"an offset before the success":          {offset(9), accepted, 0, "DUPLICATE_COMMAND", 9},
		"the offset of the success":             {offset(10), accepted, 0, "", 10},
		"an offset that was pruned":             {offset(4), accepted, 5, "INVALID_DEDUPLICATION_PERIOD", 0},
		"the last offset that was pruned":       {offset(5), nil, 5, "", 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			submission := ledger.Submission{
				Identity: ledger.DefaultUser("user"), CommandID: "command", ActAs: []ledger.Party{alice},
				Deduplication: c.requested,
			}
			period, refusal := ledger.Deduplicate(submission, c.previous, ledger.DeduplicationRules{
				Now: ledgertest.Start, Maximum: 24 * time.Hour, Pruned: c.pruned,
			})
			if c.code == "" {
				require.Nil(t, refusal)
				require.Equal(t, c.reported, *period.Offset)
				return
			}
			require.NotNil(t, refusal)
			require.Equal(t, c.code, refusal.Code)
			require.Equal(t, string(submission.ChangeID()), refusal.Context["changeId"])
			if c.code == fault.InvalidDeduplicationPeriod.ID {
				require.Equal(t, *lasting(0), period)
			}
			if c.reported > 0 {
				require.Equal(t, c.reported, *period.Offset)
				require.Equal(t, "Some(earlier)", refusal.Context["existingSubmissionId"])
				require.Equal(t, "10", refusal.Context["completion_offset"])
			}
		})
	}
}

var errLostStore = errors.New("the store is lost")

func circumstances(book *ledgertest.Ledger) ledger.Circumstances {
	known := func(ledger.Party) (bool, error) { return true, book.Failure }
	return ledger.Circumstances{
		Packages: book.Packages, Store: book, Secret: []byte("secret"), IsLocal: known, IsKnown: known,
		MaySubmit:     func(ledger.Party) bool { return true },
		Deduplication: ledger.DeduplicationRules{Now: book.Now, Maximum: time.Hour},
	}
}

func issuing(t *testing.T, book *ledgertest.Ledger) ledger.Submission {
	t.Helper()
	command, err := ledgertest.CreateCommand(book, iou())
	require.NoError(t, err)
	return ledger.Submission{
		Key: "key", Identity: ledger.DefaultUser("user"), CommandID: "command", SubmissionID: "submission",
		WorkflowID: "workflow",
		ActAs:      []ledger.Party{alice},
		Commands:   []ledger.Command{command}, Trace: ledger.TraceContext{Traceparent: "trace"},
	}
}

func TestDecide_AcceptsWithUpdateAndCompletion(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	submission, at := issuing(t, book), ledger.Position{Offset: 7, RecordTime: ledgertest.Start}
	decision, err := ledger.Decide(submission, at, circumstances(book))
	require.NoError(t, err)
	require.True(t, decision.Completion.Accepted())
	require.Equal(t, ledger.Offset(7), decision.Completion.Offset)
	require.Equal(t, submission.ChangeID(), decision.Completion.ChangeID)
	require.Equal(t, decision.Update.ID, decision.Completion.UpdateID)
	require.Regexp(t, "^1220[0-9a-f]{64}$", string(decision.Update.ID))
	require.Equal(t, ledgertest.Start, decision.Update.EffectiveAt)
	require.Equal(t, "workflow", decision.Update.WorkflowID)
	require.Len(t, decision.Update.Events, 1)
	require.Len(t, decision.Created, 1)
	require.Empty(t, decision.Archived)
	require.Positive(t, decision.Completion.PaidTrafficCost)
	again, err := ledger.Decide(submission, at, circumstances(book))
	require.NoError(t, err)
	require.Equal(t, decision, again)
}

func TestDecide_ReturnsRefusalsAsDecisions(t *testing.T) {
	t.Parallel()
	nobody := func(ledger.Party) (bool, error) { return false, nil }
	for name, c := range map[string]struct {
		change func(s *ledger.Submission, c *ledger.Circumstances)
		code   fault.Code
	}{
		"a duplicate": {
			func(_ *ledger.Submission, c *ledger.Circumstances) {
				c.Previous = &ledger.AcceptedChange{Offset: 1, At: ledgertest.Start}
			}, fault.DuplicateCommand,
		},
		"an actor that is not hosted": {
			func(_ *ledger.Submission, c *ledger.Circumstances) { c.IsLocal = nobody },
			fault.NoSynchronizerOnWhichAllSubmittersCanSubmit,
		},
		"an observer that nobody knows": {
			func(_ *ledger.Submission, c *ledger.Circumstances) { c.IsKnown = nobody }, fault.UnknownInformees,
		},
		"missing authority": {
			func(s *ledger.Submission, _ *ledger.Circumstances) { s.ActAs = []ledger.Party{bob} }, fault.DamlAuthorizationError,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			book := newLedger(t)
			submission, circumstances := issuing(t, book), circumstances(book)
			c.change(&submission, &circumstances)
			decision, err := ledger.Decide(submission, ledger.Position{Offset: 3, RecordTime: ledgertest.Start}, circumstances)
			require.NoError(t, err)
			require.False(t, decision.Completion.Accepted())
			require.Equal(t, c.code.ID, decision.Completion.Refusal.Code)
			require.Equal(t, ledger.Offset(3), decision.Completion.Offset)
			require.Empty(t, decision.Completion.UpdateID)
			require.Nil(t, decision.Update)
			require.Empty(t, decision.Created)
		})
	}
}

func TestDecide_ReturnsStoreError(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	submission := issuing(t, book)
	book.Failure = errLostStore
	decision, err := ledger.Decide(submission, ledger.Position{Offset: 3}, circumstances(book))
	require.ErrorIs(t, err, errLostStore)
	require.Equal(t, ledger.Decision{}, decision)
}
