package coin_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

const rewardAssignment = "#splice-api-reward-assignment-v1:Splice.Api.RewardAssignmentV1:RewardCoupon"

func TestCoupon_ExpiresWithItsClosedRound(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	closed := func(number int64) lf.CID[coin.ClosedMiningRound] {
		return create(t, n, coin.ClosedMiningRound{DSO: dso, Round: coin.Round{Number: number}}, dso)
	}
	app := create(t, n, coin.AppRewardCoupon{
		DSO: dso, Provider: provider, Featured: true, Amount: amount("2"), Round: seven, Beneficiary: new(bob),
	}, dso)
	validator := create(t, n, coin.ValidatorRewardCoupon{DSO: dso, User: bob, Amount: amount("3"), Round: seven}, dso)
	sv := create(t, n, coin.SvRewardCoupon{DSO: dso, SV: provider, Beneficiary: bob, Round: seven, Weight: 4}, dso)
	live := create(t, n, coin.ValidatorLivenessActivityRecord{DSO: dso, Validator: alice, Round: seven}, dso)
	faucet := create(t, n, coin.ValidatorFaucetCoupon{DSO: dso, Validator: alice, Round: seven}, dso, alice)

	expire := map[string]func(round lf.CID[coin.ClosedMiningRound]) (any, error){
		"app": func(round lf.CID[coin.ClosedMiningRound]) (any, error) {
			return ledgertest.Exercise[coin.AppRewardCouponDSOExpireResult](n.Ledger, ledgertest.As(dso), app,
				coin.AppRewardCouponDSOExpire{ClosedRoundCid: round})
		},
		"validator": func(round lf.CID[coin.ClosedMiningRound]) (any, error) {
			return ledgertest.Exercise[coin.ValidatorRewardCouponDSOExpireResult](n.Ledger, ledgertest.As(dso), validator,
				coin.ValidatorRewardCouponDSOExpire{ClosedRoundCid: round})
		},
		"sv": func(round lf.CID[coin.ClosedMiningRound]) (any, error) {
			return ledgertest.Exercise[coin.SvRewardCouponDSOExpireResult](n.Ledger, ledgertest.As(dso), sv,
				coin.SvRewardCouponDSOExpire{ClosedRoundCid: round})
		},
		"liveness": func(round lf.CID[coin.ClosedMiningRound]) (any, error) {
			return ledgertest.Exercise[coin.ValidatorLivenessActivityRecordDSOExpireResult](n.Ledger, ledgertest.As(dso), live,
				coin.ValidatorLivenessActivityRecordDSOExpire{ClosedRoundCid: round})
		},
		"faucet": func(round lf.CID[coin.ClosedMiningRound]) (any, error) {
			return ledgertest.Exercise[coin.ValidatorFaucetCouponDSOExpireResult](n.Ledger, ledgertest.As(dso), faucet,
				coin.ValidatorFaucetCouponDSOExpire{ClosedRoundCid: round})
		},
	}
	round7, round8 := closed(7), closed(8)
	results := map[string]any{}
	for name, expire := range expire {
		_, err := expire(round8)
		requireRefused(t, err, general, "expected dso 'DSO::1220d5', round 7, got dso 'DSO::1220d5', round 8")
		results[name], err = expire(round7)
		require.NoError(t, err)
	}
	require.Equal(t, coin.AppRewardCouponDSOExpireResult{Featured: true, Amount: amount("2")}, results["app"])
	require.Equal(t, coin.ValidatorRewardCouponDSOExpireResult{Amount: amount("3")}, results["validator"])
	require.Equal(t, coin.SvRewardCouponDSOExpireResult{Weight: 4}, results["sv"])
}

