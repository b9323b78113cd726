package auth

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// maxTokenBytes limits a token; longer ones are refused unread. Usual tokens have one or two kilobytes.
const maxTokenBytes = 16 << 10

// Times are the rules for the times of tokens.
type Times struct {
	// Now is the clock; required.
	Now func() time.Time
	// RequireExpiry refuses tokens without `exp`.
	RequireExpiry bool
	// MaxLife is the maximum remaining lifetime of a token, 0 for any (upstream's max-token-lifetime). With it, `exp` is
	// required.
	MaxLife time.Duration
	// Leeway is the allowed difference between the issuer's clock and Now.
	Leeway time.Duration
}

// newParser makes a parser that checks times and accepts only these algorithms.
func (t Times) newParser(methods ...jwt.SigningMethod) *jwt.Parser {
	var names []string
	for _, method := range methods {
		names = append(names, method.Alg())
	}
	options := []jwt.ParserOption{
		jwt.WithValidMethods(names), jwt.WithTimeFunc(t.Now), jwt.WithIssuedAt(), jwt.WithLeeway(t.Leeway),
	}
	if t.RequireExpiry || t.MaxLife > 0 {
		options = append(options, jwt.WithExpirationRequired())
	}
	return jwt.NewParser(options...)
}

// verify checks the signature, the header and the times of a token.
func (t Times) verify(parser *jwt.Parser, token string, key jwt.Keyfunc) (*tokenClaims, error) {
	if len(token) > maxTokenBytes {
		return nil, fmt.Errorf("the token has %d bytes; the maximum is %d", len(token), maxTokenBytes)
	}
	var claims tokenClaims
	_, err := parser.ParseWithClaims(token, &claims, func(header *jwt.Token) (any, error) {
		if extensions, ok := header.Header["crit"]; ok { // RFC 7515, 4.1.11: not understood, so refused
			return nil, fmt.Errorf("the token's header requires unknown extensions: %v", extensions)
		}
		return key(header)
	})
	if err != nil {
		return nil, fmt.Errorf("the token does not verify: %w", err)
	}
	if t.MaxLife > 0 && claims.ExpiresAt.After(t.Now().Add(t.MaxLife+t.Leeway)) {
		return nil, fmt.Errorf("the token is valid until %s, which is more than %s from now",
			claims.ExpiresAt.UTC().Format(time.RFC3339), t.MaxLife)
	}
	return &claims, nil
}

// claimedTime decodes a time of a token, in seconds since 1970. Times outside the years 1 to 9999 become the first or
// last instant of them, because larger values would overflow to early times.
type claimedTime struct{ into **jwt.NumericDate }

// UnmarshalJSON implements [json.Unmarshaler].
func (c claimedTime) UnmarshalJSON(raw []byte) error {
	var seconds *json.Number
	if err := json.Unmarshal(raw, &seconds); err != nil || seconds == nil {
		return err
	}
	first, last := time.Time{}, time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)
	at, err := seconds.Float64() // infinite, with an error, where it is beyond what a number may be
	switch {
	case at < float64(first.Unix()):
		*c.into = jwt.NewNumericDate(first)
	case at > float64(last.Unix()):
		*c.into = jwt.NewNumericDate(last)
	case err != nil:
		return err
	default:
		return json.Unmarshal(raw, c.into)
	}
	return nil
}

func (t Times) check() error {
	switch {
	case t.Now == nil:
		return errors.New("the token verifier has no clock")
	case t.MaxLife < 0 || t.Leeway < 0:
		return fmt.Errorf("the longest life of tokens (%s) and the leeway (%s) must not be negative", t.MaxLife, t.Leeway)
	default:
		return nil
	}
}
