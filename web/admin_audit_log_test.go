package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/test/apitest"
)

func TestHistory_ShowsWhoChangedWhat(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	api.Rights("bob")
	b := operator(t, serve(t, options(t, api.Handler))).open("/admin/users/bob").press("/admin/users/bob/grant",
		"kind", "ParticipantAdmin")
	b.open("/admin/history?user_id=bob&kind=right").shows("grant right bob", "kind ParticipantAdmin", apitest.Admin,
		"POST /v2/users/{user-id}/rights", "All changes")
	require.Contains(t, strings.Join(links(b, "href"), " "), "/admin/users/bob")
	require.NotContains(t, b.words(), "create user")
	b.open("/admin/history?user_id=nobody").shows("There are no such changes.")
	b.open("/admin/history?kind=coin")
	require.Equal(t, http.StatusBadRequest, b.status)
}
