package changes

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/endpoint"
	v0 "github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/failpoint"
	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// The headers of repeatable requests and of their answers.
const (
	// KeyHeader names a change. The same key with the same request gets the first answer.
	KeyHeader = "Idempotency-Key"
	// ReplayedHeader is true in stored answers.
	ReplayedHeader = "Idempotency-Replayed"
	// KeyDescription describes the header in the API document.
	KeyDescription = "A name for this change, 1 to 255 visible ASCII characters. Repeat the same request with the same " +
		"key, also after a failure: the change is made once, and you get the first answer."
)

const (
	// maxKey is the maximum length of a key in bytes.
	maxKey = 255
	// DefaultKeep is how long the node stores answers.
	DefaultKeep = 24 * time.Hour
	// DefaultUserAnswers is the maximum number of stored answers of one user.
	DefaultUserAnswers = 100_000
	// DefaultUserBytes is the maximum size of the stored answers of one user.
	DefaultUserBytes = 256 << 20
	// defaultHold is how long a claim on a key lasts unless the process renews it.
	defaultHold = 5 * time.Second
	// fullPause is the Retry-After of a user with the maximum number of stored answers: some expire with time.
	fullPause = time.Minute
	// retryAfter is the Retry-After of a request that is still in progress.
	retryAfter = "1"
)

// KeyStore stores keys and answers, and finds submissions.
type KeyStore interface {
	ClaimIdempotencyKey(
		ctx context.Context, key db.IdempotencyKey, keeping db.Keeping,
	) (db.KeyClaim, *db.KnownKey, error)
	HoldIdempotencyKey(ctx context.Context, claim db.KeyClaim, hold time.Duration) (bool, error)
	ReturnIdempotencyKey(ctx context.Context, claim db.KeyClaim) error
	AnswerIdempotencyKey(ctx context.Context, claim db.KeyClaim, answer db.KeyedAnswer) (bool, error)
	ForgetIdempotencyKeys(ctx context.Context) (int64, error)
	NoteKey(ctx context.Context, claim db.KeyClaim, note string) error
	KeyNote(ctx context.Context, claim db.KeyClaim) (note string, noted bool, err error)
	KeyedCompletions(
		ctx context.Context, identity ledger.Identity, name string, keys []string,
	) ([]ledger.Completion, error)
	Head(ctx context.Context) (db.Head, error)
}

// Options are the parts and settings of a [Keeper].
type Options struct {
	// Record is required.
	Record KeyStore
	// Keep is how long answers are stored; zero means DefaultKeep.
	Keep time.Duration
	// Hold is how long a claim on a key lasts unless the process renews it; zero means a few seconds.
	Hold time.Duration
	// UserAnswers and UserBytes limit the stored answers of one user; zero means the defaults.
	UserAnswers, UserBytes int64
	// Logger is required.
	Logger *slog.Logger
}

// Keeper wraps endpoints: a repeat with the same Idempotency-Key gets the stored answer.
type Keeper struct{ options Options }

// NewKeeper makes a keeper. The error names the missing options.
func NewKeeper(options Options) (*Keeper, error) {
	if options.Record == nil || options.Logger == nil {
		return nil, errors.New("the keeper needs Record and Logger")
	}
	if options.Keep == 0 {
		options.Keep = DefaultKeep
	}
	if options.Hold == 0 {
		options.Hold = defaultHold
	}
	options.UserAnswers = cmp.Or(options.UserAnswers, DefaultUserAnswers)
	options.UserBytes = cmp.Or(options.UserBytes, DefaultUserBytes)
	return &Keeper{options}, nil
}

// Around serves a request to any endpoint: see [endpoint.Options].
func (k *Keeper) Around(ctx context.Context, exchange endpoint.Exchange) endpoint.Content {
	if !exchange.Info.Changes() {
		return exchange.Serve(ctx)
	}
	dry, problem := endpoint.DryRunAsked(exchange.Request, exchange.Info, exchange.Preview != nil)
	switch {
	case problem != "":
		return exchange.Refuse(ctx, v0.BadRequest("%s", problem))
	case dry:
		return answerDryRun(ctx, exchange)
	}
	keys := exchange.Request.Header.Values(KeyHeader)
	if len(keys) == 0 {
		return exchange.Serve(ctx)
	}
	if err := checkKeys(keys); err != nil {
		return exchange.Refuse(ctx, err)
	}
	return k.serveOnce(ctx, exchange, keys[0])
}

