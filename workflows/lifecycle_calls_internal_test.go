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

// held is a record in which nothing is due, but for what is held back.
type held struct {
	LifecycleRecord

	by       time.Time
	heldBack bool
	failure  error
	more     bool
}

func (h *held) Wake(context.Context) (bool, error) { return h.more, h.failure }

func (h *held) TakeDue(_ context.Context, by time.Time) ([]activities.DueLifecycle, bool, error) {
	h.by = by
	return nil, h.heldBack, h.failure
}

// What is due is called at once where no timer will do it, and otherwise a moment after its time.
func TestLifecycleCalls_CallAtOnceWithoutATimer(t *testing.T) {
	t.Parallel()
	record := &held{}
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
	require.Zero(t, look(), "nobody knows what was before")
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
	require.Zero(t, look(), "what was held back has still no timer")
	record.heldBack, record.failure = false, errors.New("broken")
	passes()
	require.Zero(t, look())
	record.failure = nil
	passes()
	require.Zero(t, look(), "nobody knows what was left")
	record.heldBack = true
	passes()
	require.Equal(t, timerGrace, look())
	passes()
	require.Equal(t, timerGrace, look(), "what is held back of that has its timer")

	record.more = true
	look()
	select {
	case <-caller.woken:
	default:
		require.Fail(t, "there is more to wake")
	}
}