func TestCoupon_HasItsObservers(t *testing.T) {
	t.Parallel()
	n, one := startNetwork(t), amount("1")
	hidden := coin.RewardCouponV2{DSO: dso, Provider: provider, Amount: one, Beneficiary: new(bob)}
	seen := hidden
	seen.ProviderIsObserver = true
	forAll := coin.AppRewardCoupon{DSO: dso, Provider: provider, Amount: one}
	forBob := forAll
	forBob.Beneficiary = new(bob)
	marker := coin.FeaturedAppActivityMarker{DSO: dso, Provider: provider, Beneficiary: bob, Weight: one}
	sv := coin.SvRewardCoupon{DSO: dso, SV: provider, Beneficiary: bob, Weight: 1}
	record := coin.UnclaimedActivityRecord{DSO: dso, Beneficiary: bob, Amount: one}
	for id, observers := range map[ledger.ContractID][]ledger.Party{
		create(t, n, forAll, dso).ID(): {provider},
		create(t, n, forBob, dso).ID(): {bob, provider},
		create(t, n, coin.ValidatorRewardCoupon{DSO: dso, User: bob, Amount: one}, dso).ID(): {bob},
		create(t, n, sv, dso).ID(): {bob, provider},
		create(t, n, coin.ValidatorLivenessActivityRecord{DSO: dso, Validator: alice}, dso).ID(): {alice},
		create(t, n, record, dso).ID():                                      {bob},
		create(t, n, marker, dso).ID():                                      {bob, provider},
		create(t, n, coin.UnclaimedReward{DSO: dso, Amount: one}, dso).ID(): {},
		create(t, n, hidden, dso).ID():                                      {},
		create(t, n, seen, dso).ID():                                        {bob, provider},
	} {
		contract := n.Active[id]
		require.ElementsMatch(t, observers, contract.Observers, contract.Template.Entity)
		require.Equal(t, []ledger.Party{dso}, contract.Signatories, contract.Template.Entity)
	}
}

func TestCoupon_RefusesInvalidValues(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	refuse := func(_ any, err error) {
		t.Helper()
		requireRefused(t, err, notValid, "")
	}
	by := ledgertest.As(dso)
	refuse(ledgertest.Create(n.Ledger, by, coin.AppRewardCoupon{DSO: dso, Provider: bob}))
	refuse(ledgertest.Create(n.Ledger, by, coin.ValidatorRewardCoupon{DSO: dso, User: bob}))
	refuse(ledgertest.Create(n.Ledger, by, coin.SvRewardCoupon{DSO: dso, SV: bob, Beneficiary: bob}))
	refuse(ledgertest.Create(n.Ledger, by, coin.RewardCouponV2{DSO: dso, Provider: bob}))
	refuse(ledgertest.Create(n.Ledger, by, coin.UnclaimedReward{DSO: dso}))
	refuse(ledgertest.Create(n.Ledger, by, coin.UnclaimedActivityRecord{DSO: dso, Beneficiary: bob}))
	refuse(ledgertest.Create(n.Ledger, by, coin.UnclaimedDevelopmentFundCoupon{DSO: dso}))
	refuse(ledgertest.Create(n.Ledger, by, coin.DevelopmentFundCoupon{DSO: dso, Beneficiary: bob, FundManager: bob}))
	refuse(ledgertest.Create(n.Ledger, by, coin.FeaturedAppActivityMarker{DSO: dso, Provider: bob, Beneficiary: bob}))
	refuse(ledgertest.Create(n.Ledger, by, coin.FeaturedAppActivityMarker{
		DSO: dso, Provider: bob, Beneficiary: bob, Weight: amount("10000.0000000001"),
	}))
	negative := coin.Round{Number: -1}
	refuse(ledgertest.Create(n.Ledger, by, coin.SummarizingMiningRound{DSO: dso, Round: negative}))
	refuse(ledgertest.Create(n.Ledger, by, coin.IssuingMiningRound{DSO: dso, Round: negative}))
	refuse(ledgertest.Create(n.Ledger, by, coin.ClosedMiningRound{DSO: dso, Round: negative}))
}

