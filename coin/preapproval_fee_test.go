package coin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

// contract: preapproval-fee
func TestPreapprovalFee_IsProportionalToItsLife(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config func(config *coin.AmuletConfig)
		life   time.Duration
		want   string
	}{
		"90 days":  {life: 90 * day, want: "49.32"},
		"a year":   {life: 365 * day, want: "200.02"},
		"a second": {life: time.Second, want: "0.00000634"},
		"a fee that the network sets": {
			func(c *coin.AmuletConfig) { c.TransferPreapprovalFee = new(amount("0.01")) }, day, "2.0",
		},
		"no fee": {
			func(c *coin.AmuletConfig) { c.TransferPreapprovalFee = new(amount("0")) }, 365 * day, "0.0",
		},
		"free days, the usual 90": {
			func(c *coin.AmuletConfig) { c.TransferPreapprovalBaseDuration = nil }, 90 * day, "0.0",
		},
		"what is beyond 90 free days": {
			func(c *coin.AmuletConfig) { c.TransferPreapprovalBaseDuration = nil }, 365 * day, "150.7",
		},
		"free days that the network sets": {
			func(c *coin.AmuletConfig) { c.TransferPreapprovalBaseDuration = new(lf.RelTimeOf(10 * day)) }, 20 * day, "5.48",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			if c.config != nil {
				rules := payload(t, n, n.rules)
				c.config(&rules.ConfigSchedule.InitialValue)
				n.rules = create(t, n, rules, dso)
			}
			funds := n.tap(t, provider, "1000")
			result, err := n.preapprove(t, c.life, funds)
			require.NoError(t, err)
			require.Equal(t, c.want, result.AmuletPaid.Show())
			require.Equal(t, coin.TransferPreapproval{
				DSO: dso, Receiver: bob, Provider: provider,
				ValidFrom: n.at(0), LastRenewedAt: n.at(0), ExpiresAt: n.at(c.life),
			}, payload(t, n, result.TransferPreapprovalCid))
			require.Equal(t, c.want, n.supply(t).Burned.Show())
			require.True(t, n.supply(t).Balanced())
			if result.AmuletPaid.IsZero() {
				require.Contains(t, n.Active, funds.ID(), "nothing is paid, so nothing is touched")
				require.Empty(t, result.Meta.Values)
				require.Equal(t, "0.0050000000", result.TransferResult.Summary.AmuletPrice.String())
			}
		})
	}
}

// contract: preapproval-fee
func TestPreapprovalFee_IsBurned(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	result, err := n.preapprove(t, 90*day, n.tap(t, provider, "60"))
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"splice.lfdecentralizedtrust.org/tx-kind": "burn",
		"splice.lfdecentralizedtrust.org/burned":  "49.32",
		"splice.lfdecentralizedtrust.org/reason":  "create TransferPreapproval",
	}, result.Meta.Values)
	require.Equal(t, "10.68", payload(t, n, *result.TransferResult.SenderChangeAmulet).Amount.InitialAmount.Show())
	require.NotContains(t, n.Active, result.TransferResult.CreatedAmulets[0].Amulet.ID())
	changes := result.TransferResult.Summary.BalanceChanges
	require.Len(t, changes, 1)
	require.Equal(t, provider, changes[0].Key)
	require.Equal(t, "-49.32", changes[0].Value.ChangeToInitialAmountAsOfRoundZero.Show())
	require.Equal(t, "0.0", changes[0].Value.ChangeToHoldingFeesRate.Show())
	for _, coupon := range all[coin.ValidatorRewardCoupon](t, n) {
		require.Equal(t, coin.ValidatorRewardCoupon{DSO: dso, User: provider, Amount: amount("49.32")}, coupon)
	}
	require.Len(t, all[coin.ValidatorRewardCoupon](t, n), 1)
	require.Equal(t, "10.68", n.held(t, provider))
}

func TestPreapproval_CreateRefusesMistakes(t *testing.T) {
	t.Parallel()
	type argument = coin.AmuletRulesCreateTransferPreapproval
	for name, c := range map[string]struct {
		actAs      []ledger.Party
		change     func(t *testing.T, n network, arg *argument)
		code, text string
	}{
		"without the receiver": {actAs: []ledger.Party{provider}, code: noAuth, text: "bob"},
		"without the provider": {actAs: []ledger.Party{bob}, code: noAuth, text: "provider"},
		"to somebody who means another network": {
			change: func(_ *testing.T, _ network, arg *argument) { arg.ExpectedDSO = new(stranger) },
			code:   general, text: "does not match the actual DSO party",
		},
		"to somebody who does not say which network": {
			change: func(_ *testing.T, _ network, arg *argument) { arg.ExpectedDSO = nil },
			code:   general, text: "Expected DSO party not set",
		},
		"when it would have expired": {
			change: func(_ *testing.T, n network, arg *argument) { arg.ExpiresAt = n.at(0) }, code: tooLate, text: "expiresAt",
		},
		"when it starts in the future": {
			change: func(_ *testing.T, n network, arg *argument) { arg.OptCreatedAt = new(n.at(time.Second)) },
			code:   tooEarly, text: "createdAt",
		},
		"when it starts after it ends": {
			change: func(_ *testing.T, n network, arg *argument) { arg.OptCreatedAt = new(n.at(2 * day)) },
			code:   tooEarly, text: "createdAt",
		},
		"for less than it costs": {
			change: func(_ *testing.T, _ network, arg *argument) { arg.Inputs = arg.Inputs[:1] },
			code:   "splice.lfdecentralizedtrust.org/insufficient-funds", text: "0.32",
		},
		"for somebody else's coin": {
			change: func(t *testing.T, n network, arg *argument) {
				t.Helper()
				arg.Inputs[0] = coin.InputAmulet(n.tap(t, bob, "100"))
			},
			code: general, text: "owner 'provider::1220ee', got dso 'DSO::1220d5', owner 'bob::1220b0'",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			arg := argument{
				Context:  n.payment(),
				Inputs:   amulets(coins{n.tap(t, provider, "49"), n.tap(t, provider, "1")}),
				Receiver: bob, Provider: provider, ExpiresAt: n.at(90 * day), ExpectedDSO: new(dso),
			}
			if c.change != nil {
				c.change(t, n, &arg)
			}
			if c.actAs == nil {
				c.actAs = []ledger.Party{bob, provider}
			}
			_, err := ledgertest.Exercise[coin.AmuletRulesCreateTransferPreapprovalResult](n.Ledger,
				n.public(c.actAs...), n.rules, arg)
			requireRefused(t, err, c.code, c.text)
		})
	}
}

func TestPreapproval_MayStartInThePast(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	n.Now = n.Now.Add(day)
	result, err := ledgertest.Exercise[coin.AmuletRulesCreateTransferPreapprovalResult](n.Ledger,
		n.public(provider, bob), n.rules, coin.AmuletRulesCreateTransferPreapproval{
			Context: n.payment(), Inputs: amulets(coins{n.tap(t, provider, "100")}), Receiver: bob, Provider: provider,
			ExpiresAt: n.at(3 * day), ExpectedDSO: new(dso), OptCreatedAt: new(n.at(0)),
		})
	require.NoError(t, err)
	require.Equal(t, n.at(0), payload(t, n, result.TransferPreapprovalCid).ValidFrom)
	require.Equal(t, "1.644", result.AmuletPaid.Show(), "three days")
}
