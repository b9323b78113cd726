package coin_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
)

// propose makes the provider's proposal to host bob, with a preapproval of 90 days.
func (n network) propose(t *testing.T) coin.AmuletRulesCreateExternalPartySetupProposalResult {
	t.Helper()
	result, err := ledgertest.Exercise[coin.AmuletRulesCreateExternalPartySetupProposalResult](n.Ledger,
		n.public(provider), n.rules, coin.AmuletRulesCreateExternalPartySetupProposal{
			Context: n.payment(), Inputs: amulets(coins{n.tap(t, provider, "50")}), User: bob, Validator: provider,
			PreapprovalExpiresAt: n.at(90 * day), ExpectedDSO: new(dso),
		})
	require.NoError(t, err)
	return result
}

// contract: admin-setup-right
func TestSetupProposal_SetsUpAnExternalParty(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	proposed := n.propose(t)
	require.Equal(t, "49.32", proposed.AmuletPaid.Show())
	require.Equal(t, []ledger.Party{bob, provider}, []ledger.Party{proposed.User, proposed.Validator})
	require.Equal(t, "create ExternalPartySetupProposal", proposed.Meta.Values["splice.lfdecentralizedtrust.org/reason"])
	contract, proposal, err := ledgertest.Contract(n.Ledger, proposed.ProposalCid)
	require.NoError(t, err)
	require.Equal(t, coin.ExternalPartySetupProposal{
		Validator: provider, User: bob, DSO: dso, CreatedAt: n.at(0), PreapprovalExpiresAt: n.at(90 * day),
	}, proposal)
	require.ElementsMatch(t, []ledger.Party{provider, dso}, contract.Signatories)
	require.Equal(t, []ledger.Party{bob}, contract.Observers)

	_, err = ledgertest.Exercise[coin.ExternalPartySetupProposalAcceptResult](n.Ledger, ledgertest.As(provider),
		proposed.ProposalCid, coin.ExternalPartySetupProposalAccept{})
	requireRefused(t, err, noAuth, "bob")
	n.Now = n.Now.Add(day)
	accepted, err := ledgertest.Exercise[coin.ExternalPartySetupProposalAcceptResult](n.Ledger, ledgertest.As(bob),
		proposed.ProposalCid, coin.ExternalPartySetupProposalAccept{})
	require.NoError(t, err)
	require.Equal(t, coin.ValidatorRight{DSO: dso, User: bob, Validator: provider},
		payload(t, n, accepted.ValidatorRightCid))
	require.Equal(t, coin.TransferPreapproval{
		DSO: dso, Receiver: bob, Provider: provider,
		ValidFrom: n.at(0), LastRenewedAt: n.at(0), ExpiresAt: n.at(90 * day),
	}, payload(t, n, accepted.TransferPreapprovalCid))
	require.NotContains(t, n.Active, proposed.ProposalCid.ID())
	require.True(t, n.supply(t).Balanced())
}

func TestSetupProposal_EndsWithoutRefund(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	rejected, withdrawn := n.propose(t).ProposalCid, n.propose(t).ProposalCid
	_, err := ledgertest.Exercise[coin.ExternalPartySetupProposalRejectResult](n.Ledger, ledgertest.As(provider),
		rejected, coin.ExternalPartySetupProposalReject{Reason: "no"})
	requireRefused(t, err, noAuth, "bob")
	_, err = ledgertest.Exercise[coin.ExternalPartySetupProposalRejectResult](n.Ledger, ledgertest.As(bob),
		rejected, coin.ExternalPartySetupProposalReject{Reason: "no"})
	require.NoError(t, err)

	n.Now = n.Now.Add(90 * day)
	_, err = ledgertest.Exercise[coin.ExternalPartySetupProposalAcceptResult](n.Ledger, ledgertest.As(bob), withdrawn,
		coin.ExternalPartySetupProposalAccept{})
	requireRefused(t, err, tooLate, "ExternalPartySetupProposal.preapprovalExpiresAt")
	_, err = ledgertest.Exercise[coin.ExternalPartySetupProposalWithdrawResult](n.Ledger, ledgertest.As(bob),
		withdrawn, coin.ExternalPartySetupProposalWithdraw{Reason: "too late"})
	requireRefused(t, err, noAuth, "provider")
	_, err = ledgertest.Exercise[coin.ExternalPartySetupProposalWithdrawResult](n.Ledger, ledgertest.As(provider),
		withdrawn, coin.ExternalPartySetupProposalWithdraw{Reason: "too late"})
	require.NoError(t, err)
	require.Empty(t, all[coin.ExternalPartySetupProposal](t, n))
	require.Equal(t, "98.64", n.supply(t).Burned.Show())
}

func TestSetupProposal_RefusesAnExpiredPreapproval(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	_, err := ledgertest.Exercise[coin.AmuletRulesCreateExternalPartySetupProposalResult](n.Ledger,
		n.public(provider), n.rules, coin.AmuletRulesCreateExternalPartySetupProposal{
			Context: n.payment(), User: bob, Validator: provider, PreapprovalExpiresAt: n.at(0), ExpectedDSO: new(dso),
		})
	requireRefused(t, err, tooLate, "preapprovalExpiresAt")
}
