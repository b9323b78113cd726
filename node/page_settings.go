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

// pageSettings say whether the page is served, and how people sign in.
type pageSettings struct {
	Web string `help:"Whether the page for people is served, with the wallet: on or off. Left out: off, with florin up on." enum:",on,off" default:"" env:"FLORIN_WEB"`

	WebOIDCIssuer           string   `name:"web-oidc-issuer" help:"OpenID Connect provider by which people sign in on the page; its access tokens have to be good for the API." env:"FLORIN_WEB_OIDC_ISSUER"`
	WebOIDCClientID         string   `name:"web-oidc-client-id" help:"What that provider calls the page." env:"FLORIN_WEB_OIDC_CLIENT_ID"`
	WebOIDCClientSecret     string   `name:"web-oidc-client-secret" help:"The page's secret at that provider; none for a public client." env:"FLORIN_WEB_OIDC_CLIENT_SECRET" secret:""`
	WebOIDCClientSecretFile string   `name:"web-oidc-client-secret-file" help:"File that holds that secret." env:"FLORIN_WEB_OIDC_CLIENT_SECRET_FILE"`
	WebOIDCScopes           []string `name:"web-oidc-scopes" help:"Scopes that are asked for beside openid." env:"FLORIN_WEB_OIDC_SCOPES"`
	WebOIDCAudience         string   `name:"web-oidc-audience" help:"Audience that is asked for, of providers that want to be told." env:"FLORIN_WEB_OIDC_AUDIENCE"`
}

// check says what is missing or wrong.
func (s *pageSettings) check() error {
	if s.WebOIDCIssuer == "" {
		if s.WebOIDCClientID != "" {
			return errors.New("the page is a client of nobody: name the provider with --web-oidc-issuer")
		}
		return nil
	}
	if s.WebOIDCClientID == "" {
		return errors.New("--web-oidc-issuer needs --web-oidc-client-id, which is what the provider calls the page")
	}
	if err := auth.CheckKeyURL(s.WebOIDCIssuer); err != nil {
		return fmt.Errorf("--web-oidc-issuer: %w", err)
	}
	return nil
}

// providerTurns is how many visitors have the provider called at once. Others wait.
const providerTurns = 32

// provider signs people in; nil where none is named.
func (s *pageSettings) provider() (*web.Provider, error) {
	if s.WebOIDCIssuer == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	const patience = 10 * time.Second
	given, err := secret.Of(s.WebOIDCClientSecret, s.WebOIDCClientSecretFile, "web-oidc-client-secret")
	if err != nil {
		return nil, err
	}
	visitors := turns.New(turns.Limits{All: providerTurns})
	return &web.Provider{
		Turn:   func(ctx context.Context) (release func(), err error) { return visitors.Take(ctx, turns.Account{}) },
		Issuer: s.WebOIDCIssuer, ClientID: s.WebOIDCClientID, ClientSecret: given, Scopes: s.WebOIDCScopes,
		Audience: s.WebOIDCAudience, Client: &http.Client{Timeout: patience},
	}, nil
}
