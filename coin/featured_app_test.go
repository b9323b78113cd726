package coin_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

const (
	featuredV1 = "#splice-api-featured-app-v1:Splice.Api.FeaturedAppRightV1:FeaturedAppRight"
	featuredV2 = "#splice-api-featured-app-v2:Splice.Api.FeaturedAppRightV2:FeaturedAppRight"
	markerV1   = "#splice-api-featured-app-v1:Splice.Api.FeaturedAppRightV1:FeaturedAppActivityMarker"
	markerV2   = "#splice-api-featured-app-v2:Splice.Api.FeaturedAppRightV2:FeaturedAppActivityMarker"
)

func TestFeaturedAppRight_IsUpdatedWithdrawnAndCancelled(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	right := create(t, n, coin.FeaturedAppRight{DSO: dso, Provider: provider}, dso)
	for _, weight := range []string{"3", "1"} {
		updated, err := ledgertest.Exercise[coin.FeaturedAppRightUpdateResult](n.Ledger, ledgertest.As(dso), right,
			coin.FeaturedAppRightUpdate{Reason: "vote", NewActivityWeight: amount(weight)})
		require.NoError(t, err)
		right = updated.FeaturedAppRightCid
	}
	require.Nil(t, payload(t, n, right).ActivityWeight, "a weight of 1 is stored as absent")
	_, err := ledgertest.Exercise[coin.FeaturedAppRightWithdrawResult](n.Ledger, ledgertest.As(dso), right,
		coin.FeaturedAppRightWithdraw{Reason: "vote"})
	require.NoError(t, err)
	right = create(t, n, coin.FeaturedAppRight{DSO: dso, Provider: provider}, dso)
	_, err = ledgertest.Exercise[coin.FeaturedAppRightCancelResult](n.Ledger, ledgertest.As(provider), right,
		coin.FeaturedAppRightCancel{})
	require.NoError(t, err)
	require.Empty(t, all[coin.FeaturedAppRight](t, n))
}

// markers lists the live markers as beneficiary and weight, in order.
func (n network) markers(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, marker := range all[coin.FeaturedAppActivityMarker](t, n) {
		require.Equal(t, provider, marker.Provider)
		out = append(out, fmt.Sprintf("%s %s", marker.Beneficiary, marker.Weight.Show()))
	}
	slices.Sort(out)
	return out
}

func share(beneficiary ledger.Party, weight string) coin.AppRewardBeneficiary {
	return coin.AppRewardBeneficiary{Beneficiary: beneficiary, Weight: amount(weight)}
}

// rewards is a configuration of app rewards.
func rewards(version coin.RewardVersion) *coin.RewardConfig {
	return &coin.RewardConfig{
		MintingVersion: version, BatchSize: 100, RewardCouponTimeToLive: lf.RelTimeOf(36 * time.Hour),
	}
}

// activityCoupons lists the featured app reward coupons as beneficiary, amount and round, in order.
func (n network) activityCoupons(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, coupon := range all[coin.AppRewardCoupon](t, n) {
		require.Equal(t, provider, coupon.Provider)
		require.True(t, coupon.Featured)
		out = append(out, fmt.Sprintf("%s %s of round %d", *coupon.Beneficiary, coupon.Amount.Show(), coupon.Round.Number))
	}
	slices.Sort(out)
	return out
}

func TestFeaturedAppRight_EarnsACouponForATransfer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		usd           string
		config        *coin.RewardConfig
		beneficiaries *[]coin.AppRewardBeneficiary
		want          []string
	}{
		"of one US dollar in coin, for the provider": {usd: "1", want: []string{"provider::1220ee 200.0 of round 1"}},
		"of what the round says":                     {usd: "0.3", want: []string{"provider::1220ee 60.0 of round 1"}},
		"shared, each beneficiary once": {
			usd:           "1",
			beneficiaries: &[]coin.AppRewardBeneficiary{share(bob, "0.25"), share(alice, "0.5"), share(bob, "0.25")},
			want:          []string{"alice::1220a1 100.0 of round 1", "bob::1220b0 100.0 of round 1"},
		},
		"but not of nothing":               {usd: "0"},
		"not where markers count":          {usd: "1", config: rewards(coin.RewardVersionFeaturedAppMarkers)},
		"not where rewards are of traffic": {usd: "1", config: rewards(coin.RewardVersionTrafficBased)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			round := payload(t, n, n.rounds[1])
			round.RewardConfig, round.TransferConfigUSD.ExtraFeaturedAppRewardAmount = c.config, amount(c.usd)
			right := create(t, n, coin.FeaturedAppRight{DSO: dso, Provider: provider}, dso)
			transfer := pay(coins{n.tap(t, alice, "10")}, to(bob, "1"))
			transfer.Provider, transfer.Beneficiaries = provider, c.beneficiaries
			_, err := n.transfer(transfer,
				coin.TransferContext{OpenMiningRound: create(t, n, round, dso), FeaturedAppRight: &right})
			require.NoError(t, err)
			require.Equal(t, c.want, n.activityCoupons(t))
		})
	}
}

