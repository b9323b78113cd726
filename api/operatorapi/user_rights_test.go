package operatorapi_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/operatorapi"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

func TestListUserRights_FindsWhoMayActAsAParty(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alice, other := s.Party("alice"), s.Party("alice-two")
	s.Rights("both", ledger.Right{Kind: ledger.CanReadAs, Party: alice}, ledger.Right{Kind: ledger.CanActAs, Party: other})
	s.Rights("robot", ledger.Right{Kind: ledger.CanActAsAnyParty}, ledger.Right{Kind: ledger.ParticipantAdmin})
	s.Rights("stranger", ledger.Right{Kind: ledger.CanActAs, Party: other})
	list := func(query string) []operatorapi.UserRights {
		var page operatorapi.ListUserRightsResponse
		s.Call(apitest.Admin, http.MethodGet, operatorapi.UserRightsPath+query, nil).OK(&page)
		return page.Users
	}
	both := operatorapi.UserRights{ID: "both", Rights: []operatorapi.UserRight{{Kind: ledger.CanReadAs, Party: alice}}}
	robot := operatorapi.UserRights{ID: "robot", Rights: []operatorapi.UserRight{{Kind: ledger.CanActAsAnyParty}}}
	for _, party := range []string{"alice", url.QueryEscape(string(alice))} {
		require.Equal(t, []operatorapi.UserRights{both, robot}, list("?party="+party))
	}
	require.Equal(t, []operatorapi.UserRights{robot}, list("?party=alice&after=both&limit=1"))
	require.Equal(t, []operatorapi.UserRights{robot}, list("?party=nobody"))

	all := list("?after=apple")
	require.Equal(t, "both", all[0].ID)
	require.Equal(t, []operatorapi.UserRight{
		{Kind: ledger.CanActAs, Party: other}, {Kind: ledger.CanReadAs, Party: alice},
	}, all[0].Rights)
	require.Len(t, list("?limit=1"), 1)
	require.Contains(t, s.Call(apitest.Admin, http.MethodGet, operatorapi.UserRightsPath+"?limit=0", nil).Text,
		"Limit must be at least 1.")
}
