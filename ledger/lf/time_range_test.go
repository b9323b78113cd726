package lf_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/ledger/lf"
)

// Users choose both the times and the durations.
func TestTimestamp_ArithmeticDoesNotWrap(t *testing.T) {
	t.Parallel()
	anyNumber := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{
		math.MinInt64, math.MinInt64 + 1, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64,
	}))
	rapid.Check(t, func(t *rapid.T) {
		at := lf.Timestamp(anyNumber.Draw(t, "at"))
		by := lf.RelTime{Microseconds: anyNumber.Draw(t, "by")}
		later, earlier := at.Add(by), at.Earlier(by)
		require.Equal(t, by.Microseconds < 0, later < at || later == math.MinInt64 && by.Microseconds < 0)
		require.Equal(t, by.Microseconds > 0, earlier < at || earlier == math.MinInt64 && by.Microseconds > 0)
		other := lf.Timestamp(by.Microseconds)
		require.Equal(t, at < other, at.Sub(other).Microseconds < 0)
		require.Equal(t, at == other, at.Sub(other).Microseconds == 0)

		duration := by.Duration()
		require.Equal(t, by.Microseconds < 0, duration < 0)
		require.Equal(t, by.Microseconds > 0, duration > 0)
		require.LessOrEqual(t, (-duration).Abs(), time.Duration(math.MaxInt64), "it has an opposite")
	})
	require.Equal(t, lf.MaxTimestamp(), lf.MaxTimestamp().Add(lf.RelTime{}))
	require.Equal(t, 90*time.Second, lf.RelTimeOf(90*time.Second).Duration())
	require.Equal(t, "1m30s", lf.RelTimeOf(90*time.Second).String())
	require.Equal(t, "87648264h0m0.000001s", lf.RelTime{Microseconds: 87_648_264*3_600_000_000 + 1}.String())
	require.Equal(t, "-2562047788h0m54.775808s", lf.RelTime{Microseconds: math.MinInt64}.String())
}
