package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/florinledger/florin/client"
)

// Provider is an OpenID Connect provider that signs people in. Its access tokens are for the node's API, so the node
// must trust its keys.
type Provider struct {
	// Issuer is the issuer in the provider's tokens; its configuration is below this address.
	Issuer string
	// ClientID and ClientSecret identify the page at the provider; the secret is "" for a public client.
	ClientID, ClientSecret string
	// Scopes are in addition to openid. Audience is for providers that issue tokens for a named API; it may be "".
	Scopes   []string
	Audience string
	// Client is the HTTP client for the provider; required.
	Client *http.Client
	// Turn waits until the page may call the provider for a visitor; release ends the turn. Nil means no limit.
	Turn func(ctx context.Context) (release func(), err error)
}

const (
	// The path that starts a sign-in, and the path to which the provider redirects.
	providerPath, providerReturnPath = "/wallet/provider", "/wallet/provider/done"
	// signInLife is the maximum duration of a sign-in at the provider.
	signInLife = 10 * time.Minute
)

// signInProvider caches the provider's configuration.
type signInProvider struct {
	Provider

	found atomic.Pointer[oidc.Provider]
}

func (p *signInProvider) context(v *visit) context.Context {
	return oidc.ClientContext(v.ctx(), p.Client)
}

// oauthClient is the provider's configuration for one request.
type oauthClient struct {
	*oidc.Provider
	oauth2.Config
}

func (p *signInProvider) turn(v *visit) (release func(), err error) {
	if p.Turn == nil {
		return func() {}, nil
	}
	return p.Turn(v.ctx())
}

// reach loads the provider's configuration; the provider may start after the node. The provider redirects to the host
// name of the request.
func (p *signInProvider) reach(v *visit) (*oauthClient, error) {
	found := p.found.Load()
	if found == nil {
		var err error
		if found, err = oidc.NewProvider(p.context(v), p.Issuer); err != nil {
			return nil, providerProblem("ask for the configuration", err)
		}
		p.found.Store(found)
	}
	scheme := "http://"
	if isSecure(v.r) {
		scheme = "https://"
	}
	return &oauthClient{Provider: found, Config: oauth2.Config{
		ClientID: p.ClientID, ClientSecret: p.ClientSecret, Endpoint: found.Endpoint(),
		RedirectURL: scheme + v.r.Host + providerReturnPath, Scopes: append([]string{oidc.ScopeOpenID}, p.Scopes...),
	}}, nil
}

// providerProblem is a failure of the provider: the visitor gets a general text, the log the cause.
func providerProblem(what string, err error) *problem {
	return &problem{
		Status: http.StatusBadGateway, What: "The sign-in provider did not answer as expected.",
		Next: "Try again in a moment. The node's log says more.", why: fmt.Errorf("%s: %w", what, err),
	}
}

// pendingSignIn is in a cookie while the visitor is at the provider: the sign-in must end in the browser where it
// started, and the answer must match State and Nonce. To is the page to open afterwards.
type pendingSignIn struct {
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"`
	To       string    `json:"to"`
	Ends     time.Time `json:"ends"`
}

const pendingSignInPurpose = "provider"

func pendingSignInName(r *http.Request) string { return cookieName(r) + "-" + pendingSignInPurpose }

// startProviderSignIn redirects to the provider: the authorization code flow with PKCE (RFC 7636).
func (s *site) startProviderSignIn(v *visit) error {
	release, err := s.signInProvider.turn(v)
	if err != nil {
		return err
	}
	defer release()
	provider, err := s.signInProvider.reach(v)
	if err != nil {
		return err
	}
	question := pendingSignIn{
		State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Ends: s.Now().Add(signInLife),
		To: v.next(),
	}
	value, err := v.sessions.seal(v.r, pendingSignInPurpose, question)
	if err != nil {
		return err
	}
	v.sessions.set(v.w, v.r, pendingSignInName(v.r), value, signInLife)
	options := []oauth2.AuthCodeOption{oidc.Nonce(question.Nonce), oauth2.S256ChallengeOption(question.Verifier)}
	if s.signInProvider.Audience != "" {
		options = append(options, oauth2.SetAuthURLParam("audience", s.signInProvider.Audience))
	}
	http.Redirect(v.w, v.r, provider.AuthCodeURL(question.State, options...), http.StatusSeeOther)
	return nil
}

var errOtherNonce = errors.New("its nonce is not the one that the page sent")

// finishProviderSignIn starts the session of a visitor whom the provider redirected back.
func (s *site) finishProviderSignIn(v *visit) error {
	token, err := s.tokenOfProvider(v)
	if err == nil {
		err = s.begin(v, token)
	}
	if err != nil {
		refused := problemOf(err)
		s.note(v.ctx(), refused.Status, err)
		return s.showSignIn(v, refused.Status, "", refused)
	}
	s.goTo(v, v.next())
	return nil
}

// tokenOfProvider exchanges the code in the request for an access token.
func (s *site) tokenOfProvider(v *visit) (string, error) {
	var question pendingSignIn
	known := v.sessions.open(v.r, pendingSignInName(v.r), pendingSignInPurpose, &question)
	v.sessions.set(v.w, v.r, pendingSignInName(v.r), "", -1) // valid once
	query := v.r.URL.Query()
	if !known || !s.Now().Before(question.Ends) ||
		subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(question.State)) == 0 {
		return "", &problem{
			Status: http.StatusBadRequest, What: "This sign-in started in another browser, or too long ago.",
			Next: "Sign in again.",
		}
	}
	v.returnTo = question.To
	if refusal := query.Get("error"); refusal != "" {
		return "", &problem{
			Status: http.StatusForbidden,
			What:   "The sign-in provider refused: " + client.Short(cmp.Or(query.Get("error_description"), refusal)),
			Next:   "Sign in again, or ask the administrator of the provider.",
		}
	}
	release, err := s.signInProvider.turn(v)
	if err != nil {
		return "", err
	}
	defer release()
	provider, err := s.signInProvider.reach(v)
	if err != nil {
		return "", err
	}
	verifierOption := oauth2.VerifierOption(question.Verifier)
	tokens, err := provider.Exchange(s.signInProvider.context(v), query.Get("code"), verifierOption)
	if err != nil {
		return "", providerProblem("exchange the code", err)
	}
	text, _ := tokens.Extra("id_token").(string)
	verifier := provider.Verifier(&oidc.Config{ClientID: s.signInProvider.ClientID, Now: s.Now})
	identity, err := verifier.Verify(s.signInProvider.context(v), text)
	if err != nil {
		return "", providerProblem("check the identity token", err)
	}
	if subtle.ConstantTimeCompare([]byte(identity.Nonce), []byte(question.Nonce)) == 0 {
		return "", providerProblem("check the identity token", errOtherNonce)
	}
	if identity.AccessTokenHash != "" {
		if err := identity.VerifyAccessToken(tokens.AccessToken); err != nil {
			return "", providerProblem("check the access token", err)
		}
	}
	return tokens.AccessToken, nil
}

// host is the provider's name for display.
func (p Provider) host() string {
	_, rest, _ := strings.Cut(p.Issuer, "://")
	name, _, _ := strings.Cut(rest, "/")
	return name
}
