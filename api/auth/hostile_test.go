package auth_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger/fault"
)

// keyring is an issuer with a key of each kind, and one foreign key.
type keyring struct {
	rsa, stranger  *rsa.PrivateKey
	p256, p384     *ecdsa.PrivateKey
	ed             ed25519.PrivateKey
	publicPEM, set []byte
}

const theIssuer = "https://issuer.example"

func newKeyring(t *testing.T) *keyring {
	t.Helper()
	var k keyring
	var err error
	k.rsa, err = rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	k.stranger, err = rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	k.p256, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	k.p384, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	require.NoError(t, err)
	_, k.ed, err = ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	public, err := x509.MarshalPKIXPublicKey(k.rsa.Public())
	require.NoError(t, err)
	k.publicPEM = pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	encode := base64.RawURLEncoding.EncodeToString
	ec := func(id, curve string, key *ecdsa.PrivateKey) map[string]string {
		point, err := key.PublicKey.Bytes()
		require.NoError(t, err)
		size := (len(point) - 1) / 2
		return map[string]string{
			"kid": id, "kty": "EC", "crv": curve, "x": encode(point[1 : 1+size]), "y": encode(point[1+size:]),
		}
	}
	k.set, err = json.Marshal(map[string]any{"keys": []any{
		map[string]string{"kid": "rsa", "kty": "RSA", "n": encode(k.rsa.N.Bytes()), "e": "AQAB"},
		ec("p256", "P-256", k.p256), ec("p384", "P-384", k.p384),
		map[string]string{"kid": "ed", "kty": "OKP", "crv": "Ed25519", "x": encode(k.ed.Public().(ed25519.PublicKey))},
	}})
	require.NoError(t, err)
	return &k
}

// verifier trusts the keys in a file with this content.
func (k *keyring) verifier(t *testing.T, content []byte, change func(*auth.TrustedOptions)) *auth.TrustedIssuer {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	keys, err := auth.OpenFileKeys(path, clock, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	options := auth.TrustedOptions{
		Times: auth.Times{Now: clock, RequireExpiry: true, MaxLife: time.Hour}, Keys: keys, Issuer: theIssuer,
		Audience: auth.DefaultAudience, Scope: auth.DefaultScope, ParticipantID: "node::1220aa",
	}
	if change != nil {
		change(&options)
	}
	verifier, err := auth.NewTrusted(options)
	require.NoError(t, err)
	return verifier
}

// hostileClaims are valid claims with changes; a nil value removes the claim.
func hostileClaims(change map[string]any) map[string]any {
	claims := map[string]any{
		"sub": "alice", "iss": theIssuer, "aud": auth.DefaultAudience, "exp": now.Add(time.Minute).Unix(),
	}
	maps.Copy(claims, change)
	maps.DeleteFunc(claims, func(_ string, value any) bool { return value == nil })
	return claims
}

// forge makes a token from any header and claims, which may be texts; sign makes its last part.
func forge(t *testing.T, header, claims any, sign func(signed string) []byte) string {
	t.Helper()
	part := func(content any) string {
		if text, ok := content.(string); ok {
			return base64.RawURLEncoding.EncodeToString([]byte(text))
		}
		encoded, err := json.Marshal(content)
		require.NoError(t, err)
		return base64.RawURLEncoding.EncodeToString(encoded)
	}
	signed := part(header) + "." + part(claims)
	return signed + "." + base64.RawURLEncoding.EncodeToString(sign(signed))
}

func (k *keyring) rs256(t *testing.T, key *rsa.PrivateKey) func(string) []byte {
	t.Helper()
	return func(signed string) []byte {
		digest := sha256.Sum256([]byte(signed))
		signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
		require.NoError(t, err)
		return signature
	}
}

func hs256(secret []byte) func(string) []byte {
	return func(signed string) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(signed))
		return mac.Sum(nil)
	}
}

func none(string) []byte { return nil }

