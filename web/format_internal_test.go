package web

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/sentence"
)

func TestEntriesOf_NamesTheOwnerAndOtherHosts(t *testing.T) {
	t.Parallel()
	const alice, bob = "alice::1220ab", "bob::1220cd"
	site := &site{Options: Options{Participant: "participant::1220ab"}}
	item := client.HistoryItem{
		EventID: "#1220ff:3", Sender: &client.PartyAmount{Party: alice, Amount: decimal.MustParse("-10")},
		Sentence: sentence.Sentence{State: sentence.Done, Parts: []sentence.Part{
			{Text: "alice", Party: alice}, {Text: " sent 10 CC to "}, {Text: "bob", Party: bob},
		}},
	}
	entries, err := entriesOf(alice, []client.HistoryItem{item}, site.nameOf)
	require.NoError(t, err)
	require.Equal(t, "You sent 10 CC to bob::1220cd", entries[0].Sentence.String())
	require.Equal(t, "−10 CC", entries[0].Signed)
	require.Equal(t, "1220ff", entries[0].Update)
	require.Equal(t, "sent", entries[0].kind())
	require.True(t, entries[0].has("BOB::1220CD"))
	require.False(t, entries[0].has("carol"))
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
			all = append(all, entry{HistoryEntry: client.HistoryEntry{Change: decimal.MustParse(change)}})
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

func TestChartOf_HasAxesAndPoints(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	var newest []entry
	for i, change := range []string{"-5", "10", "0"} { // 0, then 10, then 5
		newest = append(newest, entry{HistoryEntry: client.HistoryEntry{
			HistoryItem: client.HistoryItem{Date: began.Add(-time.Duration(i) * time.Hour)}, Change: decimal.MustParse(change),
		}})
	}
	drawn := chartOf(decimal.MustParse("5"), newest)
	require.Equal(t, "5.0", drawn.Middle.Show())
	require.Equal(t, [3]time.Time{began.Add(-2 * time.Hour), began.Add(-time.Hour), began}, drawn.Dates)
	var points []string
	for _, point := range drawn.Points {
		points = append(points, point.At.Format("15:04 ")+point.Amount.Show()+" "+point.X)
	}
	require.Equal(t, []string{"22:00 0.0 4.0", "23:00 10.0 201.3", "00:00 5.0 398.7"}, points)
}

func TestBytesOf_FormatsSizes(t *testing.T) {
	t.Parallel()
	for bytes, words := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1 kB", 14_240: "14.2 kB", 999_999: "1000 kB", 1_250_000: "1.3 MB",
		3_000_000_000: "3 GB", 1 << 62: "4611686 TB",
	} {
		require.Equal(t, words, bytesOf(bytes), bytes)
	}
}

func TestTrafficOf_AveragesSinceStart(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		used, limit        int64
		passed             time.Duration
		left, perDay, days int64
	}{
		"nothing used":       {0, 500, 48 * time.Hour, 500, 0, -1},
		"the first day":      {300, 900, time.Hour, 600, 300, 2},
		"ten days":           {1000, 1250, 240 * time.Hour, 250, 100, 2},
		"less than a byte":   {1, 11, 240 * time.Hour, 10, 1, 100},
		"granted, none left": {700, 700, 168 * time.Hour, 0, 100, 0},
		"a clock behind":     {300, 900, -time.Hour, 600, 300, 2},
	} {
		state := trafficOf(test.used, test.limit, began, began.Add(test.passed))
		require.Equal(t, []int64{test.left, test.perDay, test.days}, []int64{state.Left, state.PerDay, state.Days}, name)
	}
}

func TestAgeOf_FormatsTimeSince(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	for age, words := range map[time.Duration]string{
		-time.Second: "now", time.Second: "now", time.Minute: "1 minute", 3 * time.Hour: "3 hours", 50 * time.Hour: "2 days",
	} {
		require.Equal(t, words, ageOf(now.Add(-age), now), age)
	}
}

func TestPartyNames_MarkThoseWhoTakeTheOperatorsName(t *testing.T) {
	t.Parallel()
	names := partyNames{participant: "participant::1220ab", operator: "app::1220ab"}
	for party, whole := range map[string]string{
		"app::1220ab": "operator", "operator::1220ab": "operator::1220ab", "DSO::1220ab": "DSO::1220ab",
		"alice::1220ab": "alice", "alice::1220cd": "alice::1220cd",
	} {
		require.Equal(t, whole, names.whole(party))
	}
}
