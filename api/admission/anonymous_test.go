package admission

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
)

// nameless is an anonymous caller.
var nameless = CallerOf(ledger.Identity{}, false)

func TestLimits_RestKeepsTheAnonymousShare(t *testing.T) {
	t.Parallel()
	for share, rests := range map[float64]time.Duration{0.5: 7 * time.Second, 1: 3 * time.Second, 4: 0, 100: 0} {
		limits := New(Options{AnonymousShare: share})
		require.Equal(t, rests, limits.restAfter(time.Second), "share %g", share)
	}
	usual := New(Options{})
	require.Equal(t, maxRest, usual.restAfter(time.Hour), "nobody waits for ever")
}

func TestEnter_SetsDeadlineForAnonymousRequests(t *testing.T) {
	t.Parallel()
	limits := New(Options{})
	within, visit, err := limits.Enter(t.Context(), nameless)
	require.NoError(t, err)
	defer visit.Leave()
	deadline, ok := within.Deadline()
	require.True(t, ok)
	require.LessOrEqual(t, time.Until(deadline), anonymousTime)
}

func TestEnter_FreesPlaceOfCanceledRequest(t *testing.T) {
	t.Parallel()
	limits := New(Options{AnonymousRequests: 1})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := limits.Enter(gone, nameless)
	require.ErrorIs(t, err, context.Canceled)
	_, visit, err := limits.Enter(t.Context(), nameless)
	require.NoError(t, err, "its place is free again")
	visit.Leave()
}
