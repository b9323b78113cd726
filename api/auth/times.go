package auth

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// maxTokenBytes bounds a token: what is longer is refused unread. Tokens of the field have one or two kilobytes.
const maxTokenBytes = 16 << 10

// Times say when tokens are valid.
type Times struct {
	// Now is the clock; required.
	Now func() time.Time
	// RequireExpiry refuses tokens without `exp`.
	RequireExpiry bool
	// MaxLife is the longest time that a token may still be valid, 0 for any (upstream's max-token-lifetime). With it,
	// `exp` is required.
	MaxLife time.Duration
	// Leeway is by how much the issuer's clock may differ from Now.
	Leeway time.Duration
}

// newParser makes a parser that checks the times of tokens and takes these algorithms only.
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

// verify checks signature, header and times of a token. The error says what is wrong with it.
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

// claimedTime decodes a time of a token, in seconds since 1970. What is before the year 1 or after the year 9999 counts
// as the first or last instant of these: the seconds of a time that is later still would turn into those of an early
// one.
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
