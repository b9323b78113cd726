package web_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/web"
)

// provider is a small OpenID Connect provider that signs everybody in as alice.
type provider struct {
	*httptest.Server

	t   *testing.T
	key *rsa.PrivateKey
	// request is the last authorization request; spoil changes the claims.
	request url.Values
	spoil   func(claims jwt.MapClaims)
	refuse  string
	// turns counts the taken turns, calling the current ones; full refuses further ones.
	turns, calling atomic.Int64
	full           error
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	p := &provider{t: t, key: key}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		p.write(w, map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
			"jwks_uri": p.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"},
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		p.write(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
			{Key: key.Public(), KeyID: "key", Algorithm: "RS256", Use: "sig"},
		}})
	})
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func (p *provider) write(w http.ResponseWriter, what any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(what)
}

// authorize redirects back with a code.
func (p *provider) authorize(w http.ResponseWriter, r *http.Request) {
	p.request = r.URL.Query()
	answer := url.Values{"state": {p.request.Get("state")}, "code": {"the code"}}
	if p.refuse != "" {
		answer = url.Values{"state": {p.request.Get("state")}, "error": {"access_denied"}, "error_description": {p.refuse}}
	}
	http.Redirect(w, r, p.request.Get("redirect_uri")+"?"+answer.Encode(), http.StatusFound)
}

// token issues tokens for the code, the secret and the PKCE verifier (RFC 7636).
func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	id, given, _ := r.BasicAuth()
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if id != "page" || given != "hush" || r.PostFormValue("code") != "the code" ||
		p.request.Get("code_challenge_method") != "S256" ||
		p.request.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) ||
		p.request.Get("redirect_uri") != r.PostFormValue("redirect_uri") {
		w.WriteHeader(http.StatusBadRequest)
		p.write(w, map[string]string{"error": "invalid_grant"})
		return
	}
	access := token(p.t, "alice")
	hash := sha256.Sum256([]byte(access))
	claims := jwt.MapClaims{
		"iss": p.URL, "sub": "alice", "aud": "page", "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(),
		"nonce": p.request.Get("nonce"), "at_hash": base64.RawURLEncoding.EncodeToString(hash[:len(hash)/2]),
	}
	if p.spoil != nil {
		p.spoil(claims)
	}
	identity := jwt.NewWithClaims(jwt.SigningMethodRS256, claims)
	identity.Header["kid"] = "key"
	text, err := identity.SignedString(p.key)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	p.write(w, map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 3600, "id_token": text})
}

// nodeWith is a node with a sign-in provider.
func nodeWith(t *testing.T, p *provider) *httptest.Server {
	t.Helper()
	api := coinAPI(t)
	api.Onboard("alice")
	of := options(t, api.Handler)
	of.Development = nil
	of.Provider = &web.Provider{
		Issuer: p.URL, ClientID: "page", ClientSecret: "hush", Scopes: []string{"daml_ledger_api"},
		Audience: "the ledger", Client: p.Client(), Turn: p.turn,
	}
	return serve(t, of)
}

// turn counts turns, and refuses them if the test sets full.
func (p *provider) turn(context.Context) (release func(), err error) {
	if p.full != nil {
		return nil, p.full
	}
	p.turns.Add(1)
	p.calling.Add(1)
	return func() { p.calling.Add(-1) }, nil
}

// The page takes a turn for each call of the provider.
func TestProvider_LimitsConcurrentCalls(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	alice := window(t, nodeWith(t, p))
	alice.open("/wallet/provider").shows("Balance")
	require.EqualValues(t, 2, p.turns.Load())
	require.Zero(t, p.calling.Load())
	alice.press("/wallet/sign-out")
	p.full = context.DeadlineExceeded
	alice.open("/wallet/provider")
	require.GreaterOrEqual(t, alice.status, 500)
	require.EqualValues(t, 2, p.turns.Load())
}

func TestProvider_SignsIn(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	server := nodeWith(t, p)
	alice := window(t, server)
	alice.open("/wallet").shows("Sign in with 127.0.0.1", "Sign in with a token")
	alice.open("/wallet/provider").shows("Balance", "0 CC", "alice")
	require.Equal(t, "/wallet", alice.path)
	require.Equal(t, "openid daml_ledger_api", p.request.Get("scope"))
	require.Equal(t, "the ledger", p.request.Get("audience"))
	require.Equal(t, server.URL+"/wallet/provider/done", p.request.Get("redirect_uri"))
	alice.press("/wallet/tap", "amount", "1").shows("200 CC")
	alice.press("/wallet/sign-out").shows("Sign in with 127.0.0.1")
	alice.press("/wallet/sign-in", "token", token(t, "alice")).shows("200 CC")
	alice.press("/wallet/sign-out").open("/explorer/parties?as=alice").shows("Sign in to explore")
	require.Equal(t, "/explorer/parties?as=alice", alice.open(alice.linkOn("/wallet/provider?to=")).path)
}

// The answer must match the request of this browser, and is valid once.
func TestProvider_RefusesForeignAnswers(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	server := nodeWith(t, p)
	for name, spoil := range map[string]func(claims jwt.MapClaims){
		"another question's": func(claims jwt.MapClaims) { claims["nonce"] = "another" },
		"another client's":   func(claims jwt.MapClaims) { claims["aud"] = "another" },
		"another provider's": func(claims jwt.MapClaims) { claims["iss"] = "https://evil.example" },
		"over":               func(claims jwt.MapClaims) { claims["exp"] = time.Now().Add(-time.Hour).Unix() },
		"of another token":   func(claims jwt.MapClaims) { claims["at_hash"] = "bm8gaGFzaA" },
	} {
		p.spoil = spoil
		b := window(t, server)
		b.open("/wallet/provider").shows("did not answer as expected")
		require.Equal(t, http.StatusBadGateway, b.status, name)
		b.open("/wallet").shows("Open a wallet")
	}
	p.spoil = nil

	const elsewhere = "started in another browser, or too long ago"
	stranger := window(t, server)
	stranger.open("/wallet/provider/done?code=the+code&state=" + url.QueryEscape(p.request.Get("state"))).shows(elsewhere)
	alice := window(t, server)
	alice.open("/wallet/provider").shows("Balance")
	again := "/wallet/provider/done?code=the+code&state=" + url.QueryEscape(p.request.Get("state"))
	alice.press("/wallet/sign-out").open(again).shows(elsewhere)
	require.Equal(t, http.StatusBadRequest, alice.status)

	p.refuse = "<script>alert(1)</script> is not welcome"
	alice.open("/wallet/provider").shows("The sign-in provider refused: <script>alert(1)</script> is not welcome")
	require.NotContains(t, alice.text, "<script>alert")
	p.Close()
	other := newProvider(t)
	away := nodeWith(t, other)
	other.Close()
	window(t, away).open("/wallet/provider").shows("did not answer as expected")
}
