package activities

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/wallet/plan"
)

// PlanAutomationInput asks what is due for a kind of automation.
type PlanAutomationInput struct {
	Kind string `json:"kind"`
	// RunID is that of the workflow, which goes on with the subjects that it began with.
	RunID string `json:"runId"`
	// WorkflowID is what the submissions are recorded under.
	WorkflowID string `json:"workflowId"`
}

// AutomationPlan is what is due.
type AutomationPlan struct {
	// Submissions are to be made now, at most [automationBatch]; what became of them is looked at by the next plan.
	Submissions []ledger.Submission `json:"submissions,omitempty"`
	// More: there may be more that is due, even if nothing is to be submitted now.
	More bool `json:"more,omitempty"`
	// Looked is how many subjects were looked at; Done and Refused are submissions of earlier plans.
	Looked  int `json:"looked"`
	Done    int `json:"done"`
	Refused int `json:"refused"`
}

// The limits of automation.
const (
	// automationBatch is how many subjects are looked at in one transaction.
	automationBatch = 100
	// automationTries is how often an action is refused in a row before it waits for a nudge.
	automationTries = 12
)

// PlanAutomation decides what is due for the subjects of a kind that are due, the longest due first, and notes what it
// decided: the submissions, or when to look next. What became of submissions of the plan before is looked at first. The
// clock stands still meanwhile, so that whoever advances it finds everything that waits for the new time.
func (a *Activities) PlanAutomation(ctx context.Context, in PlanAutomationInput) (AutomationPlan, error) {
	kind, ok := a.Automations.Find(in.Kind)
	if !ok { // the Schedule of another version; what that one knows is nothing to this one
		return AutomationPlan{}, nil
	}
	if err := a.search(ctx, kind); err != nil {
		return AutomationPlan{}, fmt.Errorf("plan automation %s: %w", in.Kind, err)
	}
	// A subject for which the database cannot answer loses the transaction. It is known then, and waits in the next one.
	// Where it is not known, fewer subjects are looked at, until it is alone.
	broken := map[string]error{}
	for limit := automationBatch; ; {
		plan, subject, err := a.planTurn(ctx, kind, in, limit, broken)
		switch {
		case err == nil:
			return plan, nil
		case isOwn(err) && subject != "" && broken[subject] == nil:
			broken[subject] = err
		case isOwn(err) && limit > 1:
			limit /= 2
		default:
			return AutomationPlan{}, fmt.Errorf("plan automation %s: %w", in.Kind, err)
		}
	}
}

// planTurn plans for some subjects in one transaction, without those that are known to be broken. With an error it
// returns the subject that it is due to, as far as that is known.
func (a *Activities) planTurn(
	ctx context.Context, kind automation.Automation, in PlanAutomationInput, limit int, broken map[string]error,
) (plan AutomationPlan, guilty string, err error) {
	err = a.inPlanning(ctx, func(p planning) error {
		turn := &automationTurn{
			planning: p, kind: kind, in: in, limit: limit, broken: broken, spent: map[ledger.Party]bool{},
		}
		plan, err = turn.plan()
		guilty = turn.guilty
		return err
	})
	return plan, guilty, err
}

// automationTurn is one call of PlanAutomation.
type automationTurn struct {
	planning

	kind automation.Automation
	in   PlanAutomationInput
	// shared remembers contracts of the DSO, which all subjects look at.
	shared map[sharedQuery][]ledger.Contract
	// spent are those whose coin a submission of this turn spends, where others wait for it.
	spent map[ledger.Party]bool
	// limit is how many subjects are looked at; broken are those that wait, and why; guilty is the one that an error is
	// due to.
	limit          int
	broken         map[string]error
	guilty         string
	ledgerSettings ledger.Settings
	// topUp is how much traffic to buy; nil before it was asked for.
	topUp *topUpOrNone
	out   AutomationPlan
}

