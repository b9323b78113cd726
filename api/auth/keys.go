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
	"golang.org/x/time/rate"

	"github.com/florinledger/florin/ledger/fault"
)

// How keys are fetched and kept (upstream's JWKS settings).
const (
	keyFetchTimeout = 10 * time.Second
	keyCacheTime    = 5 * time.Minute
	// keyRefreshTime is the age at which valid keys are fetched again, so that a short failure of the server refuses
	// nobody.
	keyRefreshTime = keyCacheTime / 2
	// keyFetchPause is the time between two fetches from one place, for any key ids.
	keyFetchPause = 10 * time.Second
	// keyFetchBurst is the number of fetches without a pause, so that a new key is found at once after a recent fetch.
	keyFetchBurst = 3
	// maxKeySetBytes limits the size of a key set.
	maxKeySetBytes = 512 * 1024
	// maxFetchError limits the stored text of a failed fetch, in bytes.
	maxFetchError = 1024
	// maxKeySets limits the cached places. At the limit the whole cache is cleared; there are few places.
	maxKeySets = 64
)

// KeyFetcher finds public keys of issuers.
type KeyFetcher interface {
	// FetchKey returns the key with the id in the JSON Web Key Set at the URL: *rsa.PublicKey, *ecdsa.PublicKey or
	// ed25519.PublicKey.
	FetchKey(ctx context.Context, url, keyID string) (any, error)
}

// RemoteKeys is the [KeyFetcher] that fetches keys over HTTP and caches them for five minutes. An unknown key id
// fetches the set again at once, but after three fetches in a row only every ten seconds. Keys in use are fetched again
// before they expire. It is safe for concurrent use.
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
	// fetches limits the rate of fetches.
	fetches *rate.Limiter
}

// NewRemoteKeys makes RemoteKeys with the transport, nil for the default one.
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

// knownKeys is a context key: fetch no keys.
type knownKeys struct{}

// WithKnownKeys returns a context in which tokens are verified with the cached keys of any age, and none are fetched.
// So no issuer can delay the recheck of a token that was valid.
func WithKnownKeys(ctx context.Context) context.Context {
	return context.WithValue(ctx, knownKeys{}, true)
}

// FetchKey implements [KeyFetcher].
func (r *RemoteKeys) FetchKey(ctx context.Context, place, keyID string) (any, error) {
	if ctx.Value(knownKeys{}) != nil {
		return r.lastKnown(place, keyID)
	}
	set := r.recall(place)
	if key, ok := set.keys[keyID]; ok {
		if !r.now().Before(set.until.Add(-keyRefreshTime)) {
			r.ask(ctx, place, set) // and do not wait for it
		}
		return key, nil
	}
	select {
	case result := <-r.ask(ctx, place, set):
		set, _ = result.Val.(rememberedKeys)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if key, ok := set.keys[keyID]; ok {
		return key, nil
	}
	if set.lastFailed != nil {
		return nil, fmt.Errorf("the keys of the token's issuer cannot be fetched: %w", set.lastFailed)
	}
	return nil, fmt.Errorf("the key set at %s has no key with the id %q", place, keyID)
}

func (r *RemoteKeys) lastKnown(place, keyID string) (any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if key, ok := r.sets[place].keys[keyID]; ok {
		return key, nil
	}
	return nil, fmt.Errorf("the known keys of the key set at %s do not include the id %q", place, keyID)
}

// recall returns the cache entry of the place, without expired keys.
func (r *RemoteKeys) recall(place string) rememberedKeys {
	r.mu.Lock()
	defer r.mu.Unlock()
	set := r.sets[place]
	if !r.now().Before(set.until) {
		set.keys = nil
	}
	return set
}

// ask fetches the keys, once for all concurrent callers, unless somebody fetched them since the caller looked or the
// rate limit is reached.
func (r *RemoteKeys) ask(ctx context.Context, place string, known rememberedKeys) <-chan singleflight.Result {
	return r.fetches.DoChan(place, func() (any, error) {
		if set := r.recall(place); set.lastTry.After(known.lastTry) || !r.mayFetch(place) {
			return set, nil
		}
		keys, err := r.fetch(context.WithoutCancel(ctx), place) // others wait for it too; the client bounds it
		return r.remember(place, keys, err), nil
	})
}

// mayFetch counts a fetch, unless the rate limit is reached.
func (r *RemoteKeys) mayFetch(place string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	set, known := r.sets[place]
	if !known && len(r.sets) >= maxKeySets {
		clear(r.sets)
	}
	if set.fetches == nil {
		set.fetches = rate.NewLimiter(rate.Every(keyFetchPause), keyFetchBurst)
		r.sets[place] = set
	}
	return set.fetches.AllowN(r.now(), 1)
}

// remember caches the fetched keys. After a failed fetch the old keys stay until they expire.
func (r *RemoteKeys) remember(place string, keys keySet, failed error) rememberedKeys {
	r.mu.Lock()
	defer r.mu.Unlock()
	set := r.sets[place]
	set.lastTry, set.lastFailed = r.now(), shorten(failed)
	if failed == nil {
		set.keys, set.until = keys, r.now().Add(keyCacheTime)
	}
	r.sets[place] = set
	if !r.now().Before(set.until) {
		set.keys = nil
	}
	return set
}

// shorten limits the text of an error to about maxFetchError bytes. The text contains parts of the key set, and every
// token of the issuer is refused with it.
func shorten(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(fault.ShortenTo(maxFetchError, err.Error()))
}

// CheckKeyURL refuses key URLs that are neither https nor on this machine, because somebody between the node and the
// server could replace the keys.
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
	return fmt.Errorf("the JWKS URL %s is neither https nor on this machine. Use an https URL", text)
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