// checkKeys refuses invalid keys.
func checkKeys(keys []string) error {
	if len(keys) > 1 {
		return v0.BadRequest("The request has the header %s %d times. Send it once.", KeyHeader, len(keys))
	}
	key := keys[0]
	if key == "" || len(key) > maxKey {
		return v0.BadRequest("The %s has %d characters. Send 1 to %d, such as a UUID.", KeyHeader, len(key), maxKey)
	}
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return v0.BadRequest("The %s has the byte 0x%02x at position %d. Use only visible ASCII characters without "+
				"spaces, such as those of a UUID.", KeyHeader, key[i], i+1)
		}
	}
	return nil
}

// serveOnce serves a request, or repeats the stored answer.
func (k *Keeper) serveOnce(ctx context.Context, exchange endpoint.Exchange, key string) endpoint.Content {
	request := db.IdempotencyKey{
		Identity: endpoint.Claims(ctx).Identity(), Key: key, RequestHash: hashOf(exchange),
	}
	claim, known, err := k.options.Record.ClaimIdempotencyKey(ctx, request, db.Keeping{
		Hold: k.options.Hold, Keep: k.options.Keep, MaxAnswers: k.options.UserAnswers, MaxBytes: k.options.UserBytes,
	})
	full, isFull := errors.AsType[*db.KeptAnswersError](err)
	switch {
	case isFull:
		return exchange.Refuse(ctx, k.limitError(full))
	case err != nil:
		return exchange.Refuse(ctx, err)
	case known == nil && claim.Attempt > maxAttempts:
		return k.giveUp(ctx, exchange, claim)
	case known == nil:
		return k.serveClaimed(ctx, exchange, claim)
	case known.RequestHash != request.RequestHash:
		return exchange.Refuse(ctx, v0.Refuse(http.StatusUnprocessableEntity,
			"The %s %q was used for another request: its method, path, query or body differs. Send exactly the first request "+
				"again, or use a new key for a new request.", KeyHeader, key))
	case known.Answer == nil:
		content := exchange.Refuse(ctx, v0.Refuse(http.StatusConflict,
			"The request with the %s %q is still being served. Send it again in a moment: it gets the same answer.",
			KeyHeader, key))
		return withHeader(content, "Retry-After", retryAfter)
	default:
		content := endpoint.Content{Status: known.Answer.Status, Header: known.Answer.Header, Body: known.Answer.Body}
		return withHeader(content, ReplayedHeader, "true")
	}
}

// maxAttempts is the maximum number of attempts of a request: each looks for the submissions of all earlier ones.
// Attempts without a submission do not count.
const maxAttempts = 500

// giveUp refuses a further attempt.
func (k *Keeper) giveUp(ctx context.Context, exchange endpoint.Exchange, claim db.KeyClaim) endpoint.Content {
	content := exchange.Refuse(ctx, v0.Refuse(http.StatusConflict,
		"The request with the %s %q was tried %d times without a final answer, and is not tried again. Check whether the "+
			"change was made: a new key would make it again.", KeyHeader, claim.Key, maxAttempts))
	if err := k.options.Record.ReturnIdempotencyKey(ctx, claim); err != nil {
		k.options.Logger.WarnContext(ctx, "releasing an idempotency key failed", "idempotency_key", claim.Key, "error", err)
	}
	return content
}

// limitError refuses a new key of a user with the maximum number of stored answers.
func (k *Keeper) limitError(kept *db.KeptAnswersError) error {
	return &admission.OverloadedError{After: fullPause, Err: v0.Refuse(http.StatusTooManyRequests,
		"The node stores the answers to %d requests with an %s, of %d bytes, for this user. The limits are %d answers and "+
			"%d bytes. Nothing was done. Requests with known keys still get their answers. Send this request without a key, "+
			"or wait: the node deletes an answer %s after its request.",
		kept.Answers, KeyHeader, kept.Bytes, k.options.UserAnswers, k.options.UserBytes, k.options.Keep)}
}

// serveClaimed serves a request and stores the answer.
func (k *Keeper) serveClaimed(
	ctx context.Context, exchange endpoint.Exchange, claim db.KeyClaim,
) endpoint.Content {
	letGo := k.holdOn(ctx, claim)
	content, submitted := serve(ctx, exchange, claim, k.options.Record)
	letGo()
	failpoint.Hit(failpoint.BeforeAnswer)
	k.store(context.WithoutCancel(ctx), claim, content, submitted)
	return content
}

