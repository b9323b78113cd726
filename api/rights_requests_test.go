package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/ledgerapi/parties"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/test/apitest"
)

// object is a JSON object.
type object map[string]any

func newCounter() func() string {
	var count atomic.Int64
	return func() string { return strconv.FormatInt(count.Add(1), 10) }
}

// loadDocuments reads both OpenAPI documents.
func loadDocuments(t *testing.T, s *apitest.Server) []*openapi3.T {
	t.Helper()
	documents := []*openapi3.T{loadDocument(t, s)}
	answer := s.Send(http.MethodGet, "/docs/openapi/validator", http.Header{"Accept": {"application/json"}}, nil)
	validator, err := openapi3.NewLoader().LoadFromData([]byte(answer.Text))
	require.NoError(t, err)
	return append(documents, validator)
}

// request returns the path and the body for a cell. Endpoints whose rule does not depend on the request need no entry
// in requests: they get the example of the document.
func (w *world) request(route mountedRoute, c cell) (path string, body any) {
	w.t.Helper()
	if ask, ok := requests[route.method+" "+route.pattern]; ok {
		return ask(w, c)
	}
	path = route.path()
	_, body = route.json()
	if own, ok := walletBodies[route.method+" "+route.pattern]; ok {
		body = own
	}
	if body == nil && route.operation != nil && route.operation.RequestBody != nil {
		body = object{}
	}
	return path, body
}

// The common bodies of several requests.

func commandsOf(party ledger.Party) object {
	return object{
		"commandId": uuid.NewString(), "actAs": []ledger.Party{party},
		"commands": []object{{"CreateCommand": object{
			"templateId": apitest.NoteTemplate,
			"createArguments": object{
				"owner": party, "readers": []string{}, "label": uuid.NewString(), "amount": "1.0",
			},
		}}},
	}
}

// preparation prepares a transaction for the party. Contracts with keys need the newer hash.
func (w *world) preparation(party ledger.Party) object {
	body := commandsOf(party)
	body["hashingSchemeVersion"] = "HASHING_SCHEME_VERSION_V3"
	return body
}

// holdings asks for the holdings of a party.
func holdings(path string) func(*world, cell) (string, any) {
	return reading(path, func(c cell) object {
		return object{
			"migration_id": 0, "record_time": time.Now(), "owner_party_ids": []ledger.Party{c.party},
		}
	})
}

// factory asks for the context of a transfer or an allocation, without an argument.
func factory(path string) func(*world, cell) (string, any) {
	return reading(path, func(cell) object { return object{"choiceArguments": object{}} })
}

func eventFormat(c cell) object {
	return object{"filtersByParty": object{string(c.party): object{}}, "verbose": false}
}

func transactionFormat(c cell) object {
	return object{"eventFormat": eventFormat(c), "transactionShape": "TRANSACTION_SHAPE_ACS_DELTA"}
}

func updateFormat(c cell) object { return object{"includeTransactions": transactionFormat(c)} }

func rightOf(party ledger.Party) []object {
	return []object{{"kind": object{"CanReadAs": object{"value": object{"party": party}}}}}
}

func userPath(c cell, rest string) string { return "/v2/users/" + url.PathEscape(c.user) + rest }

func partyPath(c cell) string { return "/v2/parties/" + url.PathEscape(string(c.party)) }

func idpQuery(c cell) string { return "?identity-provider-id=" + c.idp }

// atPath makes a request with a fixed path.
func atPath(path string, body func(w *world, c cell) object) func(*world, cell) (string, any) {
	return func(w *world, c cell) (string, any) { return path, body(w, c) }
}

func submitting(path string) func(*world, cell) (string, any) {
	return atPath(path, func(_ *world, c cell) object { return commandsOf(c.party) })
}

func reading(path string, body func(c cell) object) func(*world, cell) (string, any) {
	return atPath(path, func(_ *world, c cell) object { return body(c) })
}

