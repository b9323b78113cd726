package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// IdempotencyKey names a request that a client may send again, and says for which request it stands.
type IdempotencyKey struct {
	// Identity is who sends the request.
	ledger.Identity

	Key string
	// RequestHash tells the request from others.
	RequestHash string
}

// KeyClaim is a claimed request. Its owner has to answer it.
type KeyClaim struct {
	IdempotencyKey

	// UseID names this use of the key: all attempts have the same, until the key is forgotten and used again.
	UseID string
	// Attempt counts the claims of the request from 1. The owners of earlier attempts died or gave up.
	Attempt int
}

// KeyedAnswer is an answer that was stored.
type KeyedAnswer struct {
	Status int
	Header http.Header
	Body   []byte
}

// KnownKey is a key that cannot be claimed.
type KnownKey struct {
	// RequestHash is that of the request for which the key stands.
	RequestHash string
	// Answer is nil while the request is being served.
	Answer *KeyedAnswer
}

// Keeping says how long the node keeps requests and their answers, and how many for one user.
type Keeping struct {
	// Hold is how long a claim lasts unless [DB.HoldIdempotencyKey] extends it.
	Hold time.Duration
	// Keep is how long the node keeps a new key.
	Keep time.Duration
	// MaxAnswers and MaxBytes limit what one user keeps: beyond them no new key can be claimed.
	MaxAnswers, MaxBytes int64
}

// KeptAnswersError refuses a new key: its user keeps as many answers as allowed.
type KeptAnswersError struct{ Answers, Bytes int64 }

// Error implements error.
func (e *KeptAnswersError) Error() string {
	return fmt.Sprintf("the user keeps %d answers of %d bytes", e.Answers, e.Bytes)
}

// ClaimIdempotencyKey claims a request, or returns the known state of the key. The error is a [KeptAnswersError] if the
// key is new and its user keeps as many answers as allowed.
func (d *DB) ClaimIdempotencyKey(
	ctx context.Context, key IdempotencyKey, keeping Keeping,
) (KeyClaim, *KnownKey, error) {
	for forgotten := false; ; {
		claim, err := d.enterIdempotencyKey(ctx, key, keeping)
		if isNoRows(err) {
			claim, err = d.takeIdempotencyKey(ctx, key, keeping)
		}
		if err == nil {
			return claim, nil, nil
		}
		if !isNoRows(err) {
			return KeyClaim{}, nil, err
		}
		known, err := d.knownKey(ctx, key)
		if !isNoRows(err) {
			return KeyClaim{}, known, err
		}
		// The key was forgotten just now, or its user has no room for it.
		err = d.roomForAnswers(ctx, key.Identity, keeping)
		if _, full := errors.AsType[*KeptAnswersError](err); err != nil && (!full || forgotten) {
			return KeyClaim{}, nil, err
		} else if full {
			if _, err := d.ForgetIdempotencyKeys(ctx); err != nil {
				return KeyClaim{}, nil, err
			}
			forgotten = true
		}
	}
}

// enterIdempotencyKey claims a request with a new key, and counts it, in one transaction; no rows if the key is known
// or its user has no room for it.
func (d *DB) enterIdempotencyKey(ctx context.Context, key IdempotencyKey, keeping Keeping) (KeyClaim, error) {
	claim := KeyClaim{IdempotencyKey: key, UseID: uuid.NewString(), Attempt: 1}
	err := d.InTx(ctx, func(tx *Tx) error {
		counted, err := tx.queries.EnterIdempotencyKey(ctx, dbgen.EnterIdempotencyKeyParams{
			IdentityProviderID: key.IdentityProviderID, UserID: key.UserID, Key: key.Key, UseID: claim.UseID,
			RequestHash: key.RequestHash,
			HoldSeconds: keeping.Hold.Seconds(), KeepSeconds: keeping.Keep.Seconds(),
			AnswersMax: keeping.MaxAnswers, BytesMax: keeping.MaxBytes,
		})
		if err == nil && counted.Answers > keeping.MaxAnswers { // others of the user were as fast
			return pgx.ErrNoRows
		}
		return failed("entering an idempotency key", err)
	})
	return claim, err
}

// takeIdempotencyKey claims a request whose key has expired or whose owner is gone; no rows otherwise.
func (d *DB) takeIdempotencyKey(ctx context.Context, key IdempotencyKey, keeping Keeping) (KeyClaim, error) {
	row, err := d.queries.TakeIdempotencyKey(ctx, dbgen.TakeIdempotencyKeyParams{
		UseID: uuid.NewString(), RequestHash: key.RequestHash,
		HoldSeconds: keeping.Hold.Seconds(), KeepSeconds: keeping.Keep.Seconds(),
		IdentityProviderID: key.IdentityProviderID, UserID: key.UserID, Key: key.Key, BytesMax: keeping.MaxBytes,
	})
	return KeyClaim{IdempotencyKey: key, UseID: row.UseID, Attempt: int(row.Attempt)},
		failed("claiming an idempotency key again", err)
}

