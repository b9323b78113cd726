package auth

import (
	"context"
	"errors"
	"fmt"

	"github.com/golang-jwt/jwt/v5"
)

// publicKeyMethods are the algorithms of tokens that are verified with a public key.
var publicKeyMethods = []jwt.SigningMethod{ //nolint:gochecknoglobals // a constant list
	jwt.SigningMethodRS256, jwt.SigningMethodES256, jwt.SigningMethodES384, jwt.SigningMethodES512,
	jwt.SigningMethodEdDSA,
}

// TrustedOptions say which tokens a [Trusted] verifier accepts.
type TrustedOptions struct {
	Times

	// Keys finds the key that a token was signed with; required.
	Keys KeySource
	// Issuer must be the token's issuer; "" takes any.
	Issuer string
	// LedgerClaim lets tokens name their user by `daml_user` in the object `https://canton-network`, in place of `sub`.
	// The issuer must not let its users choose that claim.
	LedgerClaim bool
	// Audience, Scope and ParticipantID are as in [HS256Options].
	Audience, Scope, ParticipantID string
}

// KeySource finds the public keys of one issuer.
type KeySource interface {
	// KeyFor is the key with the id, which is "" for tokens that name none: a public key of the packages crypto/rsa,
	// crypto/ecdsa or crypto/ed25519, or a [jwt.VerificationKeySet].
	KeyFor(ctx context.Context, keyID string) (any, error)
}

// Trusted verifies tokens of the default identity provider that are signed with its private key.
type Trusted struct {
	options   TrustedOptions
	recipient recipient
	parser    *jwt.Parser
}

// NewTrusted makes the verifier. The error names the option that is missing.
func NewTrusted(options TrustedOptions) (*Trusted, error) {
	switch {
	case options.Keys == nil:
		return nil, errors.New("verifying tokens needs the issuer's public keys: name a file or a JWKS URL")
	case options.Audience == "":
		return nil, errNoAudience
	}
	if err := options.check(); err != nil {
		return nil, err
	}
	return &Trusted{
		options:   options,
		recipient: recipient{options.Audience, options.Scope, options.ParticipantID},
		parser:    options.newParser(publicKeyMethods...),
	}, nil
}

// Verify implements [Verifier].
func (t *Trusted) Verify(ctx context.Context, token string) (Token, error) {
	claims, err := t.options.verify(t.parser, token, func(header *jwt.Token) (any, error) {
		keyID, _ := header.Header["kid"].(string)
		return t.options.Keys.KeyFor(ctx, keyID)
	})
	if err != nil {
		return Token{}, unauthenticated(err)
	}
	if t.options.Issuer != "" && claims.Issuer != t.options.Issuer {
		return Token{}, unauthenticated(fmt.Errorf("the token's issuer %q is not %q", claims.Issuer, t.options.Issuer))
	}
	return t.recipient.check(claims, t.options.LedgerClaim)
}

// URLKeys is the [KeySource] of one place in keys.
type URLKeys struct {
	Keys Keys
	URL  string
}

// KeyFor implements [KeySource]. Key sets may hold several keys, so tokens must say which one they mean.
func (u URLKeys) KeyFor(ctx context.Context, keyID string) (any, error) {
	if keyID == "" {
		return nil, errNoKeyID
	}
	return u.Keys.Key(ctx, u.URL, keyID)
}
