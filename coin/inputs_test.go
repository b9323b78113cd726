package coin_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// issuing is a mining round whose coupons can be minted since the start.
func (n network) issuing(t *testing.T, number int64, opensAfter time.Duration) lf.CID[coin.IssuingMiningRound] {
	t.Helper()
	return create(t, n, coin.IssuingMiningRound{
		DSO: dso, Round: coin.Round{Number: number},
		IssuancePerValidatorRewardCoupon:     amount("0.2"),
		IssuancePerFeaturedAppRewardCoupon:   amount("100"),
		IssuancePerUnfeaturedAppRewardCoupon: amount("0.6"),
		IssuancePerSvRewardCoupon:            amount("3"),
		OpensAt:                              n.at(opensAfter),
		TargetClosesAt:                       n.at(opensAfter + 20*time.Minute),
		OptIssuancePerValidatorFaucetCoupon:  new(amount("570")),
	}, dso)
}

// mintingContext is the context of a transfer that mints coupons of rounds 7 and 8, and of bob as alice's user.
func (n network) mintingContext(t *testing.T) coin.TransferContext {
	t.Helper()
	context := n.roundZero()
	context.IssuingMiningRounds = lf.Map[coin.Round, lf.CID[coin.IssuingMiningRound]]{
		{Key: coin.Round{Number: 7}, Value: n.issuing(t, 7, 0)}, {Key: coin.Round{Number: 8}, Value: n.issuing(t, 8, 0)},
	}
	right := create(t, n, coin.ValidatorRight{DSO: dso, User: bob, Validator: alice}, bob, alice)
	context.ValidatorRights = lf.Map[ledger.Party, lf.CID[coin.ValidatorRight]]{{Key: bob, Value: right}}
	return context
}

var seven = coin.Round{Number: 7}

// coupons make each kind of input for alice.
func coupons() map[string]func(t *testing.T, n network) coin.TransferInput {
	return map[string]func(t *testing.T, n network) coin.TransferInput{
		"app reward": func(t *testing.T, n network) coin.TransferInput {
			t.Helper()
			return coin.TransferInput{AppRewardCoupon: new(create(t, n,
				coin.AppRewardCoupon{DSO: dso, Provider: alice, Amount: amount("10"), Round: seven}, dso))}
		},
		"featured app reward": func(t *testing.T, n network) coin.TransferInput {
			t.Helper()
			return coin.TransferInput{AppRewardCoupon: new(create(t, n, coin.AppRewardCoupon{
				DSO: dso, Provider: provider, Featured: true, Amount: amount("1.5"), Round: seven, Beneficiary: new(alice),
			}, dso))}
		},
		"validator reward": func(t *testing.T, n network) coin.TransferInput {
			t.Helper()
			return coin.TransferInput{ValidatorRewardCoupon: new(create(t, n,
				coin.ValidatorRewardCoupon{DSO: dso, User: bob, Amount: amount("3334"), Round: seven}, dso))}
		},
		"super validator reward": func(t *testing.T, n network) coin.TransferInput {
			t.Helper()
			return coin.TransferInput{SvRewardCoupon: new(create(t, n,
				coin.SvRewardCoupon{DSO: dso, SV: provider, Beneficiary: alice, Round: seven, Weight: 4}, dso))}
		},
		"validator liveness": func(t *testing.T, n network) coin.TransferInput {
			t.Helper()
			return coin.TransferInput{ValidatorLivenessActivityRecord: new(create(t, n,
				coin.ValidatorLivenessActivityRecord{DSO: dso, Validator: alice, Round: seven}, dso))}
		},
		"validator faucet": func(t *testing.T, n network) coin.TransferInput {
			t.Helper()
			return coin.TransferInput{Ext: &coin.ExtTransferInput{OptInputValidatorFaucetCoupon: new(create(t, n,
				coin.ValidatorFaucetCoupon{DSO: dso, Validator: alice, Round: seven}, dso, alice))}}
		},
		"unclaimed activity": func(t *testing.T, n network) coin.TransferInput {
			t.Helper()
			return coin.TransferInput{UnclaimedActivityRecord: new(create(t, n, coin.UnclaimedActivityRecord{
				DSO: dso, Beneficiary: alice, Amount: amount("12.5"), Reason: "grant", ExpiresAt: n.at(time.Hour),
			}, dso))}
		},
		"development fund": func(t *testing.T, n network) coin.TransferInput {
			t.Helper()
			return coin.TransferInput{DevelopmentFundCoupon: new(create(t, n, coin.DevelopmentFundCoupon{
				DSO: dso, Beneficiary: alice, FundManager: charlie, Amount: amount("99"), ExpiresAt: n.at(time.Hour),
			}, dso))}
		},
		"reward of version 2": func(t *testing.T, n network) coin.TransferInput {
			t.Helper()
			return coin.TransferInput{RewardCouponV2: new(create(t, n, coin.RewardCouponV2{
				DSO: dso, Provider: alice, Round: seven, Amount: amount("0.25"), ExpiresAt: n.at(time.Hour),
				ProviderIsObserver: true,
			}, dso))}
		},
	}
}

