package activities_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/packages/catalog"
)

// trapped is a ledger with the package of traps, and a share of one processor for long code.
type trapped struct {
	*bundle

	traps lf.PackageID
}

func newTrapped(t *testing.T) *trapped {
	t.Helper()
	b := newBundle(t)
	traps := dartest.Compile(t, dartest.Traps)
	var err error
	b.activities.Catalog, err = catalog.New(t.Context(), catalog.Options{
		Node: b.activities.Node, BuiltIn: b.packages, Record: b.db, Now: b.activities.Clock,
	})
	require.NoError(t, err)
	require.NoError(t, b.activities.Catalog.Upload(t.Context(), dartest.DAR(t, traps), true, catalog.Request{}))
	b.packages, _ = b.activities.Catalog.Known()
	b.activities.Share = turns.NewShare(turns.ShareLimits{
		Processors: 1, ShortSteps: 20_000, ShortBytes: 8 << 20, Places: 4, PlaceBytes: 32 << 20,
	})
	b.activities.Outcomes = activities.NewOutcomes()
	return &trapped{b, traps.ID}
}

func (b *trapped) template() lf.TypeName {
	return lf.TypeName{Package: b.traps, Module: "T", Entity: "Trap"}
}

// trap creates a trap of alice.
func (b *trapped) trap(commandID string) ledger.ContractID {
	b.t.Helper()
	completion := b.commit(b.submission(commandID, []ledger.Party{alice}, ledger.Command{
		Create: &ledger.CreateCommand{Template: b.template(), Argument: json.RawMessage(`{"owner":"alice::1220"}`)},
	}))[0]
	return b.createdIn(completion)
}

func (b *trapped) spring(commandID string, id ledger.ContractID, choice, argument string) ledger.Submission {
	b.t.Helper()
	return b.submission(commandID, []ledger.Party{alice}, ledger.Command{Exercise: &ledger.ExerciseCommand{
		Template: b.template(), Contract: id, Choice: choice, Argument: json.RawMessage(argument),
	}})
}

// outcomes commits submissions once.
func (b *trapped) outcomes(submissions ...ledger.Submission) []activities.Outcome {
	b.t.Helper()
	result, err := b.activities.CommitSubmissions(b.t.Context(), activities.CommitSubmissionsInput{Submissions: submissions})
	require.NoError(b.t, err)
	return result.Outcomes
}

// decided commits a submission until it has a completion.
func (b *trapped) decided(submission ledger.Submission) (outcome activities.Outcome) {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		outcome = b.outcomes(submission)[0]
		return !outcome.Running
	}, time.Minute, time.Millisecond)
	return outcome
}

func TestCommitSubmissions_LeavesOutLongCodeWhileItRuns(t *testing.T) {
	t.Parallel()
	b := newTrapped(t)
	trap := b.trap("trap")
	running := make(chan struct{})
	loop := b.spring("loop", trap, "Loop", "{}")
	delivered := make(chan ledger.Completion, 1)
	b.activities.Outcomes.Expect(loop.Key, func(c ledger.Completion) { delivered <- c }, sync.OnceFunc(func() { close(running) }))
	both := b.outcomes(loop, b.submission("create", []ledger.Party{bob}, create(bob)))
	require.True(t, both[0].Running)
	require.Zero(t, both[0].Offset)
	require.Equal(t, ledger.Offset(3), both[1].Offset, "the other one does not wait, and takes the next offset")
	<-running
	outcome := b.decided(loop)
	require.Contains(t, outcome.Refusal, fault.InterpretationTimeExceeded.ID)
	require.Equal(t, ledger.Offset(4), outcome.Offset)
	require.EqualValues(t, ledger.MaxCommitCost, (<-delivered).CodeCost, "the account pays for its code")
	require.Equal(t, outcome, b.decided(loop), "it keeps its completion")
}

func TestCommitSubmissions_CommitsShortCodeAtOnce(t *testing.T) {
	t.Parallel()
	b := newTrapped(t)
	trap := b.trap("trap")
	outcome := b.outcomes(b.spring("count", trap, "Count", fmt.Sprintf(`{"other":%q,"number":"100"}`, trap)))[0]
	require.Empty(t, outcome.Refusal)
	require.Equal(t, ledger.Offset(3), outcome.Offset)
}

// Long code reads a contract that somebody archives before it ends.
func TestCommitSubmissions_InterpretsAgainWhatChangedMeanwhile(t *testing.T) {
	t.Parallel()
	b := newTrapped(t)
	trap := b.trap("trap")
	other := b.trap("other")
	count := b.spring("count", trap, "Count", fmt.Sprintf(`{"other":%q,"number":"200000"}`, other))
	require.True(t, b.outcomes(count)[0].Running)
	archived := b.outcomes(b.spring("archive", other, "Archive", "{}"))[0]
	require.Empty(t, archived.Refusal)
	outcome := b.decided(count)
	require.Contains(t, outcome.Refusal, fault.ContractNotFound.ID)
	require.Greater(t, outcome.Offset, archived.Offset)
}

// A command that names only a built-in interface may run long code, too: no commit interprets that ahead.
func TestCommitSubmissions_InterpretsAheadWhatIsLongUnderTheLock(t *testing.T) {
	t.Parallel()
	b := newTrapped(t)
	trap := b.trap("trap")
	count := b.spring("count", trap, "Count", fmt.Sprintf(`{"other":%q,"number":"30000"}`, trap))
	completions, err := b.activities.CommitUninterpreted(t.Context(), count, b.submission("create", []ledger.Party{bob}, create(bob)))
	require.NoError(t, err)
	require.Len(t, completions, 1, "it is left out")
	require.Equal(t, "create", completions[0].CommandID)
	require.Equal(t, ledger.Offset(3), completions[0].Offset)
	outcome := b.decided(count)
	require.Empty(t, outcome.Refusal)
	require.Equal(t, ledger.Offset(4), outcome.Offset)
}

func TestCommitSubmissions_RefusesAfterManyChanges(t *testing.T) {
	t.Parallel()
	b := newTrapped(t)
	trap := b.trap("trap")
	count := b.spring("count", trap, "Count", fmt.Sprintf(`{"other":%q,"number":"30000"}`, trap))
	for range 9 {
		b.activities.ForgetInterpretation(count)
	}
	outcome := b.decided(count)
	require.Contains(t, outcome.Refusal, fault.Inconsistent.ID)
	require.Contains(t, outcome.Refusal, "What the command uses, or the packages, changed during each of 8 tries")
}