// knownKey reads the stored state of a key; no rows if it has expired or is not there.
func (d *DB) knownKey(ctx context.Context, key IdempotencyKey) (*KnownKey, error) {
	known, err := d.queries.GetIdempotencyKey(ctx, dbgen.GetIdempotencyKeyParams{
		IdentityProviderID: key.IdentityProviderID, UserID: key.UserID, Key: key.Key,
	})
	if err != nil {
		return nil, failed("reading an idempotency key", err)
	}
	found := &KnownKey{RequestHash: known.RequestHash}
	if known.Status != nil {
		found.Answer = &KeyedAnswer{Status: int(*known.Status), Body: known.Body}
		err = json.Unmarshal(known.Header, &found.Answer.Header)
	}
	return found, failed("reading the header of a stored answer", err)
}

// roomForAnswers returns a [KeptAnswersError] if a user keeps as many answers as allowed.
func (d *DB) roomForAnswers(ctx context.Context, user ledger.Identity, keeping Keeping) error {
	kept, err := d.queries.GetKeptAnswers(ctx, dbgen.GetKeptAnswersParams{
		IdentityProviderID: user.IdentityProviderID, UserID: user.UserID,
	})
	switch {
	case isNoRows(err):
		return nil
	case err != nil:
		return failed("reading how many answers a user keeps", err)
	case kept.Answers < keeping.MaxAnswers && kept.Bytes < keeping.MaxBytes:
		return nil
	default:
		return &KeptAnswersError{Answers: kept.Answers, Bytes: kept.Bytes}
	}
}

// HoldIdempotencyKey makes a claim last for a time from now; 0 gives it up. It reports whether the claim still held.
func (d *DB) HoldIdempotencyKey(ctx context.Context, claim KeyClaim, hold time.Duration) (bool, error) {
	rows, err := d.queries.HoldIdempotencyKey(ctx, dbgen.HoldIdempotencyKeyParams{
		HoldSeconds:        hold.Seconds(),
		IdentityProviderID: claim.IdentityProviderID, UserID: claim.UserID, Key: claim.Key, UseID: claim.UseID,
		Attempt: int32(claim.Attempt),
	})
	return rows > 0, failed("holding an idempotency key", err)
}

// ReturnIdempotencyKey gives up a claim without a submission: its attempt does not count.
func (d *DB) ReturnIdempotencyKey(ctx context.Context, claim KeyClaim) error {
	return failed("returning an idempotency key", d.queries.ReturnIdempotencyKey(ctx, dbgen.ReturnIdempotencyKeyParams{
		IdentityProviderID: claim.IdentityProviderID, UserID: claim.UserID, Key: claim.Key, UseID: claim.UseID,
		Attempt: int32(claim.Attempt),
	}))
}

// AnswerIdempotencyKey stores the answer that all requests with the key get. It reports whether the claim still held.
func (d *DB) AnswerIdempotencyKey(ctx context.Context, claim KeyClaim, answer KeyedAnswer) (bool, error) {
	header, err := json.Marshal(answer.Header)
	if err != nil {
		return false, failed("writing the header of an answer", err)
	}
	if answer.Body == nil {
		answer.Body = []byte{}
	}
	rows, err := d.queries.AnswerIdempotencyKey(ctx, dbgen.AnswerIdempotencyKeyParams{
		Status: int32(answer.Status), Header: header, Body: answer.Body, Bytes: int64(len(header) + len(answer.Body)),
		IdentityProviderID: claim.IdentityProviderID, UserID: claim.UserID, Key: claim.Key, UseID: claim.UseID,
		Attempt: int32(claim.Attempt),
	})
	return rows > 0, failed("storing the answer to a request", err)
}

// forgetBatch is the number of keys that one transaction deletes.
const forgetBatch = 1000

// NoteKey stores a note of an attempt for later attempts: its decision, or its effects outside the ledger.
func (d *DB) NoteKey(ctx context.Context, claim KeyClaim, note string) error {
	return failed("noting what a request decided", noteKey(ctx, d.queries, claim, note))
}

func noteKey(ctx context.Context, queries *dbgen.Queries, claim KeyClaim, note string) error {
	return queries.NoteKey(ctx, dbgen.NoteKeyParams{
		Note: note, IdentityProviderID: claim.IdentityProviderID, UserID: claim.UserID, Key: claim.Key, UseID: claim.UseID,
	})
}

// KeyNote reads the note of an earlier attempt; false without one.
func (r Reader) KeyNote(ctx context.Context, claim KeyClaim) (string, bool, error) {
	note, err := r.queries.GetKeyNote(ctx, dbgen.GetKeyNoteParams{
		IdentityProviderID: claim.IdentityProviderID, UserID: claim.UserID, Key: claim.Key, UseID: claim.UseID,
	})
	if isNoRows(err) {
		return "", false, nil
	}
	return note, err == nil, failed("reading what a request decided", err)
}

// ForgetIdempotencyKeys deletes the keys that need not be kept any longer, and returns how many there were.
func (d *DB) ForgetIdempotencyKeys(ctx context.Context) (forgotten int64, err error) {
	for {
		rows, err := d.queries.ForgetIdempotencyKeys(ctx, forgetBatch)
		forgotten += rows
		if err != nil || rows < forgetBatch {
			return forgotten, failed("forgetting idempotency keys", err)
		}
	}
}
