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

// The inputs of activities come through Temporal, whose users need not be users of the ledger. An activity trusts an
// input only if it has the seal of a node of this ledger. For everything else it must find the reason in the record.

// forgedOutcome is the outcome of a submission without a valid seal.
const forgedOutcome = "not committed: no node of this ledger has sealed this submission"

// sealCheck is the result of admit: submissions have a valid seal; outcomes holds the results of the others, by index
// in the input.
type sealCheck struct {
	submissions []ledger.Submission
	outcomes    map[int]string
}

// admit leaves out the submissions that no node of this ledger has sealed. Nobody has an acknowledgement of them, so
// they get no completion: otherwise a forger could give completions to other users, and use up their command ids.
func (a *Activities) admit(ctx context.Context, in CommitSubmissionsInput) (sealCheck, error) {
	out := sealCheck{submissions: make([]ledger.Submission, 0, len(in.Submissions)), outcomes: map[int]string{}}
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
		a.reportForgery(ctx, broken, "kind", submission.Kind, "user_id", excerpt(submission.UserID),
			"command_id", excerpt(submission.CommandID), "submission_key", excerpt(submission.Key))
	}
	return out, nil
}

// refuseIfPruned refuses a submission whose completion may be pruned: it must not count twice if it comes again. A
// recent submission is safe, because pruning keeps its completion. If the clock stands still, its times prove nothing.
func (b *block) refuseIfPruned(submission ledger.Submission) *fault.Fault {
	earliest := submission.ReceivedAt
	if bound := submission.MinLedgerTime; bound != nil && bound.After(earliest) {
		earliest = *bound
	}
	forgotten := b.head.Forgotten()
	if b.head.Pruned == 0 || earliest.After(forgotten) || !b.now.After(forgotten) {
		return nil
	}
	return fault.ParticipantPrunedDataAccessed.New("The submission was received at %s, and completions up to %s were "+
		"pruned: it is not known whether this submission had one", earliest.UTC().Format(time.RFC3339Nano),
		forgotten.UTC().Format(time.RFC3339Nano)).
		WithHint("Check whether its effects are on the ledger. If they are missing, submit it again.")
}

// checkSeal returns the defect of a seal; nil if it is valid. err is a failure of the database.
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

// reportForgery logs and counts an input that came through Temporal without a valid seal.
func (a *Activities) reportForgery(ctx context.Context, broken error, what ...any) {
	a.Log.ErrorContext(ctx, "something was forged: find out who can reach Temporal", append(what, "error", broken)...)
	if a.Forged != nil {
		a.Forged()
	}
}

// excerpt cuts a foreign text for the log.
func excerpt(text string) string {
	const limit = 200
	return text[:min(len(text), limit)]
}

// sealSubmission seals a submission with the keys of the record, or of a transaction.
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
