package auth_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// issuer is an identity provider: keys, and a server of the public keys.
type issuer struct {
	server  *httptest.Server
	rsaKey  *rsa.PrivateKey
	p256    *ecdsa.PrivateKey
	p521    *ecdsa.PrivateKey
	fetches atomic.Int32

	mu       sync.Mutex
	status   int
	document []byte
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{status: http.StatusOK}
	var err error
	i.rsaKey, err = rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	i.p256, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	i.p521, err = ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	require.NoError(t, err)
	i.serve(http.StatusOK, i.keySet(t, "rsa"))
	i.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		i.fetches.Add(1)
		i.mu.Lock()
		defer i.mu.Unlock()
		w.WriteHeader(i.status)
		_, _ = w.Write(i.document)
	}))
	t.Cleanup(i.server.Close)
	return i
}

func (i *issuer) serve(status int, document []byte) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.status, i.document = status, document
}

// keySet is the issuer's key set; the RSA key has these ids.
func (i *issuer) keySet(t *testing.T, rsaIDs ...string) []byte {
	t.Helper()
	text := base64.RawURLEncoding.EncodeToString
	ec := func(id, curve string, key *ecdsa.PrivateKey) map[string]string {
		point, err := key.PublicKey.Bytes()
		require.NoError(t, err)
		half := (len(point) - 1) / 2
		return map[string]string{
			"kid": id, "kty": "EC", "crv": curve, "x": text(point[1 : 1+half]), "y": text(point[1+half:]),
		}
	}
	keys := []any{
		ec("p256", "P-256", i.p256), ec("p521", "P-521", i.p521),
		map[string]string{"kid": "secret", "kty": "oct"},
		"no key",
		map[string]string{"kid": "for-encryption", "kty": "RSA", "use": "enc"},
	}
	for _, id := range rsaIDs {
		keys = append(keys, map[string]string{
			"kid": id, "kty": "RSA", "use": "sig", "n": text(i.rsaKey.N.Bytes()),
			"e": text(big.NewInt(int64(i.rsaKey.E)).Bytes()),
		})
	}
	document, err := json.Marshal(map[string]any{"keys": keys})
	require.NoError(t, err)
	return document
}

// token makes a token of the issuer; change may change its header and claims.
func (i *issuer) token(t *testing.T, change func(*jwt.Token)) string {
	t.Helper()
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.MapClaims{
		"sub": "alice", "iss": "https://acme.example", "aud": []string{"ledger"}, "exp": now.Add(time.Minute).Unix(),
	})
	token.Header["kid"] = "rsa"
	if change != nil {
		change(token)
	}
	var key any = i.rsaKey
	switch token.Method {
	case jwt.SigningMethodES256:
		key = i.p256
	case jwt.SigningMethodES512:
		key = i.p521
	case jwt.SigningMethodHS256:
		key = []byte("secret")
	case jwt.SigningMethodNone:
		key = jwt.UnsafeAllowNoneSignatureType
	}
	signed, err := token.SignedString(key)
	require.NoError(t, err)
	return signed
}

// providers are identity providers in memory.
type providers struct {
	list    []ledger.IdentityProvider
	failure error
	reads   atomic.Int32
}

func (p *providers) IdentityProviders(context.Context) ([]ledger.IdentityProvider, error) {
	p.reads.Add(1)
	return p.list, p.failure
}

type issuersBundle struct {
	issuer    *issuer
	providers *providers
	issuers   *auth.Issuers
	clock     atomic.Pointer[time.Time]
}

