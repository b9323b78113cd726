package lifecycles_test

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/wallet/plan"
	"github.com/florinledger/florin/workflows"
)

// kindGiving is an automation of these tests: every coin of a wallet makes the wallet due, and a wallet without an
// offer offers a coin to the operator.
const kindGiving = "giving"

// giving makes wallets offer a coin to the operator once. The ledger refuses the offers of broken wallets.
func giving(n *node, broken func(ledger.Party) bool, looks *atomic.Int64) automation.Automation {
	n.t.Helper()
	follow, err := automation.Following(n.packages, func(c plan.Contract[coin.Amulet], _ time.Time) []automation.Due {
		return []automation.Due{{Subject: string(c.Payload.Owner), Wallet: c.Payload.Owner}}
	})
	require.NoError(n.t, err)
	return automation.Automation{
		Kind: kindGiving, Summary: "Gives.", Follow: []automation.Follow{follow},
		Plan: func(s automation.Situation) (plan.Step, error) {
			looks.Add(1)
			party := ledger.Party(s.Subject)
			offers, err := plan.Held[walletapp.TransferOffer](s.View, plan.Sender, party, plan.First, 1)
			if err != nil || len(offers) > 0 {
				return plan.Step{}, err
			}
			w, ok, err := plan.WalletOf(s.View, party)
			if err != nil || !ok {
				return plan.Step{}, err
			}
			if broken(party) { // expires a missing contract
				action, err := plan.WalletAction(s.View, w, "give:"+s.Subject, "WalletAppInstall_TransferOffer_Expire",
					walletapp.InstallTransferOfferExpire{CID: lf.CID[walletapp.TransferOffer](w.Install)})
				return plan.Step{Action: action}, err
			}
			action, err := plan.WalletAction(s.View, w, "give:"+s.Subject, "WalletAppInstall_CreateTransferOffer",
				walletapp.InstallCreateTransferOffer{
					Receiver: s.Node.Operator, TrackingID: "gift", Description: "gift",
					Amount:    payments.PaymentAmount{Amount: decimal.FromInt(1), Unit: payments.AmuletUnit},
					ExpiresAt: lf.TimestampOf(s.Now.Add(365 * day)),
				})
			return plan.Step{Action: action}, err
		},
	}
}

func never(ledger.Party) bool { return false }

// offers counts the offers by their senders.
func (n *node) offers() map[ledger.Party]int {
	n.t.Helper()
	count := map[ledger.Party]int{}
	for _, offer := range active[walletapp.TransferOffer](n) {
		count[offer.Payload.Sender]++
	}
	return count
}

// troubles lists the refused tasks.
func (n *node) troubles(kind string) []db.AutomationTask {
	n.t.Helper()
	troubles, err := n.db.Troubles(n.t.Context(), kind, "", 100)
	require.NoError(n.t, err)
	return troubles
}

// settled waits until a kind has no due task.
func (n *node) settled(kind string) {
	n.t.Helper()
	n.eventually(kind+" has nothing to do", func() bool {
		overdue, err := n.db.Overdue(n.t.Context(), n.now())
		require.NoError(n.t, err)
		if slices.ContainsFunc(overdue, func(o db.Overdue) bool { return o.WorkflowID == "automation:"+kind }) {
			require.NoError(n.t, n.db.CallWorkflows(n.t.Context()))
			return false
		}
		return true
	})
}

// givers makes wallets with a coin.
func (n *node) givers(hints ...string) (parties []ledger.Party) {
	n.t.Helper()
	for _, hint := range hints {
		party := n.party(hint)
		n.wallet(party)
		n.tap(party, "5.0")
		parties = append(parties, party)
	}
	return parties
}

func TestAutomation_RunsOnceOnTwoNodes(t *testing.T) {
	t.Parallel()
	var looks atomic.Int64
	n := newNodeWith(t, 10*365*day, func(n *node) []automation.Automation {
		return []automation.Automation{giving(n, never, &looks)}
	})
	first := n.stop
	n.start(namespace(t)) // another Temporal, without the runs of the first
	t.Cleanup(first)
	var hints []string
	for i := range 120 {
		hints = append(hints, "giver"+strings.Repeat("x", i))
	}
	parties := n.givers(hints...)
	n.settled(kindGiving)
	count := n.offers()
	for _, party := range parties {
		require.Equal(t, 1, count[party], party)
	}
	require.Len(t, count, len(parties))
	require.Empty(t, n.troubles(kindGiving))

	done, err := n.db.Automations(t.Context())
	require.NoError(t, err)
	require.Equal(t, int64(len(parties)), done[0].Done)
	seen := looks.Load()
	n.eventually("all offers are followed, by one Temporal or the other", func() bool {
		overdue, err := n.db.Overdue(t.Context(), n.now())
		return err == nil && len(overdue) == 0
	})
	n.advance(day)
	require.Equal(t, seen, looks.Load(), "no check of wallets without news")
}

