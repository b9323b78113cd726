package lifecycles_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
	"github.com/florinledger/florin/workflows"
)

const day = 24 * time.Hour

// preapprove creates a preapproval of ninety days, which a provider pays.
func (n *node) preapprove(receiver, provider ledger.Party) contractOf[coin.TransferPreapproval] {
	n.t.Helper()
	n.submit([]ledger.Party{receiver, provider},
		exercise[coin.AmuletRules](n, n.rules(), "AmuletRules_CreateTransferPreapproval",
			coin.AmuletRulesCreateTransferPreapproval{
				Context: n.payment(), Inputs: n.coins(provider), Receiver: receiver, Provider: provider,
				ExpiresAt: lf.TimestampOf(n.now().Add(90 * day)), ExpectedDSO: &n.identity.DSO,
			}))
	all := active[coin.TransferPreapproval](n)
	return all[len(all)-1]
}

// contract: preapproval-renewal, preapproval-expiry
func TestPreapproval_RenewsUntilCancelled(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice := n.party("alice")
	n.tap(n.operator(), "1000000.0")
	id := "preapproval:" + string(alice)
	first := n.preapprove(alice, n.operator())
	expires := first.Payload.ExpiresAt.Time()
	status := n.waits(id, "renewal")
	require.Equal(t, expires.Add(-30*day+time.Microsecond), status.Until)
	require.Equal(t, []ledger.ContractID{first.ID}, status.Contracts)

	for range 3 {
		n.advance(90 * day)
		old := expires
		expires = expires.Add(90 * day)
		n.eventually("it is renewed by 90 days", func() bool {
			all := active[coin.TransferPreapproval](n)
			return len(all) == 1 && all[0].Payload.ExpiresAt.Time().Equal(expires) &&
				all[0].Payload.LastRenewedAt.Time().Equal(old)
		})
		n.waits(id, "renewal")
	}
	renewed := active[coin.TransferPreapproval](n)[0]
	require.Equal(t, first.Payload.ValidFrom, renewed.Payload.ValidFrom)

	n.submit([]ledger.Party{alice}, exercise[coin.TransferPreapproval](n, renewed.ID, "TransferPreapproval_Cancel",
		coin.TransferPreapprovalCancel{P: alice}))
	n.ended(id)
	require.Empty(t, active[coin.TransferPreapproval](n))
}

func TestPreapproval_OfAForeignProviderIsNotRenewed(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice, provider := n.party("alice"), n.party("provider")
	n.tap(provider, "1000000.0")
	id := "preapproval:" + string(alice)
	preapproval := n.preapprove(alice, provider)
	require.Equal(t, preapproval.Payload.ExpiresAt.Time().Add(plan.ExpiryPatience), n.waits(id, "expiry").Until)

	n.advance(61 * day)
	n.eventually("it looked when the clock moved", func() bool {
		return n.nudge(id).LookedAt.After(preapproval.Payload.ExpiresAt.Time().Add(-30 * day))
	})
	require.Equal(t, preapproval.ID, active[coin.TransferPreapproval](n)[0].ID)

	// The provider renews it itself: the workflow follows the new contract.
	extended := preapproval.Payload.ExpiresAt.Time().Add(10 * day)
	n.submit([]ledger.Party{provider}, exercise[coin.TransferPreapproval](n, preapproval.ID, "TransferPreapproval_Renew",
		coin.TransferPreapprovalRenew{
			Context: n.payment(), Inputs: n.coins(provider), NewExpiresAt: lf.TimestampOf(extended),
		}))
	n.eventually("it waits for the new end", func() bool {
		status, ok := n.status(id)
		return ok && status.Until.Equal(extended.Add(plan.ExpiryPatience))
	})

	n.advance(39 * day)
	n.ended(id)
	require.Empty(t, active[coin.TransferPreapproval](n), "an expired one is archived")
}

func TestPreapproval_RetriesRenewalUntilExpiry(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice := n.party("alice")
	id := "preapproval:" + string(alice)
	n.tap(n.operator(), "60.0") // enough for 90 days and not for 180
	preapproval := n.preapprove(alice, n.operator())
	n.waits(id, "renewal")

	n.advance(61 * day)
	status := n.waits(id, "the node refused it")
	require.Contains(t, status.Refusal, "insufficient")
	require.True(t, status.Until.Before(preapproval.Payload.ExpiresAt.Time()))
	nudged := n.nudge(id)
	require.Equal(t, status.Last.Tries+1, nudged.Last.Tries, "a nudge tries again at once")

	n.advance(30 * day)
	n.ended(id)
	require.Empty(t, active[coin.TransferPreapproval](n))

	// The expired one does not prevent a new one.
	n.tap(n.operator(), "1000000.0")
	n.preapprove(alice, n.operator())
	n.waits(id, "renewal")
}

// nudge makes a workflow check its contract now. If the workflow ends with it, and another call comes at the same time,
// there may be no answer: Temporal drops it, and a second call gets one.
func (n *node) nudge(workflowID string) (status workflows.LifecycleStatus) {
	n.t.Helper()
	n.eventually("an answer of "+workflowID, func() bool {
		handle, err := n.temporal.UpdateWorkflow(n.t.Context(), client.UpdateWorkflowOptions{
			WorkflowID: n.ledger.Name(workflowID), UpdateName: workflows.NudgeUpdate, WaitForStage: client.WorkflowUpdateStageCompleted,
		})
		if err == nil {
			err = handle.Get(n.t.Context(), &status)
		}
		if _, again := errors.AsType[*serviceerror.WorkflowNotReady](err); again {
			return false
		}
		if _, ended := errors.AsType[*serviceerror.NotFound](err); ended {
			status.Over = true
			return true
		}
		require.NoError(n.t, err)
		return true
	})
	return status
}
