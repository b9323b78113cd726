package lf_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/ledger/lf"
)

// TestTimesNeverWrapAround adds durations that users choose to times that users choose.
func TestTimesNeverWrapAround(t *testing.T) {
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
}
