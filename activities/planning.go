package activities

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/telemetry/tracing"
	"github.com/florinledger/florin/wallet/plan"
)

// planning is a transaction in which planners decide the next action of lifecycles or subjects of automation.
type planning struct {
	activities *Activities
	ctx        context.Context //nolint:containedctx // lives within one activity call
	tx         *db.Tx
	now        time.Time
	// failed is the first failure of the database during the planning.
	failed *error
}

// inPlanning runs a transaction in which the clock stands still, so that an advance of it finds everything that waits
// for the new time.
func (a *Activities) inPlanning(ctx context.Context, decide func(planning) error) error {
	return a.DB.InTx(ctx, func(tx *db.Tx) error {
		clock, err := tx.HoldClock(ctx)
		if err != nil {
			return err
		}
		a.DB.NoteClock(clock)
		return decide(planning{
			activities: a, ctx: ctx, tx: tx, now: a.Clock().UTC().Truncate(time.Microsecond), failed: new(error),
		})
	})
}

// situation is the common input of all decisions.
func (p planning) situation(reader plan.Reader, refused *plan.Refusal) plan.Situation {
	view := plan.View{Packages: p.activities.Packages, Node: p.activities.Node, Now: p.now, Ledger: reader}
	return plan.Situation{View: view, Refused: refused}
}

// step asks a planner. The error is an [undecidedError] if the planner cannot decide, or else a failure of the
// database.
func (p planning) step(decide func() (plan.Step, error)) (plan.Step, error) {
	step, err := guarded(decide)
	switch {
	case *p.failed != nil: // a failure of the database counts, whatever the planner returned
		return plan.Step{}, *p.failed
	case err != nil:
		return plan.Step{}, &undecidedError{err}
	default:
		return step, nil
	}
}

// undecidedError says why a planner could not decide on its subject.
type undecidedError struct{ error }

// Unwrap returns the planner's error.
func (e *undecidedError) Unwrap() error { return e.error }

// note remembers the first failure of the database. The transaction must not commit after it.
func (p planning) note(err error) error {
	if *p.failed == nil {
		*p.failed = err
	}
	return err
}

// refusalOf is the refusal of the last action for a planner; nil without one.
func refusalOf(commandID string, completion ledger.Completion) *plan.Refusal {
	if completion.Refusal == nil {
		return nil
	}
	return &plan.Refusal{CommandID: commandID, Fault: completion.Refusal}
}

// operatorSubmission makes the operator's submission of an action. Its key depends only on the name of the try, so that
// every process makes the same submission.
func (p planning) operatorSubmission(action plan.Action, try string, kind string) ledger.Submission {
	key := uuid.NewSHA1(uuid.NameSpaceOID, []byte(try)).String()
	return ledger.Submission{
		Key: key, Identity: ledger.DefaultUser(p.activities.Node.OperatorUser), CommandID: action.CommandID,
		SubmissionID: key, ActAs: ledger.SortedParties(action.ActAs), ReadAs: ledger.SortedParties(action.ReadAs),
		Commands: action.Commands, ReceivedAt: p.now, Kind: kind,
		Trace: tracing.Current(p.ctx),
	}
}

func (p planning) seal(submission ledger.Submission) (ledger.Submission, error) {
	sealed, err := sealSubmission(p.ctx, p.tx, submission)
	return sealed, p.note(err)
}
