package workflows

import (
	"context"
	"time"

	"github.com/florinledger/florin/internal/wait"
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
	// callDue calls what is due; trouble is told whether that works.
	callDue func(ctx context.Context) error
	trouble *wait.Trouble
	woken   chan struct{}
}

func newDispatcher(callDue func(context.Context) error, trouble *wait.Trouble) dispatcher {
	return dispatcher{callDue: callDue, trouble: trouble, woken: make(chan struct{}, 1)}
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
	case <-d.woken:
	case <-ctx.Done():
	}
}
