package changes

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// Attempt is one attempt to serve a request with an Idempotency-Key. The key names its submissions, so that all
// attempts together make each submission once. Its methods work on nil, for requests without a key.
type Attempt struct {
	claim  db.KeyClaim
	record KeyStore
	// nextIndex is the number of the next submission, and try how often the ledger refused it. lastTry is the try if
	// the last submission is repeated.
	nextIndex, try, lastTry int
	// hasLooked is true if done is the record's result for the next submission.
	hasLooked bool
	done      *ledger.Completion
	// submitted counts the submissions that later attempts have to look for.
	submitted int
}

// Decided returns the decision that an earlier attempt stored, such as a relative value made absolute; false if there
// is none.
func (a *Attempt) Decided(ctx context.Context) (string, bool, error) {
	if a == nil {
		return "", false, nil
	}
	return a.record.KeyNote(ctx, a.claim)
}

// Decide stores a decision for later attempts.
func (a *Attempt) Decide(ctx context.Context, decision string) error {
	if a == nil {
		return nil
	}
	return a.record.NoteKey(ctx, a.claim, decision)
}

// Claim is the claim of the request's key, for a change of the record outside the ledger that stores a note in the same
// transaction; nil for requests without a key.
func (a *Attempt) Claim() *db.KeyClaim {
	if a == nil {
		return nil
	}
	return &a.claim
}

type attemptKey struct{}

// AttemptOf returns the attempt of a context; nil if its request has no key.
func AttemptOf(ctx context.Context) *Attempt {
	attempt, _ := ctx.Value(attemptKey{}).(*Attempt)
	return attempt
}

// Without removes the attempt from the context, for work that checks by itself what earlier attempts did.
func Without(ctx context.Context) context.Context {
	return context.WithValue(ctx, attemptKey{}, (*Attempt)(nil))
}

// SubmissionName identifies a submission of a request with an Idempotency-Key, so that a later attempt finds it.
type SubmissionName struct {
	// ID is the same in all attempts, Key is not. The submission id starts with ID, which later attempts search for. ID
	// is also the command id of submissions that have no other.
	ID, Key string
	// Completion is the accepted completion of an earlier attempt; nil if there is none.
	Completion *ledger.Completion
}

// Next names the next submission of the request; false for requests without a key.
func (a *Attempt) Next(ctx context.Context) (name SubmissionName, ok bool, err error) {
	if a == nil {
		return SubmissionName{}, false, nil
	}
	if err := a.look(ctx); err != nil {
		return SubmissionName{}, false, err
	}
	name = SubmissionName{
		ID: a.id(), Key: a.key(a.claim.Attempt, a.try), Completion: a.done,
	}
	a.nextIndex, a.try, a.lastTry = a.nextIndex+1, 0, a.try+1
	a.hasLooked, a.done = false, nil
	return name, true, nil
}

// MaxTries is the maximum number of tries of one submission.
const MaxTries = 20

// Again makes the next submission a repeat of the last one, which the ledger refused. Both have the same command id, so
// that at most one succeeds in all attempts.
func (a *Attempt) Again() {
	if a == nil {
		return
	}
	a.nextIndex, a.try = a.nextIndex-1, a.lastTry
	a.hasLooked, a.done = false, nil
}

// Before returns the offset before the next submission, if an earlier attempt made it: a reader of the ledger at that
// offset decides as that attempt did. It is false if no attempt made it.
func (a *Attempt) Before(ctx context.Context) (ledger.Offset, bool, error) {
	if a == nil {
		return 0, false, nil
	}
	if err := a.look(ctx); err != nil || a.done == nil {
		return 0, false, err
	}
	return a.done.Offset - 1, true, nil
}

// Submitting says that the attempt submits: later attempts have to look for the submission.
func (a *Attempt) Submitting() {
	if a != nil {
		a.submitted++
	}
}

// NotTaken says that the node refused the last submission at once: later attempts need not look for it.
func (a *Attempt) NotTaken() {
	if a != nil {
		a.submitted--
	}
}

// id is the name of the next submission, the same in all attempts.
func (a *Attempt) id() string {
	return fmt.Sprintf("%s%s:%d", db.KeyedPrefix, a.claim.UseID, a.nextIndex)
}

func (a *Attempt) key(attempt, try int) string {
	name := fmt.Sprintf("%s/%d/%d", a.claim.UseID, a.nextIndex, attempt)
	if try > 0 {
		name += fmt.Sprintf("/%d", try)
	}
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(name)).String()
}

// look finds the next submission among those of earlier attempts.
func (a *Attempt) look(ctx context.Context) error {
	if a.hasLooked || a.claim.Attempt == 1 {
		return nil
	}
	known, err := a.record.KeyedCompletions(ctx, a.claim.Identity, a.id(), a.earlier())
	if err != nil {
		return err
	}
	for _, completion := range known {
		a.done = &completion
	}
	if a.done != nil {
		head, err := a.record.Head(ctx)
		if err != nil {
			return err
		}
		if a.done.Offset <= head.Pruned {
			return Forgotten(*a.done)
		}
	}
	a.hasLooked = true
	return nil
}

// earlier returns the keys that earlier attempts may have given the next submission.
func (a *Attempt) earlier() []string {
	keys := make([]string, 0, (a.claim.Attempt-1)*MaxTries)
	for attempt := 1; attempt < a.claim.Attempt; attempt++ {
		for try := range MaxTries {
			keys = append(keys, a.key(attempt, try))
		}
	}
	return keys
}

// serve serves the request from its start, and reports whether it submitted anything.
func (a *Attempt) serve(ctx context.Context, exchange endpoint.Exchange) (content endpoint.Content, submitted bool) {
	fresh := &Attempt{claim: a.claim, record: a.record}
	content = completeContent(ctx, exchange.Serve(context.WithValue(ctx, attemptKey{}, fresh)))
	return content, fresh.submitted > 0
}
