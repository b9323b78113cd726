package lifecycles_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/wallet/settings"
)

// newSweptNode makes a node without a worker, with a due sweep of alice's wallet.
func newSweptNode(t *testing.T) (n *node, alice ledger.Party) {
	t.Helper()
	n = newSettingsNode(t)
	n.stop()
	alice = n.party("alice")
	n.wallet(alice)
	n.set(settings.KindSweep, alice, sweepTo(n.party("bob")))
	n.tap(alice, "100000.0")
	return n, alice
}

// planSweeps is the plan of a run of the automation.
func (n *node) planSweeps(run string) activities.AutomationPlan {
	n.t.Helper()
	plan, err := n.commits.PlanAutomation(n.t.Context(), activities.PlanAutomationInput{
		Kind: automation.KindSweep, RunID: run, WorkflowID: "automation",
	})
	require.NoError(n.t, err)
	return plan
}

// commitPlan commits the one submission of a plan, and returns its outcome.
func (n *node) commitPlan(plan activities.AutomationPlan) activities.Outcome {
	n.t.Helper()
	require.Len(n.t, plan.Submissions, 1)
	done, err := n.commits.CommitSubmissions(n.t.Context(),
		activities.CommitSubmissionsInput{Submissions: plan.Submissions})
	require.NoError(n.t, err)
	require.Equal(n.t, plan.Submissions[0].CommandID, done.Outcomes[0].CommandID)
	return done.Outcomes[0]
}

const leftOut = "not committed: it was planned anew, or planned too long ago; the next plan decides"

func TestSweep_CommitsOnceWhenPlannedTwice(t *testing.T) {
	t.Parallel()
	n, alice := newSweptNode(t)
	lost := n.planSweeps("run")
	n.tap(alice, "1.0") // with another state the sweep is different
	anew := n.planSweeps("run")
	require.NotEqual(t, lost.Submissions[0].CommandID, anew.Submissions[0].CommandID)
	require.Empty(t, n.commitPlan(anew).Refusal)
	// The process of the first plan was frozen, and continues now.
	require.Equal(t, leftOut, n.commitPlan(lost).Refusal)
	require.Len(t, active[walletapp.TransferOffer](n), 1)
	require.Empty(t, n.planSweeps("run").Submissions)
	require.Empty(t, n.commitPlan(anew).Refusal, "a second try returns the committed outcome")
	require.Len(t, active[walletapp.TransferOffer](n), 1)
}

func TestSweep_ReplansAnOldPlan(t *testing.T) {
	t.Parallel()
	n, alice := newSweptNode(t)
	old := n.planSweeps("run")
	connection, err := pgx.Connect(t.Context(), n.databaseURL)
	require.NoError(t, err)
	_, err = connection.Exec(t.Context(), "UPDATE automation_tasks SET held_until = now() WHERE is_pending")
	require.NoError(t, err)
	require.NoError(t, connection.Close(t.Context()))
	require.Equal(t, leftOut, n.commitPlan(old).Refusal)
	n.tap(alice, "1.0")
	require.Empty(t, n.commitPlan(n.planSweeps("another run")).Refusal)
	require.Equal(t, leftOut, n.commitPlan(old).Refusal)
	offers := active[walletapp.TransferOffer](n)
	require.Len(t, offers, 1)
	require.Equal(t, "98001.0", offers[0].Payload.Amount.Amount.Show(), "the amount at the time of the plan")
}

func TestSweep_ContinuesWhenAnotherProcessLocksTheWallet(t *testing.T) {
	t.Parallel()
	n, alice := newSweptNode(t)
	plan := n.planSweeps("run")
	require.NoError(t, n.db.InTx(t.Context(), func(tx *db.Tx) error {
		// Like a search that finds more coin of alice.
		kind, _ := n.automations.Find(automation.KindSweep)
		err := tx.EnterTasks(t.Context(), kind.Kind, kind.Wallets.String(), []db.DueTask{
			{Subject: string(alice), At: n.now(), Wallet: alice, IfSet: true},
		})
		require.NoError(t, err)
		require.Equal(t, leftOut, n.commitPlan(plan).Refusal, "another process may be changing the wallet")
		locked := n.planSweeps("run")
		require.Empty(t, locked.Submissions)
		require.True(t, locked.More, "it holds the wallet, which no other run would check for half a minute")
		require.False(t, n.planSweeps("another run").More)
		return nil
	}))
	require.Empty(t, n.commitPlan(n.planSweeps("run")).Refusal)
	require.False(t, n.planSweeps("run").More)
	require.Len(t, active[walletapp.TransferOffer](n), 1)
}
