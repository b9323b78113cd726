package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/internal/wait"
)

// operation is the repeated request of a client. Workers have numbers from 0.
type operation func(ctx context.Context, worker int) error

// errExhausted ends a load early: no prepared holding is left.
var errExhausted = errors.New("nothing left to use")

// bound ends a load, whichever comes first.
type bound struct {
	duration   time.Duration
	operations int
}

type load struct {
	done      int // operations that succeeded
	refused   int // operations that the node refused
	refusal   error
	elapsed   time.Duration // until the last operation ended
	latencies []time.Duration
}

// tally counts for one worker.
type tally struct {
	done, refused int
	refusal       error
	latencies     []time.Duration
}

// add counts an operation and reports whether to continue.
func (t *tally) add(err error, latency time.Duration) (bool, error) {
	var refused *client.Error
	switch {
	case err == nil:
		t.done++
		t.latencies = append(t.latencies, latency)
	case errors.Is(err, errExhausted):
		return false, nil
	case errors.As(err, &refused):
		t.refused++
		t.refusal = err
	default:
		return false, err
	}
	return true, nil
}

// closedLoop measures the highest rate at a concurrency: each worker starts an operation when its last one has ended.
// The latencies do not include the wait for a worker, so clients of a busy node see longer ones.
func closedLoop(ctx context.Context, workers int, until bound, do operation) (load, error) {
	started := time.Now()
	ctx, cancel := context.WithTimeout(ctx, until.duration+drainTimeout)
	defer cancel()
	var tickets atomic.Int64
	next := func() (time.Time, bool) {
		now := time.Now()
		return now, now.Sub(started) < until.duration && int(tickets.Add(1)) <= until.operations
	}
	return drive(ctx, workers, next, do)
}

// openLoop starts operations at a fixed rate, also while earlier ones run. A latency begins when its operation is due,
// so it includes the wait for slow operations before it.
func openLoop(ctx context.Context, workers int, rate float64, operations int, do operation) (load, error) {
	started := time.Now()
	between := time.Duration(float64(time.Second) / rate)
	ctx, cancel := context.WithTimeout(ctx, between*time.Duration(operations)+drainTimeout)
	defer cancel()
	var tickets atomic.Int64
	next := func() (time.Time, bool) {
		number := tickets.Add(1) - 1
		due := started.Add(time.Duration(number) * between)
		if int(number) >= operations {
			return due, false
		}
		return due, wait.For(ctx, time.Until(due)) == nil
	}
	return drive(ctx, workers, next, do)
}

// drainTimeout limits the operations that are open at the end of a load. After it, the measurement fails.
const drainTimeout = time.Minute

// drive runs the workers. next returns the beginning of an operation's latency, and false after the last operation.
func drive(ctx context.Context, workers int, next func() (time.Time, bool), do operation) (load, error) {
	started := time.Now()
	tallies := make([]tally, workers)
	errs := make([]error, workers)
	var stop atomic.Bool
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			defer stop.Store(true) // one that ends early must not leave the others at a lower concurrency
			for !stop.Load() {
				from, ok := next()
				if !ok {
					return
				}
				err := do(ctx, worker)
				goOn, failure := tallies[worker].add(err, time.Since(from))
				if !goOn {
					errs[worker] = failure
					return
				}
			}
		})
	}
	group.Wait()
	total := load{elapsed: time.Since(started)}
	for _, t := range tallies {
		total.done += t.done
		total.refused += t.refused
		if t.refusal != nil {
			total.refusal = t.refusal
		}
		total.latencies = append(total.latencies, t.latencies...)
	}
	return total, errors.Join(errs...)
}

// perSecond is the rate of successful operations.
func (l load) perSecond() float64 {
	if l.elapsed <= 0 {
		return 0
	}
	return float64(l.done) / l.elapsed.Seconds()
}
