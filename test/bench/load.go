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

// operation is what a client does again and again. Its workers are numbered from 0.
type operation func(ctx context.Context, worker int) error

// errExhausted ends a load early: an operation has used up what was prepared for it.
var errExhausted = errors.New("nothing left to use")

// bound ends a load, whichever comes first.
type bound struct {
	duration   time.Duration
	operations int
}

// load is what came of driving an operation.
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

// add counts an operation and reports whether to go on.
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

// closedLoop has each worker start its next operation when the last one ended: the highest rate at this concurrency.
// Its latencies are those of the operations alone; they leave out how long an operation would have had to wait for a
// worker, so they are not what a client of a busy node sees.
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

// openLoop starts operations by the clock, at a fixed rate, whether or not earlier ones have ended. Latencies count
// from the moment an operation was due, so that what waits for a slow one is counted too and nothing is left out.
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

// drainTimeout is how long operations may take beyond the end of a load before the measurement fails.
const drainTimeout = time.Minute

// drive runs the workers. next gives the moment from which an operation's latency counts, and false when there is none
// left.
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
