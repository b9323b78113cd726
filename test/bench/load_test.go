package main

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/internal/wait"
)

func taking(duration time.Duration) operation {
	return func(ctx context.Context, _ int) error {
		_ = wait.For(ctx, duration)
		return ctx.Err()
	}
}

func TestClosedLoop_KeepsEachClientBusy(t *testing.T) {
	t.Parallel()

	t.Run("each client starts when its last operation has ended", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			l, err := closedLoop(t.Context(), 4, bound{time.Second, 1000}, taking(100*time.Millisecond))
			require.NoError(t, err)
			require.Equal(t, 40, l.done)
			require.Equal(t, time.Second, l.elapsed)
			require.InDelta(t, 40, l.perSecond(), 0.001)
		})
	})

	t.Run("ends after a number of operations", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			l, err := closedLoop(t.Context(), 4, bound{time.Hour, 10}, taking(time.Second))
			require.NoError(t, err)
			require.Equal(t, 10, l.done)
		})
	})

	t.Run("ends for all when one has nothing left", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var left atomic.Int64
			left.Store(8)
			l, err := closedLoop(t.Context(), 4, bound{time.Hour, 1000}, func(ctx context.Context, worker int) error {
				if left.Add(-1) < 0 {
					return errExhausted
				}
				return taking(time.Second)(ctx, worker)
			})
			require.NoError(t, err)
			require.Equal(t, 8, l.done)
			require.LessOrEqual(t, l.elapsed, 3*time.Second)
		})
	})

	t.Run("counts what the node refuses and goes on", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var calls atomic.Int64
			l, err := closedLoop(t.Context(), 1, bound{time.Hour, 6}, func(context.Context, int) error {
				if calls.Add(1)%3 == 0 {
					return &client.Error{Status: 409, Code: "PARTICIPANT_BACKPRESSURE"}
				}
				return nil
			})
			require.NoError(t, err)
			require.Equal(t, 4, l.done)
			require.Equal(t, 2, l.refused)
			require.Len(t, l.latencies, 4)
			require.ErrorContains(t, l.refusal, "PARTICIPANT_BACKPRESSURE")
		})
	})

	t.Run("fails when the node does not answer", func(t *testing.T) {
		t.Parallel()
		broken := errors.New("connection refused")
		_, err := closedLoop(t.Context(), 2, bound{time.Hour, 6}, func(context.Context, int) error { return broken })
		require.ErrorIs(t, err, broken)
	})
}

func TestOpenLoop_StartsByTheClock(t *testing.T) {
	t.Parallel()

	t.Run("starts by the clock", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			var starts []time.Duration
			l, err := openLoop(t.Context(), 1, 10, 5, func(context.Context, int) error {
				starts = append(starts, time.Since(began))
				return nil
			})
			require.NoError(t, err)
			require.Equal(t, 5, l.done)
			require.Equal(t, []time.Duration{
				0, 100 * time.Millisecond, 200 * time.Millisecond, 300 * time.Millisecond, 400 * time.Millisecond,
			}, starts)
			require.Equal(t, Latency{Count: 5}, spread(l.latencies))
		})
	})

	t.Run("counts how long an operation waited for a slow one before it", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			first := true
			l, err := openLoop(t.Context(), 1, 10, 5, func(ctx context.Context, worker int) error {
				if first {
					first = false
					return taking(time.Second)(ctx, worker) // four more become due meanwhile
				}
				return nil
			})
			require.NoError(t, err)
			require.Equal(t, Latency{Count: 5, P50: 800, P90: 1000, P99: 1000, Max: 1000}, spread(l.latencies))
		})
	})
}

func TestSpread_ComputesPercentiles(t *testing.T) {
	t.Parallel()
	require.Zero(t, spread(nil))
	var hundred []time.Duration
	for i := 100; i > 0; i-- {
		hundred = append(hundred, time.Duration(i)*time.Millisecond)
	}
	require.Equal(t, Latency{Count: 100, P50: 50, P90: 90, P99: 99, Max: 100}, spread(hundred))
	require.Equal(t, Latency{Count: 1, P50: 1, P90: 1, P99: 1, Max: 1}, spread(hundred[99:]))
}
