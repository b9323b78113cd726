package workflows

import (
	"context"
	"sync"
	"time"

	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger"
)

const (
	// retryFollow is the pause after the record could not be read.
	retryFollow = time.Second
	// sweepInterval is how often lost flights are looked for on an idle node.
	sweepInterval = time.Minute
)

// Run delivers completions that this process waits for and another one recorded: when the record has grown, it asks for
// the keys that are still expected. What Temporal has lost meanwhile is submitted again, and flights whose start has
// failed end. It returns when ctx ends.
func (c *Client) Run(ctx context.Context) error {
	var looking sync.WaitGroup
	defer looking.Wait()
	looking.Go(func() { c.keepAlive(ctx) })
	looking.Go(func() { c.settleDoubts(ctx) })
	var seen ledger.Offset
	for pause := time.Duration(0); wait.For(ctx, pause) == nil; {
		head, err := c.waitAfter(ctx, seen)
		if err == nil && head > seen {
			err = c.deliver(ctx)
		}
		for _, key := range c.flights.dropLost() {
			c.options.Outcomes.Forget(key)
		}
		pause = retryFollow
		if err == nil {
			seen, pause = head, c.options.FollowPause
		}
	}
	return nil
}

// waitAfter waits until the record has grown, or for as long as a sweep may be put off.
func (c *Client) waitAfter(ctx context.Context, seen ledger.Offset) (ledger.Offset, error) {
	waiting, cancel := context.WithTimeout(ctx, sweepInterval)
	defer cancel()
	head, err := c.options.Record.WaitAfter(waiting, seen)
	if err != nil && waiting.Err() != nil {
		return seen, ctx.Err()
	}
	return head, err
}

func (c *Client) deliver(ctx context.Context) error {
	keys := c.options.Outcomes.Expected()
	if len(keys) == 0 {
		return nil
	}
	found, err := c.options.Record.CompletionsByKey(ctx, keys)
	if err != nil {
		return err
	}
	for _, completion := range found {
		c.options.Outcomes.Publish(completion)
	}
	return nil
}
