package auth

import (
	"context"
	"errors"
	"fmt"
)

// TrustedOptions configure a [TrustedIssuer] verifier.
type TrustedOptions struct {
	Times

	// Keys finds the key of a token; required.
	Keys KeySource
	// Issuer is the required issuer; "" accepts any.
	Issuer string
	// LedgerClaim lets tokens name their user by `daml_user` in the object `https://canton-network` instead of `sub`. The
	// issuer must not let its users choose that claim.
	LedgerClaim bool
	// Audience, Scope and ParticipantID are as in [HS256Options].
	Audience, Scope, ParticipantID string
}

// KeySource finds the public keys of one issuer.
type KeySource interface {
	// KeyFor returns the key with the id, which is "" for tokens without one: a public key of crypto/rsa, crypto/ecdsa or
	// crypto/ed25519, or a [jwt.VerificationKeySet].
	KeyFor(ctx context.Context, keyID string) (any, error)
}

// TrustedIssuer verifies tokens of the default identity provider that an issuer signs with its private key.
type TrustedIssuer struct {
	options   TrustedOptions
	recipient recipient
	tokens    publicKeyTokens
}

// NewTrusted makes the verifier. The error names the option that is missing.
func NewTrusted(options TrustedOptions) (*TrustedIssuer, error) {
	switch {
	case options.Keys == nil:
		return nil, errors.New("verifying tokens needs the issuer's public keys: name a file or a JWKS URL")
	case options.Audience == "":
		return nil, errNoAudience
	}
	if err := options.check(); err != nil {
		return nil, err
	}
	return &TrustedIssuer{
		options:   options,
		recipient: recipient{options.Audience, options.Scope, options.ParticipantID},
		tokens:    newPublicKeyTokens(options.Times),
	}, nil
}

// Verify implements [Verifier].
func (t *TrustedIssuer) Verify(ctx context.Context, token string) (Token, error) {
	const defaultProvider = ""
	claims, err := t.tokens.verify(ctx, defaultProvider, token, t.options.Keys)
	if err != nil {
		return Token{}, verificationFault(err)
	}
	if t.options.Issuer != "" && claims.Issuer != t.options.Issuer {
		return Token{}, unauthenticated(fmt.Errorf("the token's issuer %q is not %q", claims.Issuer, t.options.Issuer))
	}
	return t.recipient.check(claims, t.options.LedgerClaim)
}

// URLKeys is the [KeySource] of one URL.
type URLKeys struct {
	Keys KeyFetcher
	URL  string
}

// KeyFor implements [KeySource]. Key sets may have several keys, so tokens must name one.
func (u URLKeys) KeyFor(ctx context.Context, keyID string) (any, error) {
	if keyID == "" {
		return nil, errNoKeyID
	}
	return u.Keys.FetchKey(ctx, u.URL, keyID)
}
