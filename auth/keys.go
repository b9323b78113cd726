package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// How keys are fetched and kept (upstream's JWKS settings).
const (
	keyFetchTimeout = 10 * time.Second
	keyCacheTime    = 5 * time.Minute
	// keyFetchPause is between two fetches from one place, whatever key ids tokens name.
	keyFetchPause = 10 * time.Second
	// maxKeySetBytes bounds what is read of a key set.
	maxKeySetBytes = 512 * 1024
	// maxKeySets bounds the remembered places. There are few: reaching it forgets all.
	maxKeySets = 64
)

// Keys finds the public keys that tokens are verified with.
type Keys interface {
	// Key is the key with the id in the JSON Web Key Set at the URL: *rsa.PublicKey, *ecdsa.PublicKey or
	// ed25519.PublicKey.
	Key(ctx context.Context, place, keyID string) (any, error)
}

// RemoteKeys are [Keys] that are fetched over HTTP and remembered for five minutes. A key id that is not among them
// has the set fetched anew, at most every ten seconds. It is safe for concurrent use.
type RemoteKeys struct {
	client  *http.Client
	now     func() time.Time
	fetches singleflight.Group

	mu   sync.Mutex
	sets map[string]rememberedKeys
}

type rememberedKeys struct {
	keys       keySet
	until      time.Time
	lastTry    time.Time
	lastFailed error
}

// NewRemoteKeys makes RemoteKeys that use the transport, nil for the usual one.
func NewRemoteKeys(transport http.RoundTripper, now func() time.Time) *RemoteKeys {
	return &RemoteKeys{
		client: &http.Client{
			Transport: transport, Timeout: keyFetchTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		now:  now,
		sets: make(map[string]rememberedKeys),
	}
}

// Key implements [Keys].
func (r *RemoteKeys) Key(ctx context.Context, place, keyID string) (any, error) {
	set := r.recall(place)
	if key, ok := set.keys[keyID]; ok {
		return key, nil
	}
	if set.lastTry.IsZero() || !r.now().Before(set.lastTry.Add(keyFetchPause)) {
		var err error
		if set, err = r.refresh(ctx, place); err != nil {
			return nil, err
		}
	}
	if key, ok := set.keys[keyID]; ok {
		return key, nil
	}
	if set.lastFailed != nil {
		return nil, fmt.Errorf("the keys of the token's issuer cannot be fetched: %w", set.lastFailed)
	}
	return nil, fmt.Errorf("the key set at %s has no key with the id %q", place, keyID)
}

// recall returns what is known of the place; keys that are too old are left out.
func (r *RemoteKeys) recall(place string) rememberedKeys {
	r.mu.Lock()
	defer r.mu.Unlock()
	set := r.sets[place]
	if !r.now().Before(set.until) {
		set.keys = nil
	}
	return set
}

// refresh fetches the keys, once for all who ask at the same time. The error is the end of ctx.
func (r *RemoteKeys) refresh(ctx context.Context, place string) (rememberedKeys, error) {
	fetched := r.fetches.DoChan(place, func() (any, error) {
		keys, err := r.fetch(context.WithoutCancel(ctx), place) // others wait for it too; the client bounds it
		return r.remember(place, keys, err), nil
	})
	select {
	case result := <-fetched:
		set, _ := result.Val.(rememberedKeys)
		return set, result.Err
	case <-ctx.Done():
		return rememberedKeys{}, ctx.Err()
	}
}

// remember keeps the fetched keys. A failed fetch leaves what was known until it is too old.
func (r *RemoteKeys) remember(place string, keys keySet, failed error) rememberedKeys {
	r.mu.Lock()
	defer r.mu.Unlock()
	set, known := r.sets[place]
	if !known && len(r.sets) >= maxKeySets {
		clear(r.sets)
	}
	set.lastTry, set.lastFailed = r.now(), failed
	if failed == nil {
		set.keys, set.until = keys, r.now().Add(keyCacheTime)
	}
	r.sets[place] = set
	if !r.now().Before(set.until) {
		set.keys = nil
	}
	return set
}

// CheckKeyURL tells whether keys may be fetched from a place: over https, or from this machine. Whoever stands between
// the node and the keys could otherwise put in keys of their own.
func CheckKeyURL(text string) error {
	place, err := url.Parse(text)
	if err != nil {
		return fmt.Errorf("the JWKS URL cannot be read: %w", err)
	}
	address := net.ParseIP(place.Hostname())
	local := place.Hostname() == "localhost" || (address != nil && address.IsLoopback())
	if place.Scheme == "https" || (place.Scheme == "http" && local) {
		return nil
	}
	return fmt.Errorf("the JWKS URL %s is neither https nor on this machine: keys can be trusted only from there", text)
}

func (r *RemoteKeys) fetch(ctx context.Context, place string) (keySet, error) {
	if err := CheckKeyURL(place); err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, place, nil)
	if err != nil {
		return nil, fmt.Errorf("asking for the key set: %w", err)
	}
	request.Header.Set("Accept", "application/json")
	response, err := r.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("asking for the key set: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("asking for the key set at %s: the answer is %s", place, response.Status)
	}
	document, err := io.ReadAll(io.LimitReader(response.Body, maxKeySetBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading the key set at %s: %w", place, err)
	}
	if len(document) > maxKeySetBytes {
		return nil, errors.New("the key set at " + place + " is larger than 512 KiB")
	}
	return parseKeySet(document)
}
