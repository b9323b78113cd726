package coin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

const day = 24 * time.Hour

// payment is the context of a payment out of a wallet against round 0.
func (n network) payment() coin.PaymentTransferContext {
	return coin.PaymentTransferContext{AmuletRules: n.rules, Context: n.roundZero()}
}

// preapprove makes a preapproval of bob's, for which the provider pays.
func (n network) preapprove(
	t *testing.T, life time.Duration, inputs ...lf.CID[coin.Amulet],
) (coin.AmuletRulesCreateTransferPreapprovalResult, error) {
	t.Helper()
	return ledgertest.Exercise[coin.AmuletRulesCreateTransferPreapprovalResult](n.Ledger, n.public(provider, bob), n.rules,
		coin.AmuletRulesCreateTransferPreapproval{
			Context: n.payment(), Inputs: amulets(inputs), Receiver: bob, Provider: provider, ExpiresAt: n.at(life),
			ExpectedDSO: new(dso),
		})
}

func amulets(ids []lf.CID[coin.Amulet]) (inputs []coin.TransferInput) {
	for _, id := range ids {
		inputs = append(inputs, coin.InputAmulet(id))
	}
	return inputs
}

// preapproved is an active preapproval of bob's that the provider pays for and manages, valid for 90 days.
func (n network) preapproved(t *testing.T) lf.CID[coin.TransferPreapproval] {
	t.Helper()
	result, err := n.preapprove(t, 90*day, n.tap(t, provider, "49.32"))
	require.NoError(t, err)
	return result.TransferPreapprovalCid
}

// seeing is the parties with the preapproval and all contracts that only the DSO sees, disclosed.
func (n network) seeing(id lf.CID[coin.TransferPreapproval], parties ...ledger.Party) ledgertest.Parties {
	return n.public(parties...).Disclose(n.Active[id.ID()])
}

func TestPreapproval_LetsAnybodySend(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	preapproval := n.preapproved(t)
	result, err := ledgertest.Exercise[coin.TransferPreapprovalSendResult](n.Ledger, n.seeing(preapproval, alice),
		preapproval, coin.TransferPreapprovalSend{
			Context: n.payment(), Inputs: amulets(coins{n.tap(t, alice, "10")}), Amount: amount("4"), Sender: alice,
			Description: new("for lunch"),
		})
	require.NoError(t, err)
	require.Equal(t, "4.0", n.held(t, bob))
	require.Equal(t, "6.0", n.held(t, alice))
	require.Nil(t, result.Result.Meta)
	require.Equal(t, map[string]string{
		"splice.lfdecentralizedtrust.org/tx-kind": "transfer",
		"splice.lfdecentralizedtrust.org/sender":  "alice::1220a1",
		"splice.lfdecentralizedtrust.org/reason":  "for lunch",
	}, result.Meta.Values)
	require.Contains(t, n.Active, preapproval.ID(), "it is good for more")
	require.True(t, n.supply(t).Balanced())
}

func TestPreapproval_TakesATransferPreparedLongAgo(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	preapproval := n.preapproved(t)
	funds := amulets(coins{n.tap(t, alice, "10")})
	n.Now = n.Now.Add(2 * day)
	result, err := ledgertest.Exercise[coin.TransferPreapprovalSendV2Result](n.Ledger, n.seeing(preapproval, alice),
		preapproval, coin.TransferPreapprovalSendV2{
			Context: coin.ExternalPartyTransferContext{ExternalPartyConfigState: n.states[1]},
			Inputs:  funds, Amount: amount("4"), Sender: alice, Description: new("for lunch"),
			Meta: &token.Metadata{Values: map[string]string{
				"splice.lfdecentralizedtrust.org/reason": "overridden", "example.org/invoice": "7",
				"splice.lfdecentralizedtrust.org/sender": "forged",
			}},
		})
	require.NoError(t, err)
	require.Equal(t, "4.0", n.held(t, bob))
	require.Nil(t, result.Result.Meta)
	require.Equal(t, map[string]string{
		"splice.lfdecentralizedtrust.org/tx-kind": "transfer",
		"splice.lfdecentralizedtrust.org/sender":  "alice::1220a1",
		"splice.lfdecentralizedtrust.org/reason":  "for lunch",
		"example.org/invoice":                     "7",
	}, result.Meta.Values)
	received := payload(t, n, *result.Result.CreatedAmulets[0].Amulet)
	require.Equal(t, rate, received.Amount.RatePerRound.Rate.String())
	require.Equal(t, payload(t, n, n.states[1]).HoldingFeesOpenRoundNumber, received.Amount.CreatedAt)
}

