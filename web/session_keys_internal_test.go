package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// secretsOf gives a keyring its secrets: a test receives each read, and answers it.
type secretsOf struct {
	asked chan struct{}
	given chan []byte
}

func newKeyring() (*keyring, secretsOf, *time.Time) {
	secrets, now := secretsOf{make(chan struct{}, 1), make(chan []byte)}, time.Unix(1000, 0)
	ring := &keyring{now: func() time.Time { return now }, secret: func(context.Context) ([]byte, error) {
		secrets.asked <- struct{}{}
		if secret := <-secrets.given; secret != nil {
			return secret, nil
		}
		return nil, errors.New("the database is away")
	}}
	return ring, secrets, &now
}

func secretOf(char byte) []byte { return bytes.Repeat([]byte{char}, sha256.Size) }

// TestKeyring_UsesKnownSecretDuringRead has a slow record: other requests use the known secret, and only one reads.
func TestKeyring_UsesKnownSecretDuringRead(t *testing.T) {
	t.Parallel()
	ring, secrets, now := newKeyring()
	results := make(chan *sessions, 1)
	begin := func() {
		go func() {
			made, err := ring.sessions(context.Background())
			if err != nil {
				made = nil
			}
			results <- made
		}()
		<-secrets.asked
	}
	begin()
	secrets.given <- secretOf('a')
	first := <-results
	require.NotNil(t, first)
	again, err := ring.sessions(t.Context())
	require.NoError(t, err)
	require.Same(t, first, again, "it is new enough")

	*now = now.Add(secretAge)
	begin()
	again, err = ring.sessions(t.Context())
	require.NoError(t, err)
	require.Same(t, first, again, "somebody asks already")
	secrets.given <- secretOf('b')
	second := <-results
	require.NotSame(t, first, second)

	*now = now.Add(secretAge)
	begin()
	secrets.given <- nil
	require.Same(t, second, <-results, "it could not be read")
	begin()
	secrets.given <- secretOf('b')
	require.Same(t, second, <-results, "it is the same")
}

func TestKeyring_FailsBeforeFirstRead(t *testing.T) {
	t.Parallel()
	ring, secrets, _ := newKeyring()
	failed := make(chan error, 1)
	go func() {
		_, err := ring.sessions(context.Background())
		failed <- err
	}()
	<-secrets.asked
	secrets.given <- nil
	require.ErrorContains(t, <-failed, "the database is away")
}
