package users_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/ledgerapi/users"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// contract: users-create, users-fields, error-body
func TestCreateUser_StoresUserAndRights(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	answer := s.Call(apitest.Admin, http.MethodPost, "/v2/users", `{"user":{"id":"alice-app",
		"primaryParty":"alice::1220ab","isDeactivated":false,"identityProviderId":"",
		"metadata":{"resourceVersion":"","annotations":{"acme.example/team":"payments"}}},
		"rights":[{"kind":{"CanActAs":{"value":{"party":"alice::1220ab"}}}},
			{"kind":{"CanActAs":{"value":{"party":"alice::1220ab"}}}},{"kind":{"ParticipantAdmin":{"value":{}}}}]}`)
	answer.OK(nil)
	require.JSONEq(t, `{"user":{"id":"alice-app","primaryParty":"alice::1220ab","isDeactivated":false,
		"metadata":{"resourceVersion":"0","annotations":{"acme.example/team":"payments"}},"identityProviderId":"",
		"primaryPartyAuthentication":false}}`, answer.Text)

	var rights users.ListUserRightsResponse
	s.Call(apitest.Admin, http.MethodGet, "/v2/users/alice-app/rights", nil).OK(&rights)
	require.Len(t, rights.Rights, 2, "repeated rights count once")
	var acting, administering bool
	for _, right := range rights.Rights {
		acting = acting || right.Kind.CanActAs != nil && right.Kind.CanActAs.Value.Party == "alice::1220ab"
		administering = administering || right.Kind.ParticipantAdmin != nil
	}
	require.True(t, acting && administering, "%+v", rights.Rights)
	require.JSONEq(t, answer.Text, s.Call(apitest.Admin, http.MethodGet, "/v2/users/alice-app", nil).Text, "it is stored")

	t.Run("the id is all that is needed", func(t *testing.T) {
		t.Parallel()
		s := s.In(t)
		var created users.CreateUserResponse
		s.Call(apitest.Admin, http.MethodPost, "/v2/users", `{"user":{"id":"bare"}}`).OK(&created)
		require.Equal(t, "0", created.User.Metadata.ResourceVersion)
		require.NotNil(t, created.User.Metadata.Annotations)
	})
	t.Run("an id is taken once", func(t *testing.T) {
		t.Parallel()
		s := s.In(t)
		body := s.Call(apitest.Admin, http.MethodPost, "/v2/users", `{"user":{"id":"alice-app"}}`).
			Refused(http.StatusConflict, "USER_ALREADY_EXISTS")
		require.Equal(t, `creating user failed, as user "alice-app" already exists`, body.Cause)
		require.Equal(t, [][]string{{"USER", "alice-app"}}, body.Resources)
		require.Equal(t, int32(10), body.ErrorCategory)
		require.Equal(t, int32(6), *body.GRPCCodeValue)
		require.Nil(t, body.DefiniteAnswer)
		require.Equal(t, "participant", body.Context["participant"])
		require.Equal(t, *body.TraceID, body.Context["tid"])
		require.Equal(t, "false", body.Context["definite_answer"])
		require.NotEmpty(t, *body.Hint)
	})
}

