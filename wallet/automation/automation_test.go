package automation_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/wallet/plan"
)

const (
	alice    = ledger.Party("alice::1220a1")
	bob      = ledger.Party("bob::1220b0")
	charlie  = ledger.Party("charlie::1220c4")
	operator = ledger.Party("operator::1220f0")
)

var now = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

func at(after time.Duration) lf.Timestamp { return lf.TimestampOf(now.Add(after)) }

func coinOf(id, amount string) plan.Holding {
	return plan.Holding{ID: ledger.ContractID(id), Amount: decimal.MustParse(amount)}
}

// rounds has round 3, which issues, round 4, which issues later, and round 2, which closes soon.
func rounds() map[int64]coin.IssuingMiningRound {
	issuing := func(opens, closes time.Duration) coin.IssuingMiningRound {
		faucet := decimal.MustParse("570")
		return coin.IssuingMiningRound{
			OpensAt: at(opens), TargetClosesAt: at(closes),
			IssuancePerFeaturedAppRewardCoupon:   decimal.MustParse("100"),
			IssuancePerUnfeaturedAppRewardCoupon: decimal.MustParse("0.6"),
			IssuancePerValidatorRewardCoupon:     decimal.MustParse("0.2"),
			IssuancePerSvRewardCoupon:            decimal.MustParse("3"),
			OptIssuancePerValidatorFaucetCoupon:  &faucet,
		}
	}
	return map[int64]coin.IssuingMiningRound{
		2: issuing(-20*time.Minute, 2*time.Minute),
		3: issuing(0, 2*time.Minute+time.Microsecond), 4: issuing(time.Microsecond, time.Hour),
	}
}

func coupon(id string, kind automation.CouponKind, round int64, amount string) automation.Coupon {
	return automation.Coupon{
		ID: ledger.ContractID(id), Kind: kind, Round: round, Amount: decimal.MustParse(amount), ExpiresAt: at(time.Hour),
		Input: coin.TransferInput{AppRewardCoupon: new(lf.CID[coin.AppRewardCoupon](id))},
	}
}

func funds(coins []plan.Holding, coupons ...automation.Coupon) automation.Funds {
	return automation.Funds{
		Wallet: alice, Coins: coins, Coupons: coupons, Issuing: rounds(), MaxInputs: 100, Now: now,
	}
}

func ids(t *testing.T, f automation.Funds) []string {
	t.Helper()
	inputs, err := f.Inputs()
	require.NoError(t, err)
	var out []string
	for _, input := range inputs {
		if input.Amulet != nil {
			out = append(out, string(*input.Amulet))
		} else {
			out = append(out, string(*input.AppRewardCoupon))
		}
	}
	return out
}

func TestFunds_OrderTheirInputs(t *testing.T) {
	t.Parallel()
	f := funds(nil,
		coupon("fund", automation.DevelopmentFund, 0, "9"), coupon("record", automation.ActivityRecord, 0, "1"),
		coupon("unfeatured", automation.UnfeaturedApp, 3, "1000"), coupon("sv", automation.SV, 3, "4"),
		coupon("v2", automation.RewardV2, 1, "5"), coupon("validator", automation.Validator, 3, "3334"),
		coupon("faucet", automation.Faucet, 3, "1"), coupon("featured", automation.FeaturedApp, 3, "0.1"),
		coupon("too late", automation.SV, 2, "1"), coupon("too early", automation.SV, 4, "1"),
		coupon("of no round", automation.SV, 9, "1"))
	f.Coupons[4].ExpiresAt = at(time.Microsecond)
	for i := range 12 {
		f.Coins = append(f.Coins, coinOf(fmt.Sprintf("coin %02d", i), strconv.Itoa(100+i)))
	}
	require.Equal(t, []string{
		"coin 11", "coin 10", "coin 09", "coin 08", "coin 07", "coin 06", "coin 05", "coin 04", "coin 03", "coin 02",
		"v2", "validator", "unfeatured", "faucet", "sv", "featured", // worth 5; 666.8, 600, 570, 12, 10
		"coin 01", "coin 00", "record", "fund",
	}, ids(t, f))
	f.MaxInputs = 5
	require.Equal(t, []string{"coin 11", "coin 10", "v2", "validator", "unfeatured"}, ids(t, f))
	f.Coupons[4].ExpiresAt = at(0)
	require.NotContains(t, ids(t, f), "v2")
}