func newIssuersBundle(t *testing.T) *issuersBundle {
	t.Helper()
	b := &issuersBundle{issuer: newIssuer(t)}
	b.providers = &providers{list: []ledger.IdentityProvider{
		{ID: "acme", Issuer: "https://acme.example", JWKSURL: b.issuer.server.URL, Audience: "ledger"},
		{ID: "open", Issuer: "https://open.example", JWKSURL: b.issuer.server.URL},
		{ID: "closed", Issuer: "https://closed.example", JWKSURL: b.issuer.server.URL, IsDeactivated: true},
	}}
	b.clock.Store(new(now))
	clock := func() time.Time { return *b.clock.Load() }
	var err error
	b.issuers, err = auth.NewIssuers(auth.IssuersOptions{
		Default: newVerifier(t, nil), Providers: b.providers, Keys: auth.NewRemoteKeys(nil, clock),
		Times: auth.Times{Now: clock},
	})
	require.NoError(t, err)
	return b
}

// verifyFor verifies a token with the key id.
func (b *issuersBundle) verifyFor(t *testing.T, keyID string) error {
	t.Helper()
	_, err := b.issuers.Verify(t.Context(), b.issuer.token(t, func(token *jwt.Token) {
		claim("exp", now.Add(time.Hour).Unix())(token)
		token.Header["kid"] = keyID
	}))
	return err
}

func (b *issuersBundle) wait(d time.Duration) { b.clock.Store(new(b.clock.Load().Add(d))) }

func TestIssuers_AcceptTokensOfIdentityProviders(t *testing.T) {
	t.Parallel()
	b := newIssuersBundle(t)

	t.Run("of the default one need no other", func(t *testing.T) {
		t.Parallel()
		b := newIssuersBundle(t)
		token, err := auth.Mint(auth.DefaultSecret, auth.DefaultAudience, "alice", 0, now)
		require.NoError(t, err)
		verified, err := b.issuers.Verify(t.Context(), token)
		require.NoError(t, err)
		require.Empty(t, verified.IdentityProviderID)
		require.Zero(t, b.providers.reads.Load())
	})
	for name, change := range map[string]func(*jwt.Token){
		"RS256": nil,
		"ES256": func(token *jwt.Token) { token.Method, token.Header["kid"] = jwt.SigningMethodES256, "p256" },
		"ES512": func(token *jwt.Token) { token.Method, token.Header["kid"] = jwt.SigningMethodES512, "p521" },
	} {
		t.Run("signed with "+name, func(t *testing.T) {
			t.Parallel()
			token := b.issuer.token(t, func(token *jwt.Token) {
				if change != nil {
					change(token)
					token.Header["alg"] = token.Method.Alg()
				}
			})
			verified, err := b.issuers.Verify(t.Context(), token)
			require.NoError(t, err)
			require.Equal(t, auth.Token{
				Identity: ledger.Identity{IdentityProviderID: "acme", UserID: "alice"}, Issuer: "https://acme.example",
				ExpiresAt: time.Unix(now.Add(time.Minute).Unix(), 0),
			}, verified)
		})
	}
	t.Run("for any audience where none is configured", func(t *testing.T) {
		t.Parallel()
		verified, err := b.issuers.Verify(t.Context(), b.issuer.token(t, claim("iss", "https://open.example", "aud")))
		require.NoError(t, err)
		require.Equal(t, "open", verified.IdentityProviderID)
	})
}

// claim sets a claim and removes others.
func claim(name string, value any, dropped ...string) func(*jwt.Token) {
	return func(token *jwt.Token) {
		claims, _ := token.Claims.(jwt.MapClaims)
		claims[name] = value
		for _, other := range dropped {
			delete(claims, other)
		}
	}
}

