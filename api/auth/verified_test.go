package auth_test

import (
	"cmp"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// revocableVerifier accepts every token as alice's, until it is revoked.
type revocableVerifier struct {
	expires time.Time
	revoked bool
}

func (v *revocableVerifier) Verify(context.Context, string) (auth.Token, error) {
	if v.revoked {
		return auth.Token{}, fault.Unauthenticated.New("revoked")
	}
	return auth.Token{Identity: ledger.DefaultUser("alice"), ExpiresAt: v.expires}, nil
}

type noProviders struct{}

func (noProviders) IdentityProviders(context.Context) ([]ledger.IdentityProvider, error) {
	return nil, nil
}

func TestIssuers_VerifiesARequestsTokenOnceASecond(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		token      string
		expires    time.Duration
		passes     time.Duration
		changed    string
		request    bool
		remembered bool
	}{
		"at once":                       {remembered: true},
		"almost a second later":         {passes: 999 * time.Millisecond, remembered: true},
		"a second later":                {passes: time.Second},
		"after its end":                 {expires: time.Millisecond, passes: time.Millisecond},
		"after a change of a user":      {changed: "bob", remembered: true},
		"after a change of all issuers": {changed: "all"},
		"another token":                 {token: "another"},
		"another request":               {request: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, verifier := now, &revocableVerifier{}
			if c.expires > 0 {
				verifier.expires = now.Add(c.expires)
			}
			clock := func() time.Time { return at }
			issuers, err := auth.NewIssuers(auth.IssuersOptions{
				Default: verifier, Providers: noProviders{}, Keys: auth.NewRemoteKeys(nil, clock), Times: auth.Times{Now: clock},
			})
			require.NoError(t, err)
			request := auth.WithOneVerification(t.Context())
			_, err = issuers.Verify(request, "a token")
			require.NoError(t, err)
			at = at.Add(c.passes)
			if c.changed != "" {
				issuers.UserChanged(strings.TrimPrefix(c.changed, "all"))
			}
			if c.request {
				request = auth.WithOneVerification(t.Context())
			}
			verifier.revoked = true
			_, err = issuers.Verify(request, cmp.Or(c.token, "a token"))
			require.Equal(t, c.remembered, err == nil)
		})
	}
}