func (t *automationTurn) plan() (AutomationPlan, error) {
	tasks, err := t.tx.TakeTasks(t.ctx, t.kind.Kind, t.in.RunID, t.now, int32(t.limit))
	if err != nil {
		return AutomationPlan{}, err
	}
	// Behind the tasks: who changes a setting wakes what waits for it, and then waits for those that are taken.
	if t.ledgerSettings, err = t.tx.LedgerSettings(t.ctx); err != nil {
		return AutomationPlan{}, err
	}
	t.out = AutomationPlan{Looked: len(tasks), More: len(tasks) == t.limit}
	if len(tasks) == 1 {
		t.guilty = tasks[0].Subject
	}
	completions, err := t.outcomes(tasks)
	if err != nil {
		return AutomationPlan{}, err
	}
	var settled []db.AutomationTask
	var over []string
	for _, task := range tasks {
		settledTask, ended, err := t.decide(task, completions)
		if err != nil {
			t.guilty = task.Subject
			return AutomationPlan{}, fmt.Errorf("%s: %w", task.Subject, err)
		}
		if ended {
			over = append(over, task.Subject)
		} else {
			settled = append(settled, settledTask)
		}
	}
	if err := t.tx.EndTasks(t.ctx, t.kind.Kind, over); err != nil {
		return AutomationPlan{}, err
	}
	if err := t.tx.SettleTasks(t.ctx, t.kind.Kind, settled); err != nil {
		return AutomationPlan{}, err
	}
	if !t.out.More { // of what the run holds, somebody may have locked something just now
		if t.out.More, err = t.tx.HoldsDueTasks(t.ctx, t.kind.Kind, t.in.RunID, t.now); err != nil {
			return AutomationPlan{}, err
		}
	}
	if err := t.linkAll(t.out.Submissions); err != nil {
		return AutomationPlan{}, err
	}
	return t.out, t.tx.CountAutomation(t.ctx, t.kind.Kind, t.now, t.out.Done, t.out.Refused)
}

// outcomes are the completions of the last submissions of tasks, by their keys.
func (t *automationTurn) outcomes(tasks []db.AutomationTask) (map[string]ledger.Completion, error) {
	var keys []string
	for _, task := range tasks {
		if task.SubmissionKey != "" {
			keys = append(keys, task.SubmissionKey)
		}
	}
	if len(keys) == 0 {
		return nil, nil // an empty map
	}
	return t.tx.CompletionsByKey(t.ctx, keys)
}

// decide looks at what became of the last submission for a task, and at what is due now. ended means that the subject
// can be forgotten.
func (t *automationTurn) decide(
	task db.AutomationTask, completions map[string]ledger.Completion,
) (settled db.AutomationTask, ended bool, err error) {
	if err, ok := t.broken[task.Subject]; ok {
		t.defect(&task, err)
		return task, false, nil
	}
	last, decided := completions[task.SubmissionKey]
	isNew := task.Pending && decided
	if isNew {
		t.count(&task, last)
	}
	var refused *plan.Refused
	if decided {
		refused = refusalOf(task.CommandID, last)
	}
	step, err := t.step(func() (plan.Step, error) {
		return t.kind.Plan(automation.Situation{
			Situation: t.situation(t, refused),
			Subject:   task.Subject, Record: t, Settings: t, LedgerSettings: t.ledgerSettings,
		})
	})
	if undecided, ok := errors.AsType[*undecidedError](err); ok {
		t.defect(&task, undecided)
		return task, false, nil
	}
	if err != nil {
		return task, false, err
	}
	if step.Price != nil {
		if err := t.tx.WakeTasks(t.ctx, t.kind.Kind, *step.Price); err != nil {
			return task, false, err
		}
	}
	task.HeldBy, task.Deadline, task.WaitsFor = "", step.Deadline, step.WaitsFor
	switch {
	case step.Action == nil && step.Until.IsZero() && step.WakeAbove == nil:
		return task, true, nil
	case step.Action == nil:
		task.DueAt, task.Tries, task.Refusal, task.Pending = step.Until, 0, "", false
		if task.WakeAbove = step.WakeAbove; step.Until.IsZero() {
			task.DueAt = lf.MaxTimestamp().Time()
		}
		if step.Trouble != "" {
			task.Tries, task.Refusal = 1, step.Trouble
		}
		return task, false, nil
	case isNew && step.Action.CommandID == task.CommandID && t.putOff(&task, step, last):
		return task, false, nil
	case step.Spends != "" && t.spent[step.Spends]:
		t.out.More = true // it stays due, and has its turn in another plan
		return task, false, nil
	default:
		if step.Spends != "" {
			t.spent[step.Spends] = true
		}
		task.Spends = step.Spends
		return task, false, t.submit(&task, *step.Action)
	}
}