func TestFunds_CollectTwoCoinsOrAReward(t *testing.T) {
	t.Parallel()
	one, other := coinOf("1", "5"), coinOf("2", "6")
	for name, example := range map[string]struct {
		funds automation.Funds
		due   bool
	}{
		"nothing":                    {funds(nil), false},
		"one coin":                   {funds([]plan.Holding{one}), false},
		"two coins":                  {funds([]plan.Holding{one, other}), true},
		"a reward":                   {funds(nil, coupon("3", automation.SV, 3, "1")), true},
		"a reward of nothing":        {funds(nil, coupon("3", automation.SV, 3, "0")), false},
		"a reward that came late":    {funds([]plan.Holding{one}, coupon("3", automation.SV, 2, "1")), false},
		"a reward that is too early": {funds([]plan.Holding{one}, coupon("3", automation.SV, 4, "1")), false},
	} {
		action, due, err := example.funds.Collect()
		require.NoError(t, err)
		require.Equal(t, example.due, due, name)
		if due {
			require.NotNil(t, action.Operation.MergeTransferInputs)
			require.Equal(t, alice, action.Wallet)
		}
	}
	first, _, _ := funds([]plan.Holding{one, other}).Collect()
	same, _, _ := funds([]plan.Holding{other, one}).Collect()
	later, _, _ := funds([]plan.Holding{other, coinOf("4", "1")}).Collect()
	require.Equal(t, first.CommandID, same.CommandID)
	require.NotEqual(t, first.CommandID, later.CommandID)
}

func TestTopUp_ComputesWhatItBuys(t *testing.T) {
	t.Parallel()
	for name, example := range map[string]struct {
		throughput int64
		interval   time.Duration
		want       automation.TopUp
	}{
		"a fast node":             {20_000, time.Minute, automation.TopUp{Bytes: 1_200_000, Interval: time.Minute}},
		"a slow one":              {1000, time.Minute, automation.TopUp{Bytes: 210_000, Interval: 210 * time.Second}},
		"a slow one, more rarely": {1000, 10 * time.Minute, automation.TopUp{Bytes: 600_000, Interval: 10 * time.Minute}},
		"between two polls":       {20_000, 61 * time.Second, automation.TopUp{Bytes: 1_800_000, Interval: 90 * time.Second}},
		"none at all":             {0, time.Minute, automation.TopUp{}},
	} {
		purchase, err := automation.TopUpConfig{
			TargetThroughput: example.throughput, MinTopupInterval: example.interval, PollingInterval: 30 * time.Second,
			MinTopupAmount: 200_000,
		}.Purchase()
		require.NoError(t, err)
		require.Equal(t, example.want, purchase, name)
	}
	for _, bad := range []automation.TopUpConfig{
		{TargetThroughput: 1, MinTopupInterval: time.Second, PollingInterval: time.Minute},
		{TargetThroughput: -1, MinTopupInterval: time.Minute, PollingInterval: time.Minute},
		{TargetThroughput: 1, MinTopupInterval: time.Minute},
		{TargetThroughput: 1, MinTopupInterval: time.Minute, PollingInterval: time.Minute, MinTopupAmount: 1 << 62},
		{TargetThroughput: 1 << 62, MinTopupInterval: time.Minute, PollingInterval: time.Minute},
	} {
		_, err := bad.Purchase()
		require.Error(t, err, "%+v", bad)
	}
}

