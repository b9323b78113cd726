package auth_test

import (
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger/fault"
)

// ledgerClaim is the claim with the ledger user, for verifiers that use it.
const ledgerClaim = "https://canton-network"

// contract: auth-bearer
func TestLedgerClaim_NamesUserWhenEnabled(t *testing.T) {
	t.Parallel()
	k := newKeyring(t)
	counts := k.verifier(t, k.set, func(o *auth.TrustedOptions) { o.LedgerClaim = true })
	ignores := k.verifier(t, k.set, nil)
	for name, test := range map[string]struct {
		claims map[string]any
		named  string // user for verifiers that use the claim; "" for none
		sub    string // user for the others
	}{
		"named":           {map[string]any{ledgerClaim: map[string]any{"daml_user": "bob"}}, "bob", "alice"},
		"without subject": {map[string]any{ledgerClaim: map[string]any{"daml_user": "bob"}, "sub": nil}, "bob", ""},
		"no claim":        {nil, "alice", "alice"},
		"other keys":      {map[string]any{ledgerClaim: map[string]any{"email": "b@example.com"}}, "alice", "alice"},
		"other letters":   {map[string]any{ledgerClaim: map[string]any{"Daml_User": "bob"}}, "alice", "alice"},
		"another claim":   {map[string]any{ledgerClaim + "/": map[string]any{"daml_user": "bob"}}, "alice", "alice"},
		"a text":          {map[string]any{ledgerClaim: "bob"}, "", "alice"},
		"a list":          {map[string]any{ledgerClaim: []string{"daml_user", "bob"}}, "", "alice"},
		"a number":        {map[string]any{ledgerClaim: map[string]any{"daml_user": 7}}, "", "alice"},
		"null":            {map[string]any{ledgerClaim: map[string]any{"daml_user": nil}}, "", "alice"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			token := forge(t, `{"alg":"RS256","kid":"rsa"}`, hostileClaims(test.claims), k.rs256(t, k.rsa))
			for verifier, user := range map[*auth.TrustedIssuer]string{counts: test.named, ignores: test.sub} {
				verified, err := verifier.Verify(t.Context(), token)
				if user == "" {
					require.True(t, fault.Unauthenticated.Matches(err), "%v", err)
					require.Empty(t, verified)
					continue
				}
				require.NoError(t, err)
				require.Equal(t, user, verified.UserID)
				require.Equal(t, theIssuer, verified.Issuer)
			}
		})
	}
	shared := sign(t, jwt.SigningMethodHS256, []byte(auth.DefaultSecret), jwt.MapClaims{
		"sub": "alice", "aud": auth.DefaultAudience, ledgerClaim: map[string]any{"daml_user": "bob"},
	})
	verified, err := newVerifier(t, nil).Verify(t.Context(), shared)
	require.NoError(t, err)
	require.Equal(t, "bob", verified.UserID, "owners of the secret can name anybody")
}

func TestVerify_LimitsExpiryToYear9999(t *testing.T) {
	t.Parallel()
	for _, expiry := range []float64{253402300800, 1e19, 1e300} {
		verified, err := newVerifier(t, nil).Verify(t.Context(), sign(t, jwt.SigningMethodHS256, []byte(auth.DefaultSecret),
			jwt.MapClaims{"sub": "alice", "aud": auth.DefaultAudience, "exp": expiry}))
		require.NoError(t, err, "%v", expiry)
		require.Equal(t, time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC), verified.ExpiresAt.UTC())
	}
}

func TestLedgerClaim_IsIgnoredForIdentityProviders(t *testing.T) {
	t.Parallel()
	b := newIssuersBundle(t)
	token := b.issuer.token(t, claim(ledgerClaim, map[string]any{"daml_user": "bob"}))
	verified, err := b.issuers.Verify(t.Context(), token)
	require.NoError(t, err)
	require.Equal(t, "alice", verified.UserID)
	require.Equal(t, "acme", verified.IdentityProviderID)
}
