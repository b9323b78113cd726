package parties_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi/parties"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/test/apitest"
)

func TestUpdateParty_ChangesFieldsOfTheMask(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alice := s.Party("alice")
	path := "/v2/parties/" + string(alice)
	update := func(fields string, paths ...string) *parties.PartyDetails {
		var answer parties.UpdatePartyDetailsResponse
		s.Call(apitest.Admin, http.MethodPatch, path, apitest.PartyUpdate(alice, fields, paths...)).OK(&answer)
		return answer.PartyDetails
	}
	details := update(`"localMetadata":{"annotations":{"a":"1","b":"2"}}`, "local_metadata.annotations")
	require.Equal(t, &parties.PartyDetails{
		Party: string(alice), IsLocal: true, LocalMetadata: &v2.ObjectMeta{
			ResourceVersion: "1", Annotations: map[string]string{"a": "1", "b": "2"},
		},
	}, details)
	details = update(`"localMetadata":{"resourceVersion":"1","annotations":{"a":"","c":"3"}}`, "local_metadata")
	require.Equal(t, map[string]string{"b": "2", "c": "3"}, details.LocalMetadata.Annotations)
	details = update(`"localMetadata":{"annotations":{"b":""}}`, "party", "local_metadata.resource_version")
	require.Equal(t, map[string]string{"b": "2", "c": "3"}, details.LocalMetadata.Annotations)
	details = update(`"isLocal":true,"identityProviderId":""`, "is_local", "identity_provider_id")
	require.Equal(t, "4", details.LocalMetadata.ResourceVersion, "each accepted update counts")

	var stored parties.GetPartiesResponse
	s.Call(apitest.Admin, http.MethodGet, path, nil).OK(&stored)
	require.Equal(t, []parties.PartyDetails{*details}, stored.PartyDetails)
}

func TestUpdateParty_RefusesInvalidRequests(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("nobody")
	s.IdentityProvider("acme")
	alice := s.Party("alice")
	path := "/v2/parties/" + string(alice)
	s.Call(apitest.Admin, http.MethodPatch, path, apitest.PartyUpdate(alice,
		`"localMetadata":{"annotations":{"k":"`+strings.Repeat("x", 200_000)+`"}}`, "local_metadata")).OK(nil)
	const badMask = "INVALID_PARTY_DETAILS_UPDATE_REQUEST"
	for name, test := range map[string]struct {
		body, code, cause string
		status            int
	}{
		"another party": {
			apitest.PartyUpdate("bob", "", "party"), "INVALID_ARGUMENT", "does not match party in body: bob", 400,
		},
		"no party":        {`{}`, "INVALID_ARGUMENT", "does not match party in body: ", 400},
		"no mask":         {`{"partyDetails":{"party":"` + string(alice) + `"}}`, "MISSING_FIELD", "update_mask", 400},
		"an empty mask":   {apitest.PartyUpdate(alice, ""), badMask, "no entries", 400},
		"an unknown path": {apitest.PartyUpdate(alice, "", "metadata"), badMask, `"metadata" points to a non existing`, 400},
		"a path twice":    {apitest.PartyUpdate(alice, "", "party", "party"), badMask, "more than once", 400},
		"not being local": {apitest.PartyUpdate(alice, `"isLocal":false`, "is_local"), badMask, "is_local", 400},
		"another IDP": {
			apitest.PartyUpdate(alice, `"identityProviderId":"acme"`, "identity_provider_id"), badMask,
			"identity_provider_id", 400,
		},
		"in another IDP": {
			apitest.PartyUpdate(alice, `"identityProviderId":"acme"`, "party"), "NA", "security-sensitive", 403,
		},
		"an unknown IDP": {
			apitest.PartyUpdate(alice, `"identityProviderId":"x"`, "party"), "INVALID_ARGUMENT",
			"has not been found", 400,
		},
		"another version": {
			apitest.PartyUpdate(alice, `"localMetadata":{"resourceVersion":"7"}`, "party"),
			"CONCURRENT_PARTY_DETAILS_UPDATE_DETECTED", "7 was expected", 409,
		},
		"a version in text": {
			apitest.PartyUpdate(alice, `"localMetadata":{"resourceVersion":"1.0"}`, "party"), "INVALID_FIELD",
			"Invalid resource version number", 400,
		},
		"a bad annotation": {
			apitest.PartyUpdate(alice, `"localMetadata":{"annotations":{"/":"c"}}`, "party"),
			"INVALID_ARGUMENT", "local_metadata.annotations", 400,
		},
		"too much together": {
			apitest.PartyUpdate(alice, `"localMetadata":{"annotations":{"a":"`+strings.Repeat("x", 100_000)+`"}}`,
				"local_metadata"),
			"MAX_PARTY_DETAILS_ANNOTATIONS_SIZE_EXCEEDED", "300002 bytes", 400,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := s.In(t).Call(apitest.Admin, http.MethodPatch, path, test.body).Refused(test.status, test.code)
			require.Contains(t, body.Cause, test.cause)
		})
	}
	s.Call(apitest.Admin, http.MethodPatch, "/v2/parties/bob", apitest.PartyUpdate("bob", "", "party")).
		Refused(http.StatusNotFound, "PARTY_NOT_FOUND")
	s.Call(apitest.Admin, http.MethodPatch, "/v2/parties/$", apitest.PartyUpdate("$", "", "party")).
		Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	s.NotAllowed(http.MethodPatch, path, apitest.PartyUpdate(alice, "", "party"))
}

func TestGetParties_ReturnsSeveral(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alice, bob := s.Party("alice"), s.Party("bob")
	s.ActingAs("reader", alice, bob)
	get := func(query string) []string {
		var answer parties.GetPartiesResponse
		s.Call("reader", http.MethodGet, "/v2/parties/"+query, nil).OK(&answer)
		found := []string{}
		for _, details := range answer.PartyDetails {
			found = append(found, details.Party)
		}
		return found
	}
	require.Equal(t, []string{string(alice), string(bob)}, get(fmt.Sprintf("%s?parties=%s&parties=%[1]s", bob, alice)))
	require.Equal(t, []string{string(bob)}, get("party?parties="+string(bob)),
		"the path of the documentation stands for no party")
	s.Call("reader", http.MethodGet, "/v2/parties/party", nil).Refused(http.StatusForbidden, "NA")
	s.Call("reader", http.MethodGet, "/v2/parties/party?parties=carol", nil).Refused(http.StatusForbidden, "NA")
}
