package api_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// change is a way to remove rights of a user.
type change struct {
	name, method, path string
	body               any
	// status is the answer to the user's next request.
	status int
}

// waysToLoseRights are all ways to remove the right to read as alice.
func waysToLoseRights(user string, alice ledger.Party) []change {
	path := "/v2/users/" + user
	return []change{
		{"revoked", http.MethodPatch, path + "/rights", object{"userId": user, "rights": rightOf(alice)}, 403},
		{"deactivated", http.MethodPatch, path, object{
			"user": object{"id": user, "isDeactivated": true}, "updateMask": object{"paths": []string{"is_deactivated"}},
		}, 403},
		{"moved to another identity provider", http.MethodPatch, path + "/identity-provider-id", object{
			"userId": user, "sourceIdentityProviderId": "", "targetIdentityProviderId": "acme",
		}, 403},
		{"deleted", http.MethodDelete, path, nil, 403},
	}
}

func eager() apitest.Options {
	return apitest.Options{Settings: ledgerapi.Settings{
		ListWait: time.Millisecond, CheckpointInterval: 10 * time.Millisecond,
	}}
}

// Users lose rights while their requests and streams run, on the node with the change and on another one of the same
// database.
func TestRevocation_TakesEffectWithNextRequest(t *testing.T) {
	t.Parallel()
	database := dbtest.URL(t)
	node := func() *apitest.Server {
		options := eager()
		options.DB = dbtest.Open(t, database)
		return apitest.New(t, options)
	}
	first, other := node(), node()
	first.IdentityProvider("acme")
	alice := first.Party("alice")
	first.ActingAs("alice", alice)
	first.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", commandsOf(alice)).OK(nil)
	query := object{"parties": []ledger.Party{alice}}
	for i, name := range []string{"revoked", "deactivated", "moved", "deleted"} {
		user := "reader-" + name
		first.Rights(user, ledger.Right{Kind: ledger.CanReadAs, Party: alice})
		way := waysToLoseRights(user, alice)[i]
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			first, other := first.In(t), other.In(t)
			ask := func(s *apitest.Server) int {
				return s.Call(user, http.MethodPost, "/v2/commands/completions", query).Status
			}
			require.Equal(t, http.StatusOK, ask(first))
			require.Equal(t, http.StatusOK, ask(other))
			streams := []*apitest.Stream{
				first.Open(user, "/v2/commands/completions", query), other.Open(user, "/v2/commands/completions", query),
			}
			for _, stream := range streams {
				require.Contains(t, string(stream.Next()), "OffsetCheckpoint", "the stream is under way")
			}
			first.Call(apitest.Admin, way.method, way.path, way.body).OK(nil)
			require.Equal(t, way.status, ask(first), "the very next request on the first node")
			other.Eventually(func() bool { return ask(other) == way.status })
			for _, stream := range streams {
				require.Equal(t, "STALE_STREAM_AUTHORIZATION", failureOf(t, stream).Code)
			}
		})
	}
}

// failureOf reads a stream up to its error.
func failureOf(t *testing.T, stream *apitest.Stream) v2.JsCantonError {
	t.Helper()
	for {
		frame := stream.Next()
		if strings.Contains(string(frame), "OffsetCheckpoint") {
			continue
		}
		var failure v2.JsCantonError
		require.NoError(t, json.Unmarshal(frame, &failure))
		stream.Ended()
		return failure
	}
}

func TestGrant_TakesEffectWithNextRequest(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, eager())
	alice := s.Party("alice")
	s.Rights("reader")
	query := object{"parties": []ledger.Party{alice}}
	s.Call("reader", http.MethodPost, "/v2/commands/completions", query).Refused(http.StatusForbidden, "NA")
	s.Call(apitest.Admin, http.MethodPost, "/v2/users/reader/rights",
		object{"userId": "reader", "rights": rightOf(alice)}).OK(nil)
	s.Call("reader", http.MethodPost, "/v2/commands/completions", query).OK(nil)
}

// provider is an identity provider that serves its Ed25519 keys. The API configures it.
type provider struct {
	t        *testing.T
	issuer   string
	server   *httptest.Server
	keys     map[string]ed25519.PrivateKey
	document atomic.Pointer[[]byte]
}

func newProvider(t *testing.T, issuer string) *provider {
	t.Helper()
	p := &provider{t: t, issuer: issuer, keys: map[string]ed25519.PrivateKey{}}
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(*p.document.Load())
	}))
	t.Cleanup(p.server.Close)
	return p
}

// show sets the public keys of the provider.
func (p *provider) show(names ...string) {
	p.t.Helper()
	keys := []object{}
	for _, name := range names {
		if p.keys[name] == nil {
			_, key, err := ed25519.GenerateKey(rand.Reader)
			require.NoError(p.t, err)
			p.keys[name] = key
		}
		public, ok := p.keys[name].Public().(ed25519.PublicKey)
		require.True(p.t, ok)
		keys = append(keys, object{
			"kid": name, "kty": "OKP", "crv": "Ed25519", "x": base64.RawURLEncoding.EncodeToString(public),
		})
	}
	document, err := json.Marshal(object{"keys": keys})
	require.NoError(p.t, err)
	p.document.Store(&document)
}

