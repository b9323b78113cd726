package remote

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

// An allocation repeats what the app's request says: the node compares none of it, and the app settles only what it
// asked for.
func TestAllocate_SendsWhatTheRequestAsks(t *testing.T) {
	t.Parallel()
	const alice, bob, dso, acme = "alice::1220", "bob::1220", "DSO::1220", "acme::1220"
	leg := func(sender, receiver, admin, instrument, amount string) any {
		return map[string]any{
			"sender": sender, "receiver": receiver, "amount": amount, "meta": map[string]any{"values": map[string]any{"k": "v"}},
			"instrumentId": map[string]any{"admin": admin, "id": instrument},
		}
	}
	var sent []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answers := map[string]any{
			"GET /v2/users/alice":                    map[string]any{"user": map[string]any{"id": "alice", "primaryParty": alice}},
			"GET /v0/scan-proxy/dso-party-id":        map[string]any{"dso_party_id": dso},
			"POST " + client.AllocationsPath:         map[string]any{"output": map[string]any{"allocation_cid": "00aa"}},
			"GET /v0/wallet/token-standard/holdings": map[string]any{"tokens": []any{}},
			"GET " + client.AllocationRequestsPath: map[string]any{"allocation_requests": []any{map[string]any{
				"contract": map[string]any{"contract_id": "00bb", "payload": map[string]any{
					"settlement": map[string]any{
						"executor": bob, "settlementRef": map[string]any{"id": "deal", "cid": "00cc"},
						"requestedAt": "2026-03-01T10:00:00.000001Z", "allocateBefore": "2026-03-01T11:00:00Z",
						"settleBefore": "2026-03-01T12:00:00Z", "meta": map[string]any{"values": map[string]any{}},
					},
					"transferLegs": map[string]any{
						"cash": leg(alice, bob, dso, "Amulet", "5.0"), "gold": leg(alice, bob, acme, "Gold", "2.0"),
						"theirs": leg(bob, alice, dso, "Amulet", "9.0"),
					},
				}},
			}}},
		}
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			sent = append(sent, string(body))
		}
		_ = json.NewEncoder(w).Encode(answers[r.Method+" "+r.URL.Path])
	}))
	t.Cleanup(server.Close)
	node := Node{URL: server.URL, AdminUser: "admin"}
	allocate := func(leg string, trust ...string) error {
		return (&HoldingsAllocateCommand{Node: node, Name: "alice", ID: "00b", Leg: leg, Trust: trust}).Run(t.Context())
	}
	require.ErrorContains(t, allocate(""), "the request asks alice for 2 legs")
	require.ErrorContains(t, allocate("theirs"), `no leg "theirs"`)
	require.ErrorContains(t, allocate("gold"), "alice holds no Gold of acme")
	require.ErrorContains(t, allocate("cash", "gold"), "this leg is in coin")
	require.Empty(t, sent)
	require.NoError(t, allocate("cash"))
	require.NoError(t, allocate("gold", "gold"))
	require.Len(t, sent, 2)
	const settlement = `"settlement":{"executor":"bob::1220","settlement_ref":{"id":"deal","cid":"00cc"},
		"requested_at":1772359200000001,"allocate_before":1772362800000000,"settle_before":1772366400000000,"meta":{}}`
	require.JSONEq(t, `{`+settlement+`,"transfer_leg_id":"cash",
		"transfer_leg":{"receiver":"bob::1220","amount":"5.0000000000","meta":{"k":"v"}}}`, sent[0])
	require.JSONEq(t, `{`+settlement+`,"transfer_leg_id":"gold",
		"transfer_leg":{"receiver":"bob::1220","amount":"2.0000000000","meta":{"k":"v"}},
		"instrument":{"admin":"acme::1220","id":"Gold"},"trusted_packages":["gold"]}`, strings.TrimSpace(sent[1]))
}