func TestIssuers_RefuseInvalidTokens(t *testing.T) {
	t.Parallel()
	b := newIssuersBundle(t)
	other := newIssuer(t)
	header := func(key string, value any) func(*jwt.Token) {
		return func(token *jwt.Token) { token.Header[key] = value }
	}
	method := func(method jwt.SigningMethod, keyID string) func(*jwt.Token) {
		return func(token *jwt.Token) {
			token.Method, token.Header["alg"], token.Header["kid"] = method, method.Alg(), keyID
		}
	}
	signed := b.issuer.token(t, nil)
	for name, test := range map[string]struct{ token, reason string }{
		"an unknown issuer":         {b.issuer.token(t, claim("iss", "https://x.example")), "signing method RS256"},
		"no issuer":                 {b.issuer.token(t, claim("x", "", "iss")), "signing method RS256"},
		"a deactivated provider":    {b.issuer.token(t, claim("iss", "https://closed.example")), `"closed" is deactivated`},
		"another audience":          {b.issuer.token(t, claim("aud", "other")), `does not contain "ledger"`},
		"no subject":                {b.issuer.token(t, claim("x", "", "sub")), "no sub claim"},
		"expired":                   {b.issuer.token(t, claim("exp", now.Add(-time.Second).Unix())), "expired"},
		"not valid yet":             {b.issuer.token(t, claim("nbf", now.Add(time.Hour).Unix())), "not valid yet"},
		"no key id":                 {b.issuer.token(t, header("kid", "")), "no kid"},
		"a key id that is no text":  {b.issuer.token(t, header("kid", 7)), "no kid"},
		"an unknown key":            {b.issuer.token(t, header("kid", "x")), `no key with the id "x"`},
		"a key for encryption":      {b.issuer.token(t, header("kid", "for-encryption")), "no key with the id"},
		"a key of another kind":     {b.issuer.token(t, header("kid", "p256")), "key is of invalid type"},
		"another curve":             {b.issuer.token(t, method(jwt.SigningMethodES256, "p521")), "invalid"},
		"signed by somebody else":   {other.token(t, nil), "signature is invalid"},
		"a shared secret":           {b.issuer.token(t, method(jwt.SigningMethodHS256, "rsa")), "signing method HS256"},
		"no signature at all":       {b.issuer.token(t, method(jwt.SigningMethodNone, "rsa")), "signing method none"},
		"a signature that was cut":  {signed[:len(signed)-8], "signature is invalid"},
		"something that is nothing": {"x.y.z", "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := b.issuers.Verify(t.Context(), test.token)
			refusal, ok := fault.As(err)
			require.True(t, ok, "%v", err)
			require.Equal(t, "UNAUTHENTICATED", refusal.Code)
			require.ErrorContains(t, refusal.Unwrap(), test.reason)
			require.NotContains(t, refusal.Cause, "acme", "clients do not learn the reason")
		})
	}
}

func TestRemoteKeys_AreFetchedSeldom(t *testing.T) {
	t.Parallel()
	b := newIssuersBundle(t)
	verify := func(keyID string) error { return b.verifyFor(t, keyID) }
	require.NoError(t, verify("rsa"))
	require.NoError(t, verify("rsa"))
	require.Equal(t, int32(1), b.issuer.fetches.Load(), "they are remembered")

	for i := range 50 {
		require.Error(t, verify(fmt.Sprintf("unknown-%d", i)))
	}
	require.Equal(t, int32(3), b.issuer.fetches.Load(), "unknown keys do not make the node hammer the provider")
	b.issuer.serve(http.StatusOK, b.issuer.keySet(t, "new"))
	b.wait(9 * time.Second)
	require.Error(t, verify("new"))
	b.wait(time.Second)
	require.NoError(t, verify("new"), "a new key is found without waiting for the cache")
	require.Error(t, verify("rsa"), "and the old one is gone")
	require.Equal(t, int32(4), b.issuer.fetches.Load())

	b.issuer.serve(http.StatusInternalServerError, nil)
	b.wait(10 * time.Second)
	require.Error(t, verify("x"))
	require.NoError(t, verify("new"), "a failed fetch forgets no key that is fresh")
	b.wait(5 * time.Minute)
	require.Error(t, verify("new"), "a key that is too old is not used")
	b.issuer.serve(http.StatusOK, b.issuer.keySet(t, "new"))
	b.wait(10 * time.Second)
	require.NoError(t, verify("new"))
}