func TestTrusted_AcceptsEachAlgorithm(t *testing.T) {
	t.Parallel()
	k := newKeyring(t)
	signed := func(method jwt.SigningMethod, keyID string, key any) string {
		token := jwt.NewWithClaims(method, jwt.MapClaims(hostileClaims(nil)))
		if keyID != "" {
			token.Header["kid"] = keyID
		}
		text, err := token.SignedString(key)
		require.NoError(t, err)
		return text
	}
	set, inPEM := k.verifier(t, k.set, nil), k.verifier(t, k.publicPEM, nil)
	for name, test := range map[string]struct {
		verifier *auth.TrustedIssuer
		token    string
	}{
		"RS256":                    {set, signed(jwt.SigningMethodRS256, "rsa", k.rsa)},
		"ES256":                    {set, signed(jwt.SigningMethodES256, "p256", k.p256)},
		"ES384":                    {set, signed(jwt.SigningMethodES384, "p384", k.p384)},
		"EdDSA":                    {set, signed(jwt.SigningMethodEdDSA, "ed", k.ed)},
		"PEM, no key id":           {inPEM, signed(jwt.SigningMethodRS256, "", k.rsa)},
		"PEM, whatever key id":     {inPEM, signed(jwt.SigningMethodRS256, "other", k.rsa)},
		"a document with a key id": {set, forge(t, `{"alg":"RS256","kid":"rsa"}`, hostileClaims(nil), k.rs256(t, k.rsa))},
		"a scope without an audience": {set, forge(t, `{"alg":"RS256","kid":"rsa"}`,
			hostileClaims(map[string]any{"aud": nil, "scope": auth.DefaultScope}), k.rs256(t, k.rsa))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gone, leave := context.WithCancel(t.Context())
			leave()
			_, err := test.verifier.Verify(gone, test.token)
			require.True(t, unverified(err), "%v", err)
			verified, err := test.verifier.Verify(t.Context(), test.token)
			require.NoError(t, err)
			require.Equal(t, "alice", verified.UserID)
			_, err = test.verifier.Verify(gone, test.token)
			require.NoError(t, err, "its signature was verified before")
		})
	}
}

