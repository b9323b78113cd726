package workflows

import (
	"context"
	"time"

	"go.temporal.io/api/serviceerror"

	"github.com/florinledger/florin/internal/wait"
)

// doubtPause is the time between two rounds of questions about failed starts.
const doubtPause = time.Second

// settleDoubts asks Temporal about failed starts, again and again until ctx ends.
func (c *Client) settleDoubts(ctx context.Context) {
	for wait.For(ctx, doubtPause) == nil {
		c.settleOnce(ctx)
	}
}

// settleOnce ends the flights whose start has failed, or finds that Temporal has them. It stops if Temporal or the
// record does not answer; the next round tries again.
func (c *Client) settleOnce(ctx context.Context) {
	for workflowID, flights := range c.flights.doubts() {
		if c.settleDoubt(ctx, workflowID, flights) != nil {
			return
		}
	}
}

// settleDoubt asks for one workflow that may have started although the answer was an error. It asks Temporal first,
// then the record, because Temporal deletes workflows some time after their end. An error means that one of them does
// not answer. If Temporal starts the workflow even later, that does no harm: the record accepts each change once.
func (c *Client) settleDoubt(ctx context.Context, workflowID string, flights []flight) error {
	ctx, cancel := context.WithTimeout(ctx, c.options.StartTimeout)
	defer cancel()
	_, err := c.options.Temporal.DescribeWorkflowExecution(ctx, workflowID, "")
	switch {
	case err == nil:
		for _, one := range flights {
			c.flights.start(one.submission, workflowID)
		}
		return nil
	case !is[*serviceerror.NotFound](err) && !is[*serviceerror.NamespaceNotFound](err):
		return err
	}
	keys := make([]string, len(flights))
	for i, one := range flights {
		keys[i] = one.key
	}
	completions, err := c.options.Record.CompletionsByKey(ctx, keys)
	if err != nil {
		return err
	}
	for _, one := range flights {
		if completion, ok := completions[one.key]; ok {
			c.options.Outcomes.Publish(completion)
			continue
		}
		c.flights.fail(one, c.options.Outcomes.Forget)
	}
	return nil
}
