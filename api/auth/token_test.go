package auth_test

import (
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger/fault"
)

var now = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

func clock() time.Time { return now }

func newVerifier(t *testing.T, change func(*auth.HS256Options)) *auth.HS256 {
	t.Helper()
	options := auth.HS256Options{Secret: auth.DefaultSecret, Audience: auth.DefaultAudience, Times: auth.Times{Now: clock}}
	if change != nil {
		change(&options)
	}
	verifier, err := auth.NewHS256(options)
	require.NoError(t, err)
	return verifier
}

func sign(t *testing.T, method jwt.SigningMethod, key any, claims jwt.MapClaims) string {
	t.Helper()
	token, err := jwt.NewWithClaims(method, claims).SignedString(key)
	require.NoError(t, err)
	return token
}

// contract: auth-bearer
func TestHS256_AcceptsValidTokens(t *testing.T) {
	t.Parallel()
	for name, claims := range map[string]jwt.MapClaims{
		"sub and aud only, as LocalNet's scripts make them": {"sub": "alice", "aud": auth.DefaultAudience},
		"the audience among others": {
			"sub": "alice", "aud": []string{"https://other.example", auth.DefaultAudience},
		},
		"not yet expired": {"sub": "alice", "aud": auth.DefaultAudience, "exp": now.Add(time.Second).Unix()},
		"just valid":      {"sub": "alice", "aud": auth.DefaultAudience, "nbf": now.Unix(), "iat": now.Unix()},
		"an empty scope":  {"sub": "alice", "aud": auth.DefaultAudience, "scope": "", "iss": "unsafe-auth"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			token := sign(t, jwt.SigningMethodHS256, []byte(auth.DefaultSecret), claims)
			verified, err := newVerifier(t, nil).Verify(t.Context(), token)
			require.NoError(t, err)
			require.Equal(t, "alice", verified.UserID)
		})
	}
}

func TestHS256_RefusesInvalidTokens(t *testing.T) {
	t.Parallel()
	good := func(change jwt.MapClaims) jwt.MapClaims {
		claims := jwt.MapClaims{"sub": "alice", "aud": auth.DefaultAudience}
		maps.Copy(claims, change)
		return claims
	}
	secret := []byte(auth.DefaultSecret)
	noSubject := jwt.MapClaims{"aud": auth.DefaultAudience}
	for name, token := range map[string]string{
		"no token at all":        "",
		"not a token":            "a.b",
		"another secret":         sign(t, jwt.SigningMethodHS256, []byte("other"), good(nil)),
		"another algorithm":      sign(t, jwt.SigningMethodHS512, secret, good(nil)),
		"no signature":           sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, good(nil)),
		"expired":                sign(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"exp": now.Unix()})),
		"not valid yet":          sign(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"nbf": now.Unix() + 1})),
		"issued in the future":   sign(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"iat": now.Unix() + 1})),
		"another audience":       sign(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"aud": "x"})),
		"no audience":            sign(t, jwt.SigningMethodHS256, secret, jwt.MapClaims{"sub": "alice"}),
		"no subject":             sign(t, jwt.SigningMethodHS256, secret, noSubject),
		"a subject of odd type":  sign(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"sub": 7})),
		"an expiry of odd type":  sign(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"exp": "soon"})),
		"an audience of numbers": sign(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"aud": []int{1}})),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newVerifier(t, nil).Verify(t.Context(), token)
			require.True(t, fault.Unauthenticated.Matches(err), "%v", err)
			refusal, _ := fault.As(err)
			require.Error(t, refusal.Unwrap(), "the log has the reason")
		})
	}
}

func TestHS256_RequiresExpiryWhenConfigured(t *testing.T) {
	t.Parallel()
	verifier := newVerifier(t, func(options *auth.HS256Options) { options.RequireExpiry = true })
	forever, err := auth.Mint(auth.DefaultSecret, auth.DefaultAudience, "alice", 0, now)
	require.NoError(t, err)
	_, err = verifier.Verify(t.Context(), forever)
	require.True(t, fault.Unauthenticated.Matches(err), "%v", err)

	short, err := auth.Mint(auth.DefaultSecret, auth.DefaultAudience, "alice", time.Minute, now)
	require.NoError(t, err)
	verified, err := verifier.Verify(t.Context(), short)
	require.NoError(t, err)
	require.Equal(t, now.Add(time.Minute), verified.ExpiresAt.UTC())
}

func TestNewHS256_RefusesMissingOptions(t *testing.T) {
	t.Parallel()
	for want, options := range map[string]auth.HS256Options{
		"secret":   {Audience: "a", Times: auth.Times{Now: clock}},
		"audience": {Secret: "s", Times: auth.Times{Now: clock}},
		"clock":    {Secret: "s", Audience: "a"},
	} {
		_, err := auth.NewHS256(options)
		require.ErrorContains(t, err, want)
	}
}

// contract: auth-websocket
func TestTokenFrom_ReadsHeaderAndSubprotocol(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		header http.Header
		want   string
	}{
		"nowhere":                  {http.Header{}, ""},
		"authorization":            {http.Header{"Authorization": {"Bearer abc"}}, "abc"},
		"any case and more blanks": {http.Header{"Authorization": {"bearer   abc "}}, "abc"},
		"another scheme":           {http.Header{"Authorization": {"Basic abc"}}, ""},
		"websocket protocol":       {http.Header{"Sec-Websocket-Protocol": {"jwt.token.abc,daml.ws.auth"}}, "abc"},
		"websocket after a blank":  {http.Header{"Sec-Websocket-Protocol": {"daml.ws.auth, jwt.token.abc"}}, "abc"},
		"websocket on a line of its own": {
			http.Header{"Sec-Websocket-Protocol": {"daml.ws.auth", "jwt.token.abc"}}, "abc",
		},
		"websocket with the bare token": {
			http.Header{"Sec-Websocket-Protocol": {"daml.ws.auth, eyJh.eyJz.c2ln"}}, "eyJh.eyJz.c2ln",
		},
		"websocket without token": {http.Header{"Sec-Websocket-Protocol": {"jwt.token., daml.ws.auth"}}, ""},
		"authorization wins": {
			http.Header{"Authorization": {"Bearer one"}, "Sec-Websocket-Protocol": {"jwt.token.two"}}, "one",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			token, err := auth.TokenFrom(test.header)
			require.NoError(t, err)
			require.Equal(t, test.want, token)
		})
	}
	t.Run("nothing after bearer", func(t *testing.T) {
		t.Parallel()
		_, err := auth.TokenFrom(http.Header{"Authorization": {"Bearer "}})
		require.ErrorIs(t, err, auth.ErrEmptyBearer)
	})
	for name, headers := range map[string][]string{
		"two tokens": {"Bearer one", "Bearer two"}, "the same twice": {"Bearer one", "Bearer one"},
		"another scheme first": {"Basic x", "Bearer one"}, "nothing first": {"", "Bearer one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			token, err := auth.TokenFrom(http.Header{"Authorization": headers})
			require.ErrorIs(t, err, auth.ErrTwoAuthorizations)
			require.Empty(t, token)
		})
	}
}
