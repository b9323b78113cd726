package workflows

import (
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/ledger"
)

// SubmitCommandsInput are the submissions that one workflow carries: one when the node is idle, several under load.
type SubmitCommandsInput struct {
	Submissions []ledger.Submission `json:"submissions"`
}

// SubmitCommandsResult tells what became of each submission, in their order.
type SubmitCommandsResult struct {
	Outcomes []activities.Outcome `json:"outcomes"`
}

// SubmitCommands brings submissions to their completions. A refused submission is an outcome, not a failure: the
// workflow fails only if it is told to.
func SubmitCommands(ctx workflow.Context, in SubmitCommandsInput) (SubmitCommandsResult, error) {
	ctx = workflow.WithLocalActivityOptions(ctx, commitOptions())
	waited, err := awaitLedgerTime(ctx, in.Submissions)
	if err != nil {
		return SubmitCommandsResult{}, err
	}
	outcomes, again, err := commitInTime(ctx, in.Submissions)
	if err == nil && (waited || again) { // only now may the clock move on
		_, err = callLocal(ctx, act.LeaveLedgerTime, localID(ctx))
	}
	if err != nil {
		return SubmitCommandsResult{}, err
	}
	workflow.SetCurrentDetails(ctx, detailsOf(in.Submissions, outcomes))
	// One upsert: each is an event of every submission.
	found := []temporal.SearchAttributeUpdate{AttributeOutcome.ValueSet(summarize(outcomes))}
	if code := errorCode(outcomes); code != "" {
		found = append(found, AttributeErrorCode.ValueSet(code))
	}
	if err := workflow.UpsertTypedSearchAttributes(ctx, found...); err != nil {
		return SubmitCommandsResult{}, err
	}
	return SubmitCommandsResult{Outcomes: outcomes}, nil
}

// commitInTime commits each submission when its time has come. The commit decides that: what was waited for before only
// saves tries. It reports whether it had to wait.
func commitInTime(
	ctx workflow.Context, submissions []ledger.Submission,
) (outcomes []activities.Outcome, waited bool, err error) {
	outcomes, err = commit(ctx, submissions)
	for err == nil {
		places, early := tooEarly(submissions, outcomes)
		if len(early) == 0 {
			return outcomes, waited, nil
		}
		waited = true
		if err = awaitFirst(ctx, early); err != nil {
			break
		}
		var again []activities.Outcome
		again, err = commit(ctx, early)
		for i, outcome := range again[:min(len(again), len(places))] {
			outcomes[places[i]] = outcome
		}
	}
	return nil, waited, err
}

func commit(ctx workflow.Context, submissions []ledger.Submission) ([]activities.Outcome, error) {
	committed, err := callLocal(ctx, act.CommitSubmissions, activities.CommitSubmissionsInput{
		Submissions: submissions,
	})
	return committed.Outcomes, err
}

// tooEarly are the submissions that came before their time, and their places.
func tooEarly(
	submissions []ledger.Submission, outcomes []activities.Outcome,
) (places []int, early []ledger.Submission) {
	for i, outcome := range outcomes[:min(len(outcomes), len(submissions))] {
		if outcome.TooEarly && submissions[i].MinLedgerTime != nil {
			places, early = append(places, i), append(early, submissions[i])
		}
	}
	return places, early
}

// earlyPause is how long a workflow waits at least after a commit has found that it came too early: clocks of two
// machines may differ.
const earlyPause = time.Second

// awaitFirst waits until the first of the submissions can be committed, each of which has a time.
func awaitFirst(ctx workflow.Context, early []ledger.Submission) error {
	first := slices.MinFunc(early, func(a, b ledger.Submission) int { return a.MinLedgerTime.Compare(*b.MinLedgerTime) })
	noted, err := reachLedgerTime(ctx, first)
	if err != nil || noted {
		return err
	}
	return workflow.Sleep(ctx, earlyPause)
}

// awaitLedgerTime waits until the ledger's clock, which may be advanced meanwhile, has reached the lower bound that the
// submissions set. It reports whether the record has noted that somebody waits.
func awaitLedgerTime(ctx workflow.Context, submissions []ledger.Submission) (noted bool, err error) {
	last := notBefore(submissions)
	// A signed transaction is not delayed: its commit refuses a bound beyond the tolerance of the ledger time.
	if last == nil || submissions[0].Signed != nil {
		return false, nil
	}
	return reachLedgerTime(ctx, *last)
}

// reachLedgerTime waits until the ledger's clock has reached the lower bound of a submission. It reports whether the
// record has noted that somebody waits.
func reachLedgerTime(ctx workflow.Context, submission ledger.Submission) (noted bool, err error) {
	look := workflow.GetSignalChannel(ctx, LookSignal)
	for {
		wait, err := callLocal(ctx, act.ReachLedgerTime, activities.ReachLedgerTimeInput{
			WorkflowID: localID(ctx), Submission: submission,
		})
		if err != nil || wait <= 0 {
			return noted, err
		}
		noted = true
		if err := waitFor(ctx, wait, "the lower bound of ledger time", look); err != nil {
			return noted, err
		}
		for look.ReceiveAsync(nil) { // the next question answers all of them
		}
	}
}

// notBefore is the submission with the latest lower bound of ledger time; nil when none has one.
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

// attributes are the search attributes of a workflow that carries the submissions, each of at most so many bytes.
func attributes(
	submissions []ledger.Submission, dso ledger.Party, maxBytes int,
) []temporal.SearchAttributeUpdate {
	var parties, users, commands []string
	for _, submission := range submissions {
		parties = append(parties, ledger.Strings(submission.ActAs)...)
		if submission.Kind == ledger.KindWallet { // which may act as the operator, for the party that it reads as
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