func TestTrusted_RefusesHostileTokens(t *testing.T) {
	t.Parallel()
	k := newKeyring(t)
	rs, evil := k.rs256(t, k.rsa), k.rs256(t, k.stranger)
	head := map[string]any{"alg": "RS256", "kid": "rsa", "typ": "JWT"}
	with := func(key string, value any) map[string]any {
		changed := maps.Clone(head)
		changed[key] = value
		return changed
	}
	claims := func(key string, value any) map[string]any { return hostileClaims(map[string]any{key: value}) }
	good := forge(t, head, hostileClaims(nil), rs)
	parts := strings.Split(good, ".")
	encode := base64.RawURLEncoding.EncodeToString
	embedded := map[string]string{
		"kty": "RSA", "n": encode(k.stranger.N.Bytes()), "e": "AQAB", "kid": "rsa",
	}
	signedWith := func(method jwt.SigningMethod, keyID string, key any) string {
		token := jwt.NewWithClaims(method, jwt.MapClaims(hostileClaims(nil)))
		token.Header["kid"] = keyID
		text, err := token.SignedString(key)
		require.NoError(t, err)
		return text
	}
	encoded, err := json.Marshal(hostileClaims(nil))
	require.NoError(t, err)
	whole := string(encoded)
	hostile := map[string]string{
		// Algorithms.
		"alg none, no signature":             forge(t, with("alg", "none"), hostileClaims(nil), none),
		"alg None":                           forge(t, with("alg", "None"), hostileClaims(nil), none),
		"alg NONE":                           forge(t, with("alg", "NONE"), hostileClaims(nil), none),
		"alg nOnE":                           forge(t, with("alg", "nOnE"), hostileClaims(nil), none),
		"alg none with a signature":          forge(t, with("alg", "none"), hostileClaims(nil), rs),
		"alg empty":                          forge(t, with("alg", ""), hostileClaims(nil), rs),
		"alg a number":                       forge(t, with("alg", 256), hostileClaims(nil), rs),
		"alg null":                           forge(t, with("alg", nil), hostileClaims(nil), rs),
		"alg a list":                         forge(t, with("alg", []string{"RS256", "none"}), hostileClaims(nil), rs),
		"alg missing":                        forge(t, `{"kid":"rsa"}`, hostileClaims(nil), rs),
		"alg in lower case":                  forge(t, with("alg", "rs256"), hostileClaims(nil), rs),
		"HS256 with the public key in PEM":   forge(t, with("alg", "HS256"), hostileClaims(nil), hs256(k.publicPEM)),
		"HS256 with the modulus":             forge(t, with("alg", "HS256"), hostileClaims(nil), hs256(k.rsa.N.Bytes())),
		"HS256 with the key document":        forge(t, with("alg", "HS256"), hostileClaims(nil), hs256(k.set)),
		"HS256 with no secret":               forge(t, with("alg", "HS256"), hostileClaims(nil), hs256(nil)),
		"HS256 with the development secret":  forge(t, with("alg", "HS256"), hostileClaims(nil), hs256([]byte("unsafe"))),
		"HS384":                              forge(t, with("alg", "HS384"), hostileClaims(nil), hs256(k.publicPEM)),
		"HS512":                              forge(t, with("alg", "HS512"), hostileClaims(nil), hs256(k.publicPEM)),
		"RS384":                              signedWith(jwt.SigningMethodRS384, "rsa", k.rsa),
		"RS512":                              signedWith(jwt.SigningMethodRS512, "rsa", k.rsa),
		"PS256":                              signedWith(jwt.SigningMethodPS256, "rsa", k.rsa),
		"ES256 with the RSA key's id":        signedWith(jwt.SigningMethodES256, "rsa", k.p256),
		"ES256 with the id of the P-384 key": signedWith(jwt.SigningMethodES256, "p384", k.p256),
		"EdDSA with the RSA key's id":        signedWith(jwt.SigningMethodEdDSA, "rsa", k.ed),
		"RS256 with the id of the EC key":    forge(t, with("kid", "p256"), hostileClaims(nil), rs),
		"ES256 with a signature of zeros":    forge(t, `{"alg":"ES256","kid":"p256"}`, hostileClaims(nil), zeros(64)),
		"EdDSA with a signature of zeros":    forge(t, `{"alg":"EdDSA","kid":"ed"}`, hostileClaims(nil), zeros(64)),
		"an algorithm that nobody knows":     forge(t, with("alg", "XX256"), hostileClaims(nil), rs),
		// Keys of the attacker.
		"another key":                forge(t, head, hostileClaims(nil), evil),
		"an embedded key":            forge(t, with("jwk", embedded), hostileClaims(nil), evil),
		"the place of another key":   forge(t, with("jku", "http://127.0.0.1:1/keys"), hostileClaims(nil), evil),
		"an embedded certificate":    forge(t, with("x5c", []string{"MIIB"}), hostileClaims(nil), evil),
		"the place of a certificate": forge(t, with("x5u", "https://evil.example/c"), hostileClaims(nil), evil),
		"an unknown key id":          forge(t, with("kid", "other"), hostileClaims(nil), rs),
		"a key id that is a path":    forge(t, with("kid", "../../../../dev/null"), hostileClaims(nil), hs256(nil)),
		"a key id that is SQL":       forge(t, with("kid", "x' UNION SELECT 'key"), hostileClaims(nil), rs),
		"a key id that is a number":  forge(t, with("kid", 7), hostileClaims(nil), rs),
		"a key id that is a list":    forge(t, with("kid", []string{"rsa"}), hostileClaims(nil), rs),
		"no key id where keys have":  forge(t, `{"alg":"RS256"}`, hostileClaims(nil), rs),
		"an unknown critical header": forge(t, with("crit", []string{"exp2"}), hostileClaims(nil), rs),
		"an empty critical header":   forge(t, with("crit", []string{}), hostileClaims(nil), rs),
		"an unencoded payload (b64)": forge(t,
			`{"alg":"RS256","kid":"rsa","b64":false,"crit":["b64"]}`, hostileClaims(nil), rs),
		// Forms.
		"nothing":                     "",
		"a blank":                     " ",
		"one dot":                     ".",
		"two dots":                    "..",
		"two parts":                   parts[0] + "." + parts[1],
		"four parts":                  good + "." + parts[2],
		"five parts, as if encrypted": good + ".a.b",
		"very many dots":              strings.Repeat(".", 10_000),
		"a million dots":              strings.Repeat(".", 1_000_000),
		"no signature":                parts[0] + "." + parts[1] + ".",
		"half a signature":            good[:len(good)-40],
		"a changed signature":         flip(good, len(good)-20),
		"changed claims":              parts[0] + "." + flip(parts[1], 10) + "." + parts[2],
		"another token's claims": parts[0] + "." +
			strings.Split(forge(t, head, claims("sub", "root"), evil), ".")[1] + "." + parts[2],
		"padded parts":                 parts[0] + "=." + parts[1] + "." + parts[2],
		"the alphabet of plain base64": strings.Repeat("+/", 10) + "." + parts[1] + "." + parts[2],
		"a line break within":          parts[0] + ".\n" + parts[1] + "." + parts[2],
		"a null byte behind":           good + "\x00",
		"a header that is no JSON":     forge(t, "header", hostileClaims(nil), rs),
		"a header that is a list":      forge(t, `["RS256"]`, hostileClaims(nil), rs),
		"claims that are no JSON":      forge(t, head, "claims", rs),
		"claims that are a list":       forge(t, head, `[]`, rs),
		"claims that are null":         forge(t, head, `null`, rs),
		"claims of great depth":        forge(t, head, strings.Repeat(`{"a":`, 20_000)+"1"+strings.Repeat("}", 20_000), rs),
		"huge claims":                  forge(t, head, claims("pad", strings.Repeat("x", 1<<20)), rs),
		"a huge header":                forge(t, with("pad", strings.Repeat("x", 1<<20)), hostileClaims(nil), rs),
		"text behind the claims":       forge(t, head, `{"sub":"alice"}{"sub":"root"}`, rs),
		// Claims.
		"another audience":              forge(t, head, claims("aud", "https://other.example"), rs),
		"an audience that begins so":    forge(t, head, claims("aud", auth.DefaultAudience+".evil.example"), rs),
		"an audience in upper case":     forge(t, head, claims("aud", strings.ToUpper(auth.DefaultAudience)), rs),
		"no audience":                   forge(t, head, claims("aud", nil), rs),
		"an audience of numbers":        forge(t, head, claims("aud", []int{1}), rs),
		"an audience that is an object": forge(t, head, claims("aud", map[string]string{"a": auth.DefaultAudience}), rs),
		"another issuer":                forge(t, head, claims("iss", "https://evil.example"), rs),
		"no issuer":                     forge(t, head, claims("iss", nil), rs),
		"an issuer that begins so":      forge(t, head, claims("iss", theIssuer+"/"), rs),
		"an issuer that is a list":      forge(t, head, claims("iss", []string{theIssuer}), rs),
		"no subject":                    forge(t, head, claims("sub", nil), rs),
		"a subject that is a number":    forge(t, head, claims("sub", 7), rs),
		"a subject that is an object":   forge(t, head, claims("sub", map[string]string{}), rs),
		"a subject in other letters":    forge(t, head, strings.Replace(whole, `"sub"`, `"Sub"`, 1), rs),
		"an audience in other letters":  forge(t, head, strings.Replace(whole, `"aud"`, `"AUD"`, 1), rs),
		"an issuer in other letters":    forge(t, head, strings.Replace(whole, `"iss"`, `"Iss"`, 1), rs),
		"an expiry in other letters":    forge(t, head, strings.Replace(whole, `"exp"`, `"eXp"`, 1), rs),
		"expired":                       forge(t, head, claims("exp", now.Unix()), rs),
		"no expiry":                     forge(t, head, claims("exp", nil), rs),
		"an expiry far ahead":           forge(t, head, claims("exp", now.Add(2*time.Hour).Unix()), rs),
		"an expiry in milliseconds":     forge(t, head, claims("exp", now.Add(time.Minute).UnixMilli()), rs),
		"an expiry beyond all bounds":   forge(t, head, claims("exp", json.RawMessage("1e308")), rs),
		"an expiry that is text":        forge(t, head, claims("exp", "tomorrow"), rs),
		"an expiry below zero":          forge(t, head, claims("exp", -1), rs),
		"not valid yet":                 forge(t, head, claims("nbf", now.Add(time.Second).Unix()), rs),
		"issued in the future":          forge(t, head, claims("iat", now.Add(time.Second).Unix()), rs),
		"not valid before 10^19":        forge(t, head, claims("nbf", json.RawMessage("1e19")), rs),
		"not valid before 10^300":       forge(t, head, claims("nbf", json.RawMessage("1e300")), rs),
		"expired before the year 1":     forge(t, head, claims("exp", json.RawMessage("-1e19")), rs),
		"issued at 10^19":               forge(t, head, claims("iat", json.RawMessage("10000000000000000000")), rs),
		"issued in the year 10000":      forge(t, head, claims("iat", json.RawMessage("253402300800")), rs),
		"for another participant": forge(t, head,
			claims("aud", "https://daml.com/jwt/aud/participant/other::1220bb"), rs),
		"a scope that contains the right one": forge(t, head,
			hostileClaims(map[string]any{"aud": nil, "scope": "not_daml_ledger_api"}), rs),
	}
	require.GreaterOrEqual(t, len(hostile), 60)
	verifier := k.verifier(t, k.set, nil)
	_, err = verifier.Verify(t.Context(), good)
	require.NoError(t, err, "the token that the others are made of is good")
	for name, token := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			verified, err := verifier.Verify(t.Context(), token)
			refusal, ok := fault.As(err)
			require.True(t, ok, "%v", err)
			require.Contains(t, []string{"UNAUTHENTICATED", "PERMISSION_DENIED"}, refusal.Code)
			require.Empty(t, verified)
			require.NotContains(t, refusal.Cause, "alice", "clients learn nothing")
		})
	}
}

