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
	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/topology"
	"github.com/florinledger/florin/workflows"
)

const carol = ledger.Party("carol::1220cc")

// onboardingEnvironment handles contributions with the function, and expects the outcome of the workflow.
func onboardingEnvironment(
	t *testing.T, outcome string, handle func(topology.Contribution) (topology.Outcome, error),
) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	suite := &testsuite.WorkflowTestSuite{}
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{DisableRegistrationAliasing: true})
	env.RegisterWorkflow(workflows.OnboardExternalParty)
	env.RegisterActivity(&activities.Activities{})
	env.OnActivity(act.ContributeToOnboarding, mock.Anything, mock.Anything).Return(
		func(_ context.Context, in topology.Contribution) (topology.Outcome, error) { return handle(in) })
	env.OnUpsertTypedSearchAttributes(mock.MatchedBy(func(attributes temporal.SearchAttributes) bool {
		value, ok := attributes.GetKeyword(workflows.AttributeOutcome)
		return ok && value == outcome
	})).Return(nil).Maybe()
	return env
}

func first() workflows.OnboardExternalPartyInput {
	return workflows.OnboardExternalPartyInput{Party: carol, First: &topology.Contribution{ID: "one"}}
}

// answer receives the result of an update.
type answer struct {
	outcome topology.Outcome
	err     error
	done    bool
}

func (a *answer) callbacks() *testsuite.TestUpdateCallback {
	return &testsuite.TestUpdateCallback{
		OnAccept: func() {},
		OnReject: func(err error) { a.err = err },
		OnComplete: func(result any, err error) {
			a.outcome, _ = result.(topology.Outcome)
			a.err, a.done = err, true
		},
	}
}

func contributeAfter(env *testsuite.TestWorkflowEnvironment, after time.Duration, id string) *answer {
	result := &answer{}
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(workflows.ContributeUpdate, id, result.callbacks(), topology.Contribution{ID: id})
	}, after)
	return result
}

var waiting = topology.Outcome{
	Party: carol, Progress: topology.Waiting, Pending: true, ExpiresAt: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
	Missing: topology.Missing{Participants: []string{"other::1220bb"}},
}

func TestOnboard_EndsAtOnceIfComplete(t *testing.T) {
	t.Parallel()
	done := topology.Outcome{Party: carol, Progress: topology.Allocated, Offset: 7}
	env := onboardingEnvironment(t, workflows.OutcomeAccepted, func(topology.Contribution) (topology.Outcome, error) {
		return done, nil
	})
	same := contributeAfter(env, 0, "one")
	env.ExecuteWorkflow(workflows.OnboardExternalParty, first())
	require.NoError(t, env.GetWorkflowError())
	var outcome topology.Outcome
	require.NoError(t, env.GetWorkflowResult(&outcome))
	require.Equal(t, done, outcome)
	require.True(t, same.done)
	require.Equal(t, done, same.outcome, "the first contributor gets the outcome")
	env.AssertNumberOfCalls(t, "ContributeToOnboarding", 1)
}

func TestOnboard_EndsAtOnceIfRefused(t *testing.T) {
	t.Parallel()
	refused := topology.Outcome{
		Party: carol, Progress: topology.Refused, Refusal: fault.InvalidArgumentf("no").WithHint("yes"),
	}
	env := onboardingEnvironment(t, workflows.OutcomeRefused, func(topology.Contribution) (topology.Outcome, error) {
		return refused, nil
	})
	env.ExecuteWorkflow(workflows.OnboardExternalParty, first())
	require.NoError(t, env.GetWorkflowError())
	var outcome topology.Outcome
	require.NoError(t, env.GetWorkflowResult(&outcome))
	require.ErrorContains(t, outcome.Err(), "no")
	require.Equal(t, refused, outcome)
}

