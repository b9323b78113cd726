package db_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
)

// contract: completions-record-time
func TestHead_RecordTimesIncreaseWhenTheClockSteps(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	head := db.Head{}
	last := head.RecordTime
	for i, step := range []time.Duration{0, time.Hour, 0, -24 * time.Hour, time.Nanosecond, -time.Hour, 48 * time.Hour} {
		head = head.Next(start.Add(step))
		require.EqualValues(t, i+1, head.Offset)
		require.True(t, head.RecordTime.After(last), "step %d: %s is after %s", i, head.RecordTime, last)
		last = head.RecordTime
	}
	require.Equal(t, start.Add(48*time.Hour), head.RecordTime, "a clock that is ahead again counts")
}
