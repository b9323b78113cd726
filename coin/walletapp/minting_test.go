package walletapp_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/cointest"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

// delegation lets the operator mint for alice, for an hour.
func delegation(n *cointest.Network) walletapp.MintingDelegation {
	return walletapp.MintingDelegation{
		Beneficiary: alice, Delegate: operator, DSO: cointest.DSO, ExpiresAt: n.At(time.Hour), AmuletMergeLimit: 5,
	}
}

func propose(n *cointest.Network, d walletapp.MintingDelegation) lf.CID[walletapp.MintingDelegationProposal] {
	return cointest.Create(n, walletapp.MintingDelegationProposal{Delegation: d}, d.Beneficiary)
}

func acceptDelegation(t *testing.T, n *cointest.Network, existing *lf.CID[walletapp.MintingDelegation],
) (lf.CID[walletapp.MintingDelegation], error) {
	t.Helper()
	result, err := cointest.Exercise[walletapp.MintingDelegationProposalAcceptResult](n, propose(n, delegation(n)),
		walletapp.MintingDelegationProposalAccept{ExistingDelegationCid: existing}, operator)
	return result.MintingDelegationCid, err
}

func TestMintingProposal_IsAnswered(t *testing.T) {
	t.Parallel()
	n := start(t)
	t.Run("accepted by the delegate alone", func(t *testing.T) {
		_, err := cointest.Exercise[walletapp.MintingDelegationProposalAcceptResult](n, propose(n, delegation(n)),
			walletapp.MintingDelegationProposalAccept{}, alice)
		cointest.RequireRefused(t, err, cointest.NoAuth, "operator")
		id, err := acceptDelegation(t, n, nil)
		require.NoError(t, err)
		require.Equal(t, delegation(n), cointest.Payload(n, id))
	})
	t.Run("in the place of another delegation", func(t *testing.T) {
		first, err := acceptDelegation(t, n, nil)
		require.NoError(t, err)
		_, err = acceptDelegation(t, n, &first)
		require.NoError(t, err)
		require.NotContains(t, n.Active, first.ID())
	})
	t.Run("not in the place of a stranger", func(t *testing.T) {
		of := delegation(n)
		of.Beneficiary = bob
		others := cointest.Create(n, of, bob, operator)
		_, err := acceptDelegation(t, n, &others)
		cointest.RequireRefused(t, err, cointest.General, "Contract group identifier mismatch")
	})
	t.Run("rejected and withdrawn", func(t *testing.T) {
		_, err := cointest.Exercise[walletapp.MintingDelegationProposalRejectResult](n, propose(n, delegation(n)),
			walletapp.MintingDelegationProposalReject{}, operator)
		require.NoError(t, err)
		_, err = cointest.Exercise[walletapp.MintingDelegationProposalWithdrawResult](n, propose(n, delegation(n)),
			walletapp.MintingDelegationProposalWithdraw{}, operator)
		cointest.RequireRefused(t, err, cointest.NoAuth, "alice")
		_, err = cointest.Exercise[walletapp.MintingDelegationProposalWithdrawResult](n, propose(n, delegation(n)),
			walletapp.MintingDelegationProposalWithdraw{}, alice)
		require.NoError(t, err)
	})
}

func TestMintingDelegation_MintsForABeneficiary(t *testing.T) {
	t.Parallel()
	n := start(t)
	id, err := acceptDelegation(t, n, nil)
	require.NoError(t, err)
	mint := func(inputs []coin.TransferInput, by ledger.Party) (walletapp.MintingDelegationMintResult, error) {
		as := n.Public(by)
		as.ReadAs = []ledger.Party{alice}
		return ledgertest.Exercise[walletapp.MintingDelegationMintResult](n.Ledger, as, id,
			walletapp.MintingDelegationMint{Inputs: inputs, Context: n.Context()})
	}
	inputs := slices.Concat(n.Inputs(alice, "1"), n.Inputs(alice, "2"))
	_, err = mint(inputs, alice)
	cointest.RequireRefused(t, err, cointest.NoAuth, "operator")
	_, err = mint(n.Inputs(operator, "1"), operator)
	cointest.RequireRefused(t, err, cointest.General, "Contract group identifier mismatch")
	result, err := mint(inputs, operator)
	require.NoError(t, err)
	require.Equal(t, "3.0", cointest.Payload(n, *result.TransferResult.SenderChangeAmulet).Amount.InitialAmount.Show())

	n.Advance(time.Hour)
	_, err = mint(n.Inputs(alice, "1"), operator)
	cointest.RequireRefused(t, err, cointest.TooLate, "expiresAt")
}

