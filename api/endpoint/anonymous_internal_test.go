package endpoint

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTurnsRestSoThatTheShareIsKept(t *testing.T) {
	t.Parallel()
	for share, rests := range map[float64]time.Duration{0.5: 7 * time.Second, 1: 3 * time.Second, 4: 0, 100: 0} {
		limits := NewLimits(LimitOptions{AnonymousShare: share})
		require.Equal(t, rests, limits.anonymous.restAfter(time.Second), "share %g", share)
	}
	usual := NewLimits(LimitOptions{})
	require.Equal(t, maxRest, usual.anonymous.restAfter(time.Hour), "nobody waits for ever")
}

func TestARequestWithoutATokenHasSoMuchTime(t *testing.T) {
	t.Parallel()
	limits := NewLimits(LimitOptions{})
	within, leave, err := limits.enter(t.Context(), caller{anonymous: true})
	require.NoError(t, err)
	defer leave()
	deadline, ok := within.Deadline()
	require.True(t, ok)
	require.LessOrEqual(t, time.Until(deadline), anonymousTime)
}

func TestWhoLeavesBeforeItsTurnIsNotOneTooMany(t *testing.T) {
	t.Parallel()
	limits := NewLimits(LimitOptions{AnonymousRequests: 1})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := limits.enter(gone, caller{anonymous: true})
	require.ErrorIs(t, err, context.Canceled)
	_, leave, err := limits.enter(t.Context(), caller{anonymous: true})
	require.NoError(t, err, "its place was given back")
	leave()
}
