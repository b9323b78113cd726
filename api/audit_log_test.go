package api_test

import (
	"bufio"
	"encoding/hex"
	"math"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/operatorapi"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/test/apitest"
)

// loggedBy are the entries of the changes that a user made, the newest first.
func (w *world) loggedBy(user string) []db.LogEntry {
	w.t.Helper()
	entries, err := w.DB.AuditLog(w.t.Context(), db.LogFilter{By: user}, math.MaxInt64, 1000)
	require.NoError(w.t, err)
	return entries
}

// unlogged are prefixes of changing operations that change no user, right, party, identity provider, package, setting or
// webhook.
var unlogged = []string{
	"GET /", "POST /v0/dev/clock", "POST /v2/participant-pruning/", // metrics and health, time, old entries of the record
	"POST /v2/commands/", "POST /v2/interactive-submission/", "POST /v0/wallet/", "DELETE /v0/wallet/",
	"POST /v0/allocations", "DELETE /v0/admin/transfer-preapprovals/", "POST /v0/admin/external-party/setup-proposal",
	"POST /v0/admin/external-party/transfer-preapproval/",                 // submissions, which are entries of the record
	"POST /v0/webhooks/{id}/test", "POST /v0/webhooks/{id}/dead-letters/", // messages, which are in the webhook's log
	"PUT /v0/admin/log-level",                                                        // of one process, until it stops
	"POST /v0/admin/automation/{kind}/run", "PUT /v0/admin/automation/{kind}/paused", // Temporal has who paused
}

// loggedChange is a request that changes something.
type loggedChange struct {
	// operation has a method and a pattern; path is that of the pattern if it is empty.
	operation, path string
	body            any
	// as is the caller; admin if it is empty.
	as string
	// kinds and actions of the entries, the oldest first.
	entries []string
}

// loggedChanges are in the order in which they can be made.
func (w *world) loggedChanges() []loggedChange {
	w.t.Helper()
	external, externalBody := allocateRequest(w, cell{holder: w.parties["alice"], user: nobody})
	return append(slices.Concat(w.loggedAdministration(), w.loggedSettings(), w.loggedWebhooks()),
		loggedChange{
			operation: "POST /v2/parties/external/allocate", path: external, body: externalBody,
			entries: []string{"party create", "right grant"},
		},
		loggedChange{
			operation: "POST /v0/admin/external-party/topology/submit", body: w.outsideTopology(), as: apitest.LedgerUser,
			entries: []string{"party create", "right grant"},
		},
		loggedChange{
			operation: "POST /v0/register", as: "newcomer", // the operator's user gets a right too
			entries: []string{"user create", "party create", "right grant", "right grant"},
		},
		loggedChange{
			operation: "POST /v0/admin/users", body: object{"name": "wallet-user"}, as: apitest.LedgerUser,
			entries: []string{"user create", "party create", "right grant", "right grant"},
		},
		loggedChange{
			operation: "POST /v0/admin/users/offboard", path: "/v0/admin/users/offboard?username=wallet-user",
			as: apitest.LedgerUser, entries: []string{"user delete", "right revoke", "right revoke"},
		})
}