// contract: auto-top-up
func TestTopUp_DecidesWhenToBuy(t *testing.T) {
	t.Parallel()
	purchase := automation.TopUp{Bytes: 1_200_000, Interval: time.Minute}
	usual := automation.TrafficState{
		Operator: operator, StateID: "00ab", Remaining: 1_199_999, Balance: decimal.MustParse("4000.8"),
		Price: decimal.MustParse("4000.8"), Now: now,
		State: walletapp.ValidatorTopUpState{MemberID: "PAR::p", LastPurchasedAt: at(-time.Minute)},
	}
	for name, example := range map[string]struct {
		change           func(*automation.TrafficState)
		due, shortOfCoin bool
	}{
		"little traffic, coin and time": {func(*automation.TrafficState) {}, true, false},
		"enough traffic":                {func(s *automation.TrafficState) { s.Remaining++ }, false, false},
		"a purchase just before":        {func(s *automation.TrafficState) { s.State.LastPurchasedAt++ }, false, false},
		"no purchase ever": {func(s *automation.TrafficState) {
			s.State.LastPurchasedAt = lf.MinTimestamp()
		}, true, false},
		"too little coin": {func(s *automation.TrafficState) {
			s.Balance = decimal.MustParse("4000.7")
		}, false, true},
		"no coin, on development networks": {func(s *automation.TrafficState) {
			s.Balance, s.IsDevNet = decimal.Decimal{}, true
		}, true, false},
	} {
		state := usual
		example.change(&state)
		action, due, short := state.TopUp(purchase)
		require.Equal(t, example.due, due, name)
		require.Equal(t, example.shortOfCoin, short, name)
		if due {
			buy := action.Operation.BuyMemberTraffic
			require.Equal(t, int64(1_200_000), buy.TrafficAmount)
			require.Equal(t, "PAR::p", buy.MemberID)
			require.Equal(t, lf.RelTimeOf(time.Minute), buy.MinTopupInterval)
			require.Equal(t, lf.CID[walletapp.ValidatorTopUpState]("00ab"), *buy.TopupStateCid)
		}
	}
	_, due, _ := usual.TopUp(automation.TopUp{})
	require.False(t, due, "top-ups are switched off")
}

func sweepOf(maxUSD, minUSD string, usePreapproval bool) automation.SweepConfig {
	return automation.SweepConfig{
		MaxBalanceUSD: decimal.MustParse(maxUSD), MinBalanceUSD: decimal.MustParse(minUSD), Receiver: bob,
		UsePreapproval: usePreapproval,
	}
}

// contract: auto-sweep
func TestSweep_ComputesTheAmount(t *testing.T) {
	t.Parallel()
	offered := func(amount string, unit payments.Unit) payments.PaymentAmount {
		return payments.PaymentAmount{Amount: decimal.MustParse(amount), Unit: unit}
	}
	for name, example := range map[string]struct {
		balance, price, maxUSD, minUSD string
		offered                        []payments.PaymentAmount
		usePreapproval                 bool
		want                           string
	}{
		"five hundred dollars":           {"100000", "0.005", "100", "10", nil, false, "98000.0000000000"},
		"digits at the end":              {"4321.123456789", "0.153", "100", "50", nil, false, "3994.3260711680"},
		"a maximum that is just reached": {"20000", "0.005", "100", "10", nil, false, "0.0000000000"},
		"an offer that is open": {
			"100000", "0.005", "100", "10",
			[]payments.PaymentAmount{offered("98000", payments.AmuletUnit)},
			false,
			"0.0000000000",
		},
		"a small offer in dollars": {
			"100000", "0.005", "100", "10",
			[]payments.PaymentAmount{offered("100", payments.USDUnit)},
			false,
			"78000.0000000000",
		},
		"an offer, when sending": {
			"100000", "0.005", "100", "10",
			[]payments.PaymentAmount{offered("98000", payments.AmuletUnit)},
			true,
			"98000.0000000000",
		},
		// 10.25 × 0.0000000002 − 0.000000001 is half way between two numbers of ten digits, and rounding up exceeds the
		// balance.
		"half a digit goes up":     {"10.25", "0.0000000002", "0", "0.000000001", nil, false, "5.2500000000"},
		"no more than there is":    {"1.5", "0.0000000001", "0", "0", nil, false, "1.5000000000"},
		"dust":                     {"0.00000001", "0.005", "0", "0", nil, true, "0.0000000100"},
		"eleven digits of dollars": {"101.000000011", "0.005", "0", "0", nil, true, "101.0000000110"},
		"beside an offer, the rest": {
			"101.000000011", "0.005", "0", "0",
			[]payments.PaymentAmount{offered("1", payments.AmuletUnit)},
			false, "100.0000000110",
		},
	} {
		amount, err := automation.SweepState{
			Sender: alice, Balance: decimal.MustParse(example.balance), Price: decimal.MustParse(example.price),
			Offered: example.offered, Now: now,
		}.Amount(sweepOf(example.maxUSD, example.minUSD, example.usePreapproval))
		require.NoError(t, err)
		require.Equal(t, example.want, amount.String(), name)
	}
}

