package workflows

import (
	"context"
	"time"

	"go.temporal.io/api/serviceerror"

	"github.com/florinledger/florin/internal/wait"
)

// doubtPause is between two rounds of questions about starts that have failed.
const doubtPause = time.Second

// settleDoubts asks what became of starts that have failed, until ctx ends.
func (c *Client) settleDoubts(ctx context.Context) {
	for wait.For(ctx, doubtPause) == nil {
		c.askForDoubts(ctx)
	}
}

// askForDoubts ends the flights whose start has failed, or finds that Temporal has them. It stops where nobody answers:
// the next round asks again.
func (c *Client) askForDoubts(ctx context.Context) {
	for workflowID, doubtful := range c.flights.doubts() {
		if c.settleDoubt(ctx, workflowID, doubtful) != nil {
			return
		}
	}
}

// settleDoubt asks for one workflow, whose start may have succeeded although the answer was an error: Temporal first,
// then the record, since a workflow that has ended is forgotten some day. An error says that one of them does not
// answer. A start that Temporal makes even later does no harm: the record takes each change once.
func (c *Client) settleDoubt(ctx context.Context, workflowID string, doubtful []flight) error {
	ctx, cancel := context.WithTimeout(ctx, c.options.StartTimeout)
	defer cancel()
	_, err := c.options.Temporal.DescribeWorkflowExecution(ctx, workflowID, "")
	switch {
	case err == nil:
		for _, one := range doubtful {
			c.flights.start(one.submission, workflowID)
		}
		return nil
	case !is[*serviceerror.NotFound](err) && !is[*serviceerror.NamespaceNotFound](err):
		return err
	}
	keys := make([]string, len(doubtful))
	for i, one := range doubtful {
		keys[i] = one.key
	}
	found, err := c.options.Record.CompletionsByKey(ctx, keys)
	if err != nil {
		return err
	}
	for _, one := range doubtful {
		if completion, ok := found[one.key]; ok {
			c.options.Outcomes.Publish(completion)
			continue
		}
		c.flights.fail(one, c.options.Outcomes.Forget)
	}
	return nil
}
