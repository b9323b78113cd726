package operatorapi_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/operatorapi"
	"github.com/florinledger/florin/test/apitest"
)

func TestListAuditLog_FiltersAndPages(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Once: true})
	alice := s.Party("alice")
	began := time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)
	s.Call(apitest.Admin, http.MethodPost, "/v2/users", map[string]any{
		"user": map[string]any{"id": "frank", "primaryParty": alice}, "rights": []any{map[string]any{
			"kind": map[string]any{"CanActAs": map[string]any{"value": map[string]any{"party": alice}}},
		}},
	}).OK(nil)
	list := func(query string) []operatorapi.AuditLogEntry {
		var page operatorapi.ListAuditLogResponse
		s.Call(apitest.Admin, http.MethodGet, operatorapi.AuditLogPath+query, nil).OK(&page)
		return page.Entries
	}
	of := list("?user_id=frank")
	require.Len(t, of, 2)
	granted := of[0]
	require.Equal(t, "right grant frank "+string(alice),
		strings.Join([]string{granted.Kind, granted.Action, granted.Subject, string(granted.Party)}, " "))
	require.Equal(t, "null", string(granted.Before))
	require.JSONEq(t, `{"kind":"CanActAs","party":"`+string(alice)+`"}`, string(granted.After))
	require.Equal(t, apitest.Admin, granted.ChangedBy)
	require.Equal(t, "POST /v2/users", granted.Operation)
	require.NotEmpty(t, granted.Addresses)
	require.Len(t, granted.TraceID, 32)
	require.Equal(t, of[1:], list("?user_id=frank&limit=1&before="+strconv.FormatInt(granted.ID, 10)))
	require.Equal(t, of[:1], list("?kind=right&changed_by="+apitest.Admin+"&party="+string(alice)+"&since="+began))
	require.Empty(t, list("?user_id=frank&until="+began))

	for query, why := range map[string]string{
		"?kind=coin":       `The audit log has no kind \"coin\". The kinds are user, right, party, identity-provider,`,
		"?since=yesterday": `since: Text 'yesterday' could not be parsed as an instant`,
		"?limit=0":         "Limit must be at least 1.",
	} {
		refused := s.Call(apitest.Admin, http.MethodGet, operatorapi.AuditLogPath+query, nil)
		require.Equal(t, http.StatusBadRequest, refused.Status, query)
		require.Contains(t, refused.Text, why)
	}
}
