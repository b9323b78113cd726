package db

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/google/uuid"

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

// KeyClaim is a request that was taken on, to be answered by who took it.
type KeyClaim struct {
	IdempotencyKey

	// UseID names this use of the key: it is the same for all attempts, and another once the key has been forgotten.
	UseID string
	// Attempt is 1 for the first who took the request on. Those before the last one are gone: they died, or gave up.
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

// ClaimIdempotencyKey takes a request on, for so long unless it is held on to, or says what is known of the key. A new
// key is kept for so long.
func (d *DB) ClaimIdempotencyKey(
	ctx context.Context, key IdempotencyKey, hold, keep time.Duration,
) (KeyClaim, *KnownKey, error) {
	for {
		row, err := d.queries.ClaimIdempotencyKey(ctx, dbgen.ClaimIdempotencyKeyParams{
			IdentityProviderID: key.IdentityProviderID, UserID: key.UserID, Key: key.Key, UseID: uuid.NewString(),
			RequestHash: key.RequestHash,
			HoldSeconds: hold.Seconds(), KeepSeconds: keep.Seconds(),
		})
		if err == nil {
			return KeyClaim{IdempotencyKey: key, UseID: row.UseID, Attempt: int(row.Attempt)}, nil, nil
		}
		if !isNoRows(err) {
			return KeyClaim{}, nil, failed("claiming an idempotency key", err)
		}
		known, err := d.queries.GetIdempotencyKey(ctx, dbgen.GetIdempotencyKeyParams{
			IdentityProviderID: key.IdentityProviderID, UserID: key.UserID, Key: key.Key,
		})
		if isNoRows(err) {
			continue // it was forgotten just now
		}
		if err != nil {
			return KeyClaim{}, nil, failed("reading an idempotency key", err)
		}
		found := &KnownKey{RequestHash: known.RequestHash}
		if known.Status != nil {
			found.Answer = &KeyedAnswer{Status: int(*known.Status), Body: known.Body}
			err = json.Unmarshal(known.Header, &found.Answer.Header)
		}
		return KeyClaim{}, found, failed("reading the header of a stored answer", err)
	}
}

// HoldIdempotencyKey says that the one with a claim is alive, for so long; no time at all is giving up. It tells
// whether the claim still holds.
func (d *DB) HoldIdempotencyKey(ctx context.Context, claim KeyClaim, hold time.Duration) (bool, error) {
	rows, err := d.queries.HoldIdempotencyKey(ctx, dbgen.HoldIdempotencyKeyParams{
		HoldSeconds:        hold.Seconds(),
		IdentityProviderID: claim.IdentityProviderID, UserID: claim.UserID, Key: claim.Key, UseID: claim.UseID,
		Attempt: int32(claim.Attempt),
	})
	return rows > 0, failed("holding an idempotency key", err)
}

// AnswerIdempotencyKey stores the answer that all requests with the key get. It tells whether the claim still held.
func (d *DB) AnswerIdempotencyKey(ctx context.Context, claim KeyClaim, answer KeyedAnswer) (bool, error) {
	header, err := json.Marshal(answer.Header)
	if err != nil {
		return false, failed("writing the header of an answer", err)
	}
	if answer.Body == nil {
		answer.Body = []byte{}
	}
	rows, err := d.queries.AnswerIdempotencyKey(ctx, dbgen.AnswerIdempotencyKeyParams{
		Status: int32(answer.Status), Header: header, Body: answer.Body,
		IdentityProviderID: claim.IdentityProviderID, UserID: claim.UserID, Key: claim.Key, UseID: claim.UseID,
		Attempt: int32(claim.Attempt),
	})
	return rows > 0, failed("storing the answer to a request", err)
}

// forgetBatch is how many keys one transaction deletes.
const forgetBatch = 1000

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