// serve calls the endpoint. If an earlier attempt has submitted in the meantime, it starts again, to decide as that
// attempt did. It reports whether it submitted anything.
func serve(
	ctx context.Context, exchange endpoint.Exchange, claim db.KeyClaim, record KeyStore,
) (content endpoint.Content, submitted bool) {
	attempt := &Attempt{claim: claim, record: record}
	_, acted, err := attempt.Before(ctx)
	if err != nil {
		return completeContent(ctx, exchange.Refuse(ctx, err)), false
	}
	content, submitted = attempt.serve(ctx, exchange)
	if acted || claim.Attempt == 1 || content.Status < http.StatusBadRequest {
		return content, submitted
	}
	late := &Attempt{claim: claim, record: record}
	if _, acted, err = late.Before(ctx); err != nil {
		return completeContent(ctx, exchange.Refuse(ctx, err)), submitted
	}
	if acted {
		anew, more := late.serve(ctx, exchange)
		content, submitted = anew, submitted || more
	}
	return content, submitted
}

// storeTimeout limits the time to store an answer, for which the client waits.
const storeTimeout = 5 * time.Second

// store stores a final answer for repeated requests. It does not store failures and answers that ask for a retry: the
// next attempt may succeed.
func (k *Keeper) store(ctx context.Context, claim db.KeyClaim, content endpoint.Content, submitted bool) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	var err error
	switch {
	case isFinal(content):
		_, err = k.options.Record.AnswerIdempotencyKey(ctx, claim, db.KeyedAnswer{
			Status: content.Status, Header: content.Header, Body: content.Body,
		})
	case submitted:
		_, err = k.options.Record.HoldIdempotencyKey(ctx, claim, 0)
	default:
		err = k.options.Record.ReturnIdempotencyKey(ctx, claim)
	}
	if err != nil { // the client still gets its answer, and a retry finds the change on the ledger
		k.options.Logger.WarnContext(ctx, "storing an answer failed", "idempotency_key", claim.Key, "error", err)
	}
}

// isFinal reports whether a repeated request would get the same answer. An error because of pruning is not final: the
// node could not tell whether the change was made.
func isFinal(content endpoint.Content) bool {
	switch content.Status {
	case http.StatusBadRequest:
		return !bytes.Contains(content.Body, []byte(fault.ParticipantPrunedDataAccessed.ID))
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	default:
		return content.Status < http.StatusInternalServerError && content.Header.Get("Retry-After") == ""
	}
}

// holdOn renews the claim on the key until stop is called.
func (k *Keeper) holdOn(ctx context.Context, claim db.KeyClaim) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		const often = 3
		for wait.For(ctx, max(k.options.Hold/often, time.Millisecond)) == nil {
			if held, err := k.options.Record.HoldIdempotencyKey(ctx, claim, k.options.Hold); err == nil && !held {
				return
			}
		}
	})
	return func() {
		cancel()
		done.Wait()
	}
}

// hashOf hashes a request. The API's root paths have the same hash.
func hashOf(exchange endpoint.Exchange) string {
	hash := sha256.New()
	for _, part := range [][]byte{
		[]byte(exchange.Request.Method), []byte(exchange.Request.URL.EscapedPath()),
		[]byte(exchange.Request.URL.RawQuery), exchange.Body,
	} {
		hash.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		hash.Write(part)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// completeContent adds the status and the headers that the server and the endpoint set.
func completeContent(ctx context.Context, content endpoint.Content) endpoint.Content {
	content.Status = cmp.Or(content.Status, http.StatusOK)
	if content.Type != "" {
		content = withHeader(content, "Content-Type", content.Type)
	}
	for name, values := range endpoint.Headers(ctx) {
		content = withHeader(content, name, values[0])
	}
	return content
}

func withHeader(content endpoint.Content, name, value string) endpoint.Content {
	content.Header = content.Header.Clone()
	if content.Header == nil {
		content.Header = http.Header{}
	}
	content.Header.Set(name, value)
	return content
}

// Run deletes expired keys until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	for ended := ctx.Err(); ended == nil; ended = wait.For(ctx, forgetPause) {
		if _, err := k.options.Record.ForgetIdempotencyKeys(ctx); err != nil && ctx.Err() == nil {
			k.options.Logger.WarnContext(ctx, "deleting old idempotency keys failed", "error", err)
		}
	}
}

// forgetPause is the time between two deletions of expired keys.
const forgetPause = 10 * time.Minute
