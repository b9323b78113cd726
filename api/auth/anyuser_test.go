package auth_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger/fault"
)

func TestAnyUser_AcceptsUnknownUsers(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	verifier, err := auth.NewHS256(auth.HS256Options{
		Secret: auth.DefaultSecret, Audience: auth.DefaultAudience, Times: auth.Times{Now: func() time.Time { return now }},
	})
	require.NoError(t, err)
	anyUser := auth.AnyUser{Verifier: verifier}
	token := func(secret, user string) string {
		minted, err := auth.Mint(secret, auth.DefaultAudience, user, time.Hour, now)
		require.NoError(t, err)
		return minted
	}

	t.Run("a token that verifies names its user, without rights", func(t *testing.T) {
		t.Parallel()
		claims, err := anyUser.Authenticate(t.Context(), token(auth.DefaultSecret, "nobody-knows-me"))
		require.NoError(t, err)
		require.NoError(t, claims.Require())
		require.Equal(t, "nobody-knows-me", claims.UserID())
		require.Equal(t, now.Add(time.Hour), claims.ExpiresAt().UTC())
		require.Error(t, claims.RequireAdmin())
	})
	for name, bad := range map[string]string{
		"no token":                        "",
		"a token with another secret":     token("other", "alice"),
		"a token with a malformed user":   token(auth.DefaultSecret, "not a user id!"),
		"something that is no token":      "abc",
		"a token with an empty user name": token(auth.DefaultSecret, ""),
	} {
		t.Run(name+" is nobody", func(t *testing.T) {
			t.Parallel()
			claims, err := anyUser.Authenticate(t.Context(), bad)
			require.NoError(t, err)
			require.False(t, claims.Authenticated())
			require.True(t, fault.Unauthenticated.Matches(claims.Require()))
		})
	}
	t.Run("a verifier that cannot work is an error", func(t *testing.T) {
		t.Parallel()
		broken := errors.New("the keys cannot be read")
		_, err := auth.AnyUser{Verifier: failing{broken}}.Authenticate(t.Context(), "abc")
		require.ErrorIs(t, err, broken)
	})
}

type failing struct{ err error }

func (f failing) Verify(context.Context, string) (auth.Token, error) { return auth.Token{}, f.err }
