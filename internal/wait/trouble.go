package wait

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	// sameAgain is between two lines of the log about a trouble that stays the same, otherAgain about one that changes.
	sameAgain, otherAgain = time.Minute, 10 * time.Second
)

// Trouble is what keeps a loop that tries again from its work. The log hears of it when it comes, changes and goes, and
// once a minute meanwhile, however often the loop tries: what is away for an hour makes sixty lines.
type Trouble struct {
	// Log hears What is not possible.
	Log  *slog.Logger
	What string
	// Now is time.Now where it is nil.
	Now func() time.Time

	mu          sync.Mutex
	since, said time.Time
	last        string
	times       int
}

// Every does the work after each interval until ctx ends, and notes how each try ended.
func (t *Trouble) Every(ctx context.Context, interval time.Duration, work func(context.Context) error) {
	for For(ctx, interval) == nil {
		if err := work(ctx); ctx.Err() == nil {
			t.Note(ctx, err)
		}
	}
}

// Note notes how a try ended, nil for well.
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
	if pause > 0 && now().Sub(t.said) < pause {
		return
	}
	t.said, t.last = now(), err.Error()
	//nolint:sloglint // each loop says what it is about
	t.Log.WarnContext(ctx, t.What, "error", err, "for", now().Sub(t.since).Round(time.Second).String(), "times", t.times)
}
