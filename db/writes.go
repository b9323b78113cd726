package db

import (
	"sync"
	"time"
)

// troubleLasts is the time for which a failure to write counts if nothing was written since. It is longer than the
// pauses between the tries of a commit, so that the trouble counts for as long as there is something to commit.
const troubleLasts = 45 * time.Second

// writes remembers whether the database can store anything: only a write finds out that a database answers but cannot
// store.
type writes struct {
	mu      sync.Mutex
	trouble error
	forget  *time.Timer
}

func (w *writes) failed(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trouble = err
	if w.forget != nil {
		w.forget.Stop()
	}
	w.forget = time.AfterFunc(troubleLasts, w.succeeded)
}

func (w *writes) succeeded() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trouble = nil
	if w.forget != nil {
		w.forget.Stop()
		w.forget = nil
	}
}

// last returns the error of the last write; nil if it succeeded, or long after the failure.
func (w *writes) last() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.trouble
}
