package endpoint

import (
	"context"

	"github.com/florinledger/florin/api/auth"
)

type countForKey struct{}

// CountFor has requests count for whoever has another token than the one they carry, and without one in the share of
// callers without a token: they are made for that visitor, and with the rights of a user who knows nothing of it. All
// that bounds callers bounds the visitor then. What a request may do is decided by its own token.
func CountFor(ctx context.Context, visitor string) context.Context {
	return context.WithValue(ctx, countForKey{}, visitor)
}

// countedFor is who a request counts for. A visitor whose token is not good is one without.
func (f *Frame) countedFor(ctx context.Context, claims auth.Claims) caller {
	if visitor, ok := ctx.Value(countForKey{}).(string); ok {
		var err error
		if claims, err = f.authenticator(ctx, visitor)(); err != nil {
			claims = auth.Claims{}
		}
	}
	return caller{holder: AccountOf(claims.Identity()), anonymous: !claims.Authenticated()}
}