func TestRemoteKeys_RotateWithoutRefusal(t *testing.T) {
	t.Parallel()
	b := newIssuersBundle(t)
	require.NoError(t, b.verifyFor(t, "rsa"))
	b.issuer.serve(http.StatusOK, b.issuer.keySet(t, "rsa", "next"))
	const clients = 20
	refused := make(chan error, 2*clients)
	var group sync.WaitGroup
	for range clients { // the first tokens of the new key come together with tokens of the old one
		group.Go(func() { refused <- b.verifyFor(t, "next") })
		group.Go(func() { refused <- b.verifyFor(t, "rsa") })
	}
	group.Wait()
	for range 2 * clients {
		require.NoError(t, <-refused)
	}
	require.Equal(t, int32(2), b.issuer.fetches.Load())

	// The provider fails for a moment while the keys age. There is time for a retry.
	fetched := func(times int32) func() bool {
		return func() bool { return b.issuer.fetches.Load() == times }
	}
	b.issuer.serve(http.StatusBadGateway, nil)
	b.wait(3 * time.Minute)
	require.NoError(t, b.verifyFor(t, "next"))
	require.Eventually(t, fetched(3), time.Minute, time.Millisecond, "keys are fetched before they are too old")
	b.issuer.serve(http.StatusOK, b.issuer.keySet(t, "next"))
	b.wait(time.Minute)
	require.Eventually(t, func() bool {
		require.NoError(t, b.verifyFor(t, "next"))
		return fetched(4)()
	}, 10*time.Second, time.Millisecond)
	b.issuer.serve(http.StatusBadGateway, nil)
	b.wait(2 * time.Minute)
	require.NoError(t, b.verifyFor(t, "next"), "by now the first keys are too old")
}

func TestIssuers_RecheckUsesKnownKeys(t *testing.T) {
	t.Parallel()
	b := newIssuersBundle(t)
	token := b.issuer.token(t, claim("exp", now.Add(time.Hour).Unix()))
	again := auth.WithKnownKeys(t.Context())
	_, err := b.issuers.Verify(again, token)
	require.True(t, fault.Unauthenticated.Matches(err), "no keys are known: %v", err)
	require.Zero(t, b.issuer.fetches.Load())

	_, err = b.issuers.Verify(t.Context(), token)
	require.NoError(t, err)
	b.wait(30 * time.Minute)
	_, err = b.issuers.Verify(again, token)
	require.NoError(t, err, "the keys are too old for a token that nobody has seen, and good enough for this one")
	require.Equal(t, int32(1), b.issuer.fetches.Load())
}

func TestIssuers_SkipSignatureForDisconnectedClient(t *testing.T) {
	t.Parallel()
	b := newIssuersBundle(t)
	require.NoError(t, b.verifyFor(t, "rsa"))
	gone, leave := context.WithCancel(t.Context())
	leave()
	_, err := b.issuers.Verify(gone, b.issuer.token(t, claim("jti", "another")))
	refusal, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	require.ErrorIs(t, refusal.Unwrap(), context.Canceled)
	require.NoError(t, b.verifyFor(t, "rsa"), "the turn has ended")
}

// unverified reports whether the verifier refused a token before its signature check, because the client was gone.
func unverified(err error) bool {
	refusal, ok := fault.As(err)
	return ok && errors.Is(refusal.Unwrap(), context.Canceled)
}

