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

	mu    sync.Mutex
	asked time.Time
	known []byte
	made  *sessions
}

// sessions are those of the newest secret. While it cannot be read, the one that is known counts.
func (k *keyring) sessions(ctx context.Context) (*sessions, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	if k.made != nil && now.Sub(k.asked) < secretAge {
		return k.made, nil
	}
	secret, err := k.secret(ctx)
	switch {
	case err != nil && k.made != nil:
		return k.made, nil
	case err != nil:
		return nil, err
	}
	if k.asked = now; k.made == nil || !bytes.Equal(secret, k.known) {
		if k.made, err = newSessions(secret, k.now); err != nil {
			return nil, err
		}
		k.known = secret
	}
	return k.made, nil
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
