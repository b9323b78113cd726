package workflows

import (
	"context"
	"sync"
	"time"

	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger"
)

const (
	// retryFollow is the pause after an error of the record.
	retryFollow = time.Second
	// sweepInterval is the time between two searches for lost flights on an idle node.
	sweepInterval = time.Minute
)

// Run delivers completions that another process wrote: after each new entry of the record it asks for the keys that
// this process waits for. It also submits again the submissions that Temporal has lost, and ends flights whose start
// has failed. It returns when ctx ends.
func (c *Client) Run(ctx context.Context) error {
	var loops sync.WaitGroup
	defer loops.Wait()
	loops.Go(func() { c.keepAlive(ctx) })
	loops.Go(func() { c.settleDoubts(ctx) })
	var last ledger.Offset
	for pause := time.Duration(0); wait.For(ctx, pause) == nil; {
		head, err := c.waitAfter(ctx, last)
		if err == nil && head > last {
			err = c.deliver(ctx)
		}
		for _, key := range c.flights.dropLost() {
			c.options.Outcomes.Forget(key)
		}
		pause = retryFollow
		if err == nil {
			last, pause = head, c.options.FollowPause
		}
	}
	return nil
}

// waitAfter waits for a new entry of the record, for at most one sweepInterval.
func (c *Client) waitAfter(ctx context.Context, last ledger.Offset) (ledger.Offset, error) {
	deadline, cancel := context.WithTimeout(ctx, sweepInterval)
	defer cancel()
	head, err := c.options.Record.WaitAfter(deadline, last)
	if err != nil && deadline.Err() != nil {
		return last, ctx.Err()
	}
	return head, err
}

func (c *Client) deliver(ctx context.Context) error {
	keys := c.options.Outcomes.Expected()
	if len(keys) == 0 {
		return nil
	}
	completions, err := c.options.Record.CompletionsByKey(ctx, keys)
	if err != nil {
		return err
	}
	for _, completion := range completions {
		c.options.Outcomes.Publish(completion)
	}
	return nil
}