// contract: users-create-rights
func TestCreateUser_RefusesInvalidRequests(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("nobody")
	annotated := func(key, value string) string {
		return fmt.Sprintf(`{"user":{"id":"x","metadata":{"annotations":{%q:%q}}}}`, key, value)
	}
	for name, test := range map[string]struct {
		body, code, cause string
	}{
		"no user":           {`{"rights":[]}`, "MISSING_FIELD", "mandatory field: user"},
		"null for the user": {`{"user":null}`, "MISSING_FIELD", "mandatory field: user"},
		"no id":             {`{"user":{}}`, "MISSING_FIELD", "mandatory field: id"},
		"an odd id": {
			`{"user":{"id":"a b"}}`, "INVALID_FIELD",
			"Invalid field id: User ID \"a b\" does not match regex ^[a-zA-Z0-9@^$.!`\\-#+'~_|:()]{1,128}$",
		},
		"one dot":   {`{"user":{"id":"."}}`, "INVALID_FIELD", `Invalid field id: "." cannot be a name`},
		"two dots":  {`{"user":{"id":".."}}`, "INVALID_FIELD", `Invalid field id: ".." cannot be a name`},
		"a long id": {`{"user":{"id":"` + strings.Repeat("a", 129) + `"}}`, "INVALID_FIELD", "Invalid field id"},
		"a resource version": {
			`{"user":{"id":"x","metadata":{"resourceVersion":"0"}}}`, "INVALID_ARGUMENT",
			"user.metadata.resource_version must be not set",
		},
		"a bad annotation": {annotated("a/b/c", "x"), "INVALID_ARGUMENT", "user.metadata.annotations"},
		"a bad prefix":     {annotated("-/b", "x"), "INVALID_ARGUMENT", "DNS name"},
		"an empty name":    {annotated("a/", "x"), "INVALID_ARGUMENT", "name of 1 to 63"},
		"a long name":      {annotated(strings.Repeat("a", 64), "x"), "INVALID_ARGUMENT", "name of 1 to 63"},
		"an empty value":   {annotated("a", ""), "INVALID_ARGUMENT", "is empty"},
		"a value with NUL": {`{"user":{"id":"x","metadata":{"annotations":{"a":"\u0000"}}}}`, "INVALID_ARGUMENT", "NUL"},
		"large annotations": {
			annotated("a", strings.Repeat("a", 256*1024)), "INVALID_ARGUMENT", "larger than the limit of 256kb",
		},
		"a bad party": {
			`{"user":{"id":"x","primaryParty":"a$b"}}`, "INVALID_ARGUMENT", `non expected character 0x24 in Daml-LF Party "a$b"`,
		},
		"no kind of right": {`{"user":{"id":"x"},"rights":[{}]}`, "INVALID_ARGUMENT", "unknown kind of right"},
		"the empty kind": {
			`{"user":{"id":"x"},"rights":[{"kind":{"Empty":{}}}]}`, "INVALID_ARGUMENT", "unknown kind of right",
		},
		"a right to nobody": {
			`{"user":{"id":"x"},"rights":[{"kind":{"CanReadAs":{"value":{}}}}]}`, "INVALID_ARGUMENT", "Daml-LF Party is empty",
		},
		"an unknown IDP": {`{"user":{"id":"x","identityProviderId":"acme"}}`, "INVALID_ARGUMENT", "has not been found"},
		"a bad IDP": {
			`{"user":{"id":"x","identityProviderId":"$"}}`, "INVALID_FIELD", "Invalid field identity_provider_id",
		},
		"too many rights": {`{"user":{"id":"x"},"rights":[` + manyRights(1001) + `]}`, "TOO_MANY_USER_RIGHTS", "1001"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := s.In(t)
			body := s.Call(apitest.Admin, http.MethodPost, "/v2/users", test.body).
				Refused(http.StatusBadRequest, test.code)
			require.Contains(t, body.Cause, test.cause)
		})
	}
	for name, body := range map[string]string{
		"text for the user":     `{"user":"x"}`,
		"no object":             `[]`,
		"null among the rights": `{"user":{"id":"x"},"rights":[null]}`,
		"an unknown right":      `{"user":{"id":"x"},"rights":[{"kind":{"CanFly":{}}}]}`,
		"no kind":               `{"user":{"id":"x"},"rights":[{"kind":{}}]}`,
		"nothing":               ``,
		"something that is not": `{"user":`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := s.In(t)
			text := s.Call(apitest.Admin, http.MethodPost, "/v2/users", body).Plain(http.StatusBadRequest)
			require.Contains(t, text, "Invalid value for: body (")
		})
	}
	t.Run("not for want of what null leaves out, or for a misspelt field, which is named", func(t *testing.T) {
		t.Parallel()
		s := s.In(t)
		answer := s.Call(apitest.Admin, http.MethodPost, "/v2/users",
			`{"user":{"id":"left-out","primaryParty":null,"isDeactivated":null,"metadata":null,"primryParty":""}}`)
		answer.OK(nil)
		require.Equal(t, "user.primryParty", answer.Header.Get("Florin-Ignored-Fields"))
	})
	t.Run("by a user without the right", func(t *testing.T) {
		t.Parallel()
		s := s.In(t)
		s.NotAllowed(http.MethodPost, "/v2/users", `{"user":{"id":"x"}}`)
	})
}

