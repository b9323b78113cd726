package activities

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/telemetry/tracing"
)

// defectError is a panic in the rules.
type defectError struct {
	reason any
	stack  []byte
}

// Error includes the stack, for the log.
func (e *defectError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.reason, e.stack) }

// guarded runs code that decides about users' data. It turns a panic into an error.
func guarded[T any](run func() (T, error)) (result T, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = &defectError{reason: reason, stack: debug.Stack()}
		}
	}()
	return run()
}

// isOwn reports whether an error is the submission's own, so that another try changes nothing: a defect, or data that
// the database cannot store. All others are failures of the infrastructure, which pass.
func isOwn(err error) bool {
	if refusal, ok := fault.As(err); ok {
		return refusal.Category != fault.TransientServerFailure
	}
	_, isData := errors.AsType[*db.DataError](err)
	_, isDefect := errors.AsType[*defectError](err)
	_, isUndecided := errors.AsType[*undecidedError](err)
	return isData || isDefect || isUndecided || errors.Is(err, db.ErrConflict)
}

// commitApart commits submissions together. If that fails for one of them, it commits halves, until the guilty one is
// alone, and refuses that one if the error is its own. So one submission does not stop the others. Each half is its own
// transaction, and stays committed even if the other half fails.
//
// If the database is away, it is away for all. Other errors, and slow commits, may come from some of the submissions.
func (a *Activities) commitApart(ctx context.Context, submissions []ledger.Submission) ([]ledger.Completion, error) {
	together, cancel := forTogether(ctx, len(submissions))
	completions, done, err := a.commitTogether(together, submissions)
	cancel()
	switch {
	case err == nil && done < len(submissions):
		rest, err := a.commitRest(ctx, submissions[done:], 2*done)
		return append(completions, rest...), err
	case err == nil || ctx.Err() != nil || fault.ServiceNotRunning.Matches(err):
		return completions, err
	case len(submissions) == 1 && isOwn(err):
		return a.refuse(ctx, submissions[0], err)
	case len(submissions) <= 1:
		return nil, err
	}
	half := len(submissions) / 2
	first, err := a.commitApart(ctx, submissions[:half])
	if fault.ServiceNotRunning.Matches(err) {
		return nil, err
	}
	second, other := a.commitApart(ctx, submissions[half:])
	return append(first, second...), errors.Join(err, other)
}

// commitRest commits the submissions after a full transaction, in parts of atOnce.
func (a *Activities) commitRest(
	ctx context.Context, submissions []ledger.Submission, atOnce int,
) (completions []ledger.Completion, err error) {
	for part := range slices.Chunk(submissions, atOnce) {
		more, other := a.commitApart(ctx, part)
		completions, err = append(completions, more...), errors.Join(err, other)
		if fault.ServiceNotRunning.Matches(err) {
			break
		}
	}
	return completions, err
}

// togetherTimeout is the time limit of a common commit, before the halves.
const togetherTimeout = 10 * time.Second

// forTogether leaves time for halves if there is more than one submission.
func forTogether(ctx context.Context, submissions int) (context.Context, context.CancelFunc) {
	if submissions <= 1 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, togetherTimeout)
}

// refuse records the refusal of a submission that the node cannot decide or record, with only those parts that the
// database can always store.
func (a *Activities) refuse(
	ctx context.Context, submission ledger.Submission, cause error,
) ([]ledger.Completion, error) {
	storable := a.storable(submission)
	refusal := a.defect(ctx, submission, cause)
	return a.record(ctx, func(ctx context.Context, tx *db.Tx, measurement Measurement) (commitResult, error) {
		loaded, err := tx.Load(ctx, db.LoadRequest{
			Keys: []string{storable.Key}, Locked: func() { measurement.Did(StepLock) },
		})
		if err != nil {
			return commitResult{}, err
		}
		measurement.Did(StepLoad)
		if known, ok := loaded.Completions[storable.Key]; ok {
			return commitResult{all: []ledger.Completion{known}}, nil
		}
		block := newBlock(ctx, a, tx, loaded)
		block.keep(refusalOnly(storable, block.next(), refusal))
		measurement.Did(StepDecide)
		added := block.entries.Completions
		return commitResult{all: added, added: added}, tx.Append(ctx, block.entries)
	})
}

// defect logs the error of a submission that the rules or the record cannot handle, and makes the refusal.
func (a *Activities) defect(ctx context.Context, submission ledger.Submission, err error) *fault.Fault {
	facts := append(tracing.LogFacts(submission), slog.String("submission_key", submission.Key), slog.Any("error", err))
	a.Log.LogAttrs(ctx, slog.LevelError,
		"the node refused a submission that it could not decide or record", facts...)
	return unrecordable(err)
}

// unrecordable makes the refusal for the client from its submission's own error. Of a database error it has only the
// kind, because the text may quote data of others.
func unrecordable(err error) *fault.Fault {
	if refusal, ok := fault.As(err); ok {
		return refusal
	}
	data, ok := errors.AsType[*db.DataError](err)
	switch {
	case errors.Is(err, db.ErrConflict):
		return fault.Inconsistent.New("The ledger changed during each try of the command").Wrap(err)
	case !ok:
		return fault.Internal(err)
	case data.IsText():
		return fault.MalformedText.New(
			"The participant failed to execute the transaction: it has a text that the ledger cannot store").Wrap(err)
	default:
		return fault.FailedToExecuteTransaction.New(
			"The participant failed to execute the transaction: the ledger cannot store it: %s", data.Kind()).
			WithHint("Correct the value that is too large or not allowed. The node's log has the details by the command id.").
			Wrap(err)
	}
}

// The limits of the completion that replaces a completion that the database could not store.
const (
	maxStorableText    = 255
	maxStorableParties = 1000
)

// storable reduces a submission to a completion that the database can always store: valid texts, short enough for the
// indexes, and at least one party.
func (a *Activities) storable(submission ledger.Submission) ledger.Submission {
	out := ledger.Submission{
		Key: storableText(submission.Key),
		Identity: ledger.Identity{
			IdentityProviderID: storableText(submission.IdentityProviderID), UserID: storableText(submission.UserID),
		},
		CommandID: storableText(submission.CommandID), SubmissionID: storableText(submission.SubmissionID),
		Trace: ledger.TraceContext{
			Traceparent: storableText(submission.Trace.Traceparent), Tracestate: storableText(submission.Trace.Tracestate),
		},
	}
	out.ActAs = storableParties(submission.ActAs)
	if len(out.ActAs) == 0 { // somebody must see the completion
		out.ActAs = []ledger.Party{a.Node.Operator}
	}
	return out
}

func storableParties(parties []ledger.Party) []ledger.Party {
	var out []ledger.Party
	for _, party := range parties {
		if text := storableText(string(party)); text != "" {
			out = append(out, ledger.Party(text))
		}
	}
	out = ledger.SortedParties(out)
	return out[:min(len(out), maxStorableParties)]
}

func storableText(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
	if len(text) > maxStorableText {
		text = strings.ToValidUTF8(text[:maxStorableText], "")
	}
	return text
}
