package parties_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/ledgerapi/parties"
	"github.com/florinledger/florin/api/ledgerapi/users"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// contract: parties-allocate, parties-hint-empty, parties-metadata, parties-provider, parties-synchronizer, parties-user
func TestAllocateParty_StoresDetailsAndRights(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("alice-app")
	answer := s.Call(apitest.Admin, http.MethodPost, "/v2/parties", `{"partyIdHint":"alice","identityProviderId":"",
		"synchronizerId":"","userId":"alice-app","localMetadata":{"resourceVersion":"","annotations":{"a/b":"Alice"}}}`)
	answer.OK(nil)
	alice := "alice::" + apitest.Namespace
	require.JSONEq(t, `{"partyDetails":{"party":"`+alice+`","isLocal":true,
		"localMetadata":{"resourceVersion":"0","annotations":{"a/b":"Alice"}},"identityProviderId":""}}`, answer.Text)

	var rights users.ListUserRightsResponse
	s.Call("alice-app", http.MethodGet, "/v2/users/alice-app/rights", nil).OK(&rights)
	require.Equal(t, alice, rights.Rights[0].Kind.CanActAs.Value.Party, "the named user may act as the party")

	t.Run("the same hint again", func(t *testing.T) {
		t.Parallel()
		s := s.In(t)
		body := s.Call(apitest.Admin, http.MethodPost, "/v2/parties", `{"partyIdHint":"alice"}`).
			Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
		require.Contains(t, body.Cause, "Party already exists: party "+alice+" is already allocated on this node")
	})
	for name, body := range map[string]any{
		"nothing at all":         nil,
		"an empty object":        `{}`,
		"an empty user":          `{"userId":""}`,
		"our synchronizer":       `{"synchronizerId":"` + s.Node.SynchronizerID + `"}`,
		"its physical form":      `{"synchronizerId":"` + s.Node.SynchronizerID + `::35-0"}`,
		"with what is not known": `{"displayName":"Alice"}`,
		"null for a hint":        `{"partyIdHint":null}`,
		"an empty hint":          `{"partyIdHint":""}`,
	} {
		t.Run("a hint is made up: "+name, func(t *testing.T) {
			t.Parallel()
			s := s.In(t)
			var allocated parties.AllocatePartyResponse
			s.Call(apitest.Admin, http.MethodPost, "/v2/parties", body).OK(&allocated)
			require.Empty(t, holdersOf(t, s, ledger.Party(allocated.PartyDetails.Party)), "without a user nobody may act as it")
			require.Regexp(t, `^party-[0-9a-f-]{36}::`+apitest.Namespace+`$`, allocated.PartyDetails.Party)
		})
	}
}

// holdersOf are the users that have a right for the party.
func holdersOf(t *testing.T, s *apitest.Server, party ledger.Party) (holders []string) {
	t.Helper()
	var listed users.ListUsersResponse
	s.Call(apitest.Admin, http.MethodGet, "/v2/users?pageSize=1000", nil).OK(&listed)
	require.NotEmpty(t, listed.Users)
	for _, user := range listed.Users {
		rights, err := s.DB.UserRights(t.Context(), user.ID)
		require.NoError(t, err)
		for _, right := range rights {
			if right.Party == party {
				holders = append(holders, user.ID)
			}
		}
	}
	return holders
}

