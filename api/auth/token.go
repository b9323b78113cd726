package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// The defaults of LocalNet, which the usual tools use for their tokens.
const (
	DefaultSecret   = "unsafe"
	DefaultAudience = "https://canton.network.global"
)

// Token has the facts of a verified token.
type Token struct {
	// Identity is the user of the token, usually from `sub`, with the identity provider whose key verified it. The user id
	// may be malformed: the Resolver refuses that.
	ledger.Identity

	// Issuer is the `iss` claim, "" when absent.
	Issuer string
	// ExpiresAt is the `exp` claim, zero when absent.
	ExpiresAt time.Time
}

// Verifier checks a token's signature, times and audience. Its errors are UNAUTHENTICATED faults, and PERMISSION_DENIED
// for good tokens that are bound to another participant.
type Verifier interface {
	Verify(ctx context.Context, token string) (Token, error)
}

// HS256Options configure an [HS256] verifier.
type HS256Options struct {
	Times

	// Secret is the shared secret; required.
	Secret string
	// Audience must be an audience of the token, unless one of the next two fields applies; required.
	Audience string
	// ParticipantID is the id of this node, which tokens may name instead of the audience. "" turns that off.
	ParticipantID string
	// Scope replaces the audience in tokens without one, such as [DefaultScope]. "" turns that off.
	Scope string
}

// HS256 verifies tokens that are signed with a shared secret.
type HS256 struct {
	times     Times
	secret    atomic.Pointer[[]byte]
	recipient recipient
	parser    *jwt.Parser
}

// NewHS256 makes the verifier. The error names the option that is missing.
func NewHS256(options HS256Options) (*HS256, error) {
	if options.Audience == "" {
		return nil, errNoAudience
	}
	if err := options.check(); err != nil {
		return nil, err
	}
	v := &HS256{
		times:     options.Times,
		recipient: recipient{options.Audience, options.Scope, options.ParticipantID},
		parser:    options.newParser(jwt.SigningMethodHS256),
	}
	return v, v.SetSecret(options.Secret)
}

// SetSecret replaces the shared secret: tokens of the old one are refused from then on.
func (v *HS256) SetSecret(secret string) error {
	if secret == "" {
		return errors.New("the token secret is empty: set one, such as LocalNet's \"unsafe\" for development")
	}
	replacement := []byte(secret)
	v.secret.Store(&replacement)
	return nil
}

// tokenClaims are the used claims. Subject is a pointer to tell "absent" from "".
type tokenClaims struct {
	Subject   *string
	Ledger    json.RawMessage
	Issuer    string
	Audience  jwt.ClaimStrings
	Scope     scopeClaim
	ScopeList scopeClaim
	ExpiresAt *jwt.NumericDate
	NotBefore *jwt.NumericDate
	IssuedAt  *jwt.NumericDate
}

// UnmarshalJSON implements [json.Unmarshaler]. Unlike package json it compares names exactly (RFC 7519, 10.1.1): an
// issuer whose users choose claims protects "sub" from them, but not "Sub".
func (c *tokenClaims) UnmarshalJSON(raw []byte) error {
	var named map[string]json.RawMessage
	if err := json.Unmarshal(raw, &named); err != nil {
		return err
	}
	for name, target := range map[string]any{
		"sub": &c.Subject, ledgerClaim: &c.Ledger, "iss": &c.Issuer, "aud": &c.Audience,
		"scope": &c.Scope, "scp": &c.ScopeList,
		"exp": &claimedTime{&c.ExpiresAt}, "nbf": &claimedTime{&c.NotBefore}, "iat": &claimedTime{&c.IssuedAt},
	} {
		if value, ok := named[name]; ok {
			if err := json.Unmarshal(value, target); err != nil {
				return fmt.Errorf("the claim %s: %w", name, err)
			}
		}
	}
	return nil
}

const (
	// ledgerClaim is an object in which issuers name the ledger user by ledgerUser, if it is not the subject.
	ledgerClaim = "https://canton-network"
	ledgerUser  = "daml_user"
)

// token converts the claims. They must name a user: by ledgerClaim, if it is enabled and present, else by the subject.
func (c *tokenClaims) token(ledgerClaimCounts bool) (Token, error) {
	name := c.Subject
	if ledgerClaimCounts && len(c.Ledger) > 0 {
		var named map[string]json.RawMessage // names as they are, as in all claims
		if err := json.Unmarshal(c.Ledger, &named); err != nil {
			return Token{}, unauthenticated(fmt.Errorf("the claim %s is not an object: %w", ledgerClaim, err))
		}
		if user, ok := named[ledgerUser]; ok {
			name = new(string)
			if err := json.Unmarshal(user, &name); err != nil {
				return Token{}, unauthenticated(fmt.Errorf("%s in the claim %s is not a string: %w", ledgerUser, ledgerClaim, err))
			}
		}
	}
	if name == nil {
		return Token{}, unauthenticated(errNoSubject)
	}
	token := Token{Identity: ledger.DefaultUser(*name), Issuer: c.Issuer}
	if c.ExpiresAt != nil {
		token.ExpiresAt = c.ExpiresAt.Time
	}
	return token, nil
}

// Verify implements [Verifier].
func (v *HS256) Verify(_ context.Context, token string) (Token, error) {
	claims, err := v.times.verify(v.parser, token, func(*jwt.Token) (any, error) { return *v.secret.Load(), nil })
	if err != nil {
		return Token{}, unauthenticated(err)
	}
	const ledgerClaimCounts = true // who has the secret can name anybody
	return v.recipient.check(claims, ledgerClaimCounts)
}

// Mint makes a development token, signed with HS256. With a ttl of zero it never expires, as with LocalNet's tools.
func Mint(secret, audience, userID string, ttl time.Duration, now time.Time) (string, error) {
	claims := jwt.RegisteredClaims{
		Subject:  userID,
		Audience: jwt.ClaimStrings{audience},
		IssuedAt: jwt.NewNumericDate(now),
	}
	if ttl > 0 {
		claims.ExpiresAt = jwt.NewNumericDate(now.Add(ttl))
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(secret))
	if err != nil {
		return "", fmt.Errorf("signing the token: %w", err)
	}
	return token, nil
}

// The methods below implement jwt.Claims, so that the library checks the times.

// GetExpirationTime implements [jwt.Claims].
func (c *tokenClaims) GetExpirationTime() (*jwt.NumericDate, error) { return c.ExpiresAt, nil }

// GetNotBefore implements [jwt.Claims].
func (c *tokenClaims) GetNotBefore() (*jwt.NumericDate, error) { return c.NotBefore, nil }

// GetIssuedAt implements [jwt.Claims].
func (c *tokenClaims) GetIssuedAt() (*jwt.NumericDate, error) { return c.IssuedAt, nil }

// GetAudience implements [jwt.Claims].
func (c *tokenClaims) GetAudience() (jwt.ClaimStrings, error) { return c.Audience, nil }

// GetIssuer implements [jwt.Claims].
func (c *tokenClaims) GetIssuer() (string, error) { return c.Issuer, nil }

// GetSubject implements [jwt.Claims].
func (c *tokenClaims) GetSubject() (string, error) {
	if c.Subject == nil {
		return "", nil
	}
	return *c.Subject, nil
}

// unauthenticated is the 401. Only the log has the reason.
func unauthenticated(reason error) *fault.Fault {
	return fault.Unauthenticated.New("The request could not be authenticated.").Wrap(reason)
}
