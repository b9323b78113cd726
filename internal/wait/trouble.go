package wait

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	// sameAgain is the least time between log lines about the same error, otherAgain about different errors.
	sameAgain, otherAgain = time.Minute, 10 * time.Second
)

// Trouble logs the errors of a loop that tries again: when an error starts, changes and ends, and once a minute
// between, however often the loop tries. An outage of an hour makes sixty lines.
type Trouble struct {
	Log *slog.Logger
	// What is the log message: what the loop cannot do.
	What string
	// Now is the clock; nil is time.Now.
	Now func() time.Time

	mu            sync.Mutex
	since, logged time.Time
	last          string
	times         int
}

// Every does the work after each interval until ctx ends, and calls Note with each result.
func (t *Trouble) Every(ctx context.Context, interval time.Duration, work func(context.Context) error) {
	for For(ctx, interval) == nil {
		if err := work(ctx); ctx.Err() == nil {
			t.Note(ctx, err)
		}
	}
}

// Note records the result of a try; nil is a success.
func (t *Trouble) Note(ctx context.Context, err error) {
	now := time.Now //nolint:forbidigo // how long a loop has waited is a matter of real time
	if t.Now != nil {
		now = t.Now
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		if !t.since.IsZero() {
			//nolint:sloglint // each loop says what it is about
			t.Log.InfoContext(ctx, t.What+": it is over", "for", now().Sub(t.since).Round(time.Second).String())
		}
		t.since, t.times = time.Time{}, 0
		return
	}
	t.times++
	pause := sameAgain
	switch {
	case t.since.IsZero():
		t.since, pause = now(), 0
	case err.Error() != t.last:
		pause = otherAgain
	}
	if pause > 0 && now().Sub(t.logged) < pause {
		return
	}
	t.logged, t.last = now(), err.Error()
	//nolint:sloglint // each loop says what it is about
	t.Log.WarnContext(ctx, t.What, "error", err, "for", now().Sub(t.since).Round(time.Second).String(), "times", t.times)
}