func TestIssuers_VerifySignatureOnceAndKeyEachTime(t *testing.T) {
	t.Parallel()
	b := newIssuersBundle(t)
	ctx := t.Context()
	token := b.issuer.token(t, claim("exp", now.Add(time.Hour).Unix()))
	_, err := b.issuers.Verify(ctx, token)
	require.NoError(t, err)

	gone, leave := context.WithCancel(t.Context()) // no signature is checked for it
	leave()
	_, err = b.issuers.Verify(gone, b.issuer.token(t, claim("jti", "another")))
	require.True(t, unverified(err), "a token that nobody has seen: %v", err)
	_, err = b.issuers.Verify(gone, token[:len(token)-4]+"AAAA")
	require.True(t, unverified(err), "the same with another signature: %v", err)
	_, err = b.issuers.Verify(gone, token)
	require.NoError(t, err, "it was verified before")

	other, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	b.issuer.rsaKey = other
	b.issuer.serve(http.StatusOK, b.issuer.keySet(t, "rsa"))
	b.wait(30 * time.Minute)
	_, err = b.issuers.Verify(ctx, token)
	require.True(t, fault.Unauthenticated.Matches(err), "its key has another of the same id in its place: %v", err)
	token = b.issuer.token(t, claim("exp", now.Add(time.Hour).Unix()))
	_, err = b.issuers.Verify(ctx, token)
	require.NoError(t, err)
	b.wait(time.Hour)
	_, err = b.issuers.Verify(ctx, token)
	require.True(t, fault.Unauthenticated.Matches(err), "it has expired: %v", err)
}

func TestRemoteKeys_ReportFailedFetch(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status           int
		document, reason string
	}{
		"a server that fails": {http.StatusBadGateway, "", "502"},
		"a redirect":          {http.StatusFound, "", "302"},
		"no JSON":             {http.StatusOK, "<html>", "not a JSON Web Key Set"},
		"no keys":             {http.StatusOK, `{"keys":[]}`, "no usable key among 0"},
		"a short RSA key":     {http.StatusOK, `{"keys":[{"kid":"rsa","kty":"RSA","n":"AQAB","e":"AQAB"}]}`, "17 bits"},
		"an exponent that takes long": {
			http.StatusOK, `{"keys":[{"kid":"rsa","kty":"RSA","n":"` + strings.Repeat("_", 341) + `w","e":"AQAD"}]}`,
			"65539 is not an odd number from 3 to 65537",
		},
		"a key of another kind": {http.StatusOK, `{"keys":[{"kid":"rsa","kty":"oct"}]}`, `"oct" is not supported`},
		"a point not on the curve": {
			http.StatusOK, `{"keys":[{"kid":"rsa","kty":"EC","crv":"P-256","x":"` + strings.Repeat("A", 43) +
				`","y":"` + strings.Repeat("A", 43) + `"}]}`, "not on",
		},
		"far too much": {http.StatusOK, strings.Repeat(" ", 600_000), "larger than 512 KiB"},
		"many that are no keys": {
			http.StatusOK, `{"keys":[` + strings.Repeat("1,", 250_000) + `1]}`, "no usable key among 250001",
		},
		"a long name of a key": {
			http.StatusOK, `{"keys":[{"kid":"` + strings.Repeat("é", 200_000) + `","kty":"oct"}]}`, "no usable key among 1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newIssuersBundle(t)
			b.issuer.serve(test.status, []byte(test.document))
			_, err := b.issuers.Verify(t.Context(), b.issuer.token(t, nil))
			refusal, ok := fault.As(err)
			require.True(t, ok, "%v", err)
			require.Equal(t, "UNAUTHENTICATED", refusal.Code)
			require.ErrorContains(t, refusal.Unwrap(), test.reason)
			require.Less(t, len(fault.Hidden(err)), 2048, "every token that names the issuer has this text made")
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		t.Parallel()
		b := newIssuersBundle(t)
		b.issuer.server.Close()
		_, err := b.issuers.Verify(t.Context(), b.issuer.token(t, nil))
		require.True(t, fault.Unauthenticated.Matches(err), "%v", err)
	})
}

func TestRemoteKeys_FollowNoRedirect(t *testing.T) {
	t.Parallel()
	b := newIssuersBundle(t)
	elsewhere := httptest.NewServer(http.RedirectHandler(b.issuer.server.URL, http.StatusFound))
	t.Cleanup(elsewhere.Close)
	b.providers.list[0].JWKSURL = elsewhere.URL
	_, err := b.issuers.Verify(t.Context(), b.issuer.token(t, nil))
	refusal, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	require.ErrorContains(t, refusal.Unwrap(), "302")
	require.Zero(t, b.issuer.fetches.Load())
}