// An issuer may let its users choose names of claims, except those with a meaning.
func TestTrusted_IgnoresClaimsInOtherCase(t *testing.T) {
	t.Parallel()
	k := newKeyring(t)
	encoded, err := json.Marshal(hostileClaims(nil))
	require.NoError(t, err)
	behind := strings.TrimSuffix(string(encoded), "}") +
		`,"Sub":"root","SUB":"root","Iss":"https://evil.example","Aud":"x","EXP":1,"Nbf":9999999999}`
	verified, err := k.verifier(t, k.set, nil).Verify(t.Context(),
		forge(t, `{"alg":"RS256","kid":"rsa"}`, behind, k.rs256(t, k.rsa)))
	require.NoError(t, err)
	require.Equal(t, "alice", verified.UserID)
	require.Equal(t, theIssuer, verified.Issuer)
}

func zeros(n int) func(string) []byte { return func(string) []byte { return make([]byte, n) } }

// flip replaces one character of a token by another of the alphabet.
func flip(token string, at int) string {
	with := byte('A')
	if token[at] == with {
		with = 'B'
	}
	return token[:at] + string(with) + token[at+1:]
}

func TestTrusted_AllowsClockLeeway(t *testing.T) {
	t.Parallel()
	k := newKeyring(t)
	lenient := k.verifier(t, k.set, func(options *auth.TrustedOptions) { options.Leeway = 10 * time.Second })
	head := `{"alg":"RS256","kid":"rsa"}`
	for name, test := range map[string]struct {
		claim string
		at    time.Duration
		good  bool
	}{
		"expired within it":     {"exp", -9 * time.Second, true},
		"expired beyond it":     {"exp", -11 * time.Second, false},
		"valid soon":            {"nbf", 9 * time.Second, true},
		"valid later":           {"nbf", 11 * time.Second, false},
		"issued a moment ahead": {"iat", 9 * time.Second, true},
		"issued far ahead":      {"iat", 11 * time.Second, false},
		"at the longest life":   {"exp", time.Hour + 10*time.Second, true},
		"beyond it":             {"exp", time.Hour + 11*time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			claims := hostileClaims(map[string]any{test.claim: now.Add(test.at).Unix()})
			_, err := lenient.Verify(t.Context(), forge(t, head, claims, k.rs256(t, k.rsa)))
			require.Equal(t, test.good, err == nil, "%v", err)
		})
	}
}

