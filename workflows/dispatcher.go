package workflows

import (
	"context"
	"time"

	"github.com/florinledger/florin/wait"
)

const (
	// callPoll is the longest time between two looks into the record, minInterval the shortest.
	callPoll    = 2 * time.Second
	minInterval = 20 * time.Millisecond
	// callTimeout bounds one call.
	callTimeout = 5 * time.Second
)

// dispatcher looks for what is due in the record, and calls the workflows that do it: when something changed, and from
// time to time.
type dispatcher struct {
	// callDue calls what is due; failed is told when that does not work.
	callDue func(ctx context.Context) error
	failed  func(ctx context.Context, err error)
	woken   chan struct{}
}

func newDispatcher(callDue func(context.Context) error, failed func(context.Context, error)) dispatcher {
	return dispatcher{callDue: callDue, failed: failed, woken: make(chan struct{}, 1)}
}

// Changed notes that something in the record changed, or the ledger's clock did.
func (d *dispatcher) Changed() {
	select {
	case d.woken <- struct{}{}:
	default: // it is awake already
	}
}

// Run calls what is due until ctx ends.
func (d *dispatcher) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := d.callDue(ctx); err != nil && ctx.Err() == nil {
			d.failed(ctx, err)
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
	case <-d.woken:
	case <-ctx.Done():
	}
}
