package idps_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi/idps"
	"github.com/florinledger/florin/api/ledgerapi/parties"
	"github.com/florinledger/florin/api/ledgerapi/users"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

const acmePath = "/v2/idps/acme"

func idpConfig(id, fields string) string {
	return fmt.Sprintf(`{"identityProviderConfig":{"identityProviderId":%q%s}}`, id, fields)
}

func idpUpdate(fields string, paths ...string) string {
	return fmt.Sprintf(`{"identityProviderConfig":{"identityProviderId":"acme"%s},"updateMask":{"paths":["%s"]}}`,
		fields, strings.Join(paths, `","`))
}

func TestIdentityProviders_CreateReadUpdateDelete(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("nobody")
	const stored = `{"identityProviderConfig":{"identityProviderId":"acme","isDeactivated":false,
		"issuer":"https://acme.example","jwksUrl":"https://acme.example/jwks","audience":"ledger"}}`
	answer := s.Call(apitest.Admin, http.MethodPost, "/v2/idps", idpConfig("acme",
		`,"issuer":"https://acme.example","jwksUrl":"https://acme.example/jwks","audience":"ledger"`))
	answer.OK(nil)
	require.JSONEq(t, stored, answer.Text)
	answer = s.Call(apitest.Admin, http.MethodGet, acmePath, nil)
	answer.OK(nil)
	require.JSONEq(t, stored, answer.Text)

	var updated idps.IdentityProviderConfigResponse
	s.Call(apitest.Admin, http.MethodPatch, acmePath,
		idpUpdate(`,"isDeactivated":true,"jwksUrl":"https://other.example/jwks","issuer":"i","audience":""`,
			"is_deactivated", "jwks_url")).OK(&updated)
	require.Equal(t, &idps.IdentityProviderConfig{
		IdentityProviderID: "acme", IsDeactivated: true, Issuer: "https://acme.example",
		JWKSURL: "https://other.example/jwks", Audience: "ledger",
	}, updated.Config)
	s.Call(apitest.Admin, http.MethodPatch, acmePath, idpUpdate(`,"issuer":"i"`, "issuer", "audience")).OK(&updated)
	require.Equal(t, "i", updated.Config.Issuer)
	require.Empty(t, updated.Config.Audience)

	s.IdentityProvider("aaa")
	var listed idps.ListIdentityProviderConfigsResponse
	s.Call(apitest.Admin, http.MethodGet, "/v2/idps", nil).OK(&listed)
	require.Len(t, listed.Configs, 2)
	require.Equal(t, *updated.Config, listed.Configs[1])

	answer = s.Call(apitest.Admin, http.MethodDelete, acmePath, nil)
	answer.OK(nil)
	require.JSONEq(t, "{}", answer.Text)
	body := s.Call(apitest.Admin, http.MethodDelete, acmePath, nil).Refused(http.StatusNotFound, "IDP_CONFIG_NOT_FOUND")
	require.Equal(t, [][]string{{"IDENTITY_PROVIDER_CONFIG", "acme"}}, body.Resources)
	s.Call(apitest.Admin, http.MethodGet, acmePath, nil).Refused(http.StatusNotFound, "IDP_CONFIG_NOT_FOUND")

	for _, call := range []struct{ method, path, body string }{
		{http.MethodPost, "/v2/idps", idpConfig("x", "")},
		{http.MethodGet, "/v2/idps", ""},
		{http.MethodGet, acmePath, ""},
		{http.MethodPatch, acmePath, idpUpdate("", "issuer")},
		{http.MethodDelete, acmePath, ""},
	} {
		s.NotAllowed(call.method, call.path, call.body)
	}
}