// loggedAdministration are the changes under /v2.
func (w *world) loggedAdministration() []loggedChange {
	w.t.Helper()
	dar := func(name string) string { return string(dartest.Build(w.t, dartest.Notes(name, "1.0.0", ""))) }
	vetting := func(operation string) object {
		return object{"changes": []object{{"operation": object{operation: object{"value": object{
			"packages": []object{{"packageName": "first", "packageVersion": "1.0.0"}},
		}}}}}}
	}
	provider := func(deactivated bool) object {
		return object{
			"identityProviderConfig": object{
				"identityProviderId": "empty", "issuer": "https://empty.example", "jwksUrl": "https://empty.example/keys",
				"isDeactivated": deactivated,
			},
			"updateMask": object{"paths": []string{"is_deactivated"}},
		}
	}
	alice, user := w.parties["alice"].party, "/v2/users/logged"
	rights := object{"userId": "logged", "identityProviderId": "", "rights": rightOf(alice)}
	changes := []loggedChange{
		{operation: "POST /v2/dars", body: dar("first"), entries: []string{"package create"}},
		{operation: "POST /v2/packages", body: dar("second"), entries: []string{"package create"}},
		{operation: "POST /v2/package-vetting/update", body: vetting("Unvet"), entries: []string{"package change"}},
		{operation: "POST /v2/package-vetting", body: vetting("Vet"), entries: []string{"package change"}},
		{operation: "POST /v2/users", body: object{
			"user": object{"id": "logged", "primaryParty": alice}, "rights": []object{},
		}, entries: []string{"user create"}},
		{operation: "PATCH /v2/users/{user-id}", path: user, body: object{
			"user":       object{"id": "logged", "isDeactivated": true},
			"updateMask": object{"paths": []string{"is_deactivated"}},
		}, entries: []string{"user change"}},
		{operation: "POST /v2/users/{user-id}/rights", path: user + "/rights", body: rights, entries: []string{"right grant"}},
		{operation: "PATCH /v2/users/{user-id}/rights", path: user + "/rights", body: rights, entries: []string{"right revoke"}},
		{operation: "PATCH /v2/users/{user-id}/identity-provider-id", path: user + "/identity-provider-id", body: object{
			"userId": "logged", "sourceIdentityProviderId": "", "targetIdentityProviderId": "acme",
		}, entries: []string{"user change"}},
		{operation: "DELETE /v2/users/{user-id}", path: user + "?identity-provider-id=acme", entries: []string{"user delete"}},
		{operation: "POST /v2/parties", body: object{
			"partyIdHint": "logged", "identityProviderId": "", "userId": nobody,
		}, entries: []string{"party create", "right grant"}},
		{operation: "PATCH /v2/parties/{party}", path: "/v2/parties/" + url.PathEscape(string(alice)), body: object{
			"partyDetails": object{"party": alice, "localMetadata": object{"annotations": object{"a": "b"}}},
			"updateMask":   object{"paths": []string{"local_metadata.annotations"}},
		}, entries: []string{"party change"}},
	}
	for _, path := range []string{"/v2/idps", "/v2/identity-provider-configs"} {
		changes = append(changes,
			loggedChange{operation: "POST " + path, body: provider(false), entries: []string{"identity-provider create"}},
			loggedChange{
				operation: "PATCH " + path + "/{idp-id}", path: path + "/empty", body: provider(true),
				entries: []string{"identity-provider change"},
			},
			loggedChange{
				operation: "DELETE " + path + "/{idp-id}", path: path + "/empty", entries: []string{"identity-provider delete"},
			})
	}
	return changes
}

func (w *world) loggedSettings() []loggedChange {
	w.t.Helper()
	const settings = "/v0/admin/automation/settings/"
	alice := w.parties["alice"].party
	owner := url.PathEscape(string(w.Node.Operator))
	change := func(operation, path string, body any, entries ...string) loggedChange {
		return loggedChange{operation: operation, path: path, body: body, entries: entries}
	}
	return []loggedChange{
		change("PUT /v0/admin/ledger-settings/{name}", operatorapi.LedgerSettingsPath+"/"+ledger.MaxProvidedPartiesSetting,
			object{"value": "7"}, "setting change"),
		change("PUT "+settings+"top-up", "", object{
			"target_throughput": 100, "min_topup_interval": "10m", "reserved_traffic": 1000,
		}, "setting create"),
		change("DELETE "+settings+"top-up", "", nil, "setting change"),
		change("PUT "+settings+"sweeps/{sender}", settings+"sweeps/"+owner, object{
			"max_balance_usd": "50", "min_balance_usd": "5", "receiver": alice,
		}, "setting create"),
		change("DELETE "+settings+"sweeps/{sender}", settings+"sweeps/"+owner, nil, "setting change"),
		change("PUT "+settings+"auto-accept/{receiver}", settings+"auto-accept/"+owner,
			object{"from_parties": []ledger.Party{alice}}, "setting create"),
		change("DELETE "+settings+"auto-accept/{receiver}", settings+"auto-accept/"+owner, nil, "setting change"),
	}
}