func TestSweep_ChoosesOfferOrPreapproval(t *testing.T) {
	t.Parallel()
	state := automation.SweepState{
		Sender: alice, Balance: decimal.MustParse("100000"), Price: decimal.MustParse("0.005"), Latest: "42", Now: now,
	}
	action, ok, err := state.Sweep(sweepOf("100", "10", false))
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, &walletapp.InstallCreateTransferOffer{
		Receiver: bob, Description: "Sweeping wallet funds to receiver bob::1220b0.", ExpiresAt: at(10 * time.Minute),
		Amount:     payments.PaymentAmount{Amount: decimal.MustParse("98000"), Unit: payments.AmuletUnit},
		TrackingID: action.CommandID,
	}, action.Offer)

	_, _, err = state.Sweep(sweepOf("100", "10", true))
	require.ErrorContains(t, err, "bob::1220b0 has no transfer preapproval")
	state.Preapproval = new(lf.CID[coin.TransferPreapproval]("00ab"))
	sent, ok, err := state.Sweep(sweepOf("100", "10", true))
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "98000.0", sent.Operation.TransferPreapprovalSend.Amount.Show())
	require.Equal(t, "sweep", *sent.Operation.TransferPreapprovalSend.Description)

	state.Latest = "43"
	again, _, err := state.Sweep(sweepOf("100", "10", true))
	require.NoError(t, err)
	require.NotEqual(t, sent.CommandID, again.CommandID)
	state.Balance = decimal.MustParse("10")
	_, ok, err = state.Sweep(sweepOf("100", "10", true))
	require.NoError(t, err)
	require.False(t, ok)
}

func TestMinting_MintsWorthwhileRewardsAndKeepsTheCount(t *testing.T) {
	t.Parallel()
	funds := automation.Funds{Wallet: alice, Issuing: rounds(), MaxInputs: 100, Now: now}
	mint := func(wanted int64) []string {
		inputs, command, err := funds.Mint(wanted)
		require.NoError(t, err)
		require.NotEmpty(t, command)
		var ids []string
		for _, input := range inputs {
			if input.Amulet != nil {
				ids = append(ids, string(*input.Amulet))
			} else {
				ids = append(ids, string(*input.AppRewardCoupon))
			}
		}
		return ids
	}
	require.Empty(t, mint(2))
	funds.Coins = []plan.Holding{coinOf("big", "30"), coinOf("small", "1"), coinOf("middle", "5")}
	require.Empty(t, mint(2), "less than twice as many as wanted")
	funds.Coupons = []automation.Coupon{
		coupon("issuing", automation.UnfeaturedApp, 3, "10"), coupon("later", automation.UnfeaturedApp, 4, "10"),
	}
	require.Equal(t, []string{"issuing"}, mint(2), "coin stays as it is")
	funds.Coins = append(funds.Coins, coinOf("fourth", "7"))
	require.Equal(t, []string{"issuing", "small", "middle", "fourth"}, mint(2), "the smallest become one")
	funds.Coupons = nil
	require.Equal(t, []string{"small", "middle", "fourth", "big"}, mint(0), "at least one has to stay")
	require.Equal(t, []string{"small", "middle", "fourth", "big"}, mint(1))
	require.Empty(t, mint(3))
	funds.MaxInputs = 2
	require.Equal(t, []string{"small", "middle"}, mint(1), "as many as a transfer takes")
	first, again := mint(1), mint(1)
	require.Equal(t, first, again)
}
