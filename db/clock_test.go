package db_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger/fault"
)

func ahead(by time.Duration) func(db.ClockState) db.ClockState {
	return func(state db.ClockState) db.ClockState {
		state.Ahead += by
		return state
	}
}

func TestClock_RefusesToAdvanceARealClock(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	_, err := record.AdvanceClock(t.Context(), ahead(time.Hour))
	require.True(t, fault.ClockNotSimulated.Matches(err), "%v", err)
	state, err := record.ClockState(t.Context())
	require.NoError(t, err)
	require.Equal(t, db.ClockState{}, state)
}

func TestClock_OnlyMovesForward(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	require.NoError(t, record.SetClockMode(t.Context(), true))
	state, err := record.AdvanceClock(t.Context(), ahead(time.Hour))
	require.NoError(t, err)
	require.Equal(t, db.ClockState{Simulated: true, Ahead: time.Hour}, state)
	for _, by := range []time.Duration{0, -time.Minute, db.MaxAhead} {
		_, err = record.AdvanceClock(t.Context(), ahead(by))
		require.True(t, fault.InvalidArgument.Matches(err), "%v", err)
	}
	require.ErrorContains(t, record.SetClockMode(t.Context(), false), "--clock simulated")
	require.NoError(t, record.SetClockMode(t.Context(), true))
	kept, err := record.ClockState(t.Context())
	require.NoError(t, err)
	require.Equal(t, state, kept)
}

func TestClock_BecomesRealIfNeverAdvanced(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	require.NoError(t, record.SetClockMode(t.Context(), true))
	require.NoError(t, record.SetClockMode(t.Context(), false))
	state, err := record.ClockState(t.Context())
	require.NoError(t, err)
	require.False(t, state.Simulated)
}

func TestClock_TellsAllProcessesOfAnAdvance(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	here, there := dbtest.Open(t, url), dbtest.Open(t, url)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	standing := func() time.Time { return start }
	clockHere, clockThere := watch(t, here, never).Clock(standing), watch(t, there, never).Clock(standing)
	require.NoError(t, here.SetClockMode(t.Context(), true))
	_, err := here.AdvanceClock(t.Context(), ahead(90*24*time.Hour))
	require.NoError(t, err)
	want := start.Add(90 * 24 * time.Hour)
	require.Equal(t, want, clockHere.Now(), "the process that advances knows it at once")
	require.Eventually(t, func() bool { return clockThere.Now().Equal(want) }, time.Minute, time.Millisecond)
	require.Equal(t, want, watch(t, there, never).Clock(standing).Now(), "a new watcher knows it from its start")
}

func TestStaticClock_MovesOnlyByAdvance(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	began := time.Date(2026, 1, 1, 12, 0, 0, 123456789, time.FixedZone("east", 3600))
	require.NoError(t, record.StopClock(t.Context(), began))
	real := began
	clock := watch(t, record, never).Clock(func() time.Time { return real })
	stood := began.UTC().Truncate(time.Microsecond)
	require.Equal(t, stood, clock.Now())
	real = real.Add(time.Hour)
	require.Equal(t, stood, clock.Now(), "real time does not move it")

	later := stood.Add(90 * 24 * time.Hour)
	moved, err := record.AdvanceClock(t.Context(), func(state db.ClockState) db.ClockState {
		return state.AdvancedTo(later, real)
	})
	require.NoError(t, err)
	require.Equal(t, later, moved.At(real))
	require.Equal(t, later, clock.Now())
	for _, to := range []time.Time{later, stood} {
		_, err = record.AdvanceClock(t.Context(), func(state db.ClockState) db.ClockState {
			return state.AdvancedTo(to, real)
		})
		require.True(t, fault.InvalidArgument.Matches(err), "%v", err)
	}
	require.NoError(t, record.StopClock(t.Context(), real), "a node calls it again when it restarts")
	kept, err := record.ClockState(t.Context())
	require.NoError(t, err)
	require.Equal(t, moved, kept)
	for _, simulated := range []bool{false, true} {
		require.ErrorContains(t, record.SetClockMode(t.Context(), simulated), "--clock static")
	}
}

func TestClock_StopsAfterItRanAhead(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	require.NoError(t, record.SetClockMode(t.Context(), true))
	_, err := record.AdvanceClock(t.Context(), ahead(time.Hour))
	require.NoError(t, err)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	require.NoError(t, record.StopClock(t.Context(), now))
	state, err := record.ClockState(t.Context())
	require.NoError(t, err)
	require.Equal(t, now.Add(time.Hour), state.At(now.Add(time.Minute)))
}