func TestAutomation_RetriesARefusedWallet(t *testing.T) {
	t.Parallel()
	var looks atomic.Int64
	var isBroken atomic.Bool
	isBroken.Store(true)
	n := newNodeWith(t, 10*365*day, func(n *node) []automation.Automation {
		return []automation.Automation{giving(n, func(party ledger.Party) bool {
			return isBroken.Load() && strings.HasPrefix(string(party), "broken")
		}, &looks)}
	})
	began := n.now()
	parties := n.givers("broken", "fine")
	broken, fine := parties[0], parties[1]
	n.settled(kindGiving)
	require.Equal(t, map[ledger.Party]int{fine: 1}, n.offers())
	trouble := n.troubles(kindGiving)
	require.Len(t, trouble, 1)
	require.Equal(t, string(broken), trouble[0].Subject)
	require.Equal(t, int32(2), trouble[0].Tries, "the second try comes at once")
	require.NotEmpty(t, trouble[0].Refusal)
	require.WithinRange(t, trouble[0].DueAt, began.Add(20*time.Second), n.now().Add(20*time.Second))

	n.advance(30 * time.Second)
	require.Equal(t, int32(3), n.troubles(kindGiving)[0].Tries, "the third after a pause")
	for range 12 {
		n.advance(8 * time.Hour)
	}
	stuck := n.troubles(kindGiving)[0]
	require.Equal(t, int32(12), stuck.Tries)
	require.Equal(t, lf.MaxTimestamp().Time().UTC(), stuck.DueAt.UTC(), "it has given up")
	require.Equal(t, "a nudge: it was refused too often", stuck.WaitsFor)

	isBroken.Store(false)
	n.advance(30 * day)
	require.Len(t, n.troubles(kindGiving), 1)
	nudged, err := n.db.NudgeTasks(t.Context(), kindGiving, string(broken))
	require.NoError(t, err)
	require.Equal(t, int64(1), nudged)
	n.settled(kindGiving)
	require.Empty(t, n.troubles(kindGiving), "a success ends the trouble")
	require.Equal(t, 1, n.offers()[broken])
}

func TestAutomation_SkipsAnUndecidableSubject(t *testing.T) {
	t.Parallel()
	var looks atomic.Int64
	n := newNodeWith(t, 10*365*day, func(n *node) []automation.Automation {
		kind := giving(n, never, &looks)
		decide := kind.Plan
		kind.Plan = func(s automation.Situation) (plan.Step, error) {
			if strings.HasPrefix(s.Subject, "broken") {
				return plan.Step{}, errors.New("a defect")
			}
			return decide(s)
		}
		return []automation.Automation{kind}
	})
	parties := n.givers("broken", "fine")
	n.settled(kindGiving)
	require.Equal(t, map[ledger.Party]int{parties[1]: 1}, n.offers())
	troubles := n.troubles(kindGiving)
	require.Len(t, troubles, 1)
	require.Contains(t, troubles[0].Refusal, "a defect")
}

func TestAutomation_SkipsUnknownKinds(t *testing.T) {
	t.Parallel()
	var looks atomic.Int64
	n := newNodeWith(t, 10*365*day, func(n *node) []automation.Automation {
		return []automation.Automation{giving(n, never, &looks)}
	})
	const unknown = "a-kind-of-the-next-version" // before the other one in order
	require.NoError(t, n.db.InTx(t.Context(), func(tx *db.Tx) error {
		require.NoError(t, tx.EnterAutomations(t.Context(), []string{unknown}))
		return tx.EnterTasks(t.Context(), unknown, "", []db.DueTask{{Subject: "network", At: n.now()}})
	}))
	giver := n.givers("giver")[0]
	n.eventually("the other kind runs", func() bool { return n.offers()[giver] == 1 })
	due, err := n.db.DueAutomations(t.Context(), n.now(), true)
	require.NoError(t, err)
	require.Contains(t, due, unknown, "a version that knows it must do it")
	list, err := n.temporal.ScheduleClient().List(t.Context(), client.ScheduleListOptions{})
	require.NoError(t, err)
	for list.HasNext() {
		schedule, err := list.Next()
		require.NoError(t, err)
		require.Equal(t, workflows.ScheduleID(n.ledger, kindGiving), schedule.ID)
	}
}