func TestOnboard_WaitsForOtherContributions(t *testing.T) {
	t.Parallel()
	outcomes := map[string]topology.Outcome{
		"one": waiting,
		"bad": {
			Party: carol, Progress: topology.Refused, Pending: true, ExpiresAt: waiting.ExpiresAt,
			Refusal: fault.TopologyUnauthorizedTransaction.New("not like this"),
		},
		"two": {Party: carol, Progress: topology.Allocated, Offset: 9},
	}
	env := onboardingEnvironment(t, workflows.OutcomeAccepted, func(in topology.Contribution) (topology.Outcome, error) {
		return outcomes[in.ID], nil
	})
	const day = 24 * time.Hour
	bad, repeated := contributeAfter(env, 100*day, "bad"), contributeAfter(env, 101*day, "one")
	env.RegisterDelayedCallback(func() {
		value, err := env.QueryWorkflow(workflows.OnboardingQuery)
		require.NoError(t, err)
		var status workflows.OnboardingStatus
		require.NoError(t, value.Get(&status))
		require.Equal(t, []string{"participant other::1220bb agrees to host the party"}, status.WaitsFor)
		require.Equal(t, topology.Waiting, status.Progress)
		require.Equal(t, 2, status.Contributions, "a repeated contribution counts once")
		require.Equal(t, carol, status.Party)
	}, 102*day)
	last := contributeAfter(env, 400*day, "two")
	env.ExecuteWorkflow(workflows.OnboardExternalParty, first())
	require.NoError(t, env.GetWorkflowError())
	require.EqualError(t, bad.outcome.Err(), "TOPOLOGY_UNAUTHORIZED_TRANSACTION: not like this")
	require.Equal(t, waiting, repeated.outcome)
	require.Equal(t, topology.Allocated, last.outcome.Progress)
	env.AssertNumberOfCalls(t, "ContributeToOnboarding", 3)
}

func TestOnboard_RetriesUntilTheDatabaseIsBack(t *testing.T) {
	t.Parallel()
	tries := 0
	env := onboardingEnvironment(t, workflows.OutcomeAccepted, func(topology.Contribution) (topology.Outcome, error) {
		if tries++; tries < 20 {
			return topology.Outcome{}, errors.New("connection refused")
		}
		return topology.Outcome{Progress: topology.Allocated}, nil
	})
	env.ExecuteWorkflow(workflows.OnboardExternalParty, first())
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 20, tries)
}

func TestOnboard_IsWithdrawnWhenCancelled(t *testing.T) {
	t.Parallel()
	env := onboardingEnvironment(t, workflows.OutcomeWithdrawn, func(topology.Contribution) (topology.Outcome, error) {
		return waiting, nil
	})
	env.OnActivity(act.WithdrawOnboarding, mock.Anything, carol).Return(true, nil).Once()
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Hour)
	env.ExecuteWorkflow(workflows.OnboardExternalParty, first())
	var cancelled *temporal.CanceledError
	require.ErrorAs(t, env.GetWorkflowError(), &cancelled)
	env.AssertNumberOfCalls(t, "WithdrawOnboarding", 1)
}

func TestOnboard_ContinuesInANewRun(t *testing.T) {
	t.Parallel()
	env := onboardingEnvironment(t, "", func(topology.Contribution) (topology.Outcome, error) { return waiting, nil })
	env.SetContinueAsNewSuggested(true)
	last := contributeAfter(env, 0, "last")
	env.ExecuteWorkflow(workflows.OnboardExternalParty, first())
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, env.GetWorkflowError(), &next)
	require.True(t, last.done, "the run answers before it ends")

	resumed := onboardingEnvironment(t, workflows.OutcomeAccepted, func(topology.Contribution) (topology.Outcome, error) {
		return topology.Outcome{Party: carol, Progress: topology.Allocated}, nil
	})
	contributeAfter(resumed, time.Hour, "two")
	resumed.ExecuteWorkflow(workflows.OnboardExternalParty, workflows.OnboardExternalPartyInput{
		Party: carol, Resume: &workflows.OnboardingStatus{
			Party: carol, Progress: topology.Waiting, ExpiresAt: waiting.ExpiresAt,
		},
	})
	require.NoError(t, resumed.GetWorkflowError())
}

func TestOnboard_EndsAtItsDeadline(t *testing.T) {
	t.Parallel()
	var env *testsuite.TestWorkflowEnvironment
	env = onboardingEnvironment(t, workflows.OutcomeExpired, func(topology.Contribution) (topology.Outcome, error) {
		outcome := waiting
		outcome.ExpiresAt = env.Now().Add(time.Hour)
		return outcome, nil
	})
	begin := env.Now()
	expiries := 0
	env.OnActivity(act.ExpireOnboarding, mock.Anything, carol).Return(
		func(context.Context, ledger.Party) (time.Time, error) {
			if expiries++; expiries == 1 {
				return env.Now().Add(time.Second), nil // the database's clock is behind
			}
			return time.Time{}, nil
		})
	early := contributeAfter(env, 30*time.Minute, "two")
	env.ExecuteWorkflow(workflows.OnboardExternalParty, first())
	require.NoError(t, env.GetWorkflowError())
	require.True(t, early.done)
	var outcome topology.Outcome
	require.NoError(t, env.GetWorkflowResult(&outcome))
	require.Equal(t, topology.Outcome{Party: carol, Progress: topology.Expired}, outcome)
	require.Equal(t, 2, expiries)
	require.Less(t, env.Now().Sub(begin), 2*time.Hour)
}