func TestIdentityProviders_RefuseInvalidRequests(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.IdentityProvider("acme")
	s.IdentityProvider("other")
	const rest = `,"issuer":"i","jwksUrl":"https://x.example"`
	for name, test := range map[string]struct {
		body, code, cause string
		status            int
	}{
		"nothing":        {`{}`, "MISSING_FIELD", "identity_provider_config", 400},
		"no id":          {idpConfig("", rest), "MISSING_FIELD", "identity_provider_id", 400},
		"two dots":       {idpConfig("..", rest), "INVALID_FIELD", `".." cannot be a name`, 400},
		"a bad id":       {idpConfig("a$", rest), "INVALID_FIELD", "identity_provider_id", 400},
		"a long id":      {idpConfig(strings.Repeat("a", 256), rest), "INVALID_FIELD", "identity_provider_id", 400},
		"no issuer":      {idpConfig("x", `,"jwksUrl":"https://x.example"`), "MISSING_FIELD", "issuer", 400},
		"no URL":         {idpConfig("x", `,"issuer":"i"`), "MISSING_FIELD", "jwks_url", 400},
		"a relative URL": {idpConfig("x", `,"issuer":"i","jwksUrl":"/jwks"`), "INVALID_FIELD", "Malformed URL", 400},
		"no URL at all":  {idpConfig("x", `,"issuer":"i","jwksUrl":"::"`), "INVALID_FIELD", "Malformed URL", 400},
		"a file": {
			idpConfig("x", `,"issuer":"i","jwksUrl":"file:///etc/passwd"`), "INVALID_FIELD",
			"Malformed URL", 400,
		},
		"keys from elsewhere without https": {
			idpConfig("x", `,"issuer":"i","jwksUrl":"http://x.example/jwks"`), "INVALID_FIELD",
			"neither https nor on this machine", 400,
		},
		"a NUL": {
			idpConfig("x", `,"issuer":"i\u0000","jwksUrl":"https://x.example"`), "INVALID_FIELD",
			"control characters", 400,
		},
		"a long audience": {
			idpConfig("x", rest+`,"audience":"`+strings.Repeat("a", 3000)+`"`), "INVALID_FIELD",
			"longer than 2048", 400,
		},
		"an id that exists": {idpConfig("acme", rest), "IDP_CONFIG_ALREADY_EXISTS", `"acme" already exists`, 409},
		"an issuer as other": {
			idpConfig("x", `,"issuer":"https://other.example","jwksUrl":"https://x.example"`),
			"IDP_CONFIG_ISSUER_ALREADY_EXISTS", "other.example", 409,
		},
	} {
		t.Run("new: "+name, func(t *testing.T) {
			t.Parallel()
			body := s.In(t).Call(apitest.Admin, http.MethodPost, "/v2/idps", test.body).Refused(test.status, test.code)
			require.Contains(t, body.Cause, test.cause)
		})
	}
	const badMask = "INVALID_IDENTITY_PROVIDER_UPDATE_REQUEST"
	for name, test := range map[string]struct {
		body, code, cause string
		status            int
	}{
		"nothing":    {`{}`, "MISSING_FIELD", "identity_provider_config", 400},
		"another id": {idpConfig("x", ""), "INVALID_ARGUMENT", "does not match identity provider in body: x", 400},
		"no mask":    {idpConfig("acme", ""), "MISSING_FIELD", "update_mask", 400},
		"an empty mask": {
			`{"identityProviderConfig":{"identityProviderId":"acme"},"updateMask":{"paths":[]}}`,
			badMask, "no entries", 400,
		},
		"an unknown path": {idpUpdate("", "identity_provider_id"), badMask, "non existing field", 400},
		"a path twice":    {idpUpdate("", "issuer", "issuer"), badMask, "more than once", 400},
		"no issuer":       {idpUpdate("", "issuer"), "MISSING_FIELD", "issuer", 400},
		"a bad URL":       {idpUpdate(`,"jwksUrl":"x"`, "jwks_url"), "INVALID_FIELD", "Malformed URL", 400},
		"keys from elsewhere without https": {
			idpUpdate(`,"jwksUrl":"http://127.0.0.1.example/jwks"`, "jwks_url"), "INVALID_FIELD",
			"neither https nor on this machine", 400,
		},
		"an issuer as other": {
			idpUpdate(`,"issuer":"https://other.example"`, "issuer"),
			"IDP_CONFIG_ISSUER_ALREADY_EXISTS", "other.example", 409,
		},
	} {
		t.Run("update: "+name, func(t *testing.T) {
			t.Parallel()
			body := s.In(t).Call(apitest.Admin, http.MethodPatch, acmePath, test.body).Refused(test.status, test.code)
			require.Contains(t, body.Cause, test.cause)
		})
	}
	s.Call(apitest.Admin, http.MethodPatch, "/v2/idps/x",
		`{"identityProviderConfig":{"identityProviderId":"x"},"updateMask":{"paths":["issuer"]}}`).
		Refused(http.StatusNotFound, "IDP_CONFIG_NOT_FOUND")
	s.Call(apitest.Admin, http.MethodGet, "/v2/idps/$", nil).Refused(http.StatusBadRequest, "INVALID_FIELD")
	s.Call(apitest.Admin, http.MethodDelete, "/v2/idps/$", nil).Refused(http.StatusBadRequest, "INVALID_FIELD")
}

