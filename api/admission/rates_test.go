package admission

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRates_ForgetQuietCallersAndLimitTheRest(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	clock := func() time.Time { return now }
	rates := NewRates(1, clock)
	for i := range 10_000 {
		require.Zero(t, rates.Take(strconv.Itoa(i)))
	}
	require.Zero(t, rates.Take("one more"))
	require.Zero(t, rates.Take("another"), "the first two callers above the limit share one rate")
	require.Positive(t, rates.Take("a third"))
	now = now.Add(time.Minute)
	require.Zero(t, rates.Take("a third"))
	require.Zero(t, rates.Take("a third"))
	require.Positive(t, rates.Take("a third"), "by itself again")
	require.Zero(t, rates.Take("another"))
}

func TestRates_DoNotCountDelayedCalls(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	clock := func() time.Time { return now }
	rates := NewRates(0.5, clock)
	require.Zero(t, rates.Take("alice"))
	require.Equal(t, 2*time.Second, rates.Take("alice"))
	require.Equal(t, 2*time.Second, rates.Take("alice"), "what has to wait uses nothing")
	require.Zero(t, rates.Take("bob"))
	require.Zero(t, NewRates(0, clock).Take("anybody"), "no rate, no limit")
}
