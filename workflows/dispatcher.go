package workflows

import (
	"context"
	"time"

	"github.com/florinledger/florin/internal/wait"
)

const (
	// callPoll is the longest time between two queries of the record, minInterval the shortest.
	callPoll    = 2 * time.Second
	minInterval = 20 * time.Millisecond
	// callTimeout bounds one call.
	callTimeout = 5 * time.Second
)

// dispatcher finds due work in the record, and calls the workflows that do it: after each change, and at intervals.
type dispatcher struct {
	callDue func(ctx context.Context) error
	// trouble logs the errors of callDue.
	trouble *wait.Trouble
	wake    chan struct{}
}

func newDispatcher(callDue func(context.Context) error, trouble *wait.Trouble) dispatcher {
	return dispatcher{callDue: callDue, trouble: trouble, wake: make(chan struct{}, 1)}
}

// Changed tells the dispatcher that something in the record or the ledger's clock changed.
func (d *dispatcher) Changed() {
	select {
	case d.wake <- struct{}{}:
	default: // a signal waits already
	}
}

// Run calls due work until ctx ends.
func (d *dispatcher) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := d.callDue(ctx); ctx.Err() == nil {
			d.trouble.Note(ctx, err)
		}
		if wait.For(ctx, minInterval) != nil {
			return
		}
		d.await(ctx)
	}
}

func (d *dispatcher) await(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callPoll)
	defer cancel()
	select {
	case <-d.wake:
	case <-ctx.Done():
	}
}
