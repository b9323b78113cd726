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

// PlanAutomationInput names the kind of automation whose due work [Activities.PlanAutomation] finds.
type PlanAutomationInput struct {
	Kind string `json:"kind"`
	// RunID is the id of the run, which goes on with the subjects that it began with.
	RunID string `json:"runId"`
	// WorkflowID is the workflow id of the submissions.
	WorkflowID string `json:"workflowId"`
}

// AutomationPlan has the due submissions of a kind, and the counts of the plan.
type AutomationPlan struct {
	// Submissions are the submissions to make now, at most [automationBatch]; the next plan reads their outcomes.
	Submissions []ledger.Submission `json:"submissions,omitempty"`
	// More: there may be more due work, even without submissions now.
	More bool `json:"more,omitempty"`
	// Looked counts the subjects of this plan; Done and Refused count submissions of earlier plans.
	Looked  int `json:"looked"`
	Done    int `json:"done"`
	Refused int `json:"refused"`
}

// The limits of automation.
const (
	// automationBatch is the number of subjects in one transaction.
	automationBatch = 100
	// automationTries is the number of refusals in a row after which an action waits for a nudge.
	automationTries = 12
)

// PlanAutomation first reads the outcomes of the submissions of the plan before. Then it decides on the due subjects of
// a kind, the longest due first, and stores the decision: a submission, or when to look next. The clock stands still
// meanwhile, so that an advance of it finds everything that waits for the new time.
func (a *Activities) PlanAutomation(ctx context.Context, in PlanAutomationInput) (AutomationPlan, error) {
	kind, ok := a.Automations.Find(in.Kind)
	if !ok { // the Schedule of another version, with a kind that this version does not know
		return AutomationPlan{}, nil
	}
	if err := a.search(ctx, kind); err != nil {
		return AutomationPlan{}, fmt.Errorf("plan automation %s: %w", in.Kind, err)
	}
	// A subject for which the database cannot answer breaks the transaction. If it is known, it waits in the next
	// transaction. Otherwise the next transaction has fewer subjects, until the broken one is alone.
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

// planTurn plans for some subjects in one transaction; the subjects in broken wait. With an error it returns the guilty
// subject, if it is known.
func (a *Activities) planTurn(
	ctx context.Context, kind automation.Automation, in PlanAutomationInput, limit int, broken map[string]error,
) (plan AutomationPlan, guilty string, err error) {
	err = a.inPlanning(ctx, func(p planning) error {
		turn := &automationTurn{
			planning: p, kind: kind, in: in, limit: limit, subjectErrors: broken, spenders: map[ledger.Party]bool{},
		}
		plan, err = turn.plan()
		guilty = turn.failedSubject
		return err
	})
	return plan, guilty, err
}

// automationTurn is one call of PlanAutomation.
type automationTurn struct {
	planning

	kind automation.Automation
	in   PlanAutomationInput
	// shared caches contracts of the DSO, which all subjects use.
	shared map[sharedQuery][]ledger.Contract
	// spenders are the parties whose coin a submission of this turn spends; other actions that spend it wait.
	spenders map[ledger.Party]bool
	// limit is the number of subjects.
	limit int
	// subjectErrors has the error of each subject that must wait.
	subjectErrors map[string]error
	// failedSubject is the subject that caused the current error.
	failedSubject  string
	ledgerSettings ledger.Settings
	// topUp is the setting of top-ups; nil before the first query.
	topUp *topUpOrNone
	out   AutomationPlan
}

func (t *automationTurn) plan() (AutomationPlan, error) {
	tasks, err := t.tx.TakeTasks(t.ctx, t.kind.Kind, t.in.RunID, t.now, int32(t.limit))
	if err != nil {
		return AutomationPlan{}, err
	}
	// This comes after the tasks: a change of a setting wakes tasks that wait for it, and waits for the locked ones.
	if t.ledgerSettings, err = t.tx.LedgerSettings(t.ctx); err != nil {
		return AutomationPlan{}, err
	}
	t.out = AutomationPlan{Looked: len(tasks), More: len(tasks) == t.limit}
	if len(tasks) == 1 {
		t.failedSubject = tasks[0].Subject
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
			t.failedSubject = task.Subject
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
	if !t.out.More { // another transaction may have locked tasks of this run
		if t.out.More, err = t.tx.HoldsDueTasks(t.ctx, t.kind.Kind, t.in.RunID, t.now); err != nil {
			return AutomationPlan{}, err
		}
	}
	if err := t.linkAll(t.out.Submissions); err != nil {
		return AutomationPlan{}, err
	}
	return t.out, t.tx.CountAutomation(t.ctx, t.kind.Kind, t.now, t.out.Done, t.out.Refused)
}

// outcomes returns the completions of the last submissions of tasks, by their keys.
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

// decide reads the outcome of the last submission of a task, and decides the next action. ended means that the subject
// needs no task any more.
func (t *automationTurn) decide(
	task db.AutomationTask, completions map[string]ledger.Completion,
) (settled db.AutomationTask, ended bool, err error) {
	if err, ok := t.subjectErrors[task.Subject]; ok {
		t.defect(&task, err)
		return task, false, nil
	}
	last, decided := completions[task.SubmissionKey]
	isNew := task.Pending && decided
	if isNew {
		t.count(&task, last)
	}
	var refused *plan.Refusal
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
	case step.Spends != "" && t.spenders[step.Spends]:
		t.out.More = true // it stays due for another plan
		return task, false, nil
	default:
		if step.Spends != "" {
			t.spenders[step.Spends] = true
		}
		task.Spends = step.Spends
		return task, false, t.submit(&task, *step.Action)
	}
}

// count adds the outcome of the last submission to the task.
func (t *automationTurn) count(task *db.AutomationTask, last ledger.Completion) {
	task.Pending = false
	if last.Refusal == nil {
		t.out.Done++
		if !plan.IsMergeFirst(task.CommandID) { // the action after the merge is still missing
			task.Tries, task.Refusal = 0, ""
		}
		return
	}
	t.out.Refused++
	task.Tries++
	task.Refusal = last.Refusal.Error()
}

// putOff makes an action wait after a refusal: not after the first one, when others were probably in its way, then
// longer each time, and in the end until a nudge. An action that is due again after its success is a defect, which must
// not repeat for ever.
func (t *automationTurn) putOff(task *db.AutomationTask, step plan.Step, last ledger.Completion) bool {
	if last.Refusal == nil {
		task.Tries++
		task.Refusal = "the action succeeded and is due again"
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
	// A simulated clock that passes the next try must not also pass a deadline after it.
	task.DueAt, task.Deadline = next, step.Deadline && step.Until.After(next)
	if !step.Until.IsZero() && step.Until.After(t.now) && step.Until.Before(next) {
		task.DueAt, task.Deadline = step.Until, step.Deadline
	}
	return true
}

// defect makes a subject wait after a failed decision. The others go on.
func (t *automationTurn) defect(task *db.AutomationTask, err error) {
	t.activities.Log.ErrorContext(t.ctx, "automation could not decide",
		"automation", task.Kind, "subject", task.Subject, "error", err)
	task.Tries = min(task.Tries, math.MaxInt32-1) + 1
	task.Pending, task.HeldBy, task.Deadline = false, "", false
	task.Refusal, task.WaitsFor = storableText(err.Error()), "another try, because the last one made no decision"
	task.DueAt = t.now.Add(backoffAfter(int(task.Tries)))
}

// workflowID is the workflow id of submissions: the id of the workflow, or the standard id if somebody started the
// workflow with another one.
func (t *automationTurn) workflowID() string {
	own := "automation:" + t.kind.Kind
	if rest, ok := strings.CutPrefix(t.in.WorkflowID, own); ok && plainSuffix.MatchString(rest) {
		return t.in.WorkflowID
	}
	return own
}

// plainSuffix matches the suffix that Schedules and the node add to the id: a time, or a word.
var plainSuffix = regexp.MustCompile(`^[A-Za-z0-9:_-]{0,40}$`)

// submit makes the submission of an action. Its key depends on the try of the action, so that every process makes the
// same submission. The task stays due until a plan has seen the outcome.
func (t *automationTurn) submit(task *db.AutomationTask, action plan.Action) error {
	name := fmt.Sprintf("automation:%s/%s/%s/%d", task.Kind, task.Subject, action.CommandID, task.Tries)
	submission := t.operatorSubmission(action, name, ledger.KindAutomation)
	submission.WorkflowID = t.workflowID()
	task.CommandID, task.SubmissionKey, task.Pending, task.HeldBy = action.CommandID, submission.Key, true, t.in.RunID
	if task.DueAt.After(t.now) {
		task.DueAt = t.now
	}
	sealed, err := t.seal(submission)
	t.out.More = true
	t.out.Submissions = append(t.out.Submissions, sealed)
	return err
}
