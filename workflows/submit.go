package workflows

import (
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/ledger"
)

// SubmitCommandsInput are the submissions of one workflow: one on an idle node, several under load.
type SubmitCommandsInput struct {
	Submissions []ledger.Submission `json:"submissions"`
}

// SubmitCommandsResult has the outcome of each submission, in their order.
type SubmitCommandsResult struct {
	Outcomes []activities.Outcome `json:"outcomes"`
}

// SubmitCommands commits submissions until each has a completion. A refused submission is an outcome, not a failure of
// the workflow.
func SubmitCommands(ctx workflow.Context, in SubmitCommandsInput) (SubmitCommandsResult, error) {
	ctx = workflow.WithLocalActivityOptions(ctx, commitOptions())
	waited, err := awaitLedgerTime(ctx, in.Submissions)
	if err != nil {
		return SubmitCommandsResult{}, err
	}
	outcomes, again, err := commitInTime(ctx, in.Submissions)
	if err == nil && (waited || again) { // only now may the ledger's clock advance
		_, err = callLocal(ctx, act.LeaveLedgerTime, localID(ctx))
	}
	if err != nil {
		return SubmitCommandsResult{}, err
	}
	workflow.SetCurrentDetails(ctx, detailsOf(in.Submissions, outcomes))
	// One upsert for both: each upsert is an event in the history.
	updates := []temporal.SearchAttributeUpdate{AttributeOutcome.ValueSet(summarize(outcomes))}
	if code := errorCode(outcomes); code != "" {
		updates = append(updates, AttributeErrorCode.ValueSet(code))
	}
	if err := workflow.UpsertTypedSearchAttributes(ctx, updates...); err != nil {
		return SubmitCommandsResult{}, err
	}
	return SubmitCommandsResult{Outcomes: outcomes}, nil
}

// The pauses before a workflow asks again for a submission whose code still runs.
const (
	firstRunPause = 20 * time.Millisecond
	maxRunPause   = 5 * time.Second
	runPauseRatio = 4
)

// commitInTime commits each submission when its time has come and its code has run. The commit decides that; the waits
// before only save tries. It reports whether it waited for a time.
func commitInTime(
	ctx workflow.Context, submissions []ledger.Submission,
) (outcomes []activities.Outcome, waited bool, err error) {
	outcomes, err = commit(ctx, submissions)
	for pause := firstRunPause; err == nil; pause = min(runPauseRatio*pause, maxRunPause) {
		places, left, run := undecided(submissions, outcomes)
		if len(left) == 0 {
			return outcomes, waited, nil
		}
		if run {
			err = workflow.Sleep(ctx, pause)
		} else {
			waited = true
			err = awaitFirst(ctx, left)
		}
		if err != nil {
			break
		}
		var again []activities.Outcome
		again, err = commit(ctx, left)
		for i, outcome := range again[:min(len(again), len(places))] {
			outcomes[places[i]] = outcome
		}
	}
	return nil, waited, err
}

func commit(ctx workflow.Context, submissions []ledger.Submission) ([]activities.Outcome, error) {
	result, err := callLocal(ctx, act.CommitSubmissions, activities.CommitSubmissionsInput{
		Submissions: submissions,
	})
	return result.Outcomes, err
}

// undecided lists the submissions to commit again, and their places: those whose code still runs, or if there are none,
// those that came before their time.
func undecided(
	submissions []ledger.Submission, outcomes []activities.Outcome,
) (places []int, left []ledger.Submission, run bool) {
	outcomes = outcomes[:min(len(outcomes), len(submissions))]
	run = slices.ContainsFunc(outcomes, func(outcome activities.Outcome) bool { return outcome.Running })
	for i, outcome := range outcomes {
		if outcome.Running || !run && outcome.TooEarly && submissions[i].MinLedgerTime != nil {
			places, left = append(places, i), append(left, submissions[i])
		}
	}
	return places, left, run
}

// earlyPause is the least wait after a commit that came too early: the clocks of two machines may differ.
const earlyPause = time.Second

