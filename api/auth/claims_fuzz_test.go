package auth_test

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger/fault"
)

// FuzzClaims_NameTheVerifiedUser signs any header and claims with the right key: an accepted user is the one in the
// claims, and the header has only the algorithm.
func FuzzClaims_NameTheVerifiedUser(f *testing.F) {
	const head = `{"alg":"HS256","typ":"JWT"}`
	const aud = `"aud":"` + auth.DefaultAudience + `"`
	for _, claims := range []string{
		`{"sub":"alice",` + aud + `}`, `{"sub":"alice","Sub":"root",` + aud + `}`, `{"sub":"alice","sub":"bob",` + aud + `}`,
		`{"sub":"alice","aud":["x","` + auth.DefaultAudience + `"],"exp":9999999999.5,"nbf":1,"iat":1e3}`,
		`{"sub":"alice","scope":"a daml_ledger_api"}`, `{"sub":"alice","scp":["daml_ledger_api"],"aud":[]}`,
		`{"sub":null}`, `{"sub":7}`, `{"exp":"x"}`, `{"exp":-1e308}`, `null`, `[]`, `{`, `{"aud":{}}`, "\xff",
	} {
		f.Add(head, claims)
	}
	for _, header := range []string{
		`{"alg":"none"}`, `{"alg":"HS512"}`, `{"alg":["HS256"]}`, `{"Alg":"HS256"}`, `{"alg":"HS256","crit":[]}`, `null`, ``,
		`{"alg":"HS256","alg":"none"}`, `{"alg":"HS256","b64":false,"zip":"DEF","jku":"http://127.0.0.1:1"}`,
	} {
		f.Add(header, `{"sub":"alice",`+aud+`}`)
	}
	verifier, err := auth.NewHS256(auth.HS256Options{
		Secret: auth.DefaultSecret, Audience: auth.DefaultAudience, Scope: auth.DefaultScope,
		Times: auth.Times{Now: clock},
	})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, header, claims string) {
		signed := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." +
			base64.RawURLEncoding.EncodeToString([]byte(claims))
		token := signed + "." + base64.RawURLEncoding.EncodeToString(hs256([]byte(auth.DefaultSecret))(signed))
		verified, err := verifier.Verify(t.Context(), token)
		if err != nil {
			require.True(t, fault.Unauthenticated.Matches(err) || fault.PermissionDenied.Matches(err), "%v", err)
			require.Empty(t, verified)
			return
		}
		var named, said map[string]any
		require.NoError(t, json.Unmarshal([]byte(claims), &named))
		require.Equal(t, named["sub"], verified.UserID)
		require.NoError(t, json.Unmarshal([]byte(header), &said))
		require.Equal(t, "HS256", said["alg"])
		require.NotContains(t, said, "crit")
	})
}
