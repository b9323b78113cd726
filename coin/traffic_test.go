package coin_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

const (
	member       = "PAR::validator::122011"
	synchronizer = "global-domain::1220"
)

// traffic is alice's purchase of traffic for the member, against round 0.
func (n network) traffic(bytes int64, inputs ...coin.TransferInput) coin.AmuletRulesBuyMemberTraffic {
	return coin.AmuletRulesBuyMemberTraffic{
		Inputs: inputs, Context: n.roundZero(), Provider: alice, MemberID: member, SynchronizerID: synchronizer,
		TrafficAmount: bytes, ExpectedDSO: new(dso),
	}
}

func (n network) buy(argument coin.AmuletRulesBuyMemberTraffic) (coin.AmuletRulesBuyMemberTrafficResult, error) {
	return ledgertest.Exercise[coin.AmuletRulesBuyMemberTrafficResult](n.Ledger,
		n.public(argument.Provider).Disclose(n.Active[argument.Context.OpenMiningRound.ID()]), n.rules, argument)
}

func TestBuyMemberTraffic_BurnsCoin(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	result, err := n.buy(n.traffic(1_000_000, amulets(coins{n.tap(t, alice, "4000")})...))
	require.NoError(t, err)
	require.Equal(t, "3334.0", result.AmuletPaid.Show())
	require.Equal(t, "666.0", n.held(t, alice))
	require.Equal(t, "666.0", payload(t, n, *result.SenderChangeAmulet).Amount.InitialAmount.Show())
	require.Equal(t, map[string]string{
		"splice.lfdecentralizedtrust.org/tx-kind": "burn",
		"splice.lfdecentralizedtrust.org/burned":  "3334.0",
		"splice.lfdecentralizedtrust.org/reason":  "traffic purchase",
	}, result.Meta.Values)
	contract, traffic, err := ledgertest.Contract(n.Ledger, result.PurchasedTraffic)
	require.NoError(t, err)
	require.JSONEq(t, `{"dso":"DSO::1220d5","memberId":"PAR::validator::122011","synchronizerId":"global-domain::1220",
		"migrationId":"0","totalPurchased":"1000000","numPurchases":"1","amuletSpent":"3334.0000000000",
		"usdSpent":"16.6700000000"}`, string(contract.Payload))
	require.Equal(t, int64(1_000_000), traffic.TotalPurchased)
	for _, coupon := range all[coin.ValidatorRewardCoupon](t, n) {
		require.Equal(t, coin.ValidatorRewardCoupon{DSO: dso, User: alice, Amount: amount("3334")}, coupon)
	}
	require.Len(t, all[coin.ValidatorRewardCoupon](t, n), 1)
	require.Equal(t, "-3334.0", result.Summary.BalanceChanges[0].Value.ChangeToInitialAmountAsOfRoundZero.Show())
	require.Equal(t, "3334.0", n.supply(t).Burned.Show())
	require.True(t, n.supply(t).Balanced())
}

func TestBuyMemberTraffic_CostsThePriceOfItsRound(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	round := payload(t, n, n.rounds[0])
	round.TrafficPrice, round.AmuletPrice = new(amount("1.5")), amount("0.03")
	argument := n.traffic(333_333, amulets(coins{n.tap(t, alice, "4000")})...)
	argument.Context.OpenMiningRound = create(t, n, round, dso)
	result, err := n.buy(argument)
	require.NoError(t, err)
	require.Equal(t, "16.66665", result.AmuletPaid.Show())
	require.Equal(t, "0.4999995", payload(t, n, result.PurchasedTraffic).USDSpent.Show())
}

func TestBuyMemberTraffic_TakesRewards(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	context := n.mintingContext(t)
	right := create(t, n, coin.FeaturedAppRight{DSO: dso, Provider: alice}, dso)
	argument := n.traffic(200_000, coupons()["validator reward"](t, n))
	argument.Context, argument.Context.FeaturedAppRight = context, &right
	argument.Inputs = append(argument.Inputs, coupons()["unclaimed activity"](t, n))
	result, err := n.buy(argument)
	require.NoError(t, err)
	require.Equal(t, "12.5", result.Summary.SenderChangeAmount.Show())
	require.Equal(t, "666.8", result.Meta.Values["amulet.splice.lfdecentralizedtrust.org/validator-rewards"])
	require.Equal(t, "burn", result.Meta.Values["splice.lfdecentralizedtrust.org/tx-kind"])
	require.Empty(t, n.markers(t))
	require.Empty(t, n.activityCoupons(t), "a purchase is nobody's app activity")
	require.Equal(t, "679.3", n.supply(t).Minted.Show())
	require.True(t, n.supply(t).Balanced())
}