func TestIssuers_CacheIdentityProvidersUntilTheyChange(t *testing.T) {
	t.Parallel()
	b := newIssuersBundle(t)
	token := b.issuer.token(t, nil)
	for range 3 {
		_, err := b.issuers.Verify(t.Context(), token)
		require.NoError(t, err)
	}
	require.Equal(t, int32(1), b.providers.reads.Load())
	b.providers.list = nil
	b.issuers.UserChanged("alice")
	_, err := b.issuers.Verify(t.Context(), token)
	require.NoError(t, err, "a changed user is no changed provider")
	b.issuers.UserChanged("")
	_, err = b.issuers.Verify(t.Context(), token)
	require.True(t, fault.Unauthenticated.Matches(err), "%v", err)

	b.wait(auth.DefaultCacheTime)
	b.providers.failure = errors.New("the database is gone")
	_, err = b.issuers.Verify(t.Context(), token)
	require.ErrorContains(t, err, "the database is gone")
	require.False(t, fault.Unauthenticated.Matches(err))
}

func TestResolver_RefusesUserOfOtherIdentityProvider(t *testing.T) {
	t.Parallel()
	b := newIssuersBundle(t)
	known := &users{byID: map[string]ledger.User{
		"alice": {ID: "alice", IdentityProviderID: "acme"}, "bob": {ID: "bob"},
	}}
	resolver, err := auth.NewResolver(auth.ResolverOptions{
		Verifier: b.issuers, Users: known, Now: func() time.Time { return now },
	})
	require.NoError(t, err)
	claims, err := resolver.Authenticate(t.Context(), b.issuer.token(t, nil))
	require.NoError(t, err)
	require.Equal(t, "alice", claims.UserID())

	fromDefault, err := auth.Mint(auth.DefaultSecret, auth.DefaultAudience, "alice", 0, now)
	require.NoError(t, err)
	for _, token := range []string{fromDefault, b.issuer.token(t, claim("sub", "bob"))} {
		_, err = resolver.Authenticate(t.Context(), token)
		require.True(t, fault.PermissionDenied.Matches(err), "%v", err)
		refusal, _ := fault.As(err)
		require.Equal(t, "invalid token", refusal.Context["ledger_api_error"])
	}
}

func FuzzTokens_VerifyOrFail(f *testing.F) {
	good, err := auth.Mint(auth.DefaultSecret, auth.DefaultAudience, "alice", 0, now)
	require.NoError(f, err)
	for _, seed := range []string{
		"", ".", "..", "a.b.c", good, good[:len(good)-1], "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.", good + "." + good,
		"eyJhbGciOiJSUzI1NiIsImtpZCI6IngifQ.eyJpc3MiOiJodHRwczovL2FjbWUuZXhhbXBsZSJ9.AAAA",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIiwic2NvcGUiOiJkYW1sX2xlZGdlcl9hcGkifQ.AAAA",
	} {
		f.Add(seed)
	}
	verifier, err := auth.NewHS256(auth.HS256Options{
		Secret: auth.DefaultSecret, Audience: auth.DefaultAudience, Times: auth.Times{Now: func() time.Time { return now }},
	})
	require.NoError(f, err)
	issuers, err := auth.NewIssuers(auth.IssuersOptions{
		Default: verifier, Keys: noKeys{}, Times: auth.Times{Now: func() time.Time { return now }}, Providers: &providers{
			list: []ledger.IdentityProvider{{ID: "acme", Issuer: "https://acme.example"}},
		},
	})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, token string) {
		verified, err := issuers.Verify(t.Context(), token)
		if err != nil {
			require.True(t, fault.Unauthenticated.Matches(err), "%v", err)
			return
		}
		require.Equal(t, "alice", verified.UserID, "nobody else's token can be made without the secret")
	})
}

type noKeys struct{}

func (noKeys) FetchKey(context.Context, string, string) (any, error) {
	return nil, errors.New("no key")
}
