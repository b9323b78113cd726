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
	// lostAfter is how long a submission has no completion before the node asks Temporal for it, and asks again.
	lostAfter = 10 * time.Second
	// lostPause is the time between two rounds; maxLostChecks limits the questions to Temporal in each.
	lostPause     = time.Second
	maxLostChecks = 20
	// maxStarts limits how often the node submits a submission: more tries will not bring a completion.
	maxStarts = 10
)

// keepAlive submits again the submissions that Temporal has lost, until ctx ends.
func (c *Client) keepAlive(ctx context.Context) {
	for wait.For(ctx, lostPause) == nil {
		c.resubmitLost(ctx)
	}
}

// resubmitLost finds acknowledged submissions that Temporal no longer has, for example after a loss of its data, or
// that somebody ended without a completion. It submits them again, each in its own workflow. The record accepts a
// submission only once, so a second try is safe.
func (c *Client) resubmitLost(ctx context.Context) {
	for _, flight := range c.flights.overdue(lostAfter, maxLostChecks) {
		if err := c.resubmitIfLost(ctx, flight); err != nil && ctx.Err() == nil {
			c.options.Log.WarnContext(ctx, "the node cannot yet submit again a submission that Temporal lost",
				"command_id", flight.submission.CommandID, "workflow", flight.workflowID, "error", err)
		}
	}
}

func (c *Client) resubmitIfLost(ctx context.Context, flight flight) error {
	deadline, cancel := context.WithTimeout(ctx, c.options.StartTimeout)
	defer cancel()
	description, err := c.options.Temporal.DescribeWorkflowExecution(deadline, flight.workflowID, "")
	status := description.GetWorkflowExecutionInfo().GetStatus()
	// If a workflow completed without a completion in the record, its worker had a copy of the database's files.
	if !is[*serviceerror.NotFound](err) && status != enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED {
		return nil // Temporal has it, or cannot tell
	}
	// Temporal deletes workflows some time after their end; then the completion is in the record.
	completions, err := c.options.Record.CompletionsByKey(deadline, []string{flight.key})
	if err != nil {
		return err
	}
	if completion, ok := completions[flight.key]; ok {
		c.options.Outcomes.Publish(completion)
		return nil
	}
	if flight.starts >= maxStarts {
		return nil
	}
	alone := []ledger.Submission{flight.submission}
	if err := c.startWorkflow(ctx, alone, SubmitCommandsInput{Submissions: alone}); err != nil {
		return err
	}
	c.options.Log.WarnContext(ctx, "Temporal lost an acknowledged submission; the node submitted it again",
		"command_id", flight.submission.CommandID, "workflow", flight.workflowID)
	return nil
}
