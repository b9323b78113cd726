package coin_test

import (
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/ledgertest"
)

// TestDocs_WorkedNumbersAreRight recomputes every row of the table "Worked numbers", where possible with the contracts.
func TestDocs_WorkedNumbersAreRight(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	price := payload(t, n, n.rounds[0]).AmuletPrice
	perDollar := must(t)(decimal.FromInt(1).Div(price))
	megabytes := must(t)(decimal.FromInt(1_000_000).Div(decimal.FromInt(1_000_000)))
	traffic := must(t)(megabytes.Mul(amount("16.67")))
	tapped := payload(t, n, n.tap(t, alice, "100"))

	round := payload(t, n, n.rounds[0])
	round.Round.Number = 20
	later := coin.TransferContext{OpenMiningRound: create(t, n, round, dso)}
	paid, err := n.transfer(pay(coins{n.tap(t, alice, "100")}, to(bob, "25")), later)
	require.NoError(t, err)

	minted := func(input coin.TransferInput) string {
		result, err := n.transfer(coin.Transfer{Sender: alice, Provider: alice, Inputs: []coin.TransferInput{input}},
			n.mintingContext(t))
		require.NoError(t, err)
		return result.Summary.SenderChangeAmount.Show()
	}
	received := paid.Summary.BalanceChanges[1].Value.ChangeToInitialAmountAsOfRoundZero
	type summary = coin.OpenMiningRoundSummary
	type row struct{ what, number string }
	want := []row{
		{"coin for one US dollar", perDollar.Show()},
		{"holding fee per round, in coin", tapped.Amount.RatePerRound.Rate.Show()},
		{"1,000,000 bytes of traffic at 16.67 US dollars per megabyte, in coin", must(t)(traffic.Div(price)).Show()},
		{"rounds until 1 coin is dust", n.roundsUntilDust(t, "1")},
		{"rounds until 1000 coins are dust", n.roundsUntilDust(t, "1000")},
		{"rounds until 0.00380518 coins are dust", n.roundsUntilDust(t, "0.00380518")},
		{"change of a transfer of 25 out of 100", paid.Summary.SenderChangeAmount.Show()},
		{"receiver's change as of round zero, 25 coins in round 20", received.Show()},
		{"4 super validator weight at 3 coins each", minted(coupons()["super validator reward"](t, n))},
		{"3334 coins burned at 0.2 coins per coin", minted(coupons()["validator reward"](t, n))},
		{"a preapproval of 90 days, in coin", feeOf(t, 90, false)},
		{"a preapproval of 365 days, in coin", feeOf(t, 365, false)},
		{"a preapproval of 365 days of which 90 are free, in coin", feeOf(t, 365, true)},
		{"a featured transfer's activity, in coin", activityOfATransfer(t)},
		{"development fund of a round in the first half year", startNetwork(t).issue(t, usualIssuance(), summary{}).fund},
		{
			"issued for each point of a super validator weight of 4",
			startNetwork(t).issue(t, usualIssuance(), summary{TotalSvRewardWeight: 4}).sv,
		},
		{
			"issued for each featured coin of 10000, beside 10000 unfeatured ones",
			startNetwork(t).issue(t, usualIssuance(), summary{
				TotalFeaturedAppRewardCoupons: amount("10000"), TotalUnfeaturedAppRewardCoupons: amount("10000"),
			}).featured,
		},
		{
			"issued for each of 10 validators that were up",
			startNetwork(t).issue(t, usualIssuance(), summary{OptTotalValidatorFaucetCoupons: new(int64(10))}).faucet,
		},
	}
	text, err := os.ReadFile("../docs/coin.md")
	require.NoError(t, err)
	section := regexp.MustCompile(`(?s)### Worked numbers.*?\n\n## `).FindString(string(text))
	var documented []row
	for _, match := range regexp.MustCompile(`(?m)^\| ([^|]+) \| ([0-9.]+) \|$`).FindAllStringSubmatch(section, -1) {
		documented = append(documented, row{match[1], match[2]})
	}
	require.Equal(t, want, documented)
}

// roundsUntilDust finds the first round in which a coin of round 0 can be burned.
func (n network) roundsUntilDust(t *testing.T, text string) string {
	t.Helper()
	expires := func(round int64) bool {
		_, err := ledgertest.Exercise[coin.AmuletExpireV2Result](n.Ledger, ledgertest.As(dso), n.tap(t, alice, text),
			coin.AmuletExpireV2{
				ExternalPartyConfigState0Cid: n.stateOf(t, round, dso), ExternalPartyConfigState1Cid: n.stateOf(t, round, dso),
			})
		return err == nil
	}
	low, high := int64(0), int64(1_000_000) // not dust in the one, dust in the other
	for low+1 < high {
		if middle := (low + high) / 2; expires(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return strconv.FormatInt(high, 10)
}

// feeOf buys a preapproval of this many days; the usual 90 of them may be free.
func feeOf(t *testing.T, days int, someFree bool) string {
	t.Helper()
	n := startNetwork(t)
	if someFree {
		rules := payload(t, n, n.rules)
		rules.ConfigSchedule.InitialValue.TransferPreapprovalBaseDuration = nil
		n.rules = create(t, n, rules, dso)
	}
	result, err := n.preapprove(t, time.Duration(days)*day, n.tap(t, provider, "1000"))
	require.NoError(t, err)
	return result.AmuletPaid.Show()
}

// activityOfATransfer makes a transfer of a featured provider and reads its coupon.
func activityOfATransfer(t *testing.T) string {
	t.Helper()
	n := startNetwork(t)
	right := create(t, n, coin.FeaturedAppRight{DSO: dso, Provider: alice}, dso)
	context := n.roundZero()
	context.FeaturedAppRight = &right
	_, err := n.transfer(pay(coins{n.tap(t, alice, "10")}, to(bob, "1")), context)
	require.NoError(t, err)
	var activity string
	for _, coupon := range all[coin.AppRewardCoupon](t, n) {
		activity = coupon.Amount.Show()
	}
	return activity
}
