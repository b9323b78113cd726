package web

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"
)

// secretAge is how long the page uses the secret before it reads it again.
const secretAge = 10 * time.Second

// keyring follows the session secret, which may change at runtime: all processes behind a balancer must agree on it.
type keyring struct {
	secret func(ctx context.Context) ([]byte, error)
	now    func() time.Time

	mu sync.Mutex
	// isReading is true while one request reads the secret; all others use the known one.
	isReading   bool
	readAt      time.Time
	secretBytes []byte
	latest      *sessions
}

// sessions returns the sessions for the newest secret. During a read, and if the read fails, it uses the known secret.
func (k *keyring) sessions(ctx context.Context) (*sessions, error) {
	known, isNew := k.current()
	if isNew {
		return known, nil
	}
	secret, err := k.readSecret(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case err != nil && k.latest != nil:
		return k.latest, nil
	case err != nil:
		return nil, err
	}
	if k.readAt = k.now(); k.latest == nil || !bytes.Equal(secret, k.secretBytes) {
		if k.latest, err = newSessions(secret, k.now); err != nil {
			return nil, err
		}
		k.secretBytes = secret
	}
	return k.latest, nil
}

// readSecret reads the secret and then lets the next request read, even after a panic.
func (k *keyring) readSecret(ctx context.Context) ([]byte, error) {
	defer func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.isReading = false
	}()
	return k.secret(ctx)
}

// current returns the known sessions, and whether the caller may use them. Otherwise the caller must read the secret,
// and nobody else does until it has.
func (k *keyring) current() (known *sessions, isNew bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.latest != nil && (k.isReading || k.now().Sub(k.readAt) < secretAge) {
		return k.latest, true
	}
	k.isReading = true
	return k.latest, false
}

type sessions struct {
	cookies cipher.AEAD
	forms   []byte
	now     func() time.Time
}

// newSessions derives its keys from a secret that all processes of the ledger share.
func newSessions(secret []byte, now func() time.Time) (*sessions, error) {
	if len(secret) < sha256.Size {
		return nil, fmt.Errorf("the secret of sessions has %d bytes, and needs %d", len(secret), sha256.Size)
	}
	key, err := hkdf.Expand(sha256.New, secret, "florin/web/1/session", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive the key of sessions: %w", err)
	}
	forms, err := hkdf.Expand(sha256.New, secret, "florin/web/1/form", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive the key of forms: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make the cipher of sessions: %w", err)
	}
	cookies, err := cipher.NewGCM(block)
	return &sessions{cookies: cookies, forms: forms, now: now}, err
}
