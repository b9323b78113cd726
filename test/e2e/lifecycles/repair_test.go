package lifecycles_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/coin"
)

func TestRepair_RestartsAllWorkflows(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice, bob, carol := n.party("alice"), n.party("bob"), n.party("carol")
	n.tap(n.operator(), "1000000.0")
	n.tap(carol, "100.0")
	n.preapprove(alice, n.operator())
	n.preapprove(bob, n.operator())
	transfer := n.instruct(carol, bob, 5*day)
	ids := []string{"preapproval:" + string(alice), "preapproval:" + string(bob), transfer}
	for _, id := range ids {
		n.waits(id, "")
	}

	n.stop()
	n.start(namespace(t)) // an empty Temporal
	for _, id := range ids {
		_, there := n.status(id)
		require.False(t, there)
	}
	count, err := activities.RepairLifecycles(t.Context(), n.db, n.lifecycles)
	require.NoError(t, err)
	require.Equal(t, len(ids), count)
	for _, id := range ids {
		n.waits(id, "")
	}
	n.advance(6 * day)
	n.ended(transfer)
	require.Empty(t, active[coin.AmuletTransferInstruction](n))
}

func TestRepair_StartsLostWorkflowsWhenDue(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	alice, bob := n.party("alice"), n.party("bob")
	n.tap(alice, "100.0")
	id := n.instruct(alice, bob, day)
	n.waits(id, "accept or reject")
	n.stop()
	n.start(namespace(t))
	n.advance(2 * day)
	n.ended(id)
	require.Equal(t, "100.0", n.balance(alice))
}

func TestRepair_FollowsContractsCreatedWithoutAWorker(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.stop()
	alice, bob := n.party("alice"), n.party("bob")
	n.tap(alice, "100.0")
	id := n.instruct(alice, bob, day)
	n.start(namespace(t))
	n.waits(id, "accept or reject")
}