func (w *world) loggedWebhooks() []loggedChange {
	const one = "/v0/webhooks/" + adminsWebhook
	return []loggedChange{
		{operation: "POST /v0/webhooks", body: object{
			"url": "https://app.example/new", "kinds": []string{"alarm"},
		}, entries: []string{"webhook create"}},
		{operation: "PATCH /v0/webhooks/{id}", path: one, body: object{"paused": true}, entries: []string{"webhook change"}},
		{operation: "POST /v0/webhooks/{id}/rotate", path: one + "/rotate", entries: []string{"webhook change"}},
		{operation: "DELETE /v0/webhooks/{id}", path: one, entries: []string{"webhook delete"}},
	}
}

// outsideTopology is the signed topology of a new external party.
func (w *world) outsideTopology() object {
	w.t.Helper()
	key := w.Key(signing.Curve25519)
	var generated struct {
		TopologyTxs []struct {
			TopologyTx string `json:"topology_tx"`
			Hash       string `json:"hash"`
		} `json:"topology_txs"`
	}
	spki := key.Public().SPKI()
	public := object{"party_hint": "outsider", "public_key": hex.EncodeToString(spki[len(spki)-32:])}
	w.Call(apitest.LedgerUser, http.MethodPost, "/v0/admin/external-party/topology/generate", public).OK(&generated)
	var signed []object
	for _, tx := range generated.TopologyTxs {
		hash, err := hex.DecodeString(tx.Hash)
		require.NoError(w.t, err)
		signature, err := key.Sign(hash)
		require.NoError(w.t, err)
		signed = append(signed, object{
			"topology_tx": tx.TopologyTx, "signed_hash": hex.EncodeToString(signature.Signature),
		})
	}
	return object{"public_key": public["public_key"], "signed_topology_txs": signed}
}

// Every changing endpoint is in the test or unlogged, so that a new one cannot be forgotten.
func TestAuditLog_EveryChangingEndpointWritesAnEntry(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t, dbtest.New(t)) // it sends each request once
	w.OperatorWallet()
	tested := map[string]bool{}
	for _, change := range w.loggedChanges() {
		tested[change.operation] = true
		method, path, _ := strings.Cut(change.operation, " ")
		if change.path != "" {
			path = change.path
		}
		caller := admin
		if change.as != "" {
			caller = change.as
		}
		before := len(w.loggedBy(caller))
		answer := w.Send(method, path, http.Header{
			"Authorization": {"Bearer " + apitest.Token(t, caller)}, "X-Forwarded-For": {"192.0.2.7"},
			"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
		}, change.body)
		require.Less(t, answer.Status, 300, "%s: %s", change.operation, answer.Text)
		logged := w.loggedBy(caller)
		logged = logged[:len(logged)-before]
		var got []string
		for _, entry := range logged {
			got = append([]string{entry.Kind + " " + entry.Action}, got...)
			require.Equal(t, change.operation, entry.Origin.Operation)
			require.Regexp(t, `^192\.0\.2\.7, [0-9a-f.:]+$`, entry.Origin.Addresses, change.operation)
			require.Equal(t, "0af7651916cd43dd8448eb211c80319c", entry.Origin.TraceID, change.operation)
		}
		require.Equal(t, change.entries, got, change.operation)
	}
	file, err := os.Open("testdata/changes.txt")
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		isUnlogged := false
		for _, prefix := range unlogged {
			isUnlogged = isUnlogged || strings.HasPrefix(lines.Text(), prefix)
		}
		require.NotEqual(t, isUnlogged, tested[lines.Text()],
			"%s: add the request to loggedChanges, or its prefix to unlogged", lines.Text())
	}
	require.NoError(t, lines.Err())
}
