package users_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi/parties"
	"github.com/florinledger/florin/api/ledgerapi/users"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// userUpdate makes the body of an update of alice from fields in JSON and the paths of the mask.
func userUpdate(fields string, paths ...string) string {
	if fields != "" {
		fields = "," + fields
	}
	mask, _ := json.Marshal(append([]string{}, paths...))
	return fmt.Sprintf(`{"user":{"id":"alice"%s},"updateMask":{"paths":%s,"unknownFields":{"fields":{}}}}`, fields, mask)
}

const alicePath = "/v2/users/alice"

func TestUpdateUser_ChangesFieldsOfTheMask(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	_, err := s.DB.CreateUser(t.Context(), ledger.User{
		ID: "alice", PrimaryParty: "p::1220", Annotations: map[string]string{"a": "1", "b": "2"},
	}, nil)
	require.NoError(t, err)
	version := 0
	for _, step := range []struct{ name, body, want string }{
		{
			"only what the mask names", userUpdate(`"isDeactivated":true,"primaryParty":""`, "is_deactivated"),
			`"primaryParty":"p::1220","isDeactivated":true,"annotations":{"a":"1","b":"2"}`,
		},
		{
			"defaults are values too", userUpdate(`"primaryParty":""`, "primary_party", "is_deactivated"),
			`"primaryParty":"","isDeactivated":false,"annotations":{"a":"1","b":"2"}`,
		},
		{
			"annotations are merged, empty values delete",
			userUpdate(`"metadata":{"annotations":{"a":"","b":"3","c":"4","d":""}}`, "metadata.annotations"),
			`"primaryParty":"","isDeactivated":false,"annotations":{"b":"3","c":"4"}`,
		},
		{
			"so they are by the parent path", userUpdate(`"metadata":{"annotations":{"b":""}}`, "metadata"),
			`"primaryParty":"","isDeactivated":false,"annotations":{"c":"4"}`,
		},
		{
			"a mask without what it names", userUpdate(``, "metadata", "metadata.annotations", "primary_party"),
			`"primaryParty":"","isDeactivated":false,"annotations":{"c":"4"}`,
		},
		{
			"with the version that is there",
			userUpdate(`"metadata":{"resourceVersion":"5"},"primaryParty":"q::1220"`, "primary_party"),
			`"primaryParty":"q::1220","isDeactivated":false,"annotations":{"c":"4"}`,
		},
		{
			"nothing but the version", userUpdate(`"metadata":{"resourceVersion":"6"}`, "metadata.resource_version"),
			`"primaryParty":"q::1220","isDeactivated":false,"annotations":{"c":"4"}`,
		},
		{
			"the id and the identity provider do not change", userUpdate(``, "id", "identity_provider_id"),
			`"primaryParty":"q::1220","isDeactivated":false,"annotations":{"c":"4"}`,
		},
	} {
		var answer users.UpdateUserResponse
		s.Call(apitest.Admin, http.MethodPatch, alicePath, step.body).OK(&answer)
		version++
		user := answer.User
		annotations, err := json.Marshal(user.Metadata.Annotations)
		require.NoError(t, err)
		require.JSONEq(t, "{"+step.want+"}", fmt.Sprintf(`{"primaryParty":%q,"isDeactivated":%t,"annotations":%s}`,
			user.PrimaryParty, user.IsDeactivated, annotations), step.name)
		require.Equal(t, strconv.Itoa(version), user.Metadata.ResourceVersion, step.name)
		var stored users.GetUserResponse
		s.Call(apitest.Admin, http.MethodGet, alicePath, nil).OK(&stored)
		require.Equal(t, user, stored.User, step.name)
	}
	var answer users.UpdateUserResponse
	s.Call(apitest.Admin, http.MethodPatch, alicePath,
		userUpdate(`"primaryPartyAuthentication":true`, "primary_party_authentication")).OK(&answer)
	require.True(t, answer.User.PrimaryPartyAuthentication)
}

