package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/client"
)

const (
	// completionPage is a node's default limit for a list.
	completionPage = 200
	// completionIdle is the wait of a list for more. Under load, pages fill without a wait.
	completionIdle = 50 * time.Millisecond
)

// collector reads completions during a load, as clients of asynchronous submissions do.
type collector struct {
	readers  []*completionReader
	prefix   string // of the command ids that count
	accepted int
	refused  int
	refusal  string
	last     time.Time // of the latest completion that counts
}

// completionReader reads the completions of one user.
type completionReader struct {
	client  *client.Client
	parties []string
	offset  int64
	page    []client.Completion
}

// read reads one page.
func (r *completionReader) read(ctx context.Context) (err error) {
	r.page, r.offset, err = r.client.Completions(ctx, client.CompletionsRequest{
		Parties: r.parties, BeginExclusive: r.offset, Limit: completionPage, Idle: completionIdle,
	})
	return err
}

// poll reads one page of each user.
func (c *collector) poll(ctx context.Context) error {
	var reads errgroup.Group
	for _, reader := range c.readers {
		reads.Go(func() error { return reader.read(ctx) })
	}
	if err := reads.Wait(); err != nil {
		return fmt.Errorf("read completions: %w", err)
	}
	for _, reader := range c.readers {
		c.count(reader.page)
	}
	return nil
}

func (c *collector) count(completions []client.Completion) {
	for _, completion := range completions {
		switch {
		case !strings.HasPrefix(completion.CommandID, c.prefix):
			continue
		case completion.Status.Code == 0:
			c.accepted++
		default:
			c.refused++
			c.refusal = completion.Status.Message
		}
		c.last = time.Now()
	}
}

// follow polls until acknowledged has a number, and then until so many completions have come.
func (c *collector) follow(ctx context.Context, acknowledged <-chan int) error {
	expected := -1
	for expected < 0 || c.accepted+c.refused < expected {
		if expected < 0 {
			select {
			case expected = <-acknowledged:
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, drainTimeout)
				defer cancel()
			default:
			}
		}
		if err := c.poll(ctx); err != nil {
			return fmt.Errorf("%w (%d of %d acknowledged submissions have completed)", err, c.accepted+c.refused, expected)
		}
	}
	return nil
}