func TestIdentityProviders_LimitCountAndKeepThoseWithUsers(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	for i := range ledger.MaxIdentityProviders {
		s.IdentityProvider(fmt.Sprintf("idp-%d", i))
	}
	s.Call(apitest.Admin, http.MethodPost, "/v2/idps", idpConfig("x", `,"issuer":"i","jwksUrl":"https://x.example"`)).
		Refused(http.StatusBadRequest, "TOO_MANY_IDENTITY_PROVIDER_CONFIGS")
	s.Call(apitest.Admin, http.MethodPost, "/v2/users", `{"user":{"id":"u","identityProviderId":"idp-0"}}`).OK(nil)
	body := s.Call(apitest.Admin, http.MethodDelete, "/v2/idps/idp-0", nil).
		Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	require.Contains(t, body.Cause, `identity provider "idp-0" cannot be deleted as long as it has users`)
	require.NotContains(t, body.Cause, "table")
	require.Contains(t, *body.Hint, "Move its users")
}

func TestIdentityProvider_TokensNameOnlyItsUsers(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	acme := s.IdentityProvider("acme")
	s.Call(apitest.Admin, http.MethodPost, "/v2/users", `{"user":{"id":"alice","identityProviderId":"acme"}}`).OK(nil)
	s.Rights("bob")
	ask := func(token string) apitest.Answer {
		return s.Send(http.MethodGet, "/v2/authenticated-user", apitest.Bearer(token), nil)
	}
	var user users.GetUserResponse
	ask(acme.Token("alice")).OK(&user)
	require.Equal(t, "acme", user.User.IdentityProviderID)
	require.Equal(t, map[string]string{"ledger_api_error": "invalid token"},
		ask(acme.Token("bob")).Refused(http.StatusForbidden, "NA").Context, "bob is of the default one")
	ask(apitest.Token(t, "alice")).Refused(http.StatusForbidden, "NA")
	s.Send(http.MethodGet, "/v2/authenticated-user?identity-provider-id=other", apitest.Bearer(acme.Token("alice")), nil).
		Refused(http.StatusForbidden, "NA")

	s.Call(apitest.Admin, http.MethodPatch, acmePath, idpUpdate(`,"isDeactivated":true`, "is_deactivated")).OK(nil)
	s.Eventually(func() bool { return ask(acme.Token("alice")).Status == http.StatusUnauthorized })
	s.Call(apitest.Admin, http.MethodPatch, acmePath, idpUpdate(`,"isDeactivated":false`, "is_deactivated")).OK(nil)
	s.Eventually(func() bool { return ask(acme.Token("alice")).Status == http.StatusOK })
}

// The administrator's token stops working with this change. The request still has the rights from before the change.
func TestIdentityProvider_AdminCanDeactivateItsOwn(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	acme := s.IdentityProvider("acme")
	_, err := s.DB.CreateUser(t.Context(), ledger.User{ID: "boss", IdentityProviderID: "acme"},
		[]ledger.Right{{Kind: ledger.ParticipantAdmin}})
	require.NoError(t, err)
	boss := func(isDeactivated string) apitest.Answer {
		return s.Send(http.MethodPatch, acmePath, apitest.Bearer(acme.Token("boss")),
			idpUpdate(`,"isDeactivated":`+isDeactivated, "is_deactivated"))
	}
	boss("true").OK(nil)
	s.Eventually(func() bool { return boss("false").Status == http.StatusUnauthorized })
	provider, known, err := s.DB.IdentityProvider(t.Context(), "acme")
	require.NoError(t, err)
	require.True(t, known)
	require.True(t, provider.IsDeactivated)
}