func TestCoupon_MintsWhatItsRoundIssues(t *testing.T) {
	t.Parallel()
	type summary = coin.TransferSummary
	appRewards := func(s summary) decimal.Decimal { return s.InputAppRewardAmount }
	validatorRewards := func(s summary) decimal.Decimal { return s.InputValidatorRewardAmount }
	faucets := func(s summary) decimal.Decimal { return *s.InputValidatorFaucetAmount }
	for name, want := range map[string]struct {
		minted string
		of     func(s summary) decimal.Decimal
		key    string
	}{
		"app reward":             {"6.0", appRewards, "app-rewards"},
		"featured app reward":    {"150.0", appRewards, "app-rewards"},
		"validator reward":       {"666.8", validatorRewards, "validator-rewards"},
		"super validator reward": {"12.0", func(s summary) decimal.Decimal { return s.InputSvRewardAmount }, "sv-rewards"},
		"validator liveness":     {"570.0", faucets, "validator-rewards"},
		"validator faucet":       {"570.0", validatorRewards, "validator-rewards"},
		"unclaimed activity": {
			"12.5", func(s summary) decimal.Decimal { return *s.InputUnclaimedActivityRecordAmount },
			"unclaimed-activity-records",
		},
		"development fund": {
			"99.0", func(s summary) decimal.Decimal { return *s.InputDevelopmentFundAmount }, "development-fund",
		},
		"reward of version 2": {"0.25", appRewards, "app-rewards"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			context := n.mintingContext(t)
			transfer := coin.Transfer{
				Sender: alice, Provider: alice, Inputs: []coin.TransferInput{coupons()[name](t, n)},
			}
			before := len(n.Active)
			result, err := n.transfer(transfer, context)
			require.NoError(t, err)
			require.Equal(t, want.minted, want.of(result.Summary).Show())
			require.Equal(t, want.minted, n.held(t, alice))
			require.Equal(t, want.minted, result.Summary.SenderChangeAmount.Show())
			require.Equal(t, want.minted, result.Meta.Values["amulet.splice.lfdecentralizedtrust.org/"+want.key])
			require.Equal(t, "0.0", result.Summary.InputAmuletAmount.Show())
			require.Len(t, n.Active, before, "the coupon is consumed and a coin created")
		})
	}
}

func TestTransfer_IgnoresAnEmptyExtensionInput(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	result, err := n.transfer(coin.Transfer{
		Sender: alice, Provider: alice, Inputs: []coin.TransferInput{{Ext: &coin.ExtTransferInput{}}},
	}, n.roundZero())
	require.NoError(t, err)
	require.Nil(t, result.SenderChangeAmulet)
}

