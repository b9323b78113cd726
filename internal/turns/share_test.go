package turns_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/internal/wait"
)

// ofOne is a share with one processor, whose short computations have 10 steps and 100 bytes.
func ofOne() *turns.Share {
	return turns.NewShare(turns.ShareLimits{Processors: 1, ShortSteps: 10, ShortBytes: 100, Places: 4, PlaceBytes: 1000})
}

// compute runs slices of 2 ms, and calls ran after each.
func compute(t *testing.T, of *turns.Computation, slices int, ran func()) {
	t.Helper()
	for range slices {
		require.NoError(t, of.Work(t.Context(), 11, 0))
		require.NoError(t, wait.For(t.Context(), 2*time.Millisecond))
		ran()
	}
	of.End()
}

func TestShare_LetsShortComputationsRun(t *testing.T) {
	t.Parallel()
	none := turns.NewShare(turns.ShareLimits{ShortSteps: 10, ShortBytes: 100})
	became := 0
	computation := none.Begin("alice", func() { became++ }, nil)
	require.NoError(t, computation.Work(t.Context(), 10, 100))
	require.Zero(t, became)
	ended, end := context.WithCancel(t.Context())
	end()
	require.ErrorIs(t, computation.Work(ended, 1, 0), context.Canceled, "there is no processor for a long one")
	require.ErrorIs(t, computation.Work(ended, 1, 0), context.Canceled)
	require.Equal(t, 1, became)
	computation.End()
}

func TestShare_GoesOnWithTheAccountThatUsedLeast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		share := ofOne()
		var mu sync.Mutex
		var order []string
		var group sync.WaitGroup
		for _, account := range []string{"greedy", "greedy", "greedy", "modest"} {
			group.Go(func() {
				compute(t, share.Begin(account, nil, nil), 3, func() {
					mu.Lock()
					defer mu.Unlock()
					order = append(order, account)
				})
			})
			synctest.Wait()
		}
		group.Wait()
		modest := 0
		for _, account := range order[:6] {
			if account == "modest" {
				modest++
			}
		}
		require.GreaterOrEqual(t, modest, 2, order)
	})
}

func TestShare_RestsBesideOtherWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		share := ofOne()
		elapsed := func(busy bool) time.Duration {
			began := time.Now()
			compute(t, share.Begin("alice", nil, nil), 10, func() {
				if busy {
					share.Note()
				}
			})
			return time.Since(began)
		}
		require.Equal(t, 20*time.Millisecond, elapsed(false))
		require.GreaterOrEqual(t, elapsed(true), 9*20*2*time.Millisecond, "a twentieth of the processor")
		require.NoError(t, wait.For(t.Context(), time.Second))
		require.Equal(t, 20*time.Millisecond, elapsed(false))
	})
}

func TestShare_GivesOneComputationMuchMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		share := turns.NewShare(turns.ShareLimits{Processors: 4, ShortSteps: 10, Places: 4, PlaceBytes: 1000})
		first, second := share.Begin("alice", nil, nil), share.Begin("bob", nil, nil)
		require.NoError(t, first.Work(t.Context(), 11, 1001))
		require.NoError(t, second.Work(t.Context(), 11, 1000))
		granted := false
		go func() {
			granted = second.Work(t.Context(), 1, 1) == nil
		}()
		synctest.Wait()
		require.False(t, granted, "two would have too much")
		require.NoError(t, first.Rest())
		synctest.Wait()
		require.True(t, granted, "a part of the first has ended, with its memory")
		first.End()
		second.End()
	})
}

func TestShare_BoundsComputationsWithMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		share := turns.NewShare(turns.ShareLimits{Processors: 4, ShortSteps: 10, Places: 1, PlaceBytes: 1000})
		first, second := share.Begin("alice", nil, nil), share.Begin("bob", nil, nil)
		require.NoError(t, first.Work(t.Context(), 11, 0))
		require.NoError(t, first.Rest(), "it may go on, and keeps its place")
		began := false
		go func() { began = second.Work(t.Context(), 11, 0) == nil }()
		synctest.Wait()
		require.False(t, began)
		first.End()
		synctest.Wait()
		require.True(t, began)
		second.End()
	})
}

func TestShare_TakesBackWhatComputationsPaused(t *testing.T) {
	t.Parallel()
	share := ofOne()
	holds := true
	computation := share.Begin("alice", nil, func(context.Context) func() error {
		holds = false
		return func() error { holds = true; return nil }
	})
	require.NoError(t, computation.Work(t.Context(), 10, 0))
	require.True(t, holds, "it is short")
	require.NoError(t, computation.Work(t.Context(), 1, 0))
	require.False(t, holds)
	require.NoError(t, computation.Rest())
	require.True(t, holds)
	computation.End()
}