// contract: preapproval-rewards
func TestPreapproval_RewardsAFeaturedProvider(t *testing.T) {
	t.Parallel()
	markers, traffic := coin.RewardVersionFeaturedAppMarkers, coin.RewardVersionTrafficBased
	for name, c := range map[string]struct {
		version          *coin.RewardVersion
		coupons, markers []string
	}{
		"a coupon":                   {coupons: []string{"provider::1220ee 200.0 of round 0"}},
		"a marker where they count":  {version: &markers, markers: []string{"provider::1220ee 1.0"}},
		"nothing where traffic does": {version: &traffic},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			round, state := payload(t, n, n.rounds[0]), payload(t, n, n.states[0])
			if c.version != nil {
				round.RewardConfig, state.RewardCalculationVersion = rewards(*c.version), c.version
			}
			n.rounds[0] = create(t, n, round, dso)
			external := coin.ExternalPartyTransferContext{ExternalPartyConfigState: create(t, n, state, dso)}
			right := create(t, n, coin.FeaturedAppRight{DSO: dso, Provider: provider}, dso)
			other := create(t, n, coin.FeaturedAppRight{DSO: dso, Provider: charlie}, dso)
			preapproval, payment := n.preapproved(t), n.payment()

			sends := []func(right *lf.CID[coin.FeaturedAppRight]) error{
				func(right *lf.CID[coin.FeaturedAppRight]) error {
					payment.Context.FeaturedAppRight = right
					_, err := ledgertest.Exercise[coin.TransferPreapprovalSendResult](n.Ledger,
						n.seeing(preapproval, alice).Disclose(n.Active[right.ID()]), preapproval, coin.TransferPreapprovalSend{
							Context: payment, Inputs: amulets(coins{n.tap(t, alice, "10")}), Amount: amount("4"), Sender: alice,
						})
					return err
				},
				func(right *lf.CID[coin.FeaturedAppRight]) error {
					external.FeaturedAppRight = right
					_, err := ledgertest.Exercise[coin.TransferPreapprovalSendV2Result](n.Ledger,
						n.seeing(preapproval, alice).Disclose(n.Active[right.ID()]), preapproval, coin.TransferPreapprovalSendV2{
							Context: external, Inputs: amulets(coins{n.tap(t, alice, "10")}), Amount: amount("4"), Sender: alice,
						})
					return err
				},
			}
			for i, send := range sends {
				require.NoError(t, send(&right))
				var coupons, markers []string
				for range i + 1 {
					coupons, markers = append(coupons, c.coupons...), append(markers, c.markers...)
				}
				require.Equal(t, coupons, n.activityCoupons(t))
				require.Equal(t, markers, n.markers(t))
				if err := send(&other); c.version != &traffic {
					requireRefused(t, err, general, "owner 'provider::1220ee', got dso 'DSO::1220d5', owner 'charlie::1220c4'")
				}
			}
		})
	}
}