func TestActivityRecord_ExpiresToAnUnclaimedReward(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	record := create(t, n, coin.UnclaimedActivityRecord{
		DSO: dso, Beneficiary: alice, Amount: amount("5"), ExpiresAt: n.at(time.Hour),
	}, dso)
	expire := func() (coin.UnclaimedActivityRecordDSOExpireResult, error) {
		return ledgertest.Exercise[coin.UnclaimedActivityRecordDSOExpireResult](n.Ledger, ledgertest.As(dso), record,
			coin.UnclaimedActivityRecordDSOExpire{})
	}
	_, err := expire()
	requireRefused(t, err, tooEarly, "UnclaimedActivityRecord.expiresAt")
	n.Now = n.Now.Add(time.Hour)
	result, err := expire()
	require.NoError(t, err)
	require.Equal(t, coin.UnclaimedReward{DSO: dso, Amount: amount("5")}, payload(t, n, result.UnclaimedRewardCid))
}

func TestDevelopmentFundCoupon_GoesBackToTheFund(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	coupon := coin.DevelopmentFundCoupon{
		DSO: dso, Beneficiary: alice, FundManager: charlie, Amount: amount("9"), ExpiresAt: n.at(time.Hour), Reason: "grant",
	}
	withdraw := func(id lf.CID[coin.DevelopmentFundCoupon]) (lf.CID[coin.UnclaimedDevelopmentFundCoupon], error) {
		result, err := ledgertest.Exercise[coin.DevelopmentFundCouponWithdrawResult](n.Ledger, ledgertest.As(charlie), id,
			coin.DevelopmentFundCouponWithdraw{Reason: "error"})
		return result.UnclaimedDevelopmentFundCouponCid, err
	}
	reject := func(id lf.CID[coin.DevelopmentFundCoupon]) (lf.CID[coin.UnclaimedDevelopmentFundCoupon], error) {
		result, err := ledgertest.Exercise[coin.DevelopmentFundCouponRejectResult](n.Ledger, ledgertest.As(alice), id,
			coin.DevelopmentFundCouponReject{Reason: "no"})
		return result.UnclaimedDevelopmentFundCouponCid, err
	}
	expire := func(id lf.CID[coin.DevelopmentFundCoupon]) (lf.CID[coin.UnclaimedDevelopmentFundCoupon], error) {
		result, err := ledgertest.Exercise[coin.DevelopmentFundCouponDSOExpireResult](n.Ledger, ledgertest.As(dso), id,
			coin.DevelopmentFundCouponDSOExpire{})
		return result.UnclaimedDevelopmentFundCouponCid, err
	}
	goesBack := func(back lf.CID[coin.UnclaimedDevelopmentFundCoupon], err error) {
		t.Helper()
		require.NoError(t, err)
		require.Equal(t, coin.UnclaimedDevelopmentFundCoupon{DSO: dso, Amount: amount("9")}, payload(t, n, back))
	}
	refused := func(_ lf.CID[coin.UnclaimedDevelopmentFundCoupon], err error) func(code string) {
		return func(code string) {
			t.Helper()
			requireRefused(t, err, code, "DevelopmentFundCoupon.expiresAt")
		}
	}
	goesBack(withdraw(create(t, n, coupon, dso)))
	goesBack(reject(create(t, n, coupon, dso)))
	last := create(t, n, coupon, dso)
	refused(expire(last))(tooEarly)
	n.Now = n.Now.Add(time.Hour)
	refused(withdraw(last))(tooLate)
	refused(reject(last))(tooLate)
	goesBack(expire(last))
}

func TestValidatorRight_EndsByEitherParty(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	right := func() lf.CID[coin.ValidatorRight] {
		return create(t, n, coin.ValidatorRight{DSO: dso, User: bob, Validator: alice}, alice, bob)
	}
	_, err := ledgertest.Exercise[coin.ValidatorRightArchiveAsUserResult](n.Ledger, ledgertest.As(bob), right(),
		coin.ValidatorRightArchiveAsUser{})
	require.NoError(t, err)
	_, err = ledgertest.Exercise[coin.ValidatorRightArchiveAsValidatorResult](n.Ledger, ledgertest.As(alice), right(),
		coin.ValidatorRightArchiveAsValidator{})
	require.NoError(t, err)
	_, err = ledgertest.Exercise[coin.ValidatorRightArchiveAsValidatorResult](n.Ledger, ledgertest.As(bob), right(),
		coin.ValidatorRightArchiveAsValidator{})
	requireRefused(t, err, noAuth, "alice")
	require.Len(t, all[coin.ValidatorRight](t, n), 1)
}

