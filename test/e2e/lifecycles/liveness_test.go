package lifecycles_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/automation"
)

// license makes the operator a validator.
func (n *node) license() {
	n.t.Helper()
	n.submit([]ledger.Party{n.identity.DSO}, create(n, coin.ValidatorLicense{
		Validator: n.operator(), Sponsor: n.operator(), DSO: n.identity.DSO,
	}))
}

func TestLiveness_EarnsForEveryRound(t *testing.T) {
	t.Parallel()
	n := newNodeWith(t, 2*tick, func(n *node) []automation.Automation {
		liveness, err := automation.NewLiveness(n.packages)
		require.NoError(t, err)
		return append(rewards(n), liveness)
	})
	n.wallet(n.operator())
	n.license()
	reported := func() coin.FaucetState {
		n.settled(automation.KindLiveness)
		state := active[coin.ValidatorLicense](n)[0].Payload.FaucetState
		require.NotNil(t, state)
		return *state
	}
	n.eventually("the round that is open", func() bool {
		return active[coin.ValidatorLicense](n)[0].Payload.FaucetState != nil
	})
	require.Equal(t, int64(1), reported().FirstReceivedFor.Number, "the newest of the two first open rounds")
	for range 8 {
		n.advance(tick)
		open := n.openRounds()
		require.Equal(t, open[len(open)-2], reported().LastReceivedFor.Number, "the last one opens in a tick")
	}
	require.Zero(t, reported().NumCouponsMissed)
	n.settled(automation.KindRewards)
	earned := decimal.MustParse(n.balance(n.operator()))
	require.Positive(t, earned.Cmp(decimal.FromInt(2*570)), "more than two rounds have issued: %s", earned.Show())
	require.LessOrEqual(t, len(active[coin.ValidatorLivenessActivityRecord](n)), 5, "the others are minted")

	// Rewards of every round do not stop the clock: ninety days are a few steps.
	before, err := n.db.Head(t.Context())
	require.NoError(t, err)
	n.advance(90 * day)
	after, err := n.db.Head(t.Context())
	require.NoError(t, err)
	require.Less(t, int64(after.Offset-before.Offset), int64(200))
	require.Empty(t, n.troubles(automation.KindLiveness))
	require.Empty(t, n.troubles(automation.KindRewards))
}

func TestMinting_MintsForDelegators(t *testing.T) {
	t.Parallel()
	n := newNodeWith(t, 2*tick, func(n *node) []automation.Automation {
		minting, err := automation.NewMinting(n.packages)
		require.NoError(t, err)
		expiry, err := automation.Expiry(n.packages)
		require.NoError(t, err)
		return append(rewards(n), minting, expiry)
	})
	alice, bob, carol := n.party("alice"), n.party("bob"), n.party("carol")
	n.wallet(n.operator())
	n.wallet(bob)
	n.earn(alice, "100.0")
	n.earn(carol, "100.0")
	expires := n.now().Add(10 * day)
	n.submit([]ledger.Party{alice}, create(n, walletapp.MintingDelegationProposal{
		Delegation: walletapp.MintingDelegation{
			Beneficiary: alice, Delegate: n.operator(), DSO: n.identity.DSO, ExpiresAt: lf.TimestampOf(expires),
			AmuletMergeLimit: 2,
		},
	}))
	proposal := active[walletapp.MintingDelegationProposal](n)[0].ID
	n.submit([]ledger.Party{n.operator()}, exercise[walletapp.MintingDelegationProposal](n, proposal,
		"MintingDelegationProposal_Accept", walletapp.MintingDelegationProposalAccept{}))
	n.settled(automation.KindMinting)

	n.advance(2 * day)
	require.Equal(t, "60.0", n.balance(alice), "0.6 for each coin of unfeatured activity, when its round issued")
	require.Equal(t, "0.0", n.balance(carol), "she has no delegation")

	t.Run("coin is merged once there is twice as much as wanted", func(t *testing.T) {
		for range 2 {
			n.tap(alice, "1.0")
		}
		n.advance(tick)
		require.Equal(t, 3, n.coinsOf(alice))
		n.tap(alice, "2.0")
		n.advance(tick)
		require.Equal(t, 2, n.coinsOf(alice), "the smallest became one")
		require.Equal(t, "64.0", n.balance(alice))
	})
	t.Run("nothing is minted once the delegation has expired", func(t *testing.T) {
		n.advance(10 * day)
		require.Empty(t, active[walletapp.MintingDelegation](n))
		n.earn(alice, "100.0")
		n.advance(2 * day)
		require.Equal(t, "64.0", n.balance(alice))
	})
	require.Empty(t, n.troubles(automation.KindMinting))
}