// count takes the outcome of the last submission to the task.
func (t *automationTurn) count(task *db.AutomationTask, last ledger.Completion) {
	task.Pending = false
	if last.Refusal == nil {
		t.out.Done++
		if !plan.IsMergeFirst(task.CommandID) { // what it was made for is still to be tried again
			task.Tries, task.Refusal = 0, ""
		}
		return
	}
	t.out.Refused++
	task.Tries++
	task.Refusal = last.Refusal.Error()
}

// putOff makes an action wait that was just refused: not the first time, when others were probably in its way, then
// longer each time, and in the end until somebody nudges it. An action that was done, and is due all the same, is a
// defect that must not be repeated for ever.
func (t *automationTurn) putOff(task *db.AutomationTask, step plan.Step, last ledger.Completion) bool {
	if last.Refusal == nil {
		task.Tries++
		task.Refusal = "it was done and is due all the same"
	}
	if task.Tries == 1 && last.Refusal != nil {
		return false
	}
	next := last.RecordTime.Add(backoffAfter(int(task.Tries)))
	if task.Tries >= automationTries {
		next = lf.MaxTimestamp().Time()
		task.WaitsFor = "a nudge: it was refused too often"
	}
	if !t.now.Before(next) {
		return false
	}
	// A simulated clock that went past the next try would go past a deadline after it as well.
	task.DueAt, task.Deadline = next, step.Deadline && step.Until.After(next)
	if !step.Until.IsZero() && step.Until.After(t.now) && step.Until.Before(next) {
		task.DueAt, task.Deadline = step.Until, step.Deadline
	}
	return true
}

// defect makes a subject wait on which no decision could be made. The others must not suffer.
func (t *automationTurn) defect(task *db.AutomationTask, err error) {
	t.activities.Log.ErrorContext(t.ctx, "automation could not decide",
		"automation", task.Kind, "subject", task.Subject, "error", err)
	task.Tries = min(task.Tries, math.MaxInt32-1) + 1
	task.Pending, task.HeldBy, task.Deadline = false, "", false
	task.Refusal, task.WaitsFor = storableText(err.Error()), "another try, after no decision could be made"
	task.DueAt = t.now.Add(backoffAfter(int(task.Tries)))
}

// workflowID is the id of the workflow, which shows in what it submits, unless somebody chose another one for it.
func (t *automationTurn) workflowID() string {
	own := "automation:" + t.kind.Kind
	if rest, ok := strings.CutPrefix(t.in.WorkflowID, own); ok && plainSuffix.MatchString(rest) {
		return t.in.WorkflowID
	}
	return own
}

// plainSuffix is what Schedules, and the node, add to the id: a time, or a word.
var plainSuffix = regexp.MustCompile(`^[A-Za-z0-9:_-]{0,40}$`)

// submit makes the submission of an action. Its key is that of one try of the action, so that it is the same submission
// whoever makes it; the task stays due until what became of it is looked at.
func (t *automationTurn) submit(task *db.AutomationTask, action plan.Action) error {
	name := fmt.Sprintf("automation:%s/%s/%s/%d", task.Kind, task.Subject, action.CommandID, task.Tries)
	submission := t.operatorsSubmission(action, name, ledger.KindAutomation)
	submission.WorkflowID = t.workflowID()
	task.CommandID, task.SubmissionKey, task.Pending, task.HeldBy = action.CommandID, submission.Key, true, t.in.RunID
	if task.DueAt.After(t.now) {
		task.DueAt = t.now
	}
	sealed, err := t.sealed(submission)
	t.out.More = true
	t.out.Submissions = append(t.out.Submissions, sealed)
	return err
}