// token makes a token with the key, and with the usual claims except the given ones.
func (p *provider) token(key string, change jwt.MapClaims) string {
	p.t.Helper()
	claims := jwt.MapClaims{
		"sub": "alice", "iss": p.issuer, "aud": "ledger", "exp": time.Now().Add(time.Minute).Unix(),
	}
	maps.Copy(claims, change)
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims)
	token.Header["kid"] = key
	signed, err := token.SignedString(p.keys[key])
	require.NoError(p.t, err)
	return signed
}

func (p *provider) config(change object) object {
	config := object{
		"identityProviderId": "acme", "issuer": p.issuer, "jwksUrl": p.server.URL, "audience": "ledger",
		"isDeactivated": false,
	}
	maps.Copy(config, change)
	return config
}

// The test sends tokens of the provider after each change of its configuration.
func TestIdentityProvider_LifecycleOverTheAPI(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, eager())
	acme, rival := newProvider(t, "https://acme.example"), newProvider(t, "https://rival.example")
	acme.show("first")
	rival.show("first")
	ask := func(token string) int {
		header := http.Header{"Authorization": {"Bearer " + token}}
		return s.Send(http.MethodGet, "/v2/authenticated-user", header, nil).Status
	}
	update := func(change object, paths ...string) {
		t.Helper()
		s.Call(apitest.Admin, http.MethodPatch, "/v2/idps/acme", object{
			"identityProviderConfig": acme.config(change), "updateMask": object{"paths": paths},
		}).OK(nil)
	}
	require.Equal(t, http.StatusUnauthorized, ask(acme.token("first", nil)), "nobody knows the issuer")
	s.Call(apitest.Admin, http.MethodPost, "/v2/idps", object{"identityProviderConfig": acme.config(nil)}).OK(nil)
	require.Equal(t, http.StatusForbidden, ask(acme.token("first", nil)), "the issuer is known, its user is not")
	s.Call(apitest.Admin, http.MethodPost, "/v2/users", `{"user":{"id":"alice","identityProviderId":"acme"}}`).OK(nil)
	require.Equal(t, http.StatusOK, ask(acme.token("first", nil)))

	for name, claims := range map[string]jwt.MapClaims{
		"another audience": {"aud": "other"}, "no audience": {"aud": []string{}}, "another issuer": {"iss": "https://x"},
		"no issuer": {"iss": ""}, "a time that is over": {"exp": time.Now().Add(-time.Minute).Unix()},
	} {
		require.Equal(t, http.StatusUnauthorized, ask(acme.token("first", claims)), name)
	}
	forged := rival.token("first", jwt.MapClaims{"iss": "https://acme.example"})
	require.Equal(t, http.StatusUnauthorized, ask(forged), "the key of somebody else")

	acme.show("first", "second")
	require.Equal(t, http.StatusOK, ask(acme.token("second", nil)), "a new key counts at once")
	require.Equal(t, http.StatusOK, ask(acme.token("first", nil)))
	update(object{"audience": "elsewhere"}, "audience")
	require.Equal(t, http.StatusUnauthorized, ask(acme.token("first", nil)))
	require.Equal(t, http.StatusOK, ask(acme.token("first", jwt.MapClaims{"aud": "elsewhere"})))
	update(object{"audience": "ledger"}, "audience")
	update(object{"issuer": "https://rival.example", "jwksUrl": rival.server.URL}, "issuer", "jwks_url")
	require.Equal(t, http.StatusUnauthorized, ask(acme.token("first", nil)))
	require.Equal(t, http.StatusOK, ask(rival.token("first", nil)), "the users stay with another issuer")
	update(object{"isDeactivated": true}, "is_deactivated")
	require.Equal(t, http.StatusUnauthorized, ask(rival.token("first", nil)))
	update(nil, "is_deactivated")
	require.Equal(t, http.StatusOK, ask(rival.token("first", nil)))

	s.Call(apitest.Admin, http.MethodPatch, "/v2/users/alice/identity-provider-id", object{
		"userId": "alice", "sourceIdentityProviderId": "acme", "targetIdentityProviderId": "",
	}).OK(nil)
	require.Equal(t, http.StatusForbidden, ask(rival.token("first", nil)), "alice belongs to the default one now")
	require.Equal(t, http.StatusOK, ask(apitest.Token(t, "alice")))
	s.Call(apitest.Admin, http.MethodDelete, "/v2/idps/acme", nil).OK(nil)
	require.Equal(t, http.StatusUnauthorized, ask(rival.token("first", nil)))
}

func TestIdentityProvider_RefusesUntrustedKeyURL(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	for i, place := range []string{
		"http://idp.example/jwks", "http://169.254.169.254/latest", "http://10.0.0.1/jwks", "ftp://idp.example/jwks",
		"file:///etc/passwd", "http://127.0.0.1.example/jwks", "http://localhost.example/jwks", "//idp.example",
	} {
		answer := s.Call(apitest.Admin, http.MethodPost, "/v2/idps", object{"identityProviderConfig": object{
			"identityProviderId": fmt.Sprintf("idp-%d", i), "issuer": place, "jwksUrl": place,
		}})
		answer.Refused(http.StatusBadRequest, "INVALID_FIELD")
	}
	for i, place := range []string{
		"https://idp.example/jwks", "http://127.0.0.1:1/jwks", "http://[::1]:1/", "http://localhost/",
	} {
		s.Call(apitest.Admin, http.MethodPost, "/v2/idps", object{"identityProviderConfig": object{
			"identityProviderId": fmt.Sprintf("good-%d", i), "issuer": place, "jwksUrl": place,
		}}).OK(nil)
	}
}
