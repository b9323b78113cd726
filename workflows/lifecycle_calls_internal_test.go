package workflows

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/activities"
)

// fakeLifecycleRecord is a record without due lifecycles; it may hold some back.
type fakeLifecycleRecord struct {
	LifecycleRecord

	by       time.Time
	heldBack bool
	failure  error
	more     bool
}

func (r *fakeLifecycleRecord) Wake(context.Context) (bool, error) { return r.more, r.failure }

func (r *fakeLifecycleRecord) TakeDue(_ context.Context, by time.Time) ([]activities.DueLifecycle, bool, error) {
	r.by = by
	return nil, r.heldBack, r.failure
}

// The caller calls a due lifecycle at once if no timer will do it, and otherwise a moment after its time.
func TestLifecycleCalls_CallAtOnceWithoutATimer(t *testing.T) {
	t.Parallel()
	record := &fakeLifecycleRecord{}
	now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	caller := NewCaller(CallerOptions{
		Record: record, LedgerTime: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler),
	})
	look := func() time.Duration {
		if err := caller.callDue(t.Context()); err != nil {
			require.ErrorIs(t, err, record.failure)
		}
		return now.Sub(record.by)
	}
	passes := func() { now = now.Add(time.Minute) }
	require.Zero(t, look(), "there was no call before")
	passes()
	require.Equal(t, timerGrace, look())
	require.Zero(t, look(), "the clock stands still")
	passes()
	require.Equal(t, timerGrace, look())
	caller.Advanced()
	passes()
	record.heldBack = true
	require.Zero(t, look())
	passes()
	require.Zero(t, look(), "a held back lifecycle still has no timer")
	record.heldBack, record.failure = false, errors.New("broken")
	passes()
	require.Zero(t, look())
	record.failure = nil
	passes()
	require.Zero(t, look(), "the failed call may have left some")
	record.heldBack = true
	passes()
	require.Equal(t, timerGrace, look())
	passes()
	require.Equal(t, timerGrace, look(), "these held back lifecycles have timers")

	record.more = true
	look()
	select {
	case <-caller.wake:
	default:
		require.Fail(t, "there is more to wake")
	}
}