// contract: parties-name, parties-synchronizer
func TestAllocateParty_RefusesInvalidRequests(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("nobody")
	for name, test := range map[string]struct {
		body   string
		status int
		code   string
		cause  string
	}{
		"a bad hint": {`{"partyIdHint":"a$b"}`, 400, "INVALID_ARGUMENT", "non expected character 0x24"},
		"a long hint": {
			`{"partyIdHint":"` + strings.Repeat("a", 186) + `"}`, 400, "INVALID_ARGUMENT",
			`longer than 185: a party's id is the hint, "::" and the 68 characters of its namespace, and has at most 255`,
		},
		"a hint as long as a party": {
			`{"partyIdHint":"` + strings.Repeat("a", 255) + `"}`, 400, "INVALID_ARGUMENT", "longer than 185: a party's id",
		},
		"a hint of two parts": {`{"partyIdHint":"a::b"}`, 400, "INVALID_ARGUMENT", "two colons"},
		"a resource version": {
			`{"localMetadata":{"resourceVersion":"1"}}`, 400, "INVALID_ARGUMENT", "local_metadata.resource_version",
		},
		"a bad annotation": {
			`{"localMetadata":{"annotations":{"":"x"}}}`, 400, "INVALID_ARGUMENT", "local_metadata.annotations",
		},
		"a bad IDP":            {`{"identityProviderId":"$"}`, 400, "INVALID_FIELD", "identity_provider_id"},
		"an unknown IDP":       {`{"identityProviderId":"acme"}`, 400, "INVALID_ARGUMENT", "has not been found"},
		"a bad synchronizer":   {`{"synchronizerId":"global"}`, 400, "INVALID_FIELD", "synchronizer_id"},
		"another synchronizer": {`{"synchronizerId":"other::1220"}`, 400, "NOT_CONNECTED_TO_SYNCHRONIZER", "other::1220"},
		"a bad user":           {`{"userId":"a b"}`, 400, "INVALID_FIELD", "user_id"},
		"an unknown user": {
			`{"userId":"x"}`, 404, "USER_NOT_FOUND", `checking user's existence failed for unknown user "x"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := s.In(t)
			body := s.Call(apitest.Admin, http.MethodPost, "/v2/parties", test.body).Refused(test.status, test.code)
			require.Contains(t, body.Cause, test.cause)
		})
	}
	s.NotAllowed(http.MethodPost, "/v2/parties", `{"partyIdHint":"x"}`)

	var allocated parties.AllocatePartyResponse
	s.Call(apitest.Admin, http.MethodPost, "/v2/parties", `{"partyIdHint":"`+strings.Repeat("a", 185)+`"}`).
		OK(&allocated)
	require.Len(t, allocated.PartyDetails.Party, 255, "the longest name that a party can have")
}

// contract: parties-rights, external-rights
func TestAllocateParty_LimitsSelfAllocation(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{LedgerSettings: func(s *ledger.Settings) { s.MaxSelfAllocatedParties = 1 }})
	s.Rights("alice")
	s.Call("alice", http.MethodPost, "/v2/parties", `{"userId":"someone-else"}`).Refused(http.StatusForbidden, "NA")
	s.Call("alice", http.MethodPost, "/v2/parties", `{"userId":"alice","partyIdHint":"one"}`).OK(nil)
	s.Call("alice", http.MethodPost, "/v2/parties", `{"userId":"alice","partyIdHint":"two"}`).
		Refused(http.StatusForbidden, "NA")

	none := apitest.New(t, apitest.Options{LedgerSettings: func(s *ledger.Settings) { s.MaxSelfAllocatedParties = 0 }})
	none.Rights("alice")
	none.Call("alice", http.MethodPost, "/v2/parties", `{"userId":"alice"}`).Refused(http.StatusForbidden, "NA")
}

func TestListParties_ShowsOnlyReadableParties(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("nobody")
	alice, bob := s.Party("alice"), s.Party("bob")
	s.Rights("reader", ledger.Right{Kind: ledger.CanReadAs, Party: alice})
	ids := func(details []parties.PartyDetails) []ledger.Party {
		out := []ledger.Party{}
		for _, one := range details {
			out = append(out, ledger.Party(one.Party))
		}
		return out
	}
	get := func(user, path string) []ledger.Party {
		var got parties.GetPartiesResponse
		s.Call(user, http.MethodGet, path, nil).OK(&got)
		return ids(got.PartyDetails)
	}
	require.Equal(t, []ledger.Party{alice}, get("reader", "/v2/parties/"+string(alice)), "the raw id")
	require.Equal(t, []ledger.Party{alice}, get("reader", "/v2/parties/"+strings.ReplaceAll(string(alice), ":", "%3A")))
	require.Empty(t, get(apitest.Admin, "/v2/parties/carol::1220"), "an unknown party is no error")
	require.Equal(t, []ledger.Party{alice, bob},
		get(apitest.Admin, "/v2/parties/party?parties="+url.QueryEscape(string(bob))+"&parties="+string(alice)))
	s.Call(apitest.Admin, http.MethodGet, "/v2/parties/a%24b", nil).Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	s.Call("reader", http.MethodGet, "/v2/parties/"+string(bob), nil).Refused(http.StatusForbidden, "NA")
	s.NotAllowed(http.MethodGet, "/v2/parties/"+string(alice), nil)

	var page parties.ListKnownPartiesResponse
	s.Call(apitest.Admin, http.MethodGet, "/v2/parties?pageSize=1", nil).OK(&page)
	require.Equal(t, []ledger.Party{alice}, ids(page.PartyDetails))
	s.Call(apitest.Admin, http.MethodGet, "/v2/parties?page_size=1&page_token="+page.NextPageToken, nil).OK(&page)
	require.Equal(t, []ledger.Party{bob}, ids(page.PartyDetails))
	s.Call(apitest.Admin, http.MethodGet, "/v2/parties?filter-party=bo", nil).OK(&page)
	require.Equal(t, []ledger.Party{bob}, ids(page.PartyDetails))
	require.Empty(t, page.NextPageToken)
	for query, code := range map[string]string{
		"pageSize=-1": "INVALID_ARGUMENT", "pageSize=10001": "INVALID_ARGUMENT", "pageToken=x": "INVALID_ARGUMENT",
		"filter-party=%24": "INVALID_FIELD", "filter-party=" + strings.Repeat("a", 186): "INVALID_FIELD",
		"identity-provider-id=acme": "INVALID_ARGUMENT",
	} {
		s.Call(apitest.Admin, http.MethodGet, "/v2/parties?"+query, nil).Refused(http.StatusBadRequest, code)
	}
	s.NotAllowed(http.MethodGet, "/v2/parties", nil)
}

func TestParticipant_ReturnsIDAndSynchronizer(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("nobody")
	alice := s.Party("alice")
	external := ledger.Party("carol::1220cc")
	_, err := s.DB.AllocateParty(t.Context(), ledger.PartyDetails{Party: external, IsLocal: true}, "")
	require.NoError(t, err)

	var id parties.GetParticipantIDResponse
	s.Call("nobody", http.MethodGet, "/v2/parties/participant-id", nil).OK(&id)
	require.Equal(t, s.Node.ParticipantID, id.ParticipantID)
	s.Call("", http.MethodGet, "/v2/parties/participant-id", nil).Refused(http.StatusUnauthorized, "NA")

	const path = "/v2/state/connected-synchronizers"
	answer := s.Call("nobody", http.MethodGet, path, nil)
	answer.OK(nil)
	require.JSONEq(t, `{"connectedSynchronizers":[{"synchronizerAlias":"global-domain","synchronizerId":"`+
		s.Node.SynchronizerID+`","permission":"PARTICIPANT_PERMISSION_UNSPECIFIED"}]}`, answer.Text)
	for party, want := range map[ledger.Party]v2.ParticipantPermission{
		alice: v2.PermissionSubmission, external: v2.PermissionConfirmation,
	} {
		var got ledgerapi.GetConnectedSynchronizersResponse
		s.Call(apitest.Admin, http.MethodGet, path+"?party="+string(party), nil).OK(&got)
		require.Equal(t, want, got.ConnectedSynchronizers[0].Permission)
	}
	var none ledgerapi.GetConnectedSynchronizersResponse
	s.Call(apitest.Admin, http.MethodGet, path+"?party=unknown::1220", nil).OK(&none)
	require.Empty(t, none.ConnectedSynchronizers)
	s.Call(apitest.Admin, http.MethodGet, path+"?party=%24", nil).Refused(http.StatusBadRequest, "INVALID_FIELD")
	s.Call(apitest.Admin, http.MethodGet, path+"?participantId=other::1220", nil).
		Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	s.Call(apitest.Admin, http.MethodGet, path+"?participantId="+s.Node.ParticipantID, nil).OK(nil)
	s.NotAllowed(http.MethodGet, path+"?party="+string(alice), nil)
}
