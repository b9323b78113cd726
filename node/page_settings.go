package node

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/internal/secret"
	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/web"
)

// pageSettings turn the page on or off, and say how people sign in.
type pageSettings struct {
	Web string `help:"Serve the web page with the wallet: on or off. Default: on for florin up, otherwise off." enum:",on,off" default:"" env:"FLORIN_WEB"`

	WebOIDCIssuer           string   `name:"web-oidc-issuer" help:"OpenID Connect provider for sign-in on the page; the API must accept its access tokens." env:"FLORIN_WEB_OIDC_ISSUER"`
	WebOIDCClientID         string   `name:"web-oidc-client-id" help:"Client id of the page at the OpenID Connect provider." env:"FLORIN_WEB_OIDC_CLIENT_ID"`
	WebOIDCClientSecret     string   `name:"web-oidc-client-secret" help:"Client secret of the page at the OpenID Connect provider; empty for a public client." env:"FLORIN_WEB_OIDC_CLIENT_SECRET" secret:""`
	WebOIDCClientSecretFile string   `name:"web-oidc-client-secret-file" help:"File with the client secret." env:"FLORIN_WEB_OIDC_CLIENT_SECRET_FILE"`
	WebOIDCScopes           []string `name:"web-oidc-scopes" help:"Scopes that the page requests beside openid." env:"FLORIN_WEB_OIDC_SCOPES"`
	WebOIDCAudience         string   `name:"web-oidc-audience" help:"Audience that the page requests, for providers that need one." env:"FLORIN_WEB_OIDC_AUDIENCE"`
}

func (s *pageSettings) check() error {
	if s.WebOIDCIssuer == "" {
		if s.WebOIDCClientID != "" {
			return errors.New("--web-oidc-client-id needs --web-oidc-issuer, the URL of the provider")
		}
		return nil
	}
	if s.WebOIDCClientID == "" {
		return errors.New("--web-oidc-issuer needs --web-oidc-client-id, the client id of the page at the provider")
	}
	if err := auth.CheckKeyURL(s.WebOIDCIssuer); err != nil {
		return fmt.Errorf("--web-oidc-issuer: %w", err)
	}
	return nil
}

// providerTurns limits the concurrent calls of the provider. Other visitors wait.
const providerTurns = 32

// provider returns the sign-in provider, nil without one.
func (s *pageSettings) provider() (*web.Provider, error) {
	if s.WebOIDCIssuer == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	const timeout = 10 * time.Second
	clientSecret, err := secret.Of(s.WebOIDCClientSecret, s.WebOIDCClientSecretFile, "web-oidc-client-secret")
	if err != nil {
		return nil, err
	}
	visitors := turns.New(turns.Limits{All: providerTurns})
	return &web.Provider{
		Turn:   func(ctx context.Context) (release func(), err error) { return visitors.Take(ctx, turns.Account{}) },
		Issuer: s.WebOIDCIssuer, ClientID: s.WebOIDCClientID, ClientSecret: clientSecret, Scopes: s.WebOIDCScopes,
		Audience: s.WebOIDCAudience, Client: &http.Client{Timeout: timeout},
	}, nil
}
