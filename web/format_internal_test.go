package web

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/decimal"
)

// A trade of 10 against 20 by allocations, seen by the sender of the 10.
func TestEntryOf_SettledTradeSaysWhoGotWhat(t *testing.T) {
	t.Parallel()
	const alice, bob = "alice::1220ab", "bob::1220ab"
	read := func(sender string, sent string, receiver, got string) []string {
		from := item{
			Type: "transfer", Sender: &partyAmount{sender, decimal.MustParse(sent)},
			Receivers: []partyAmount{{receiver, decimal.MustParse(got)}},
		}
		from.Subtype.Choice = "AmuletRules_Transfer"
		one, err := entryOf(alice, from)
		require.NoError(t, err)
		return []string{one.What, one.Joint, one.With, one.Signed}
	}
	require.Equal(t, []string{"Set aside 10 CC", "for", bob, "−10 CC"}, read(alice, "-10", bob, "0"))
	require.Equal(t, []string{"Sent 10 CC", "to", bob, "0 CC"}, read(alice, "0", bob, "10"))
	require.Equal(t, []string{"Received", "from", bob, "+20 CC"}, read(bob, "0", alice, "20"))
}

func TestCoins_FormatsExactAmounts(t *testing.T) {
	t.Parallel()
	for amount, shown := range map[string]string{
		"0": "0 CC", "1": "1 CC", "12.50": "12.5 CC", "999": "999 CC", "1000": "1,000 CC",
		"-1234567.0000000001": "-1,234,567.0000000001 CC",
		"100":                 "100 CC", "1000000": "1,000,000 CC", "0.0000000001": "0.0000000001 CC",
	} {
		require.Equal(t, shown, coins(decimal.MustParse(amount)))
	}
	require.Equal(t, "+1 CC", signedAmount(decimal.MustParse("1")))
	require.Equal(t, "−1 CC", signedAmount(decimal.MustParse("-1")))
	require.Equal(t, "0 CC", signedAmount(decimal.MustParse("0")))
	for _, test := range [][3]string{
		{"1", "0.005", "$0.01"},
		{"0.9", "0.005", "less than $0.01"},
		{"0", "0.005", "$0.00"},
		{"1234567", "1", "$1,234,567.00"},
		{"100", "0.1234", "$12.34"},
		{"1", "0", ""},
	} {
		require.Equal(t, test[2], dollars(decimal.MustParse(test[0]), decimal.MustParse(test[1])), test)
	}
}

func TestLeftOf_FormatsTimeLeft(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	for left, words := range map[time.Duration]string{
		-time.Second: "expired", 0: "expired", time.Second: "less than a minute left", time.Minute: "1 minute left",
		119 * time.Minute: "119 minutes left", 2 * time.Hour: "2 hours left", 47 * time.Hour: "47 hours left",
		48 * time.Hour: "2 days left", 1000 * 24 * time.Hour: "1,000 days left",
	} {
		require.Equal(t, words, leftOf(now.Add(left), now), left)
	}
}

func TestChartOf_DrawsBalance(t *testing.T) {
	t.Parallel()
	entries := func(changes ...string) (all []entry) {
		for _, change := range changes {
			all = append(all, entry{Change: decimal.MustParse(change)})
		}
		return all
	}
	require.Nil(t, chartOf(decimal.MustParse("1"), entries("1")))
	drawn := chartOf(decimal.MustParse("5"), entries("-5", "10")) // 0, then 10, then 5
	require.Equal(t, "5.0", drawn.Low.Show())
	require.Equal(t, "10.0", drawn.High.Show())
	require.Equal(t, "M4.0 4.0H300.0V60.0H596", drawn.Line)
	flat := chartOf(decimal.MustParse("5"), entries("0", "0"))
	require.Equal(t, "M4.0 4.0H300.0V4.0H596", flat.Line)
	nothing := chartOf(decimal.MustParse("0"), entries("0", "0"))
	require.Equal(t, "M4.0 116.0H300.0V116.0H596", nothing.Line)
}

func TestWordsOfChoice_SplitsChoiceName(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Transfer instruction withdraw", wordsOfChoice("TransferInstruction_Withdraw"))
	require.Equal(t, "Buy member traffic", wordsOfChoice("AmuletRules_BuyMemberTraffic"))
	require.Empty(t, wordsOfChoice(""))
}
