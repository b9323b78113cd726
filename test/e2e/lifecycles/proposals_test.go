package lifecycles_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/wallet/automation"
)

// newProposalsNode makes a node whose operator accepts proposals of preapprovals, and has coin for them.
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

// propose makes a receiver propose a preapproval to the operator.
func (n *node) propose(receiver ledger.Party) {
	n.t.Helper()
	n.submit([]ledger.Party{receiver}, create(n, walletapp.TransferPreapprovalProposal{
		Receiver: receiver, Provider: n.operator(), ExpectedDSO: &n.identity.DSO,
	}))
}

// preapproved waits for a number of preapprovals.
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
	require.Empty(t, n.troubles(automation.KindProposals), "they do not compete for coin")
	preapprovals := active[coin.TransferPreapproval](n)
	require.Len(t, preapprovals, len(receivers), "one for each")
	for _, preapproval := range preapprovals {
		require.WithinDuration(t, n.now().Add(90*day), preapproval.Payload.ExpiresAt.Time(), patience)
	}
	require.Len(t, active[walletapp.TransferPreapprovalProposal](n), 1, "the second one waits")
}

// The operator's limit is a trouble until it rises; then the node accepts the proposals.
func TestProposals_WakeWhenTheLimitRises(t *testing.T) {
	t.Parallel()
	n := newProposalsNode(t)
	limit := func(value string) {
		_, err := n.db.ChangeLedgerSetting(t.Context(), ledger.MaxProvidedPartiesSetting, value)
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
	require.True(t, trouble.DueAt.After(n.now()), "the next check is in an hour")

	limit("2")
	n.preapproved(2)
	n.eventually("it is none any more", func() bool { return len(n.troubles(automation.KindProposals)) == 0 })
}

// The operator has paid for a cancelled preapproval, and accepts no new proposal until its end, or until it gives that
// claim up.
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
	require.Empty(t, n.troubles(automation.KindProposals), "it waits, without a trouble")

	forgot, err := n.db.ForgetProvidedPreapproval(t.Context(), bob, nil)
	require.NoError(t, err)
	require.True(t, forgot)
	require.NotEqual(t, first.ID, n.preapproved(1)[0].ID)
	require.Empty(t, active[walletapp.TransferPreapprovalProposal](n))
}
