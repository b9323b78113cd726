package lifecycles_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/automation"
)

// newProposalsNode makes a node whose operator accepts proposals of preapprovals, and has the coin for it.
func newProposalsNode(t *testing.T) *node {
	t.Helper()
	n := newNodeWith(t, 10*365*day, func(n *node) []automation.Automation {
		proposals, err := automation.Proposals(n.packages)
		require.NoError(n.t, err)
		return []automation.Automation{proposals}
	})
	n.wallet(n.operator())
	n.tap(n.operator(), "1000000.0")
	return n
}

// propose has a receiver propose that the operator provide its preapproval.
func (n *node) propose(receiver ledger.Party) {
	n.t.Helper()
	n.submit([]ledger.Party{receiver}, create(n, walletapp.TransferPreapprovalProposal{
		Receiver: receiver, Provider: n.operator(), ExpectedDSO: &n.identity.DSO,
	}))
}

// preapproved waits until so many receivers have a preapproval.
func (n *node) preapproved(count int) (all []contractOf[coin.TransferPreapproval]) {
	n.t.Helper()
	n.eventually("preapprovals are made", func() bool {
		all = active[coin.TransferPreapproval](n)
		return len(all) == count
	})
	return all
}

func TestProposals_AreAcceptedInOrder(t *testing.T) {
	t.Parallel()
	n := newProposalsNode(t)
	var receivers []ledger.Party
	for _, hint := range []string{"alice", "bob", "carol", "dave"} {
		receiver := n.party(hint)
		receivers = append(receivers, receiver)
		n.propose(receiver)
	}
	n.propose(receivers[0])
	n.settled(automation.KindProposals)
	require.Empty(t, n.troubles(automation.KindProposals), "they do not take each other's coin")
	preapprovals := active[coin.TransferPreapproval](n)
	require.Len(t, preapprovals, len(receivers), "one for each")
	for _, preapproval := range preapprovals {
		require.WithinDuration(t, n.now().Add(90*day), preapproval.Payload.ExpiresAt.Time(), patience)
	}
	require.Len(t, active[walletapp.TransferPreapprovalProposal](n), 1, "the second one waits")
}

// A limit of the operator is a trouble until it is raised, which has the proposals accepted.
func TestProposals_WakeWhenTheLimitRises(t *testing.T) {
	t.Parallel()
	n := newProposalsNode(t)
	limit := func(value string) {
		_, err := n.db.ChangeLedgerSetting(t.Context(), ledger.MaxProvidedPartiesSetting, value, "test")
		require.NoError(t, err)
	}
	limit("1")
	alice, bob := n.party("alice"), n.party("bob")
	n.propose(alice)
	n.preapproved(1)
	n.propose(bob)
	n.eventually("the wait is a trouble", func() bool { return len(n.troubles(automation.KindProposals)) == 1 })
	trouble := n.troubles(automation.KindProposals)[0]
	require.Equal(t, string(bob), trouble.Subject)
	require.Contains(t, trouble.Refusal, "max-provided-parties")
	require.True(t, trouble.DueAt.After(n.now()), "it is looked at again in an hour")

	limit("2")
	n.preapproved(2)
	n.eventually("it is none any more", func() bool { return len(n.troubles(automation.KindProposals)) == 0 })
}

// What the receiver cancelled is paid for, until the operator gives that up: what was proposed meanwhile is accepted
// then, not when it would have ended.
func TestProposals_WakeWhenTheOperatorGivesUpAPreapproval(t *testing.T) {
	t.Parallel()
	n := newProposalsNode(t)
	bob := n.party("bob")
	n.propose(bob)
	first := n.preapproved(1)[0]
	n.propose(bob)
	n.submit([]ledger.Party{bob}, exercise[coin.TransferPreapproval](n, first.ID, "TransferPreapproval_Cancel",
		coin.TransferPreapprovalCancel{P: bob}))
	n.settled(automation.KindProposals)
	require.Empty(t, active[coin.TransferPreapproval](n))
	require.Empty(t, n.troubles(automation.KindProposals), "it is for the receiver to wait")

	forgot, err := n.db.ForgetProvidedPreapproval(t.Context(), bob, nil)
	require.NoError(t, err)
	require.True(t, forgot)
	require.NotEqual(t, first.ID, n.preapproved(1)[0].ID)
	require.Empty(t, active[walletapp.TransferPreapprovalProposal](n))
}
