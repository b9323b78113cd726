package workflows

import (
	"context"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"

	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger"
)

const (
	// lostAfter is for how long a submission has had no completion before Temporal is asked whether it still has it, and
	// asked again.
	lostAfter = 10 * time.Second
	// lostPause is between two looks, and maxLostLooks how many submissions Temporal is asked for in each.
	lostPause    = time.Second
	maxLostLooks = 20
	// maxStarts is how often a submission is submitted, at most: what gets no completion then gets none this way.
	maxStarts = 10
)

// keepAlive submits again what Temporal has lost, until ctx ends.
func (c *Client) keepAlive(ctx context.Context) {
	for wait.For(ctx, lostPause) == nil {
		c.resubmitLost(ctx)
	}
}

// resubmitLost looks for submissions that were acknowledged and that Temporal has no more, as after its loss, or that
// somebody ended without their completion. They are submitted again, each in a workflow of its own: the record
// takes a submission once, however often it comes.
func (c *Client) resubmitLost(ctx context.Context) {
	for _, flight := range c.flights.unanswered(lostAfter, maxLostLooks) {
		if err := c.resubmitIfLost(ctx, flight); err != nil && ctx.Err() == nil {
			c.options.Log.WarnContext(ctx, "a submission that Temporal has lost was not submitted again yet",
				"command_id", flight.submission.CommandID, "workflow", flight.workflowID, "error", err)
		}
	}
}

func (c *Client) resubmitIfLost(ctx context.Context, flight flight) error {
	asking, cancel := context.WithTimeout(ctx, c.options.StartTimeout)
	defer cancel()
	described, err := c.options.Temporal.DescribeWorkflowExecution(asking, flight.workflowID, "")
	status := described.GetWorkflowExecutionInfo().GetStatus()
	// One that has ended as it should and left no completion was the work of a worker on a copy of the database's files.
	if !is[*serviceerror.NotFound](err) && status != enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED {
		return nil // Temporal has it, or cannot tell
	}
	// A workflow that has ended is forgotten some day, and its completion is in the record.
	found, err := c.options.Record.CompletionsByKey(asking, []string{flight.key})
	if err != nil {
		return err
	}
	if completion, ok := found[flight.key]; ok {
		c.options.Outcomes.Publish(completion)
		return nil
	}
	if flight.starts >= maxStarts {
		return nil
	}
	if err := c.startWorkflow(ctx, []ledger.Submission{flight.submission}); err != nil {
		return err
	}
	c.options.Log.WarnContext(ctx, "an acknowledged submission was lost in Temporal: it was submitted again",
		"command_id", flight.submission.CommandID, "workflow", flight.workflowID)
	return nil
}
