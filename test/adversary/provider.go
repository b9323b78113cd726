package adversary

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const (
	// tenant is a second identity provider.
	tenant         = "tenant"
	tenantIssuer   = "https://tenant.example"
	tenantAudience = "ledger"
	keyID          = "key"
)

// provider is the issuer of the tenant's tokens. It serves its key on this machine.
type provider struct {
	key    *ecdsa.PrivateKey
	url    string
	server *http.Server
}

func newProvider(ctx context.Context) (*provider, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	point, err := key.PublicKey.Bytes()
	if err != nil {
		return nil, err
	}
	half := (len(point) - 1) / 2
	keySet := fmt.Sprintf(`{"keys":[{"kid":%q,"kty":"EC","crv":"P-256","x":%q,"y":%q}]}`, keyID,
		base64.RawURLEncoding.EncodeToString(point[1:1+half]), base64.RawURLEncoding.EncodeToString(point[1+half:]))
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &provider{key: key, url: "http://" + listener.Addr().String(), server: &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(keySet))
		}),
	}}
	go func() { _ = p.server.Serve(listener) }()
	return p, nil
}

func (p *provider) close() error { return p.server.Close() }

// token is a token of a user of the tenant that expires after a duration, or has expired if that is negative.
func (p *provider) token(user string, good time.Duration) (string, error) {
	token := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.MapClaims{
		"sub": user, "iss": tenantIssuer, "aud": tenantAudience, "exp": time.Now().Add(good).Unix(),
	})
	token.Header["kid"] = keyID
	return token.SignedString(p.key)
}

// expired is an expired token of the node's own issuer.
func (t Target) expired(user string) (string, error) {
	return jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"sub": user, "aud": t.Audience, "exp": time.Now().Add(-time.Hour).Unix(),
	}).SignedString([]byte(t.Secret))
}

// configure makes the node trust the provider, and creates its administrator and a participant administrator.
func (p *provider) configure(ctx context.Context, s *side) error {
	user := func(id, kind string) error {
		return s.admin.Post(ctx, "/v2/users", object{
			"user": object{
				"id": id, "primaryParty": "", "isDeactivated": false, "identityProviderId": tenant,
				"metadata": object{"resourceVersion": "", "annotations": object{}},
			},
			"rights": []any{object{"kind": object{kind: object{"value": object{}}}}},
		}, nil)
	}
	err := s.admin.Post(ctx, "/v2/idps", object{"identityProviderConfig": object{
		"identityProviderId": tenant, "isDeactivated": false, "issuer": tenantIssuer, "jwksUrl": p.url,
		"audience": tenantAudience,
	}}, nil)
	return errors.Join(err, user(landlord, "IdentityProviderAdmin"), user(tenantRoot, "ParticipantAdmin"))
}