// awaitFirst waits for the earliest time of the submissions, each of which has one.
func awaitFirst(ctx workflow.Context, early []ledger.Submission) error {
	first := slices.MinFunc(early, func(a, b ledger.Submission) int { return a.MinLedgerTime.Compare(*b.MinLedgerTime) })
	waited, err := reachLedgerTime(ctx, first)
	if err != nil || waited {
		return err
	}
	return workflow.Sleep(ctx, earlyPause)
}

// awaitLedgerTime waits until the ledger's clock, which somebody may advance, has reached the lower bound of the
// submissions. It reports whether it had to wait.
func awaitLedgerTime(ctx workflow.Context, submissions []ledger.Submission) (waited bool, err error) {
	last := notBefore(submissions)
	// A signed transaction does not wait: its commit refuses a bound beyond the tolerance of the ledger time.
	if last == nil || submissions[0].Signed != nil {
		return false, nil
	}
	return reachLedgerTime(ctx, *last)
}

// reachLedgerTime waits until the ledger's clock has reached the lower bound of a submission. It reports whether it had
// to wait; then the record has an entry for this workflow.
func reachLedgerTime(ctx workflow.Context, submission ledger.Submission) (waited bool, err error) {
	look := workflow.GetSignalChannel(ctx, LookSignal)
	for {
		wait, err := callLocal(ctx, act.ReachLedgerTime, activities.ReachLedgerTimeInput{
			WorkflowID: localID(ctx), Submission: submission,
		})
		if err != nil || wait <= 0 {
			return waited, err
		}
		waited = true
		if err := waitFor(ctx, wait, "the lower bound of ledger time", look); err != nil {
			return waited, err
		}
		for look.ReceiveAsync(nil) { // one look is enough for all signals
		}
	}
}

// notBefore is the submission with the latest lower bound of ledger time; nil without one.
func notBefore(submissions []ledger.Submission) *ledger.Submission {
	var latest *ledger.Submission
	for i, submission := range submissions {
		if bound := submission.MinLedgerTime; bound != nil && (latest == nil || bound.After(*latest.MinLedgerTime)) {
			latest = &submissions[i]
		}
	}
	return latest
}

func summarize(outcomes []activities.Outcome) string {
	refused := 0
	for _, outcome := range outcomes {
		if outcome.Refusal != "" {
			refused++
		}
	}
	switch refused {
	case 0:
		return OutcomeAccepted
	case len(outcomes):
		return OutcomeRefused
	default:
		return OutcomeMixed
	}
}

// attributes are the search attributes of a workflow with the submissions, each of at most maxBytes.
func attributes(
	submissions []ledger.Submission, dso ledger.Party, maxBytes int,
) []temporal.SearchAttributeUpdate {
	var parties, users, commands []string
	for _, submission := range submissions {
		parties = append(parties, ledger.Strings(submission.ActAs)...)
		if submission.Kind == ledger.KindWallet { // a wallet may act as the operator, for the party that it reads as
			for _, party := range submission.ReadAs {
				if party != dso {
					parties = append(parties, string(party))
				}
			}
		}
		users = append(users, submission.UserID)
		commands = append(commands, submission.CommandID)
	}
	templates, choices := usedBy(submissions)
	names := make([]string, 0, 2*len(templates)) //nolint:mnd // the two names of each
	for _, template := range templates {
		names = append(names, template.Entity, template.Module+"."+template.Entity)
	}
	return []temporal.SearchAttributeUpdate{
		AttributeParty.ValueSet(parties, maxBytes), AttributeUser.ValueSet(users, maxBytes),
		AttributeCommandID.ValueSet(commands, maxBytes), AttributeKind.ValueSet(submissions[0].Kind),
		AttributePartyHint.ValueSet(hintsOf(parties), maxBytes), AttributeTemplate.ValueSet(names, maxBytes),
		AttributeChoice.ValueSet(choices, maxBytes),
	}
}
