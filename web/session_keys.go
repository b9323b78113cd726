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

// secretAge is for how long the secret of sessions is taken for the newest.
const secretAge = 10 * time.Second

// keyring follows the secret of sessions, which changes while processes run: those behind one balancer have to agree.
type keyring struct {
	secret func(ctx context.Context) ([]byte, error)
	now    func() time.Time

	mu sync.Mutex
	// isReading: somebody reads the secret, and all others go on with the one that is known.
	isReading bool
	readAt  time.Time
	secretBytes  []byte
	latest   *sessions
}

// sessions are those of the newest secret. While it is being read, and while it cannot be, the one that is known
// counts.
func (k *keyring) sessions(ctx context.Context) (*sessions, error) {
	made, isNew := k.current()
	if isNew {
		return made, nil
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

// readSecret reads the secret. However it ends, the next one may ask.
func (k *keyring) readSecret(ctx context.Context) ([]byte, error) {
	defer func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.isReading = false
	}()
	return k.secret(ctx)
}

// current is what is known, and whether the caller is to go on with it. Otherwise the caller has to ask, and until it
// has nobody else does.
func (k *keyring) current() (made *sessions, isNew bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.latest != nil && (k.isReading || k.now().Sub(k.readAt) < secretAge) {
		return k.latest, true
	}
	k.isReading = true
	return k.latest, false
}

// sessions reads and writes cookies.
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
