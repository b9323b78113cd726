package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/workflows"
)

var act *activities.Activities

func environment(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	suite := &testsuite.WorkflowTestSuite{}
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{DisableRegistrationAliasing: true})
	env.RegisterWorkflow(workflows.SubmitCommands)
	env.RegisterActivity(&activities.Activities{})
	return env
}

func submission(commandID string) ledger.Submission {
	return ledger.Submission{
		Key: "key-" + commandID, Identity: ledger.DefaultUser("alice"), CommandID: commandID, SubmissionID: "s",
		ActAs: []ledger.Party{"alice::1220"}, Kind: ledger.KindCommand,
	}
}

func TestSubmitCommands_ReturnsOutcomesAndSetsAttributes(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		outcomes []activities.Outcome
		want     string
		code     string
	}{
		"accepted": {[]activities.Outcome{{CommandID: "c", Offset: 1, UpdateID: "1220aa"}}, workflows.OutcomeAccepted, ""},
		"refused": {
			[]activities.Outcome{{CommandID: "c", Refusal: "CONTRACT_NOT_FOUND: it is gone: long ago"}},
			workflows.OutcomeRefused, "CONTRACT_NOT_FOUND",
		},
		"left out": {[]activities.Outcome{{CommandID: "c", Refusal: "no node of this ledger"}}, workflows.OutcomeRefused, ""},
		"mixed": {
			[]activities.Outcome{
				{CommandID: "c", Offset: 1, UpdateID: "1220aa"},
				{CommandID: "d", Offset: 2, Refusal: "X: one"},
				{CommandID: "e", Offset: 3, Refusal: "Y: two"},
			},
			workflows.OutcomeMixed, "X",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := environment(t)
			env.OnActivity(act.CommitSubmissions, mock.Anything, mock.Anything).
				Return(activities.CommitSubmissionsResult{Outcomes: c.outcomes}, nil).Once()
			env.OnUpsertTypedSearchAttributes(mock.MatchedBy(func(attributes temporal.SearchAttributes) bool {
				outcome, ok := attributes.GetKeyword(workflows.AttributeOutcome)
				code, has := attributes.GetKeyword(workflows.AttributeErrorCode)
				return ok && outcome == c.want && has == (c.code != "") && code == c.code
			})).Return(nil).Once()
			env.ExecuteWorkflow(workflows.SubmitCommands,
				workflows.SubmitCommandsInput{Submissions: []ledger.Submission{submission("c")}})
			require.NoError(t, env.GetWorkflowError())
			var result workflows.SubmitCommandsResult
			require.NoError(t, env.GetWorkflowResult(&result))
			require.Equal(t, c.outcomes, result.Outcomes)
			env.AssertExpectations(t)
		})
	}
}

func TestSubmitCommands_RetriesUntilTheDatabaseIsBack(t *testing.T) {
	t.Parallel()
	env := environment(t)
	tries := 0
	env.OnActivity(act.CommitSubmissions, mock.Anything, mock.Anything).Return(
		func(context.Context, activities.CommitSubmissionsInput) (activities.CommitSubmissionsResult, error) {
			if tries++; tries < 20 {
				return activities.CommitSubmissionsResult{}, errors.New("connection refused")
			}
			return activities.CommitSubmissionsResult{Outcomes: []activities.Outcome{{Offset: 7}}}, nil
		})
	env.OnUpsertTypedSearchAttributes(mock.Anything).Return(nil)
	env.ExecuteWorkflow(workflows.SubmitCommands,
		workflows.SubmitCommandsInput{Submissions: []ledger.Submission{submission("c")}})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 20, tries)
}

func TestSubmitCommands_SignedTransactionsDoNotWait(t *testing.T) {
	t.Parallel()
	env := environment(t)
	start := env.Now()
	bound := start.Add(time.Hour)
	var at time.Time
	env.OnActivity(act.CommitSubmissions, mock.Anything, mock.Anything).Return(
		func(context.Context, activities.CommitSubmissionsInput) (activities.CommitSubmissionsResult, error) {
			at = env.Now()
			return activities.CommitSubmissionsResult{Outcomes: []activities.Outcome{{Offset: 7}}}, nil
		})
	// A submission that asked would have to wait for an hour.
	env.OnActivity(act.ReachLedgerTime, mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.ReachLedgerTimeInput) (time.Duration, error) {
			return in.Submission.MinLedgerTime.Sub(env.Now()), nil
		})
	env.OnActivity(act.LeaveLedgerTime, mock.Anything, mock.Anything).Return(true, nil)
	env.OnUpsertTypedSearchAttributes(mock.Anything).Return(nil)
	signed := submission("c")
	signed.MinLedgerTime, signed.Signed = &bound, &ledger.SignedTransaction{}
	env.ExecuteWorkflow(workflows.SubmitCommands,
		workflows.SubmitCommandsInput{Submissions: []ledger.Submission{signed}})
	require.NoError(t, env.GetWorkflowError())
	require.WithinDuration(t, start, at, time.Second)
}

