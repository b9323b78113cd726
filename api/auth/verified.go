package auth

import (
	"context"
	"sync"
	"time"
)

// verifiedTime is how long a request uses one verification of its token. A request checks its caller several times.
const verifiedTime = time.Second

type verifiedKey struct{}

// verification is the last verified token of one request. It is not shared between requests, so that a removed key ends
// the next request at once. It is safe for concurrent use.
type verification struct {
	mu      sync.Mutex
	text    string
	token   Token
	until   time.Time
	changes uint64
}

// WithOneVerification returns a context of one request, in which a token that [Issuers] has verified stays verified for
// a second, or until the identity providers change.
func WithOneVerification(ctx context.Context) context.Context {
	return context.WithValue(ctx, verifiedKey{}, &verification{})
}

func verificationOf(ctx context.Context) *verification {
	v, _ := ctx.Value(verifiedKey{}).(*verification)
	return v
}

func (v *verification) get(text string, now time.Time, changes uint64) (Token, bool) {
	if v == nil {
		return Token{}, false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.token, v.text == text && v.changes == changes && now.Before(v.until)
}

func (v *verification) put(text string, token Token, now time.Time, changes uint64) {
	if v == nil {
		return
	}
	until := now.Add(verifiedTime)
	if !token.ExpiresAt.IsZero() && token.ExpiresAt.Before(until) {
		until = token.ExpiresAt
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.text, v.token, v.until, v.changes = text, token, until, changes
}