func TestSchedule_StaysPaused(t *testing.T) {
	t.Parallel()
	var looks atomic.Int64
	n := newNodeWith(t, 10*365*day, func(n *node) []automation.Automation {
		return []automation.Automation{giving(n, never, &looks)}
	})
	schedule := n.temporal.ScheduleClient().GetHandle(t.Context(), workflows.ScheduleID(n.ledger, kindGiving))
	id := workflows.ScheduleID(n.ledger, kindGiving)
	require.NoError(t, workflows.PauseSchedule(t.Context(), n.temporal, id, true, "erin"))
	require.NoError(t, n.schedules.Ensure(t.Context()), "as a node does at its start")
	found, err := schedule.Describe(t.Context())
	require.NoError(t, err)
	require.True(t, found.Schedule.State.Paused)
	paused, err := workflows.SchedulePaused(t.Context(), n.temporal, id)
	require.NoError(t, err)
	require.True(t, paused, "the node reports it at once")
	require.Equal(t, "paused by erin", found.Schedule.State.Note)

	giver := n.givers("giver")[0]
	n.eventually("the node knows that it is paused", func() bool {
		list, err := n.db.Automations(t.Context())
		require.NoError(t, err)
		return list[0].Paused
	})
	n.advance(day) // a paused Schedule does not stop the clock
	require.Empty(t, n.offers())
	require.Zero(t, looks.Load())

	require.NoError(t, workflows.PauseSchedule(t.Context(), n.temporal, id, false, "erin"))
	n.eventually("it runs again", func() bool { return n.offers()[giver] == 1 })
}

func TestSchedule_RepairsLostAndChangedSchedules(t *testing.T) {
	t.Parallel()
	var looks atomic.Int64
	n := newNodeWith(t, 10*365*day, func(n *node) []automation.Automation {
		return []automation.Automation{giving(n, never, &looks)}
	})
	schedule := n.temporal.ScheduleClient().GetHandle(t.Context(), workflows.ScheduleID(n.ledger, kindGiving))
	require.NoError(t, schedule.Update(t.Context(), client.ScheduleUpdateOptions{
		DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			in.Description.Schedule.Spec.Intervals = []client.ScheduleIntervalSpec{{Every: 7 * time.Hour}}
			return &client.ScheduleUpdate{Schedule: &in.Description.Schedule}, nil
		},
	}))
	require.NoError(t, n.schedules.Ensure(t.Context()))
	found, err := schedule.Describe(t.Context())
	require.NoError(t, err)
	require.Equal(t, workflows.ScheduleInterval, found.Schedule.Spec.Intervals[0].Every)

	require.NoError(t, schedule.Delete(t.Context()))
	giver := n.givers("giver")[0]
	n.eventually("it runs all the same", func() bool { return n.offers()[giver] == 1 })
	n.eventually("its Schedule is there again", func() bool {
		_, err := schedule.Describe(t.Context())
		return err == nil
	})
}

func TestAutomation_ReportsItsRun(t *testing.T) {
	t.Parallel()
	var looks atomic.Int64
	n := newNodeWith(t, 10*365*day, func(n *node) []automation.Automation {
		return []automation.Automation{giving(n, never, &looks)}
	})
	n.givers("giver")
	n.settled(kindGiving)
	n.eventually("its runs tell that they did one thing", func() bool {
		list, err := n.temporal.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{
			Query: "WorkflowId = '" + n.ledger.Name("automation:giving:due") + "' AND ExecutionStatus = 'Completed'",
		})
		require.NoError(t, err)
		done := 0
		for _, run := range list.GetExecutions() {
			var result workflows.RunAutomationResult
			id := run.GetExecution()
			require.NoError(t, n.temporal.GetWorkflow(t.Context(), id.GetWorkflowId(), id.GetRunId()).Get(t.Context(), &result))
			require.Zero(t, result.Refused)
			done += result.Done
		}
		return done == 1
	})
	n.eventually("operators find it", func() bool {
		list, err := n.temporal.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{
			Query: "FlorinKind = 'automation' AND FlorinOutcome = 'accepted'",
		})
		require.NoError(t, err)
		return len(list.GetExecutions()) > 0
	})
}
