package daml

import (
	"context"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// processorTime is a context that ends when its thread has worked for so long: a busy machine does not make a script
// late. Nobody is told that it has ended; who works asks it for its error, as scripts do.
type processorTime struct {
	context.Context //nolint:containedctx // a context that counts otherwise

	until time.Duration
}

// withProcessorTime gives the caller's goroutine so much time, and a thread of its own until the function that it
// returns is called. Only that goroutine may ask the context.
func withProcessorTime(parent context.Context, limit time.Duration) (context.Context, func()) {
	runtime.LockOSThread()
	return &processorTime{parent, worked() + limit}, runtime.UnlockOSThread
}

// Err says that the parent has ended, or that the time is over.
func (p *processorTime) Err() error {
	if err := p.Context.Err(); err != nil {
		return err
	}
	if worked() > p.until {
		return context.DeadlineExceeded
	}
	return nil
}

// worked is how long the thread has worked. A machine that does not tell has the time that went by.
func worked() time.Duration {
	var spent unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &spent); err != nil {
		return time.Duration(time.Now().UnixNano())
	}
	return time.Duration(spent.Nano())
}