func manyRights(count int) string {
	rights := make([]string, count)
	for i := range rights {
		rights[i] = fmt.Sprintf(`{"kind":{"CanActAs":{"value":{"party":"p%d"}}}}`, i)
	}
	return strings.Join(rights, ",")
}

// contract: users-list, users-page-token
func TestListUsers_ReturnsPages(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("nobody")
	for _, id := range []string{"b", "a", "Z", "~"} { // with participant_admin and nobody, six
		s.Rights(id)
	}
	list := func(query string) users.ListUsersResponse {
		var page users.ListUsersResponse
		s.Call(apitest.Admin, http.MethodGet, "/v2/users"+query, nil).OK(&page)
		return page
	}
	ids := func(page users.ListUsersResponse) []string {
		out := []string{}
		for _, user := range page.Users {
			out = append(out, user.ID)
		}
		return out
	}
	all := list("")
	require.Equal(t, []string{"Z", "a", "b", "nobody", "participant_admin", "~"}, ids(all), "in byte order")
	require.Empty(t, all.NextPageToken)

	var paged []string
	token := ""
	for range 3 {
		page := list("?pageSize=2&pageToken=" + token)
		require.Len(t, page.Users, 2)
		require.NotEmpty(t, page.NextPageToken, "a full page has a next one, even if that turns out empty")
		paged, token = append(paged, ids(page)...), page.NextPageToken
	}
	require.Equal(t, ids(all), paged)
	last := list("?page_size=2&page_token=" + token)
	require.Empty(t, last.Users)
	require.Empty(t, last.NextPageToken)
	require.Len(t, list("?pageSize=100000").Users, 6, "too large a page is cut")

	for query, cause := range map[string]string{
		"?pageSize=-1":                             "Max page size must be non-negative",
		"?pageToken=%21":                           "Invalid page token",
		"?pageToken=AAAA":                          "Invalid page token",
		"?pageSize=-1&pageToken=x":                 "Invalid page token", // the token is checked first
		"?pageToken=" + apitest.PageToken("a\x00"): "Invalid page token",
		"?pageToken=" + apitest.PageToken("a\xff"): "Invalid page token",
		"?pageToken=" + apitest.PageToken("ab"):    "Invalid page token",
		"?pageToken=" + "CgD_____" + "Dw":          "Invalid page token",
	} {
		body := s.Call(apitest.Admin, http.MethodGet, "/v2/users"+query, nil).
			Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
		require.Contains(t, body.Cause, cause, query)
	}
	require.Equal(t, "Invalid value for: query parameter pageSize",
		s.Call(apitest.Admin, http.MethodGet, "/v2/users?pageSize=ten", nil).Plain(http.StatusBadRequest))
	s.NotAllowed(http.MethodGet, "/v2/users", nil)
}

func TestListUsers_PageTokenContainsListName(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	var page users.ListUsersResponse
	s.Call(apitest.Admin, http.MethodGet, "/v2/users?pageSize=1", nil).OK(&page)
	require.True(t, strings.HasPrefix(page.NextPageToken, "ChFwYXJ0aWNpcGFudF9hZG1pb"),
		"the same message, with one more field")
	refusal := s.Call(apitest.Admin, http.MethodGet, "/v2/users?pageToken=ChFwYXJ0aWNpcGFudF9hZG1pbg==", nil).
		Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	require.Contains(t, refusal.Cause, "Invalid page token", "a token without the name of its list fits none")
}