func TestBuyMemberTraffic_RefusesMistakes(t *testing.T) {
	t.Parallel()
	type argument = coin.AmuletRulesBuyMemberTraffic
	for name, c := range map[string]struct {
		change     func(n network, arg *argument)
		code, text string
	}{
		"for a synchronizer that the network does not require": {
			func(_ network, arg *argument) { arg.SynchronizerID, arg.TrafficAmount = "other::1220", 1 },
			"splice.lfdecentralizedtrust.org/unknown-synchronizer", "other::1220",
		},
		"in less than the least amount": {
			func(_ network, arg *argument) { arg.TrafficAmount = 199_999 },
			"splice.lfdecentralizedtrust.org/insufficient-topup-amount", "199999 bytes is below the minimum of 200000",
		},
		"in negative amounts": {
			func(_ network, arg *argument) { arg.TrafficAmount = math.MinInt64 },
			"splice.lfdecentralizedtrust.org/insufficient-topup-amount", "below the minimum",
		},
		"for less than it costs": {
			func(_ network, arg *argument) { arg.TrafficAmount = 10_000_000 },
			"splice.lfdecentralizedtrust.org/insufficient-funds", "29340.0 is missing",
		},
		"for a member without a name": {
			func(_ network, arg *argument) { arg.MemberID = "" }, notValid, "MemberTraffic",
		},
		"for a migration before the first": {
			func(_ network, arg *argument) { arg.MigrationID = -1 }, notValid, "MemberTraffic",
		},
		"in a round that is not open yet": {
			func(n network, arg *argument) { arg.Context.OpenMiningRound = n.rounds[2] }, tooEarly, "openRound.opensAt",
		},
		"to somebody who means another network": {
			func(_ network, arg *argument) { arg.ExpectedDSO = new(stranger) }, general, "does not match",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			arg := n.traffic(1_000_000, amulets(coins{n.tap(t, alice, "4000")})...)
			c.change(n, &arg)
			_, err := n.buy(arg)
			requireRefused(t, err, c.code, c.text)
			require.Equal(t, "4000.0", n.held(t, alice))
		})
	}
}

func TestMemberTraffic_IsMerged(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	merge := func(ids ...lf.CID[coin.MemberTraffic]) (coin.AmuletRulesMergeMemberTrafficContractsResult, error) {
		return ledgertest.Exercise[coin.AmuletRulesMergeMemberTrafficContractsResult](n.Ledger, ledgertest.As(dso), n.rules,
			coin.AmuletRulesMergeMemberTrafficContracts{TrafficCids: ids})
	}
	bought := coin.MemberTraffic{
		DSO: dso, MemberID: member, SynchronizerID: synchronizer, MigrationID: 1, TotalPurchased: 10, NumPurchases: 2,
		AmuletSpent: amount("3.5"), USDSpent: amount("0.01"),
	}
	other := bought
	other.MigrationID = 2
	_, err := merge(create(t, n, bought, dso), create(t, n, other, dso))
	requireRefused(t, err, general, "migration 1, got")
	_, err = merge()
	requireRefused(t, err, assertion, "at least one")

	merged, err := merge(create(t, n, bought, dso), create(t, n, bought, dso), create(t, n, bought, dso))
	require.NoError(t, err)
	want := bought
	want.TotalPurchased, want.NumPurchases = 30, 6
	want.AmuletSpent, want.USDSpent = amount("10.5"), amount("0.03")
	require.Equal(t, want, payload(t, n, merged.MergedTrafficCid))

	bought.TotalPurchased = math.MaxInt64 - 20
	merged, err = merge(merged.MergedTrafficCid, create(t, n, bought, dso))
	require.NoError(t, err)
	require.Equal(t, int64(math.MaxInt64), payload(t, n, merged.MergedTrafficCid).TotalPurchased)
}
