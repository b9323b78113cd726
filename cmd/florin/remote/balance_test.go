package remote

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"
)

// TestBalance_LeavesOutUnreadableWallets: the wallet of a deleted user must not hide the other balances.
func TestBalance_LeavesOutUnreadableWallets(t *testing.T) {
	t.Parallel()
	node := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, answer := http.StatusOK, map[string]any{}
		var claims jwt.RegisteredClaims
		_, _, _ = jwt.NewParser().ParseUnverified(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), &claims)
		switch name := strings.TrimPrefix(r.URL.Path, "/v2/users/"); {
		case r.URL.Path == "/v2/users":
			answer["users"] = []any{map[string]any{"id": "alice", "primaryParty": "alice::1220"}}
		case r.URL.Path == "/v2/parties":
			answer["partyDetails"] = []any{}
			if strings.HasPrefix(r.URL.Query().Get("filter-party"), "left") {
				answer["partyDetails"] = []any{map[string]any{"party": "left::1220"}}
			}
		case r.URL.Path == "/v0/wallet/balance" && claims.Subject == "off":
			status, answer["error"] = http.StatusForbidden, "deactivated"
		case r.URL.Path == "/v0/wallet/balance":
			status, answer = node, map[string]any{"effective_unlocked_qty": "5.0", "effective_locked_qty": "0.0"}
		case name == "alice", name == "bob", name == "off":
			answer["user"] = map[string]any{"id": name, "primaryParty": name + "::1220"}
		default:
			status, answer["code"] = http.StatusNotFound, "USER_NOT_FOUND"
		}
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(server.Close)
	session, err := Node{URL: server.URL, AdminUser: "admin"}.Open()
	require.NoError(t, err)
	t.Cleanup(session.Close)

	everybody := []string{"alice", "left", "gone", "off", "bob"}
	all, leftOut, err := session.balances(t.Context(), everybody, true)
	require.NoError(t, err)
	require.Equal(t, "alice", all[0].Name)
	require.Equal(t, "bob", all[1].Name)
	require.Len(t, all, 2)
	require.Len(t, leftOut, 3)
	require.Equal(t, "left", leftOut[0].Name)
	require.Contains(t, leftOut[0].Reason, "party left has no user")
	require.Contains(t, leftOut[1].Reason, "there is no party or user gone")
	require.Contains(t, leftOut[2].Reason, "deactivated")

	_, _, err = session.balances(t.Context(), []string{"alice", "gone"}, false)
	require.ErrorContains(t, err, "there is no party or user gone", "a named wallet is not left out")
	node = http.StatusServiceUnavailable
	_, _, err = session.balances(t.Context(), everybody, true)
	require.Error(t, err, "a node that does not answer fails the whole list")
}
