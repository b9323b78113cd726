package activities

import (
	"context"
	"log/slog"

	"go.temporal.io/sdk/activity"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/telemetry/tracing"
)

// commitResult has all completions that a transaction knows, and those that it added.
// refused has the added refusals.
type commitResult struct {
	all, added []ledger.Completion
	refused    []refusal
}

// refusal is a submission with its fault.
type refusal struct {
	submission ledger.Submission
	fault      *fault.Fault
}

// logRefusals logs the refusals of a commit. They are in no other line of the log: the request that waits for a refused
// submission is logged at level debug.
func (a *Activities) logRefusals(ctx context.Context, refusals []refusal) {
	for _, one := range refusals {
		facts := append(tracing.LogFacts(one.submission), slog.String("code", one.fault.Code),
			slog.String("error", one.fault.Error()), slog.String("kind", one.submission.Kind),
			slog.String("user_id", one.submission.UserID), slog.String("trace_id", one.submission.Trace.TraceID()))
		if activity.IsActivity(ctx) {
			facts = append(facts, slog.String("temporal_workflow_id", activity.GetInfo(ctx).WorkflowExecution.ID))
		}
		a.Log.LogAttrs(ctx, slog.LevelInfo, "the ledger refused a submission", facts...)
	}
}

// addRefusal adds the refusal of a completion. Internal errors are not refusals; defect has logged them.
func addRefusal(to []refusal, submission ledger.Submission, completion ledger.Completion) []refusal {
	if completion.Accepted() || fault.LedgerAPIInternalError.Matches(completion.Refusal) {
		return to
	}
	return append(to, refusal{submission, completion.Refusal})
}