// TestPreapproval_GoesThroughItsStates has a case for each row of the table of its states.
//
// contract: preapproval-renew-choice, preapproval-cancel, preapproval-expiry, preapproval-provider
func TestPreapproval_GoesThroughItsStates(t *testing.T) {
	t.Parallel()
	renew := func(n network, id lf.CID[coin.TransferPreapproval], until time.Duration, funds coins, by ...ledger.Party,
	) (coin.TransferPreapprovalRenewResult, error) {
		return ledgertest.Exercise[coin.TransferPreapprovalRenewResult](n.Ledger, n.public(by...), id,
			coin.TransferPreapprovalRenew{Context: n.payment(), Inputs: amulets(funds), NewExpiresAt: n.at(until)})
	}
	cancel := func(n network, id lf.CID[coin.TransferPreapproval], by, p ledger.Party) error {
		_, err := ledgertest.Exercise[coin.TransferPreapprovalCancelResult](n.Ledger, n.seeing(id, by), id,
			coin.TransferPreapprovalCancel{P: p})
		return err
	}
	expire := func(n network, id lf.CID[coin.TransferPreapproval], by ledger.Party) error {
		_, err := ledgertest.Exercise[coin.TransferPreapprovalExpireResult](n.Ledger, n.seeing(id, by), id,
			coin.TransferPreapprovalExpire{})
		return err
	}
	t.Run("renewed by its provider, who pays for the extension", func(t *testing.T) {
		t.Parallel()
		n := startNetwork(t)
		id := n.preapproved(t)
		_, err := renew(n, id, 180*day, coins{n.tap(t, bob, "60")}, bob)
		requireRefused(t, err, noAuth, "provider")
		_, err = renew(n, id, 90*day, coins{n.tap(t, provider, "60")}, provider)
		requireRefused(t, err, assertion, "newExpiresAt is after expiresAt")
		_, err = renew(n, id, 180*day, nil, provider)
		requireRefused(t, err, "splice.lfdecentralizedtrust.org/insufficient-funds", "49.32")
		result, err := renew(n, id, 180*day, coins{n.tap(t, provider, "60")}, provider)
		require.NoError(t, err)
		require.Equal(t, "49.32", result.AmuletPaid.Show())
		require.Equal(t, []ledger.Party{bob, provider}, []ledger.Party{result.Receiver, result.Provider})
		require.Equal(t, "renew TransferPreapproval", result.Meta.Values["splice.lfdecentralizedtrust.org/reason"])
		require.NotContains(t, n.Active, id.ID())
		require.Equal(t, coin.TransferPreapproval{
			DSO: dso, Receiver: bob, Provider: provider,
			ValidFrom: n.at(0), LastRenewedAt: n.at(90 * day), ExpiresAt: n.at(180 * day),
		}, payload(t, n, result.TransferPreapprovalCid))
		require.Equal(t, "98.64", n.supply(t).Burned.Show())
		require.True(t, n.supply(t).Balanced())
	})
	t.Run("expired at its end, archived by the DSO", func(t *testing.T) {
		t.Parallel()
		n := startNetwork(t)
		id, funds := n.preapproved(t), coins{n.tap(t, alice, "10")}
		requireRefused(t, expire(n, id, dso), tooEarly, "TransferPreapproval.expiresAt")
		n.Now = n.Now.Add(90 * day)
		const deadline = "TransferPreapproval.expiresAt"
		_, err := ledgertest.Exercise[coin.TransferPreapprovalSendResult](n.Ledger, n.seeing(id, alice), id,
			coin.TransferPreapprovalSend{Context: n.payment(), Inputs: amulets(funds), Amount: amount("4"), Sender: alice})
		requireRefused(t, err, tooLate, deadline)
		_, err = ledgertest.Exercise[coin.TransferPreapprovalSendV2Result](n.Ledger, n.seeing(id, alice), id,
			coin.TransferPreapprovalSendV2{
				Context: coin.ExternalPartyTransferContext{ExternalPartyConfigState: n.states[1]},
				Inputs:  amulets(funds), Amount: amount("4"), Sender: alice,
			})
		requireRefused(t, err, tooLate, deadline)
		_, err = renew(n, id, 180*day, coins{n.tap(t, provider, "60")}, provider)
		requireRefused(t, err, tooLate, deadline)
		requireRefused(t, cancel(n, id, bob, bob), tooLate, deadline)
		requireRefused(t, expire(n, id, bob), noAuth, "DSO")
		require.NoError(t, expire(n, id, dso))
		require.NotContains(t, n.Active, id.ID())
	})
	for _, by := range []ledger.Party{bob, provider} {
		t.Run("cancelled by "+string(by), func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			id := n.preapproved(t)
			const stranger = "Controller 'alice::1220a1' is either receiver or provider"
			requireRefused(t, cancel(n, id, alice, alice), assertion, stranger)
			requireRefused(t, cancel(n, id, alice, by), noAuth, string(by))
			require.NoError(t, cancel(n, id, by, by))
			require.NotContains(t, n.Active, id.ID())
		})
	}
	t.Run("expired, it does not keep the receiver from a new one", func(t *testing.T) {
		t.Parallel()
		n := startNetwork(t)
		old := n.preapproved(t)
		n.Now = n.Now.Add(91 * day)
		result, err := n.preapprove(t, 181*day, n.tap(t, provider, "100"))
		require.NoError(t, err)
		require.Contains(t, n.Active, old.ID())
		require.Contains(t, n.Active, result.TransferPreapprovalCid.ID())
	})
}

func TestPreapproval_CanBeFetchedWhenDisclosed(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	id := n.preapproved(t)
	fetched, err := ledgertest.Exercise[coin.TransferPreapproval](n.Ledger, n.seeing(id, stranger), id,
		coin.TransferPreapprovalFetch{P: stranger})
	require.NoError(t, err)
	require.Equal(t, payload(t, n, id), fetched)
	contract := n.Active[id.ID()]
	require.ElementsMatch(t, []ledger.Party{bob, provider, dso}, contract.Signatories)
	require.Empty(t, contract.Observers)
}

func TestPreapproval_RefusesAnEndBeforeItsStart(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	type times struct{ from, renewed, until time.Duration }
	for _, c := range []times{{tick, tick, tick}, {day, day, tick}, {tick, 0, day}} {
		_, err := ledgertest.Create(n.Ledger, ledgertest.As(dso, bob), coin.TransferPreapproval{
			DSO: dso, Receiver: bob, Provider: bob, ValidFrom: n.at(c.from),
			LastRenewedAt: n.at(c.renewed), ExpiresAt: n.at(c.until),
		})
		requireRefused(t, err, notValid, "TransferPreapproval")
	}
}
