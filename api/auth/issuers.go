package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// IdentityProviders reads the configured identity providers.
type IdentityProviders interface {
	IdentityProviders(ctx context.Context) ([]ledger.IdentityProvider, error)
}

// IssuersOptions configure [Issuers]. Default, Providers, Keys and the clock are required.
type IssuersOptions struct {
	// Times apply to the tokens of identity providers.
	Times

	// Default verifies the tokens of the default identity provider.
	Default   Verifier
	Providers IdentityProviders
	Keys      KeyFetcher
	// ParticipantID is the id of this node. Tokens of identity providers without an audience must not name another
	// participant.
	ParticipantID string
	// CacheTime is how long the identity providers are cached; zero means DefaultCacheTime.
	CacheTime time.Duration
}

// Issuers is the [Verifier] of a node with several identity providers. If the default one refuses a token, the identity
// provider in `iss` verifies it (contract, "Authentication"). It is safe for concurrent use.
type Issuers struct {
	options IssuersOptions
	tokens  publicKeyTokens

	mu        sync.Mutex
	providers []ledger.IdentityProvider
	until     time.Time
	// changes counts invalidations, so that a list that was read before a change is not cached after it.
	changes uint64
}

// NewIssuers makes the verifier.
func NewIssuers(options IssuersOptions) (*Issuers, error) {
	if options.Default == nil || options.Providers == nil || options.Keys == nil || options.Now == nil {
		return nil, errors.New("verifying tokens of several issuers needs a default verifier, identity providers, " +
			"keys and a clock")
	}
	if options.CacheTime == 0 {
		options.CacheTime = DefaultCacheTime
	}
	if err := options.check(); err != nil {
		return nil, err
	}
	return &Issuers{options: options, tokens: newPublicKeyTokens(options.Times)}, nil
}

// Verify implements [Verifier]. A failed lookup of the identity providers is an error of its own.
func (i *Issuers) Verify(ctx context.Context, token string) (Token, error) {
	once, now := verificationOf(ctx), i.options.Now()
	i.mu.Lock()
	changes := i.changes
	i.mu.Unlock()
	if known, ok := once.get(token, now, changes); ok {
		return known, nil
	}
	verified, err := i.verify(ctx, token)
	if err == nil {
		once.put(token, verified, now, changes)
	}
	return verified, err
}

func (i *Issuers) verify(ctx context.Context, token string) (Token, error) {
	verified, err := i.options.Default.Verify(ctx, token)
	if err == nil || !fault.Unauthenticated.Matches(err) {
		return verified, err
	}
	if len(token) > maxTokenBytes {
		return Token{}, err
	}
	var claims tokenClaims
	if _, _, malformed := i.tokens.parser.ParseUnverified(token, &claims); malformed != nil || claims.Issuer == "" {
		return Token{}, err
	}
	providers, failed := i.known(ctx)
	if failed != nil {
		return Token{}, failed
	}
	for _, provider := range providers {
		if provider.Issuer == claims.Issuer {
			return i.verifyWith(ctx, provider, token)
		}
	}
	return Token{}, err
}

func (i *Issuers) verifyWith(ctx context.Context, provider ledger.IdentityProvider, token string) (Token, error) {
	if provider.IsDeactivated {
		return Token{}, unauthenticated(fmt.Errorf("the identity provider %q is deactivated", provider.ID))
	}
	keys := URLKeys{Keys: i.options.Keys, URL: provider.JWKSURL}
	claims, err := i.tokens.verify(ctx, provider.ID, token, keys)
	switch {
	case err != nil:
		return Token{}, verificationFault(fmt.Errorf("identity provider %q: %w", provider.ID, err))
	case provider.Audience != "" && !slices.Contains(claims.Audience, provider.Audience):
		return Token{}, unauthenticated(fmt.Errorf("the token's audience %q does not contain %q", claims.Audience,
			provider.Audience))
	}
	const ledgerClaimCounts = false // whoever configured the provider has not said that its users cannot choose it
	verified, err := claims.token(ledgerClaimCounts)
	if err != nil {
		return Token{}, err
	}
	if named := claims.participants(); provider.Audience == "" && len(named) > 0 &&
		!slices.Contains(named, i.options.ParticipantID) {
		return Token{}, refuseUser(verified.UserID, recipient{participantID: i.options.ParticipantID}.checkParticipant(named[0]))
	}
	verified.IdentityProviderID = provider.ID
	return verified, nil
}

// UserChanged clears the cache of identity providers if anything may have changed: the id "".
func (i *Issuers) UserChanged(id string) {
	if id != "" {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.until = time.Time{}
	i.changes++
}

// known returns the identity providers, from the cache if it is fresh.
func (i *Issuers) known(ctx context.Context) ([]ledger.IdentityProvider, error) {
	i.mu.Lock()
	providers, fresh, changes := i.providers, i.options.Now().Before(i.until), i.changes
	i.mu.Unlock()
	if fresh {
		return providers, nil
	}
	providers, err := i.options.Providers.IdentityProviders(ctx)
	if err != nil {
		return nil, fmt.Errorf("looking up the token's identity provider: %w", err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if changes == i.changes {
		i.providers, i.until = providers, i.options.Now().Add(i.options.CacheTime)
		i.tokens.signatures.keep(providers)
	}
	return providers, nil
}