func TestFileKeys_ReloadChangedFile(t *testing.T) {
	t.Parallel()
	k := newKeyring(t)
	path := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, os.WriteFile(path, k.set, 0o600))
	at := now
	keys, err := auth.OpenFileKeys(path, func() time.Time { return at }, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	_, err = keys.KeyFor(t.Context(), "new")
	require.ErrorContains(t, err, `"new"`)

	renamed := strings.ReplaceAll(string(k.set), `"rsa"`, `"new"`)
	require.NoError(t, os.WriteFile(path, []byte(renamed+" "), 0o600))
	at = at.Add(time.Minute)
	_, err = keys.KeyFor(t.Context(), "new")
	require.NoError(t, err)

	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	at = at.Add(time.Minute)
	_, err = keys.KeyFor(t.Context(), "new")
	require.NoError(t, err, "a file that cannot be read takes no key away")
}

func TestFileKeys_RefuseInvalidFiles(t *testing.T) {
	t.Parallel()
	private := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte{1}})
	for name, test := range map[string]struct{ content, reason string }{
		"empty":                {"", "neither a JSON Web Key Set nor"},
		"some text":            {"hello", "neither a JSON Web Key Set nor"},
		"an empty set":         {`{"keys":[]}`, "no usable key"},
		"a private key":        {string(private), `"PRIVATE KEY" is neither`},
		"a broken public key":  {"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "PUBLIC KEY"},
		"far too large a file": {strings.Repeat("x", 600_000), "512 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "keys")
			require.NoError(t, os.WriteFile(path, []byte(test.content), 0o600))
			_, err := auth.OpenFileKeys(path, clock, slog.New(slog.DiscardHandler))
			require.ErrorContains(t, err, test.reason)
		})
	}
	_, err := auth.OpenFileKeys("/nowhere/keys", clock, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "/nowhere/keys")
}

func TestCheckKeyURL_AcceptsOnlyHTTPSAndLocalhost(t *testing.T) {
	t.Parallel()
	for place, good := range map[string]bool{
		"https://idp.example/keys": true, "http://localhost:8080/keys": true, "http://127.0.0.1/keys": true,
		"http://[::1]:80/keys": true, "http://idp.example/keys": false, "http://localhost.evil.example/": false,
		"http://127.0.0.1.evil.example/": false, "ftp://127.0.0.1/keys": false, "file:///etc/keys": false, "": false,
		"://": false, "http://10.0.0.1/keys": false,
	} {
		require.Equal(t, good, auth.CheckKeyURL(place) == nil, place)
	}
	_, err := auth.NewRemoteKeys(nil, clock).FetchKey(t.Context(), "http://idp.example/keys", "rsa")
	require.ErrorContains(t, err, "neither https nor on this machine")
}