func TestUpdateUser_RefusesInvalidRequests(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("nobody")
	s.Rights("alice")
	large := `"metadata":{"annotations":{"k":"` + strings.Repeat("x", 200_000) + `"}}`
	s.Call(apitest.Admin, http.MethodPatch, alicePath, userUpdate(large, "metadata")).OK(nil)
	for name, test := range map[string]struct {
		body, code, cause string
		status            int
	}{
		"another user":    {`{"user":{"id":"bob"}}`, "INVALID_ARGUMENT", "alice does not match user in body: bob", 400},
		"no user":         {`{}`, "INVALID_ARGUMENT", "alice does not match user in body: ", 400},
		"no mask":         {`{"user":{"id":"alice"}}`, "MISSING_FIELD", "update_mask", 400},
		"an empty mask":   {userUpdate(""), "INVALID_USER_UPDATE_REQUEST", "no entries", 400},
		"an unknown path": {userUpdate("", "rights"), "INVALID_USER_UPDATE_REQUEST", `"rights" points to a non`, 400},
		"a path in camel": {userUpdate("", "isDeactivated"), "INVALID_USER_UPDATE_REQUEST", `"isDeactivated"`, 400},
		"an empty path":   {userUpdate("", ""), "INVALID_USER_UPDATE_REQUEST", `""`, 400},
		"a path twice":    {userUpdate("", "id", "id"), "INVALID_USER_UPDATE_REQUEST", `"id" is given more than once`, 400},
		"another version": {
			userUpdate(`"metadata":{"resourceVersion":"9"}`, "id"), "CONCURRENT_USER_UPDATE_DETECTED",
			"9 was expected, but it is 1", 409,
		},
		"a version in text": {
			userUpdate(`"metadata":{"resourceVersion":"x"}`, "id"), "INVALID_FIELD",
			"Invalid resource version number", 400,
		},
		"a huge version": {
			userUpdate(`"metadata":{"resourceVersion":"99999999999999999999"}`, "id"), "INVALID_FIELD",
			"Invalid resource version number", 400,
		},
		"a bad annotation": {
			userUpdate(`"metadata":{"annotations":{"a b":"c"}}`, "id"), "INVALID_ARGUMENT",
			"user.metadata.annotations", 400,
		},
		"a value with NUL": {userUpdate(`"metadata":{"annotations":{"a":"\u0000"}}`, "id"), "INVALID_ARGUMENT", "NUL", 400},
		"too much at once": {
			userUpdate(`"metadata":{"annotations":{"a":"`+strings.Repeat("x", 262144)+`"}}`,
				"metadata"), "INVALID_ARGUMENT", "256kb", 400,
		},
		"too much together": {
			userUpdate(`"metadata":{"annotations":{"a":"`+strings.Repeat("x", 100_000)+`"}}`,
				"metadata"), "MAX_USER_ANNOTATIONS_SIZE_EXCEEDED", "300002 bytes", 400,
		},
		"a bad party":    {userUpdate(`"primaryParty":"$"`, "primary_party"), "INVALID_ARGUMENT", "0x24", 400},
		"an unknown IDP": {userUpdate(`"identityProviderId":"x"`, "id"), "INVALID_ARGUMENT", "x has not been found", 400},
		"a bad IDP":      {userUpdate(`"identityProviderId":"$"`, "id"), "INVALID_FIELD", "identity_provider_id", 400},
		"an annotation key": {
			userUpdate(`"metadata":{"annotations":{"":"c"}}`, "id"), "INVALID_ARGUMENT",
			"name of 1 to 63", 400,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := s.In(t).Call(apitest.Admin, http.MethodPatch, alicePath, test.body).Refused(test.status, test.code)
			require.Contains(t, body.Cause, test.cause)
		})
	}
	s.Call(apitest.Admin, http.MethodPatch, "/v2/users/ghost", `{"user":{"id":"ghost"},"updateMask":{"paths":["id"]}}`).
		Refused(http.StatusNotFound, "USER_NOT_FOUND")
	s.NotAllowed(http.MethodPatch, alicePath, userUpdate("", "id"))
}

func TestUsers_CannotDeactivateOrDeleteThemselves(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	const path = "/v2/users/" + apitest.Admin
	update := `{"user":{"id":"` + apitest.Admin + `","isDeactivated":%t},"updateMask":{"paths":[%q]}}`
	body := s.Call(apitest.Admin, http.MethodPatch, path, fmt.Sprintf(update, true, "is_deactivated")).
		Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	require.Contains(t, body.Cause, "cannot deactivate itself")
	s.Call(apitest.Admin, http.MethodPatch, path, fmt.Sprintf(update, false, "is_deactivated")).OK(nil)
	s.Call(apitest.Admin, http.MethodPatch, path, fmt.Sprintf(update, true, "primary_party")).OK(nil)
	body = s.Call(apitest.Admin, http.MethodDelete, path, nil).Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	require.Contains(t, body.Cause, "cannot delete itself")
}

func TestDeleteUser_KeepsParties(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("nobody")
	alice := s.Party("alice")
	s.ActingAs("alice", alice)
	s.NotAllowed(http.MethodDelete, alicePath, nil)
	answer := s.Call(apitest.Admin, http.MethodDelete, alicePath, nil)
	answer.OK(nil)
	require.JSONEq(t, "{}", answer.Text)
	s.Call(apitest.Admin, http.MethodDelete, alicePath, nil).Refused(http.StatusNotFound, "USER_NOT_FOUND")
	s.Call(apitest.Admin, http.MethodDelete, "/v2/users/a%20b", nil).Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	var parties parties.GetPartiesResponse
	s.Call(apitest.Admin, http.MethodGet, "/v2/parties/"+string(alice), nil).OK(&parties)
	require.Len(t, parties.PartyDetails, 1, "parties stay")
}

func TestUpdateUserIdentityProvider_MovesUser(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("nobody")
	s.Rights("alice")
	s.IdentityProvider("acme")
	const path = alicePath + "/identity-provider-id"
	move := func(source, target string) apitest.Answer {
		return s.Call(apitest.Admin, http.MethodPatch, path, fmt.Sprintf(
			`{"userId":"alice","sourceIdentityProviderId":%q,"targetIdentityProviderId":%q}`, source, target))
	}
	answer := move("", "acme")
	answer.OK(nil)
	require.JSONEq(t, "{}", answer.Text)
	var user users.GetUserResponse
	s.Call(apitest.Admin, http.MethodGet, alicePath+"?identity-provider-id=acme", nil).OK(&user)
	require.Equal(t, "acme", user.User.IdentityProviderID)
	require.Equal(t, "0", user.User.Metadata.ResourceVersion, "a move does not count")

	move("", "acme").Refused(http.StatusForbidden, "NA")
	move("acme", "x").Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	move("x", "acme").Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	move("$", "acme").Refused(http.StatusBadRequest, "INVALID_FIELD")
	move("acme", "").OK(nil)
	s.Call(apitest.Admin, http.MethodPatch, path, `{"userId":"bob"}`).Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	s.Call(apitest.Admin, http.MethodPatch, "/v2/users/ghost/identity-provider-id", `{"userId":"ghost"}`).
		Refused(http.StatusNotFound, "USER_NOT_FOUND")
	s.NotAllowed(http.MethodPatch, path, `{"userId":"alice"}`)
}