func TestGetUser_ReturnsUser(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("nobody")
	s.Rights("alice")
	var got users.GetUserResponse
	s.Call("alice", http.MethodGet, "/v2/users/alice", nil).OK(&got)
	require.Equal(t, "alice", got.User.ID)
	s.Call(apitest.Admin, http.MethodGet, "/v2/users/alice?identity-provider-id=", nil).OK(&got)
	s.Call("alice", http.MethodGet, "/v2/authenticated-user", nil).OK(&got)
	require.Equal(t, "alice", got.User.ID)

	body := s.Call(apitest.Admin, http.MethodGet, "/v2/users/bob", nil).Refused(http.StatusNotFound, "USER_NOT_FOUND")
	require.Equal(t, `getting user failed for unknown user "bob"`, body.Cause)
	body = s.Call(apitest.Admin, http.MethodGet, "/v2/users/a%20b", nil).
		Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	require.Contains(t, body.Cause, "Malformed user-id: ")
	require.False(t, *body.DefiniteAnswer)
	require.Empty(t, body.Context)
	s.Call(apitest.Admin, http.MethodGet, "/v2/users/alice?identity-provider-id=acme", nil).
		Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	s.NotAllowed(http.MethodGet, "/v2/users/alice", nil)
	s.Call("", http.MethodGet, "/v2/authenticated-user", nil).Refused(http.StatusUnauthorized, "NA")
}

func TestAuthenticatedUser_IsRefusedWithoutAuthorization(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Auth: auth.Disabled{}})
	body := s.Call("", http.MethodGet, "/v2/authenticated-user", nil).Refused(http.StatusBadRequest, "INVALID_TOKEN")
	require.Contains(t, body.Cause, "The submitted request is missing a user-id")
}

func TestDeactivatedUser_IsRefusedEverywhere(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Call(apitest.Admin, http.MethodPost, "/v2/users", `{"user":{"id":"gone","isDeactivated":true}}`).OK(nil)
	body := s.Call("gone", http.MethodGet, "/v2/authenticated-user", nil).Refused(http.StatusForbidden, "NA")
	require.Equal(t, "invalid token", body.Context["ledger_api_error"])
	s.Call("gone", http.MethodGet, "/v2/version", nil).Refused(http.StatusForbidden, "NA")
}

// contract: users-right-kinds
func TestUserRights_GrantListAndRevoke(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("nobody")
	s.Rights("alice")
	const every = `[{"kind":{"CanActAs":{"value":{"party":"a"}}}},{"kind":{"CanReadAs":{"value":{"party":"b"}}}},
		{"kind":{"CanExecuteAs":{"value":{"party":"c"}}}},{"kind":{"ParticipantAdmin":{"value":{}}}},
		{"kind":{"IdentityProviderAdmin":{"value":{}}}},{"kind":{"CanReadAsAnyParty":{"value":{}}}},
		{"kind":{"CanExecuteAsAnyParty":{"value":{}}}},{"kind":{"CanActAsAnyParty":{"value":{}}}}]`
	const path = "/v2/users/alice/rights"
	change := `{"userId":"alice","identityProviderId":"","rights":` + every + `}`

	var granted users.GrantUserRightsResponse
	s.Call(apitest.Admin, http.MethodPost, path, change).OK(&granted)
	require.Len(t, granted.NewlyGrantedRights, 8)
	s.Call(apitest.Admin, http.MethodPost, path, change).OK(&granted)
	require.Empty(t, granted.NewlyGrantedRights, "all were there")

	var listed users.ListUserRightsResponse
	s.Call("alice", http.MethodGet, path, nil).OK(&listed)
	back, err := users.FromAPIRights(listed.Rights)
	require.NoError(t, err)
	require.ElementsMatch(t, []ledger.Right{
		{Kind: ledger.CanActAs, Party: "a"},
		{Kind: ledger.CanReadAs, Party: "b"},
		{Kind: ledger.CanExecuteAs, Party: "c"},
		{Kind: ledger.ParticipantAdmin},
		{Kind: ledger.IdentityProviderAdmin},
		{Kind: ledger.CanReadAsAnyParty},
		{Kind: ledger.CanExecuteAsAnyParty},
		{Kind: ledger.CanActAsAnyParty},
	}, back)

	var revoked users.RevokeUserRightsResponse
	s.Call(apitest.Admin, http.MethodPatch, path,
		`{"userId":"alice","rights":[{"kind":{"CanActAs":{"value":{"party":"a"}}}},
			{"kind":{"CanActAs":{"value":{"party":"z"}}}}]}`).
		OK(&revoked)
	require.Len(t, revoked.NewlyRevokedRights, 1, "rights that are not held are ignored")
	require.Equal(t, "a", revoked.NewlyRevokedRights[0].Kind.CanActAs.Value.Party)
}

