package daml

import (
	"context"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// processorTime is a context that ends after an amount of CPU time of its thread, so that a busy machine does not make
// a script late. Its Done channel does not close: a script must poll Err.
type processorTime struct {
	context.Context //nolint:containedctx // a context with another clock

	until time.Duration
}

// withProcessorTime locks the caller's goroutine to a thread until a call of the returned function, and limits its CPU
// time. Only that goroutine may use the context.
func withProcessorTime(parent context.Context, limit time.Duration) (context.Context, func()) {
	runtime.LockOSThread()
	return &processorTime{parent, threadCPUTime() + limit}, runtime.UnlockOSThread
}

// Err returns the error of the parent, or DeadlineExceeded after the CPU time.
func (p *processorTime) Err() error {
	if err := p.Context.Err(); err != nil {
		return err
	}
	if threadCPUTime() > p.until {
		return context.DeadlineExceeded
	}
	return nil
}

// threadCPUTime is the CPU time of the thread; real time on systems that do not measure it.
func threadCPUTime() time.Duration {
	var spent unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &spent); err != nil {
		return time.Duration(time.Now().UnixNano())
	}
	return time.Duration(spent.Nano())
}