func updatesRange(c cell) object {
	return object{"beginExclusive": 0, "endInclusive": c.offset, "updateFormat": updateFormat(c)}
}

func activeContracts(c cell) object {
	return object{"activeAtOffset": c.offset, "eventFormat": eventFormat(c)}
}

func completionsOf(c cell) object { return object{"parties": []ledger.Party{c.party}} }

func olderUpdates(c cell) object {
	return object{"beginExclusive": 0, "endInclusive": c.offset, "filter": eventFormat(c), "verbose": false}
}

func reassignment(path string) func(*world, cell) (string, any) {
	return reading(path, func(c cell) object {
		return object{"reassignmentCommands": object{
			"commandId": uuid.NewString(), "submitter": c.party, "workflowId": "", "submissionId": "",
			"commands": []object{{"command": object{"UnassignCommand": object{"value": object{
				"contractId": c.contract, "source": "a::1220", "target": "b::1220",
			}}}}},
		}}
	})
}

// executeRequest executes a prepared transaction of the party with an invalid signature: the node checks the right
// first.
func executeRequest(path string) func(*world, cell) (string, any) {
	return atPath(path, func(w *world, c cell) object {
		var prepared ledgerapi.JsPrepareSubmissionResponse
		w.Call(auditor, http.MethodPost, "/v2/interactive-submission/prepare", w.preparation(c.party)).OK(&prepared)
		return object{
			"preparedTransaction": prepared.PreparedTransaction, "hashingSchemeVersion": prepared.HashingSchemeVersion,
			"submissionId": uuid.NewString(), "deduplicationPeriod": object{"Empty": object{}},
			"partySignatures": object{"signatures": []object{{"party": c.party, "signatures": []object{{
				"format": "SIGNATURE_FORMAT_CONCAT", "signature": "AAAA", "signedBy": "1220",
				"signingAlgorithmSpec": "SIGNING_ALGORITHM_SPEC_ED25519",
			}}}}},
		}
	})
}

// allocateRequest allocates an external party with a new key.
func allocateRequest(w *world, c cell) (string, any) {
	w.t.Helper()
	key := w.Key(signing.Curve25519)
	var generated parties.GenerateExternalPartyTopologyResponse
	w.Call(admin, http.MethodPost, "/v2/parties/external/generate-topology",
		parties.GenerateExternalPartyTopologyRequest{
			Synchronizer: w.Node.SynchronizerID, PartyHint: "outside-" + w.count(),
			PublicKey: &parties.SigningPublicKey{
				Format: signing.KeySPKI, KeyData: key.Public().SPKI(), KeySpec: key.Public().Spec(),
			},
			OtherConfirmingParticipantUIDs: []string{}, ObservingParticipantUIDs: []string{},
		}).OK(&generated)
	signature, err := key.Sign(generated.MultiHash)
	require.NoError(w.t, err)
	transactions := []object{}
	for _, transaction := range generated.TopologyTransactions {
		transactions = append(transactions, object{"transaction": transaction, "signatures": []object{}})
	}
	return "/v2/parties/external/allocate", object{
		"synchronizer": w.Node.SynchronizerID, "onboardingTransactions": transactions,
		"multiHashSignatures": []object{{
			"format": signature.Format, "signature": signature.Signature, "signedBy": signature.SignedBy,
			"signingAlgorithmSpec": signature.Algorithm,
		}},
		"identityProviderId": c.idp, "userId": c.user,
	}
}

func grant(w *world, c cell) (string, any) {
	return userPath(c, "/rights"), object{
		"userId": c.user, "rights": rightOf(w.spares[c.idp]), "identityProviderId": c.idp,
	}
}

func treeQuery(path string) func(*world, cell) (string, any) {
	return func(_ *world, c cell) (string, any) {
		path := strings.NewReplacer("{offset}", strconv.FormatInt(c.offset, 10), "{update-id}", c.update).Replace(path)
		return path + "?parties=" + url.QueryEscape(string(c.party)), nil
	}
}

