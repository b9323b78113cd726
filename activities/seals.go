package activities

import (
	"context"
	"errors"
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/seal"
	"github.com/florinledger/florin/ledger/topology"
)

// What activities are given comes through Temporal, whose users need not be users of the ledger. What they do on the
// word of their input alone is done only when the input has the seal of a node of this ledger; whatever else they do
// must be justified by the record.

// forgedOutcome is the outcome of a submission without a seal that holds.
const forgedOutcome = "not committed: no node of this ledger took it as it is, so it is nobody's submission"

// admitted are the submissions of a workflow that may be decided.
type admitted struct {
	submissions []ledger.Submission
	// outcomes of all others, by their place in the input.
	outcomes map[int]string
}

// admit leaves out the submissions that no node of this ledger has sealed. They were acknowledged to nobody, so they
// get no completion: whoever made them up could give completions to others otherwise, and use up their command ids.
func (a *Activities) admit(ctx context.Context, in CommitSubmissionsInput) (admitted, error) {
	out := admitted{submissions: make([]ledger.Submission, 0, len(in.Submissions)), outcomes: map[int]string{}}
	for i, submission := range in.Submissions {
		broken, err := a.checkSeal(ctx, seal.Submission, submission, submission.Seal)
		if err != nil {
			return out, err
		}
		if broken == nil {
			out.submissions = append(out.submissions, submission)
			continue
		}
		out.outcomes[i] = forgedOutcome
		a.forged(ctx, broken, "kind", submission.Kind, "user_id", excerpt(submission.UserID),
			"command_id", excerpt(submission.CommandID), "submission_key", excerpt(submission.Key))
	}
	return out, nil
}

// forgotten refuses a submission that may have been decided before something was pruned, its completion included: it
// must not count twice, whoever brings it again. What was received lately cannot: pruning keeps those completions. A
// clock that stands still tells nothing.
func (b *block) forgotten(submission ledger.Submission) *fault.Fault {
	earliest := submission.ReceivedAt
	if bound := submission.MinLedgerTime; bound != nil && bound.After(earliest) {
		earliest = *bound
	}
	forgotten := b.head.Forgotten()
	if b.head.Pruned == 0 || earliest.After(forgotten) || !b.now.After(forgotten) {
		return nil
	}
	return fault.ParticipantPrunedDataAccessed.New("The submission was received at %s, and what was decided up to %s "+
		"was pruned: nobody can tell any more whether it was decided", earliest.UTC().Format(time.RFC3339Nano),
		forgotten.UTC().Format(time.RFC3339Nano)).
		WithHint("Look for what it should have done, and submit it again if that is missing.")
}

// checkSeal says what is wrong with a seal; nil when it holds. The error is a failure of the database.
func (a *Activities) checkSeal(ctx context.Context, purpose seal.Purpose, value any, mark string) (broken, err error) {
	keys, err := a.DB.SealKeys(ctx)
	if err != nil {
		return nil, err
	}
	broken = keys.Check(purpose, value, mark)
	if errors.Is(broken, seal.ErrUnknownKey) { // another process may have added it
		if keys, err = a.DB.ReloadSealKeys(ctx); err != nil {
			return nil, err
		}
		broken = keys.Check(purpose, value, mark)
	}
	return broken, nil
}

// forged tells the operator of something that came through Temporal and is not this ledger's.
func (a *Activities) forged(ctx context.Context, broken error, what ...any) {
	a.Log.ErrorContext(ctx, "something was forged: find out who can reach Temporal", append(what, "error", broken)...)
	if a.Forged != nil {
		a.Forged()
	}
}

// excerpt is as much of a text from elsewhere as the log needs.
func excerpt(text string) string {
	const limit = 200
	return text[:min(len(text), limit)]
}

// sealSubmission seals a submission with the keys of the record, or with those that a transaction sees.
func sealSubmission(
	ctx context.Context, record interface {
		SealKeys(ctx context.Context) (*seal.Keys, error)
	}, submission ledger.Submission,
) (ledger.Submission, error) {
	keys, err := record.SealKeys(ctx)
	if err == nil {
		submission.Seal, err = keys.Of(seal.Submission, submission)
	}
	return submission, err
}

// Seal seals a submission, for callers that commit without a workflow.
func (a *Activities) Seal(ctx context.Context, submission ledger.Submission) (ledger.Submission, error) {
	return sealSubmission(ctx, a.DB, submission)
}

// SealContribution seals a contribution, for callers that onboard without a workflow.
func (a *Activities) SealContribution(
	ctx context.Context, contribution topology.Contribution,
) (topology.Contribution, error) {
	keys, err := a.DB.SealKeys(ctx)
	if err == nil {
		contribution.Seal, err = keys.Of(seal.Contribution, contribution)
	}
	return contribution, err
}
