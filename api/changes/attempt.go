package changes

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// Attempt is one try to serve a request with an Idempotency-Key. What it submits is named after the key, so that all
// attempts together submit it once.
type Attempt struct {
	claim  db.KeyClaim
	record KeyStore
	// nextIndex counts the submissions of this attempt, and try those that were refused and are made anew; tried is what it
	// will be when the last one is.
	nextIndex, try, lastTry int
	// hasLooked means that done is what the record says of the next submission.
	hasLooked bool
	done      *ledger.Completion
	// submitted is how many submissions were made that later attempts have to look for.
	submitted int
}

// Decided is what an earlier attempt decided that is not to be decided again, such as where something relative comes
// to; false when none did.
func (a *Attempt) Decided(ctx context.Context) (string, bool, error) {
	if a == nil {
		return "", false, nil
	}
	return a.record.KeyNote(ctx, a.claim)
}

// Decide has later attempts go by a decision.
func (a *Attempt) Decide(ctx context.Context, decision string) error {
	if a == nil {
		return nil
	}
	return a.record.NoteKey(ctx, a.claim, decision)
}

// Claim is that of the request's key, for what changes the record beside the ledger and notes it in the same
// transaction; nil for requests without one.
func (a *Attempt) Claim() *db.KeyClaim {
	if a == nil {
		return nil
	}
	return &a.claim
}

type attemptKey struct{}

// AttemptOf is the attempt that a context belongs to; nil when its request has no key. All methods of nil are those of
// such a request.
func AttemptOf(ctx context.Context) *Attempt {
	attempt, _ := ctx.Value(attemptKey{}).(*Attempt)
	return attempt
}

// Without is the context of what a request does without regard to earlier attempts: what sees for itself what is done
// already.
func Without(ctx context.Context) context.Context {
	return context.WithValue(ctx, attemptKey{}, (*Attempt)(nil))
}

// Name is how a submission of an attempt is named.
type Name struct {
	// ID is the same in all attempts, Key is not. It begins the submission id, by which later attempts find what was
	// accepted, and is the command id of what has no other.
	ID, Key string
	// Done is the completion of an earlier attempt that was accepted; nil if there is none.
	Done *ledger.Completion
}

// Next names the next submission of the request; false for requests without a key.
func (a *Attempt) Next(ctx context.Context) (name Name, ok bool, err error) {
	if a == nil {
		return Name{}, false, nil
	}
	if err := a.look(ctx); err != nil {
		return Name{}, false, err
	}
	name = Name{
		ID: a.id(), Key: a.key(a.claim.Attempt, a.try), Done: a.done,
	}
	a.nextIndex, a.try, a.lastTry = a.nextIndex+1, 0, a.try+1
	a.hasLooked, a.done = false, nil
	return name, true, nil
}

// MaxTries is how often one submission is made at most.
const MaxTries = 20

// Again says that the next submission is the last one, which was refused, once more: it goes by the same command id, so
// that one of them counts, whichever attempts make them.
func (a *Attempt) Again() {
	if a == nil {
		return
	}
	a.nextIndex, a.try = a.nextIndex-1, a.lastTry
	a.hasLooked, a.done = false, nil
}

// Before is the offset at which the ledger was when an earlier attempt made the submission that comes next: who reads
// it there decides as that attempt did. It is false when there was none.
func (a *Attempt) Before(ctx context.Context) (ledger.Offset, bool, error) {
	if a == nil {
		return 0, false, nil
	}
	if err := a.look(ctx); err != nil || a.done == nil {
		return 0, false, err
	}
	return a.done.Offset - 1, true, nil
}

// Submitting says that a submission is made: from now on later attempts have to look for it.
func (a *Attempt) Submitting() {
	if a != nil {
		a.submitted++
	}
}

// NotTaken says that the submission that was made last was turned away at once: there is nothing of it to look for.
func (a *Attempt) NotTaken() {
	if a != nil {
		a.submitted--
	}
}

// id is that of the next submission in all attempts.
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

// look finds out whether an earlier attempt made the next submission.
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

// earlier are the keys that earlier attempts may have given the next submission.
func (a *Attempt) earlier() []string {
	keys := make([]string, 0, (a.claim.Attempt-1)*MaxTries)
	for attempt := 1; attempt < a.claim.Attempt; attempt++ {
		for try := range MaxTries {
			keys = append(keys, a.key(attempt, try))
		}
	}
	return keys
}

// serve serves the request from its start, and reports whether later attempts have something to look for.
func (a *Attempt) serve(ctx context.Context, exchange endpoint.Exchange) (content endpoint.Content, submitted bool) {
	fresh := &Attempt{claim: a.claim, record: a.record}
	content = completeContent(ctx, exchange.Serve(context.WithValue(ctx, attemptKey{}, fresh)))
	return content, fresh.submitted > 0
}