// requests are the requests whose outcome depends on their subject.
var requests = map[string]func(w *world, c cell) (path string, body any){
	"POST /v2/commands/async/submit":    submitting("/v2/commands/async/submit"),
	"POST /v2/commands/submit-and-wait": submitting("/v2/commands/submit-and-wait"),
	"POST /v2/commands/submit-and-wait-for-transaction": atPath("/v2/commands/submit-and-wait-for-transaction",
		func(w *world, c cell) object {
			return object{"commands": commandsOf(c.party), "transactionFormat": transactionFormat(c)}
		}),
	"POST /v2/commands/submit-and-wait-for-transaction-tree": submitting(
		"/v2/commands/submit-and-wait-for-transaction-tree"),
	"POST /v2/commands/async/submit-reassignment": reassignment("/v2/commands/async/submit-reassignment"),
	"POST /v2/commands/submit-and-wait-for-reassignment": reassignment(
		"/v2/commands/submit-and-wait-for-reassignment"),
	"POST /v2/commands/completions":         reading("/v2/commands/completions", completionsOf),
	"POST /v2/commands/command-completions": reading("/v2/commands/command-completions", completionsOf),
	"WS /v2/commands/completions":           reading("", completionsOf),
	"WS /v2/commands/command-completions":   reading("", completionsOf),

	"POST /v2/interactive-submission/prepare": atPath("/v2/interactive-submission/prepare",
		func(w *world, c cell) object { return w.preparation(c.party) }),
	"POST /v2/interactive-submission/execute": executeRequest("/v2/interactive-submission/execute"),
	"POST /v2/interactive-submission/executeAndWait": executeRequest(
		"/v2/interactive-submission/executeAndWait"),
	"POST /v2/interactive-submission/executeAndWaitForTransaction": executeRequest(
		"/v2/interactive-submission/executeAndWaitForTransaction"),

	"POST /v2/state/active-contracts": reading("/v2/state/active-contracts", activeContracts),
	"WS /v2/state/active-contracts":   reading("", activeContracts),
	"GET /v2/state/active-contracts-page": reading("/v2/state/active-contracts-page",
		func(c cell) object { return object{"eventFormat": eventFormat(c)} }),
	"POST /v2/state/active-contracts-page": reading("/v2/state/active-contracts-page",
		func(c cell) object { return object{"eventFormat": eventFormat(c)} }),
	"POST /v2/updates":       reading("/v2/updates", updatesRange),
	"POST /v2/updates/flats": reading("/v2/updates/flats", updatesRange),
	"POST /v2/updates/trees": reading("/v2/updates/trees", olderUpdates),
	"WS /v2/updates":         reading("", updatesRange),
	"WS /v2/updates/flats":   reading("", updatesRange),
	"WS /v2/updates/trees":   reading("", olderUpdates),
	"POST /v2/updates/get-updates-page": reading("/v2/updates/get-updates-page", func(c cell) object {
		return object{"beginOffsetExclusive": 0, "endOffsetInclusive": c.offset, "updateFormat": updateFormat(c)}
	}),
	"POST /v2/updates/update-by-offset": reading("/v2/updates/update-by-offset", func(c cell) object {
		return object{"offset": c.offset, "updateFormat": updateFormat(c)}
	}),
	"POST /v2/updates/update-by-id": reading("/v2/updates/update-by-id", func(c cell) object {
		return object{"updateId": c.update, "updateFormat": updateFormat(c)}
	}),
	"POST /v2/updates/update-by-hash": reading("/v2/updates/update-by-hash", func(c cell) object {
		return object{"transactionHash": strings.Repeat("ab", 32), "updateFormat": updateFormat(c)}
	}),
	"POST /v2/commands/completion-by-hash": constant("/v2/commands/completion-by-hash",
		object{"transactionHash": strings.Repeat("ab", 32)}),
	"POST /v2/updates/transaction-by-offset": reading("/v2/updates/transaction-by-offset", func(c cell) object {
		return object{"offset": c.offset, "transactionFormat": transactionFormat(c)}
	}),
	"POST /v2/updates/transaction-by-id": reading("/v2/updates/transaction-by-id", func(c cell) object {
		return object{"updateId": c.update, "transactionFormat": transactionFormat(c)}
	}),
	// Administrators delete the webhooks of others; everybody else finds none.
	"DELETE /v0/webhooks/{id}": func(*world, cell) (string, any) { return "/v0/webhooks/" + adminsWebhook, nil },
	"POST /v0/webhooks": atPath("/v0/webhooks", func(_ *world, c cell) object {
		return object{"url": "https://app.example/", "kinds": []string{"completion"}, "party": c.party}
	}),
	"GET /v2/updates/transaction-tree-by-offset/{offset}": treeQuery(
		"/v2/updates/transaction-tree-by-offset/{offset}"),
	"GET /v2/updates/transaction-tree-by-id/{update-id}": treeQuery(
		"/v2/updates/transaction-tree-by-id/{update-id}"),
	"POST /v2/events/events-by-contract-id": reading("/v2/events/events-by-contract-id", func(c cell) object {
		return object{"contractId": c.contract, "eventFormat": eventFormat(c)}
	}),
	"POST /v2/contracts/contract-by-id": reading("/v2/contracts/contract-by-id", func(c cell) object {
		return object{"contractId": c.contract, "queryingParties": []ledger.Party{c.party}}
	}),
	"GET /v2/state/connected-synchronizers": func(_ *world, c cell) (string, any) {
		return fmt.Sprintf("/v2/state/connected-synchronizers?party=%s&identityProviderId=%s",
			url.QueryEscape(string(c.party)), c.idp), nil
	},

	"POST /v0/admin/external-party/topology/generate": constant("/v0/admin/external-party/topology/generate",
		object{"party_hint": "x", "public_key": "x"}),
	"POST /v0/admin/external-party/topology/submit": constant("/v0/admin/external-party/topology/submit",
		object{"public_key": "x", "signed_topology_txs": []object{}}),
	"POST /v0/admin/external-party/setup-proposal": constant("/v0/admin/external-party/setup-proposal",
		object{"user_party_id": "x"}),
	"POST /v0/admin/external-party/setup-proposal/prepare-accept": constant(
		"/v0/admin/external-party/setup-proposal/prepare-accept", object{"contract_id": "00", "user_party_id": "x"}),
	"POST /v0/admin/external-party/setup-proposal/submit-accept": constant(
		"/v0/admin/external-party/setup-proposal/submit-accept", unsigned),
	"POST /v0/admin/external-party/transfer-preapproval/prepare-send": constant(
		"/v0/admin/external-party/transfer-preapproval/prepare-send", object{
			"sender_party_id": "x", "receiver_party_id": "x", "amount": 1, "expires_at": "2030-01-01T00:00:00Z", "nonce": 0,
		}),
	"POST /v0/admin/external-party/transfer-preapproval/submit-send": constant(
		"/v0/admin/external-party/transfer-preapproval/submit-send", unsigned),
	"POST /v0/admin/users": atPath("/v0/admin/users", func(w *world, _ cell) object {
		return object{"name": "newcomer-" + w.count()}
	}),
	"POST /v2/users": atPath("/v2/users", func(w *world, c cell) object {
		return object{"user": object{"id": "new-" + w.count(), "identityProviderId": c.idp}, "rights": []object{}}
	}),
	"GET /v2/users/{user-id}": func(_ *world, c cell) (string, any) { return userPath(c, idpQuery(c)), nil },
	"PATCH /v2/users/{user-id}": func(_ *world, c cell) (string, any) {
		return userPath(c, ""), object{
			"user": object{
				"id": c.user, "identityProviderId": c.idp,
				"metadata": object{"resourceVersion": "", "annotations": object{"a": "1"}},
			},
			"updateMask": object{"paths": []string{"metadata.annotations"}},
		}
	},
	"DELETE /v2/users/{user-id}":       func(_ *world, c cell) (string, any) { return userPath(c, ""), nil },
	"GET /v2/users/{user-id}/rights":   func(_ *world, c cell) (string, any) { return userPath(c, "/rights"), nil },
	"POST /v2/users/{user-id}/rights":  grant,
	"PATCH /v2/users/{user-id}/rights": grant,
	"PATCH /v2/users/{user-id}/identity-provider-id": func(w *world, c cell) (string, any) {
		user := c.user
		if c.aim != "" { // in the table of rights, a new one each time
			user = "moved-" + w.count()
			w.userOf(user, "")
		}
		return "/v2/users/" + user + "/identity-provider-id", object{
			"userId": user, "sourceIdentityProviderId": "", "targetIdentityProviderId": "acme",
		}
	},
	"POST /v2/parties": atPath("/v2/parties", func(w *world, c cell) object {
		return object{"partyIdHint": "new-" + w.count(), "identityProviderId": c.idp, "userId": c.user}
	}),
	"GET /v2/parties":         func(_ *world, c cell) (string, any) { return "/v2/parties" + idpQuery(c), nil },
	"GET /v2/parties/{party}": func(_ *world, c cell) (string, any) { return partyPath(c) + idpQuery(c), nil },
	"PATCH /v2/parties/{party}": func(_ *world, c cell) (string, any) {
		return partyPath(c), object{
			"partyDetails": object{
				"party": c.party, "identityProviderId": c.idp,
				"localMetadata": object{"resourceVersion": "", "annotations": object{"a": "1"}},
			},
			"updateMask": object{"paths": []string{"local_metadata.annotations"}},
		}
	},
	"POST /v2/parties/external/allocate": allocateRequest,
	"GET /v2/parties/external/{party}/onboarding": func(_ *world, c cell) (string, any) {
		return "/v2/parties/external/" + url.PathEscape(string(c.party)) + "/onboarding" + idpQuery(c), nil
	},
	"POST /api/scan/v0/holdings/summary":   holdings("/api/scan/v0/holdings/summary"),
	"POST /api/scan/v1/holdings/summary":   holdings("/api/scan/v1/holdings/summary"),
	"POST /v0/scan-proxy/holdings/summary": holdings("/v0/scan-proxy/holdings/summary"),
	"POST /v1/scan-proxy/holdings/summary": holdings("/v1/scan-proxy/holdings/summary"),
	"POST /v0/scan-proxy/registry/transfer-instruction/v1/transfer-factory": factory(
		"/v0/scan-proxy/registry/transfer-instruction/v1/transfer-factory"),
	"POST /v0/scan-proxy/registry/allocation-instruction/v1/allocation-factory": factory(
		"/v0/scan-proxy/registry/allocation-instruction/v1/allocation-factory"),

	"POST /v2/participant-pruning/prune": reading("/v2/participant-pruning/prune", func(cell) object {
		return object{"pruneUpTo": 0} // invalid: the test must not prune anything
	}),
	"POST /v2/idps": atPath("/v2/idps", func(_ *world, c cell) object {
		// The same each time: only the first is made.
		return object{"identityProviderConfig": object{
			"identityProviderId": "initech", "issuer": "https://initech.example", "jwksUrl": "https://initech.example/jwks",
		}}
	}),
}

// unsigned is an unsigned submission of an external party.
var unsigned = object{"submission": object{
	"party_id": "x", "transaction": "AAAA", "signed_tx_hash": "00", "public_key": "x",
}}

// constant is the same request for all callers.
func constant(path string, body object) func(*world, cell) (string, any) {
	return func(*world, cell) (string, any) { return path, body }
}
