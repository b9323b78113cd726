package auth

import (
	"sync"
	"time"
)

// verifiedTime is how long a verified token is remembered: a request verifies its token several times, and a busy client
// sends the same one with each request.
const verifiedTime = time.Second

// At most so many tokens of at most this length are remembered. A full memory is cleared.
const (
	maxVerified      = 1000
	maxVerifiedBytes = 4 << 10
)

// verifiedTokens remembers tokens that were verified a moment ago. It is safe for concurrent use.
type verifiedTokens struct {
	mu     sync.Mutex
	tokens map[string]verifiedToken
	// changes counts calls of clear, so that a token that was verified before one is not remembered after it.
	changes uint64
}

type verifiedToken struct {
	token Token
	until time.Time
}

// get finds a token. changes is for [verifiedTokens.put].
func (v *verifiedTokens) get(text string, now time.Time) (token Token, changes uint64, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	known, ok := v.tokens[text]
	return known.token, v.changes, ok && now.Before(known.until)
}

func (v *verifiedTokens) put(text string, token Token, changes uint64, now time.Time) {
	if len(text) > maxVerifiedBytes {
		return
	}
	until := now.Add(verifiedTime)
	if !token.ExpiresAt.IsZero() && token.ExpiresAt.Before(until) {
		until = token.ExpiresAt
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if changes != v.changes {
		return
	}
	if v.tokens == nil || len(v.tokens) >= maxVerified {
		v.tokens = make(map[string]verifiedToken)
	}
	v.tokens[text] = verifiedToken{token, until}
}

func (v *verifiedTokens) clear() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.tokens = nil
	v.changes++
}