func TestTransfer_AllInputsPayForOneOutput(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	context := n.mintingContext(t)
	transfer := pay(coins{n.tap(t, alice, "1")}, to(bob, "2087.55"))
	for _, coupon := range coupons() {
		transfer.Inputs = append(transfer.Inputs, coupon(t, n))
	}
	result, err := n.transfer(transfer, context)
	require.NoError(t, err)
	require.Nil(t, result.SenderChangeAmulet)
	require.Equal(t, "2087.55", n.held(t, bob))
	require.Equal(t, "0.0", n.held(t, alice))
}

func TestTransfer_RefusesInvalidCoupons(t *testing.T) {
	t.Parallel()
	type change = func(t *testing.T, n *network, context *coin.TransferContext)
	noRounds := func(_ *testing.T, _ *network, context *coin.TransferContext) { context.IssuingMiningRounds = nil }
	late := func(_ *testing.T, n *network, _ *coin.TransferContext) { n.Now = n.Now.Add(time.Hour) }
	const missingRound = "does not contain the issuing mining round 7"
	for name, c := range map[string]struct {
		input      string
		change     change
		code, text string
	}{
		"an app coupon without its round":       {"app reward", noRounds, general, missingRound},
		"a validator coupon without its round":  {"validator reward", noRounds, general, missingRound},
		"an SV coupon without its round":        {"super validator reward", noRounds, general, missingRound},
		"a liveness record without its round":   {"validator liveness", noRounds, general, missingRound},
		"a faucet coupon without its round":     {"validator faucet", noRounds, general, missingRound},
		"an activity record that has expired":   {"unclaimed activity", late, tooLate, "UnclaimedActivityRecord.expiresAt"},
		"a fund coupon that has expired":        {"development fund", late, tooLate, "DevelopmentFundCoupon.expiresAt"},
		"a coupon of version 2 that has passed": {"reward of version 2", late, tooLate, "RewardCouponV2.expiresAt"},
		"a validator coupon without the right": {
			"validator reward",
			func(_ *testing.T, _ *network, context *coin.TransferContext) { context.ValidatorRights = nil },
			general, "does not contain the validator right for user 'bob::1220b0'",
		},
		"a right for another user": {
			"validator reward",
			func(_ *testing.T, _ *network, context *coin.TransferContext) {
				context.ValidatorRights[0].Key = charlie
			},
			general, "Contract mismatch: expected a ValidatorRight of dso 'DSO::1220d5', user 'charlie::1220c4'",
		},
		"a round under another number": {
			"app reward",
			func(_ *testing.T, _ *network, context *coin.TransferContext) {
				context.IssuingMiningRounds[0].Key.Number = 9
			},
			general, "expected dso 'DSO::1220d5', round 9, got dso 'DSO::1220d5', round 7",
		},
		"a round that does not issue yet": {
			"app reward",
			func(t *testing.T, n *network, context *coin.TransferContext) {
				t.Helper()
				context.IssuingMiningRounds[0].Value = n.issuing(t, 7, time.Minute)
			},
			tooEarly, "issuingRound[7].opensAt",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			context := n.mintingContext(t)
			input := coupons()[c.input](t, n)
			c.change(t, &n, &context)
			_, err := n.transfer(coin.Transfer{Sender: alice, Provider: alice, Inputs: []coin.TransferInput{input}}, context)
			requireRefused(t, err, c.code, c.text)
		})
	}
}

func TestCoupon_OnlyItsOwnerMints(t *testing.T) {
	t.Parallel()
	for name, makeCoupon := range coupons() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			context := n.mintingContext(t)
			context.ValidatorRights = nil
			_, err := n.transfer(coin.Transfer{
				Sender: charlie, Provider: alice, Inputs: []coin.TransferInput{makeCoupon(t, n)},
			}, context)
			requireRefused(t, err, general, "")
		})
	}
}
