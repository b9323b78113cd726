package auth

import (
	"context"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// AnyUser is the [Authenticator] of endpoints for everybody with a valid token: its user need not exist and gets no
// rights. The claims have the identity provider of the token: code that looks the user up must compare the two.
type AnyUser struct{ Verifier Verifier }

// Authenticate implements [Authenticator].
func (a AnyUser) Authenticate(ctx context.Context, token string) (Claims, error) {
	if token == "" {
		return Claims{}, nil
	}
	verified, err := a.Verifier.Verify(ctx, token)
	if err != nil {
		if fault.Unauthenticated.Matches(err) {
			return Unauthenticated(err), nil
		}
		return Claims{}, err
	}
	if err := ledger.CheckUserID(verified.UserID); err != nil {
		return Unauthenticated(err), nil
	}
	claims := NewClaims(ledger.User{
		ID: verified.UserID, IdentityProviderID: verified.IdentityProviderID,
	}, nil)
	claims.anybody = true
	claims.expires = verified.ExpiresAt
	return claims, nil
}
