package auth_test

import (
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

const (
	thisNode  = "participant::1220aa"
	otherNode = "participant::1220bb"
	forNode   = "https://daml.com/jwt/aud/participant/"
)

func withRecipient(options *auth.HS256Options) {
	options.ParticipantID, options.Scope = thisNode, auth.DefaultScope
}

func verifyClaims(t *testing.T, claims jwt.MapClaims, change func(*auth.HS256Options)) error {
	t.Helper()
	token := sign(t, jwt.SigningMethodHS256, []byte(auth.DefaultSecret), claims)
	_, err := newVerifier(t, change).Verify(t.Context(), token)
	return err
}

func TestVerify_AcceptsParticipantAudienceAndScope(t *testing.T) {
	t.Parallel()
	for name, claims := range map[string]jwt.MapClaims{
		"the participant":                {"sub": "alice", "aud": forNode + thisNode},
		"the participant in a list":      {"sub": "alice", "aud": []string{"https://other.example", forNode + thisNode}},
		"the scope":                      {"sub": "alice", "scope": "daml_ledger_api"},
		"the scope among others":         {"sub": "alice", "scope": "openid daml_ledger_api  offline_access"},
		"the scope in a list":            {"sub": "alice", "scp": []string{"openid", "daml_ledger_api"}},
		"an empty scope and a list":      {"sub": "alice", "scope": "", "scp": []string{"daml_ledger_api"}},
		"the scope and the participant":  {"sub": "alice", "scope": "daml_ledger_api", "aud": thisNode},
		"the audience and an odd scope":  {"sub": "alice", "aud": auth.DefaultAudience, "scope": 7, "scp": "x"},
		"the audience beside other ones": {"sub": "alice", "aud": []string{auth.DefaultAudience, forNode + otherNode}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, verifyClaims(t, claims, withRecipient))
		})
	}
}

func TestVerify_RefusesOtherNode(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		claims  jwt.MapClaims
		refusal fault.Code
	}{
		"another participant": {jwt.MapClaims{"sub": "alice", "aud": forNode + otherNode}, fault.PermissionDenied},
		"another participant and the scope": {
			jwt.MapClaims{"sub": "alice", "aud": forNode + otherNode, "scope": "daml_ledger_api"}, fault.PermissionDenied,
		},
		"another audience and the scope": {
			jwt.MapClaims{"sub": "alice", "aud": "https://other.example", "scope": "daml_ledger_api"}, fault.PermissionDenied,
		},
		"no participant": {jwt.MapClaims{"sub": "alice", "aud": forNode}, fault.Unauthenticated},
		"several participants": {
			jwt.MapClaims{
				"sub": "alice", "aud": []string{forNode + thisNode, forNode + otherNode}, "scope": "daml_ledger_api",
			},
			fault.Unauthenticated,
		},
		"several audiences and the scope": {
			jwt.MapClaims{"sub": "alice", "aud": []string{"a", "b"}, "scope": "daml_ledger_api"}, fault.Unauthenticated,
		},
		"another scope":     {jwt.MapClaims{"sub": "alice", "scope": "openid"}, fault.Unauthenticated},
		"part of the scope": {jwt.MapClaims{"sub": "alice", "scope": "daml_ledger_api2"}, fault.Unauthenticated},
		"a list beside a scope": {
			jwt.MapClaims{"sub": "alice", "scope": "a", "scp": []string{auth.DefaultScope}}, fault.Unauthenticated,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := verifyClaims(t, test.claims, withRecipient)
			require.True(t, test.refusal.Matches(err), "%v", err)
			refusal, _ := fault.As(err)
			require.True(t, refusal.Redacted(), "the caller does not learn the reason")
			require.Error(t, refusal.Unwrap(), "the log is")
		})
	}
}

func TestVerify_RefusesScopeAndParticipantWhenTurnedOff(t *testing.T) {
	t.Parallel()
	for _, claims := range []jwt.MapClaims{
		{"sub": "alice", "scope": "daml_ledger_api"},
		{"sub": "alice", "aud": forNode + thisNode},
		{"sub": "alice", "scope": ""},
	} {
		require.True(t, fault.Unauthenticated.Matches(verifyClaims(t, claims, nil)))
	}
}

func TestIssuers_RefuseTokenForOtherNode(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	issuers, err := auth.NewIssuers(auth.IssuersOptions{
		Default: newVerifier(t, nil), Keys: auth.NewRemoteKeys(nil, clock), ParticipantID: thisNode,
		Times: auth.Times{Now: clock},
		Providers: &providers{list: []ledger.IdentityProvider{
			{ID: "acme", Issuer: "https://acme.example", JWKSURL: i.server.URL},
		}},
	})
	require.NoError(t, err)
	for audience, allowed := range map[string]bool{
		forNode + thisNode: true, forNode + otherNode: false, "anything": true,
		forNode + otherNode + "," + forNode + thisNode: true,
	} {
		_, err := issuers.Verify(t.Context(), i.token(t, claim("aud", strings.Split(audience, ","))))
		require.Equal(t, !allowed, fault.PermissionDenied.Matches(err), "%s: %v", audience, err)
		require.Equal(t, allowed, err == nil, "%s: %v", audience, err)
	}
}