func TestMintingDelegation_AssignsRewardsAndMintsTheRest(t *testing.T) {
	t.Parallel()
	n := start(t)
	id, err := acceptDelegation(t, n, nil)
	require.NoError(t, err)
	reward := func(of ledger.Party) lf.CID[coin.RewardCoupon] {
		return lf.Coerce[coin.RewardCoupon](cointest.Create(n, coin.RewardCouponV2{
			DSO: cointest.DSO, Provider: of, Amount: cointest.Amount("10"), ExpiresAt: n.At(time.Hour),
			ProviderIsObserver: true,
		}, cointest.DSO))
	}
	shareOut := func(coupon lf.CID[coin.RewardCoupon]) (walletapp.MintingDelegationAssignAndMintResult, error) {
		as := n.Public(operator)
		as.ReadAs = []ledger.Party{alice}
		return ledgertest.Exercise[walletapp.MintingDelegationAssignAndMintResult](n.Ledger, as, id,
			walletapp.MintingDelegationAssignAndMint{
				CouponCid: coupon, Inputs: n.Inputs(alice, "1"), Context: n.Context(),
				AssignBeneficiaries: coin.AssignBeneficiaries{NewBeneficiaries: []coin.RewardBeneficiary{
					{Beneficiary: alice, Percentage: cointest.Amount("0.75")},
					{Beneficiary: bob, Percentage: cointest.Amount("0.25")},
				}},
			})
	}
	_, err = shareOut(reward(operator)) // the operator sees its own, but it is not alice's
	cointest.RequireRefused(t, err, cointest.General, "Contract group identifier mismatch")
	result, err := shareOut(reward(alice))
	require.NoError(t, err)
	require.Equal(t, "7.5", result.TransferResult.Summary.InputAppRewardAmount.Show())
	require.Equal(t, "8.5", result.TransferResult.Summary.SenderChangeAmount.Show())
	require.Len(t, result.AssignResult.NewBeneficiariesCouponCids, 2)

	n.Advance(time.Hour)
	_, err = shareOut(reward(alice))
	cointest.RequireRefused(t, err, cointest.TooLate, "expiresAt")
}

func TestMintingDelegation_EndsByEitherParty(t *testing.T) {
	t.Parallel()
	n := start(t)
	first, err := acceptDelegation(t, n, nil)
	require.NoError(t, err)
	_, err = cointest.Exercise[walletapp.MintingDelegationRejectResult](n, first,
		walletapp.MintingDelegationReject{}, alice)
	cointest.RequireRefused(t, err, cointest.NoAuth, "operator")
	_, err = cointest.Exercise[walletapp.MintingDelegationRejectResult](n, first,
		walletapp.MintingDelegationReject{}, operator)
	require.NoError(t, err)
	second, err := acceptDelegation(t, n, nil)
	require.NoError(t, err)
	_, err = cointest.Exercise[walletapp.MintingDelegationWithdrawResult](n, second,
		walletapp.MintingDelegationWithdraw{}, operator)
	cointest.RequireRefused(t, err, cointest.NoAuth, "alice")
	_, err = cointest.Exercise[walletapp.MintingDelegationWithdrawResult](n, second,
		walletapp.MintingDelegationWithdraw{}, alice)
	require.NoError(t, err)
	require.Empty(t, n.Active[second.ID()])
}