// A tutorial of upstream sends two kinds in one right. Its decoder reads the first by name.
func TestGrantUserRights_ReadsTheFirstOfSeveralKinds(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("alice")
	for sent, kind := range map[string]ledger.RightKind{
		`{"CanReadAs":{"value":{"party":"a"}},"CanActAs":{"value":{"party":"a"}}}`:             ledger.CanActAs,
		`{"ParticipantAdmin":{"value":{}},"CanExecuteAs":{"value":{"party":"a"}},"Empty":{}}`:  ledger.CanExecuteAs,
		`{"CanReadAsAnyParty":{"value":{}},"CanReadAs":{"value":{"party":"a"}}}`:               ledger.CanReadAs,
		`{"ParticipantAdmin":{"value":{}},"IdentityProviderAdmin":{"value":{}}}`:               ledger.IdentityProviderAdmin,
		`{"Empty":{},"ParticipantAdmin":{"value":{}}}`:                                         "",
		`{"CanExecuteAsAnyParty":{"value":{}},"CanActAsAnyParty":{"value":{}},"Unheard":null}`: "",
	} {
		var granted users.GrantUserRightsResponse
		answer := s.Call(apitest.Admin, http.MethodPost, "/v2/users/alice/rights",
			`{"userId":"alice","rights":[{"kind":`+sent+`}]}`)
		if kind == "" {
			require.Equal(t, http.StatusBadRequest, answer.Status, sent)
			continue
		}
		answer.OK(&granted)
		rights, err := users.FromAPIRights(granted.NewlyGrantedRights)
		require.NoError(t, err)
		require.Len(t, rights, 1, sent)
		require.Equal(t, kind, rights[0].Kind, sent)
	}
}

func TestUserRights_RefuseInvalidChanges(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("nobody")
	const path = "/v2/users/nobody/rights"
	for _, method := range []string{http.MethodPost, http.MethodPatch} {
		body := s.Call(apitest.Admin, method, path, `{"userId":"other"}`).
			Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
		require.Equal(t, "nobody does not match user in body: other", body.Cause)
		s.Call(apitest.Admin, method, "/v2/users/ghost/rights", `{"userId":"ghost"}`).
			Refused(http.StatusNotFound, "USER_NOT_FOUND")
		s.Call(apitest.Admin, method, path, `{"userId":"nobody","rights":[{}]}`).
			Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
		s.Call(apitest.Admin, method, path, `{"userId":"nobody","identityProviderId":"acme"}`).
			Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
		s.NotAllowed(method, path, `{"userId":"nobody"}`)
	}
	s.Call(apitest.Admin, http.MethodGet, "/v2/users/ghost/rights", nil).
		Refused(http.StatusNotFound, "USER_NOT_FOUND")
	s.Call(apitest.Admin, http.MethodPost, path, `{"userId":"nobody","rights":[`+manyRights(1001)+`]}`).
		Refused(http.StatusBadRequest, "TOO_MANY_USER_RIGHTS")
	body := s.Call(apitest.Admin, http.MethodPatch, "/v2/users/participant_admin/rights",
		`{"userId":"participant_admin","rights":[{"kind":{"ParticipantAdmin":{"value":{}}}}]}`).
		Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	require.Contains(t, body.Cause, "cannot revoke its own ParticipantAdmin")
}