func TestRewardCoupon_ProviderAssignsBeneficiaries(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	coupon := coin.RewardCouponV2{
		DSO: dso, Provider: provider, Round: seven, Amount: amount("100"), ExpiresAt: n.at(time.Hour),
		ProviderIsObserver: true,
	}
	first, second := create(t, n, coupon, dso), create(t, n, coupon, dso)
	assigned, foreign := coupon, coupon
	assigned.Beneficiary, foreign.Provider = new(bob), charlie
	of := func(beneficiary ledger.Party, percentage string) coin.RewardBeneficiary {
		return coin.RewardBeneficiary{Beneficiary: beneficiary, Percentage: amount(percentage)}
	}
	assign := func(id lf.CID[coin.RewardCouponV2], more []lf.CID[coin.RewardCouponV2], to ...coin.RewardBeneficiary,
	) (ledger.Transaction, error) {
		argument := coin.AssignBeneficiaries{NewBeneficiaries: to, ExtraArgs: token.ExtraArgs{}}
		for _, id := range more {
			argument.AdditionalCoupons = append(argument.AdditionalCoupons, lf.Coerce[coin.RewardCoupon](id))
		}
		command, err := ledgertest.ExerciseThrough(n.Ledger, rewardAssignment, id.ID(), argument)
		require.NoError(t, err)
		by := ledgertest.As(provider)
		by.ReadAs = []ledger.Party{dso}
		return n.SubmitCommands(by, command)
	}
	type ids = []lf.CID[coin.RewardCouponV2]
	for text, refuse := range map[string]func() (ledger.Transaction, error){
		"Percentages add up to 1.0": func() (ledger.Transaction, error) { return assign(first, nil, of(alice, "0.8")) },
		"Percentages are between 0.0 and 1.0": func() (ledger.Transaction, error) {
			return assign(first, nil, of(alice, "1.1"), of(bob, "-0.1"))
		},
		"No beneficiary is named twice": func() (ledger.Transaction, error) {
			return assign(first, nil, of(alice, "0.5"), of(alice, "0.5"))
		},
		"All coupons are of the same provider": func() (ledger.Transaction, error) {
			return assign(first, ids{create(t, n, foreign, dso)}, of(alice, "1"))
		},
		"No coupon has a beneficiary yet": func() (ledger.Transaction, error) {
			return assign(first, ids{create(t, n, assigned, dso)}, of(alice, "1"))
		},
		"There are at most 20 beneficiaries": func() (ledger.Transaction, error) {
			var shares []coin.RewardBeneficiary
			for i := range 25 {
				shares = append(shares, of(ledger.Party(fmt.Sprintf("p%d::12", i)), "0.04"))
			}
			return assign(first, nil, shares...)
		},
	} {
		_, err := refuse()
		requireRefused(t, err, assertion, text)
	}
	transaction, err := assign(first, ids{second}, of(alice, "0.8"), of(bob, "0.2"))
	require.NoError(t, err)
	result, err := ledgertest.Result[coin.AssignBeneficiariesResult](transaction)
	require.NoError(t, err)
	require.Len(t, result.NewBeneficiariesCouponCids, 2)
	for i, want := range []string{"80.0", "20.0"} {
		for _, id := range result.NewBeneficiariesCouponCids[i].V2 {
			require.Equal(t, want, payload(t, n, lf.Coerce[coin.RewardCouponV2](id)).Amount.Show())
		}
		require.Len(t, result.NewBeneficiariesCouponCids[i].V2, 2)
	}
	require.NotContains(t, n.Active, first.ID())
	require.NotContains(t, n.Active, second.ID())
	view, err := n.View(t.Context(), result.NewBeneficiariesCouponCids[0].V2[0].ID(), rewardAssignment)
	require.NoError(t, err)
	require.JSONEq(t, `{"dso":"DSO::1220d5","provider":"provider::1220ee","beneficiary":"alice::1220a1",
		"amount":"80.0000000000","expiresAt":"2026-03-01T11:00:00Z","maxNumNewBeneficiaries":"20","meta":{"values":{}}}`,
		string(view))
}
