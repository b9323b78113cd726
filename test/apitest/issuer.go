package apitest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger"
)

// issuerAudience is the audience of the tokens of identity providers in tests.
const issuerAudience = "ledger"

// Issuer is an identity provider of a test node: it signs tokens, and serves its public key over HTTP.
type Issuer struct {
	server *Server
	url    string
	key    *ecdsa.PrivateKey
}

// IdentityProvider configures an identity provider with an issuer, which runs until the test ends.
func (s *Server) IdentityProvider(id string) *Issuer {
	s.tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(s.tb, err)
	point, err := key.PublicKey.Bytes()
	require.NoError(s.tb, err)
	half := (len(point) - 1) / 2
	keySet := fmt.Sprintf(`{"keys":[{"kid":"key","kty":"EC","crv":"P-256","x":%q,"y":%q}]}`,
		base64.RawURLEncoding.EncodeToString(point[1:1+half]), base64.RawURLEncoding.EncodeToString(point[1+half:]))
	jwks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(keySet))
	}))
	s.tb.Cleanup(jwks.Close)
	issuer := &Issuer{server: s, url: "https://" + id + ".example", key: key}
	require.NoError(s.tb, s.DB.CreateIdentityProvider(s.tb.Context(), ledger.IdentityProvider{
		ID: id, Issuer: issuer.url, JWKSURL: jwks.URL, Audience: issuerAudience,
	}))
	s.issuers.UserChanged("")
	return issuer
}

// Token is a token of the user, signed by the issuer.
func (i *Issuer) Token(userID string) string {
	i.server.tb.Helper()
	token := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.MapClaims{
		"sub": userID, "iss": i.url, "aud": issuerAudience, "exp": now().Add(time.Minute).Unix(),
	})
	token.Header["kid"] = "key"
	signed, err := token.SignedString(i.key)
	require.NoError(i.server.tb, err)
	return signed
}

// Eventually waits until the condition holds, because changes of users and identity providers take effect a moment
// later.
func (s *Server) Eventually(condition func() bool) {
	s.tb.Helper()
	patience, cancel := context.WithTimeout(s.tb.Context(), 10*time.Second)
	defer cancel()
	for !condition() { // not in a goroutine, which could outlive the test
		require.NoError(s.tb, wait.For(patience, 10*time.Millisecond), "the condition does not hold")
	}
}