func TestFeaturedAppRight_MarksATransfer(t *testing.T) {
	t.Parallel()
	markers, traffic := rewards(coin.RewardVersionFeaturedAppMarkers), rewards(coin.RewardVersionTrafficBased)
	for name, c := range map[string]struct {
		unfeatured    bool
		config        *coin.RewardConfig
		outputs       []coin.TransferOutput
		beneficiaries *[]coin.AppRewardBeneficiary
		want          []string
	}{
		"for the provider alone": {
			config: markers, outputs: []coin.TransferOutput{to(bob, "1")}, want: []string{"provider::1220ee 1.0"},
		},
		"for beneficiaries, each once": {
			config:        markers,
			outputs:       []coin.TransferOutput{to(bob, "1")},
			beneficiaries: &[]coin.AppRewardBeneficiary{share(bob, "0.25"), share(alice, "0.5"), share(bob, "0.25")},
			want:          []string{"alice::1220a1 0.5", "bob::1220b0 0.5"},
		},
		"even when nothing changes hands": {config: markers, want: []string{"provider::1220ee 1.0"}},
		"not without the right": {
			config: markers, unfeatured: true, outputs: []coin.TransferOutput{to(bob, "1")},
		},
		"not where transfers create the coupon": {outputs: []coin.TransferOutput{to(bob, "1")}},
		"not when rewards come from traffic": {
			config: traffic, outputs: []coin.TransferOutput{to(bob, "1")},
			beneficiaries: &[]coin.AppRewardBeneficiary{share(bob, "7")}, // not even looked at
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			round := payload(t, n, n.rounds[0])
			round.RewardConfig = c.config
			context := coin.TransferContext{OpenMiningRound: create(t, n, round, dso)}
			if !c.unfeatured {
				right := create(t, n, coin.FeaturedAppRight{DSO: dso, Provider: provider}, dso)
				context.FeaturedAppRight = &right
			}
			transfer := pay(coins{n.tap(t, alice, "10")}, c.outputs...)
			transfer.Provider, transfer.Beneficiaries = provider, c.beneficiaries
			_, err := n.transfer(transfer, context)
			require.NoError(t, err)
			require.Equal(t, c.want, n.markers(t))
		})
	}
}

func TestFeaturedAppRight_MarksActivity(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	right := create(t, n, coin.FeaturedAppRight{DSO: dso, Provider: provider}, dso)
	view, err := n.View(t.Context(), right.ID(), featuredV1)
	require.NoError(t, err)
	require.JSONEq(t, `{"dso":"DSO::1220d5","provider":"provider::1220ee"}`, string(view))

	command, err := ledgertest.ExerciseThrough(n.Ledger, featuredV1, right.ID(), coin.CreateActivityMarkerV1{
		Beneficiaries: []coin.AppRewardBeneficiary{share(bob, "0.6"), share(alice, "0.4")},
	})
	require.NoError(t, err)
	_, err = n.SubmitCommands(ledgertest.As(alice).Disclose(n.Active[right.ID()]), command)
	requireRefused(t, err, noAuth, "provider::1220ee")
	transaction, err := n.SubmitCommands(ledgertest.As(provider), command)
	require.NoError(t, err)
	require.Equal(t, []string{"alice::1220a1 0.4", "bob::1220b0 0.6"}, n.markers(t))
	result, err := ledgertest.Result[coin.CreateActivityMarkerV1Result](transaction)
	require.NoError(t, err)
	for _, iface := range []string{markerV1, markerV2} {
		view, err = n.View(t.Context(), result.ActivityMarkerCids[0].ID(), iface)
		require.NoError(t, err)
		require.JSONEq(t, `{"dso":"DSO::1220d5","provider":"provider::1220ee","beneficiary":"alice::1220a1",
			"weight":"0.4000000000"}`, string(view))
	}
}

func TestFeaturedAppRight_MarksWeightedActivity(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	right := create(t, n, coin.FeaturedAppRight{DSO: dso, Provider: provider}, dso)
	mark := func(weight *decimal.Decimal, shares ...coin.AppRewardBeneficiaryV2) (ledger.Transaction, error) {
		command, err := ledgertest.ExerciseThrough(n.Ledger, featuredV2, right.ID(),
			coin.CreateActivityMarkerV2{Beneficiaries: shares, Weight: weight})
		require.NoError(t, err)
		return n.SubmitCommands(ledgertest.As(provider), command)
	}
	half := func(beneficiary ledger.Party) coin.AppRewardBeneficiaryV2 {
		return coin.AppRewardBeneficiaryV2{Beneficiary: beneficiary, Weight: amount("0.5")}
	}
	transaction, err := mark(new(amount("5")), half(alice), half(bob))
	require.NoError(t, err)
	require.Equal(t, []string{"alice::1220a1 2.5", "bob::1220b0 2.5"}, n.markers(t))
	require.Equal(t, []ledger.Party{dso, alice, bob, provider}, transaction.Nodes[0].Informees())

	for _, c := range []struct{ weight, text string }{{"0.9", "Weight >= 1.0"}, {"10000.1", "Weight <= 10000.0"}} {
		_, err = mark(new(amount(c.weight)), half(alice), half(bob))
		requireRefused(t, err, assertion, c.text)
	}
	_, err = mark(nil, half(alice))
	requireRefused(t, err, assertion, "Beneficiary weights add up to 1.0")
	_, err = mark(nil, coin.AppRewardBeneficiaryV2{Beneficiary: alice, Weight: amount("1.5")})
	requireRefused(t, err, assertion, "Beneficiary weights are between 0.0 and 1.0")
	shares := make([]coin.AppRewardBeneficiaryV2, 25)
	for i := range shares {
		shares[i] = coin.AppRewardBeneficiaryV2{Beneficiary: alice, Weight: amount("0.04")}
	}
	_, err = mark(nil, shares...)
	requireRefused(t, err, assertion, "There are at most 20 beneficiaries")
}