// An administrator of an identity provider administers only its users and parties.
//
// contract: parties-provider, users-create-rights, parties-rights
func TestIDPAdmin_AdministersOnlyItsIdentityProvider(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	acme := s.IdentityProvider("acme")
	s.IdentityProvider("other")
	s.Rights("stranger")
	s.Party("foreign")
	for _, id := range []string{"boss", "clerk", "leaver"} {
		_, err := s.DB.CreateUser(t.Context(), ledger.User{ID: id, IdentityProviderID: "acme"},
			map[string][]ledger.Right{"boss": {{Kind: ledger.IdentityProviderAdmin}}}[id])
		require.NoError(t, err)
	}
	call := func(user, method, path, body string) apitest.Answer {
		return s.Send(method, path, apitest.Bearer(acme.Token(user)), body)
	}
	boss := func(method, path, body string) apitest.Answer { return call("boss", method, path, body) }

	var created users.CreateUserResponse
	for _, unset := range []string{"", `,"identityProviderId":""`, `,"identityProviderId":null`} { // the default one
		boss(http.MethodPost, "/v2/users", `{"user":{"id":"new"`+unset+`}}`).Refused(http.StatusForbidden, "NA")
		boss(http.MethodPost, "/v2/parties", `{"partyIdHint":"own"`+unset+`}`).Refused(http.StatusForbidden, "NA")
	}
	boss(http.MethodPost, "/v2/users", `{"user":{"id":"new","identityProviderId":"acme"}}`).OK(&created)
	require.Equal(t, "acme", created.User.IdentityProviderID)
	boss(http.MethodPost, "/v2/users", `{"user":{"id":"new2","identityProviderId":"acme"}}`).OK(nil)
	var allocated parties.AllocatePartyResponse
	boss(http.MethodPost, "/v2/parties", `{"partyIdHint":"own","userId":"new","identityProviderId":"acme"}`).OK(&allocated)
	require.Equal(t, "acme", allocated.PartyDetails.IdentityProviderID)
	own, foreign := allocated.PartyDetails.Party, string(s.Node.LocalParty("foreign"))

	t.Run("sees its own", func(t *testing.T) {
		t.Parallel()
		s := s.In(t)
		var known users.ListUsersResponse
		s.Send(http.MethodGet, "/v2/users", apitest.Bearer(acme.Token("boss")), nil).OK(&known)
		ids := []string{}
		for _, user := range known.Users {
			ids = append(ids, user.ID)
		}
		require.Subset(t, ids, []string{"boss", "clerk", "new", "new2"})
		require.NotContains(t, ids, "stranger")
		var listed parties.ListKnownPartiesResponse
		s.Send(http.MethodGet, "/v2/parties", apitest.Bearer(acme.Token("boss")), nil).OK(&listed)
		require.Len(t, listed.PartyDetails, 2)
		require.Equal(t, parties.PartyDetails{
			Party: foreign, LocalMetadata: &v2.ObjectMeta{Annotations: map[string]string{}},
		}, listed.PartyDetails[0], "what belongs to others is hidden")
		require.Equal(t, "acme", listed.PartyDetails[1].IdentityProviderID)
		s.Send(http.MethodGet, "/v2/users/new/rights", apitest.Bearer(acme.Token("boss")), nil).OK(nil)
		s.Send(http.MethodGet, "/v2/users/new?identity-provider-id=acme", apitest.Bearer(acme.Token("boss")), nil).OK(nil)
	})
	right := func(user, kind, value string) string {
		return fmt.Sprintf(`{"userId":%q,"rights":[{"kind":{%q:{"value":{%s}}}}]}`, user, kind, value)
	}
	t.Run("gives rights to its own parties", func(t *testing.T) {
		t.Parallel()
		s := s.In(t)
		grant := func(body string) apitest.Answer {
			return s.Send(http.MethodPost, "/v2/users/new2/rights", apitest.Bearer(acme.Token("boss")), body)
		}
		grant(right("new2", "CanActAs", `"party":"`+own+`"`)).OK(nil)
		grant(right("new2", "IdentityProviderAdmin", "")).OK(nil)
		refused := grant(right("new2", "CanReadAs", `"party":"`+foreign+`"`)).
			Refused(http.StatusNotFound, "UNKNOWN_RESOURCE")
		require.Equal(t, [][]string{{"PARTIES", foreign}}, refused.Resources)
		for _, kind := range []string{"ParticipantAdmin", "CanActAsAnyParty", "CanReadAsAnyParty", "CanExecuteAsAnyParty"} {
			grant(right("new2", kind, "")).Refused(http.StatusForbidden, "NA")
		}
	})
	t.Run("changes nothing of others", func(t *testing.T) {
		t.Parallel()
		s := s.In(t)
		for _, refused := range []struct{ method, path, body string }{
			{http.MethodPost, "/v2/users", `{"user":{"id":"x","identityProviderId":"other"}}`},
			{http.MethodPost, "/v2/users", `{"user":{"id":"x"},"rights":[{"kind":{"ParticipantAdmin":{"value":{}}}}]}`},
			{http.MethodGet, "/v2/users/stranger", ""},
			{http.MethodGet, "/v2/users/stranger?identity-provider-id=other", ""},
			{http.MethodPatch, "/v2/users/stranger", `{"user":{"id":"stranger"},"updateMask":{"paths":["primary_party"]}}`},
			{http.MethodDelete, "/v2/users/stranger", ""},
			{http.MethodGet, "/v2/users/stranger/rights", ""},
			{http.MethodPost, "/v2/users/stranger/rights", `{"userId":"stranger"}`},
			{http.MethodPatch, "/v2/users/stranger/rights", `{"userId":"stranger"}`},
			{http.MethodPatch, "/v2/users/new/identity-provider-id", `{"userId":"new","sourceIdentityProviderId":"acme"}`},
			{http.MethodPost, "/v2/parties", `{"partyIdHint":"x","identityProviderId":"other"}`},
			{http.MethodPost, "/v2/parties", `{"partyIdHint":"x","userId":"stranger"}`},
			{http.MethodGet, "/v2/parties?identity-provider-id=other", ""},
			{http.MethodPatch, "/v2/parties/" + foreign, apitest.PartyUpdate(ledger.Party(foreign), "", "party")},
			{http.MethodGet, "/v2/idps", ""},
		} {
			body := s.Send(refused.method, refused.path, apitest.Bearer(acme.Token("boss")), refused.body).
				Refused(http.StatusForbidden, "NA")
			require.Empty(t, body.Context, "%s %s", refused.method, refused.path)
		}
	})
	t.Run("a user without the right administers nothing", func(t *testing.T) {
		t.Parallel()
		s := s.In(t)
		clerk := apitest.Bearer(acme.Token("clerk"))
		s.Send(http.MethodGet, "/v2/users", clerk, nil).Refused(http.StatusForbidden, "NA")
		s.Send(http.MethodPost, "/v2/users", clerk, `{"user":{"id":"x"}}`).Refused(http.StatusForbidden, "NA")
		s.Send(http.MethodGet, "/v2/users/clerk", clerk, nil).OK(nil)
		s.Send(http.MethodGet, "/v2/users/clerk?identity-provider-id=other", clerk, nil).
			Refused(http.StatusForbidden, "NA")
	})
	boss(http.MethodPatch, "/v2/users/leaver", `{"user":{"id":"leaver","isDeactivated":true},
		"updateMask":{"paths":["is_deactivated"]}}`).OK(nil)
	boss(http.MethodDelete, "/v2/users/leaver", "").OK(nil)
	boss(http.MethodDelete, "/v2/users/boss", "").Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	boss(http.MethodPatch, "/v2/parties/"+own, apitest.PartyUpdate(ledger.Party(own),
		`"localMetadata":{"annotations":{"a":"b"}}`, "local_metadata")).OK(nil)
	s.Call(apitest.Admin, http.MethodPatch, "/v2/parties/"+own, apitest.PartyUpdate(ledger.Party(own),
		`"identityProviderId":"acme"`, "party")).OK(nil)
}