func TestSubmitCommands_WaitsForTheLowerBoundOfLedgerTime(t *testing.T) {
	t.Parallel()
	// The ledger's clock is a month ahead of Temporal's, and may be advanced meanwhile.
	const ahead, wait = 30 * 24 * time.Hour, time.Hour
	cases := map[string]struct {
		advanceAfter, want time.Duration
	}{
		"as long as it takes":      {0, wait},
		"until the clock advances": {time.Minute, time.Minute},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := environment(t)
			start := env.Now()
			advanced := time.Duration(0)
			bound := start.Add(ahead + wait)
			env.OnActivity(act.ReachLedgerTime, mock.Anything, mock.Anything).Return(
				func(_ context.Context, in activities.ReachLedgerTimeInput) (time.Duration, error) {
					return in.Submission.MinLedgerTime.Sub(env.Now().Add(ahead + advanced)), nil
				})
			env.OnActivity(act.LeaveLedgerTime, mock.Anything, mock.Anything).Return(true, nil).Once()
			var at time.Time
			env.OnActivity(act.CommitSubmissions, mock.Anything, mock.Anything).Return(
				func(context.Context, activities.CommitSubmissionsInput) (activities.CommitSubmissionsResult, error) {
					at = env.Now()
					return activities.CommitSubmissionsResult{Outcomes: []activities.Outcome{{Offset: 7}}}, nil
				})
			env.OnUpsertTypedSearchAttributes(mock.Anything).Return(nil)
			if c.advanceAfter > 0 {
				env.RegisterDelayedCallback(func() {
					advanced = wait
					env.SignalWorkflow(workflows.LookSignal, nil)
				}, c.advanceAfter)
			}
			delayed := submission("c")
			delayed.MinLedgerTime = &bound
			env.ExecuteWorkflow(workflows.SubmitCommands,
				workflows.SubmitCommandsInput{Submissions: []ledger.Submission{delayed}})
			require.NoError(t, env.GetWorkflowError())
			require.WithinDuration(t, start.Add(c.want), at, time.Second)
		})
	}
}

// The submissions of the batch have different times, and some seem to be ready. The commit decides when the time of
// each has come.
func TestSubmitCommands_CommitsEachOfABatchAtItsTime(t *testing.T) {
	t.Parallel()
	env := environment(t)
	start := env.Now()
	timed := func(name string, after time.Duration) ledger.Submission {
		one, at := submission(name), start.Add(after)
		one.MinLedgerTime = &at
		return one
	}
	signed := timed("signed", 20*time.Hour)
	signed.Signed = &ledger.SignedTransaction{}
	batch := []ledger.Submission{
		signed, timed("late", 2*time.Hour), timed("forged", 90*time.Hour), submission("now"), timed("later", 3*time.Hour),
	}
	done := map[string]time.Duration{}
	env.OnActivity(act.ReachLedgerTime, mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.ReachLedgerTimeInput) (time.Duration, error) {
			return in.Submission.MinLedgerTime.Sub(env.Now()), nil
		})
	env.OnActivity(act.LeaveLedgerTime, mock.Anything, mock.Anything).Return(true, nil).Once()
	env.OnActivity(act.CommitSubmissions, mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.CommitSubmissionsInput) (activities.CommitSubmissionsResult, error) {
			var out activities.CommitSubmissionsResult
			for _, one := range in.Submissions {
				outcome := activities.Outcome{CommandID: one.CommandID}
				if outcome.TooEarly = one.CommandID != "forged" && one.TooEarly(env.Now()); !outcome.TooEarly {
					require.NotContains(t, done, one.CommandID)
					done[one.CommandID] = env.Now().Sub(start).Truncate(time.Minute)
				}
				out.Outcomes = append(out.Outcomes, outcome)
			}
			return out, nil
		})
	env.OnUpsertTypedSearchAttributes(mock.Anything).Return(nil).Once()
	env.ExecuteWorkflow(workflows.SubmitCommands, workflows.SubmitCommandsInput{Submissions: batch})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, map[string]time.Duration{
		"signed": 0, "forged": 0, "now": 0, "late": 2 * time.Hour, "later": 3 * time.Hour,
	}, done)
	var result workflows.SubmitCommandsResult
	require.NoError(t, env.GetWorkflowResult(&result))
	for i, outcome := range result.Outcomes {
		require.Equal(t, activities.Outcome{CommandID: batch[i].CommandID}, outcome)
	}
	env.AssertExpectations(t)
}

// The code of a submission runs on; the workflow asks again for that one, with longer and longer pauses.
func TestSubmitCommands_AsksAgainWhileCodeRuns(t *testing.T) {
	t.Parallel()
	env := environment(t)
	start := env.Now()
	var asked []time.Duration
	batch := []ledger.Submission{submission("long"), submission("short")}
	env.OnActivity(act.CommitSubmissions, mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.CommitSubmissionsInput) (activities.CommitSubmissionsResult, error) {
			asked = append(asked, env.Now().Sub(start))
			out := activities.CommitSubmissionsResult{Outcomes: []activities.Outcome{{CommandID: "long", Offset: 2}}}
			if len(asked) < 12 {
				out.Outcomes[0] = activities.Outcome{CommandID: "long", Running: true}
			}
			if len(in.Submissions) == 2 {
				out.Outcomes = append(out.Outcomes, activities.Outcome{CommandID: "short", Offset: 1})
			}
			require.Equal(t, len(asked) == 1, len(in.Submissions) == 2, "the other one is done")
			return out, nil
		})
	env.OnUpsertTypedSearchAttributes(mock.Anything).Return(nil).Once()
	env.ExecuteWorkflow(workflows.SubmitCommands, workflows.SubmitCommandsInput{Submissions: batch})
	require.NoError(t, env.GetWorkflowError())
	var result workflows.SubmitCommandsResult
	require.NoError(t, env.GetWorkflowResult(&result))
	require.Equal(t, []activities.Outcome{{CommandID: "long", Offset: 2}, {CommandID: "short", Offset: 1}}, result.Outcomes)
	require.GreaterOrEqual(t, asked[1], 20*time.Millisecond)
	require.InDelta(t, 5*time.Second, asked[11]-asked[10], float64(time.Second))
	env.AssertExpectations(t)
}
