package coin_test

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/decimal"
	"github.com/florinledger/florin/ledger/ledgertest"
)

// TestTheWorkedNumbersOfTheDocumentation recomputes the table of that name, every row, with the contracts themselves
// where they count.
func TestTheWorkedNumbersOfTheDocumentation(t *testing.T) {
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
