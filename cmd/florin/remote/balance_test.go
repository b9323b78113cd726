package remote

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/cmd/florin/console"
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

	all, leftOut, failures := session.balances(t.Context(), []string{"alice", "left", "gone", "off", "bob"})
	require.Len(t, failures, 3)
	require.Equal(t, "alice", all[0].Name)
	require.Equal(t, "bob", all[1].Name)
	require.Len(t, all, 2)
	require.Len(t, leftOut, 3)
	require.Equal(t, "left", leftOut[0].Name)
	require.Contains(t, leftOut[0].Reason, "party left has no user")
	require.Contains(t, leftOut[1].Reason, "there is no party or user gone")
	require.Contains(t, leftOut[2].Reason, "deactivated")

	command := BalanceCommand{Node: session.node, Names: []string{"alice", "gone", "bob"}}
	err = command.Run(t.Context())
	require.Equal(t, console.ExitFailed, console.CodeOf(err))
	require.ErrorContains(t, err, "there is no party or user gone")

	node = http.StatusServiceUnavailable
	all, _, failures = session.balances(t.Context(), []string{"alice", "bob"})
	require.Empty(t, all)
	require.Len(t, failures, 1, "a node that does not answer fails the whole list")
}
