package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/activities"
)

// RunAutomationInput names a kind of automation.
type RunAutomationInput struct {
	Kind string `json:"kind"`
}

// RunAutomationResult counts the subjects and submissions of a run.
type RunAutomationResult struct {
	// Looked counts the subjects, Done the accepted submissions, Refused the refused ones.
	Looked  int `json:"looked"`
	Done    int `json:"done"`
	Refused int `json:"refused"`
}

// longAutomation limits the plans of a run; the next run does the rest.
const longAutomation = 500

// RunAutomation does the due work of a kind of automation, and ends when none is left. A Schedule starts it, and an
// [AutomationCaller] when work becomes due. Runs may overlap: they decide on the same submissions.
func RunAutomation(ctx workflow.Context, in RunAutomationInput) (RunAutomationResult, error) {
	ctx = workflow.WithLocalActivityOptions(ctx, commitOptions())
	info := workflow.GetInfo(ctx)
	var result RunAutomationResult
	for range longAutomation {
		plan, err := callLocal(ctx, act.PlanAutomation, activities.PlanAutomationInput{
			Kind: in.Kind, RunID: info.WorkflowExecution.RunID, WorkflowID: localID(ctx),
		})
		if err != nil {
			return result, err
		}
		result.Looked += plan.Looked
		result.Done += plan.Done
		result.Refused += plan.Refused
		if len(plan.Submissions) > 0 {
			_, err := callLocal(ctx, act.CommitSubmissions, activities.CommitSubmissionsInput{Submissions: plan.Submissions})
			if err != nil {
				return result, err
			}
		}
		if !plan.More || workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			break
		}
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("Looked at %d, submitted %d, of which %d were refused.",
		result.Looked, result.Done+result.Refused, result.Refused))
	return result, workflow.UpsertTypedSearchAttributes(ctx, AttributeOutcome.ValueSet(result.outcome()))
}

func (r RunAutomationResult) outcome() string {
	switch {
	case r.Refused == 0:
		return OutcomeAccepted
	case r.Done == 0:
		return OutcomeRefused
	default:
		return OutcomeMixed
	}
}
