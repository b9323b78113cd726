package web_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// hostile is a text that an attacker may write on the ledger.
const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(1)><a href="javascript:alert(1)">x</a>{{.}}` +
	"</title></textarea><!--\u202e`${alert(1)}"

// hostileAPI answers with hostile texts in all text fields.
func hostileAPI(t *testing.T, refusing bool) http.Handler {
	t.Helper()
	const at = "2026-11-23T03:46:02.110325Z"
	party := hostile + "::" + hostile
	contract := func(payload any) any {
		return map[string]any{"contract_id": hostile, "payload": payload, "created_at": at}
	}
	with := func(payload any) any { return map[string]any{"contract": contract(payload)} }
	coin := map[string]any{
		"contract": with(map[string]any{"lock": map[string]any{
			"optContext": hostile, "expiresAt": at, "holders": []any{hostile},
		}}),
		"accrued_holding_fee": "1", "effective_amount": "2",
	}
	item := func(kind, choice string) any {
		return map[string]any{
			"transaction_type": kind, "transaction_subtype": map[string]any{"choice": choice}, "event_id": hostile, "date": at,
			"sender":    map[string]any{"party": party, "amount": "-1"},
			"receivers": []any{map[string]any{"party": party + "x", "amount": "1"}}, "transfer_instruction_amount": "1",
			"transfer_instruction_receiver": party, "description": hostile, "details": hostile,
		}
	}
	transaction := map[string]any{"update": map[string]any{"Transaction": map[string]any{"value": hostileTransaction()}}}
	created := map[string]any{
		"contractId": hostile, "templateId": hostile, "packageName": hostile, "contractKey": hostile, "createdAt": at,
		"createArgument": map[string]any{hostile: hostile}, "signatories": []any{party}, "observers": []any{party},
		"witnessParties": []any{party}, "offset": 1, "nodeId": 1,
	}
	right := func(kind string) any {
		return map[string]any{"kind": map[string]any{kind: map[string]any{"value": map[string]any{"party": party + kind}}}}
	}
	answers := map[string]any{
		"/v2/users/" + hostile + "/rights": map[string]any{"rights": []any{
			right("CanActAs"), right("CanReadAs"), right("CanReadAsAnyParty"), right("ParticipantAdmin"),
		}},
		"/v2/updates/get-updates-page": map[string]any{
			"updates": []any{transaction}, "lowestPageOffsetExclusive": 1, "nextPageToken": hostile,
		},
		"/v2/updates/update-by-offset": transaction,
		"/v2/events/events-by-contract-id": map[string]any{
			"created": map[string]any{"createdEvent": created}, "archived": map[string]any{"archivedEvent": created},
		},
		"/v2/state/active-contracts-page": map[string]any{"nextPageToken": hostile, "activeContracts": []any{
			map[string]any{"contractEntry": map[string]any{"JsActiveContract": map[string]any{"createdEvent": created}}},
		}},
		"/v2/commands/command-completions": []any{map[string]any{"completionResponse": map[string]any{
			"Completion": map[string]any{"value": map[string]any{
				"commandId": hostile, "userId": hostile, "actAs": []any{party}, "offset": 7,
				"status": map[string]any{"code": 1, "message": hostile},
			}},
		}}},
		"/v2/package-vetting/list": map[string]any{"vettedPackages": []any{map[string]any{"packages": []any{
			map[string]any{"packageId": hostile, "packageName": hostile, "packageVersion": hostile},
			map[string]any{"packageId": hostile + "2", "packageName": hostile, "packageVersion": hostile},
		}}}},
		"/v2/packages":           map[string]any{"packageIds": []any{hostile}},
		"/v2/authenticated-user": map[string]any{"user": map[string]any{"id": hostile}},
		"/v0/wallet/overview": map[string]any{
			"status": map[string]any{"party_id": party}, "ledger_time": at,
			"traffic": map[string]any{"used": 1, "limit": 2, "since": at},
		},
		"/v2/users":       map[string]any{"users": []any{map[string]any{"id": hostile, "primaryParty": hostile}}},
		"/v0/admin/users": map[string]any{},
		"/v0/wallet/balance": map[string]any{
			"effective_unlocked_qty": "1", "effective_locked_qty": "2", "total_holding_fees": "3",
		},
		"/v0/wallet/coins": map[string]any{"amulets": []any{coin}, "locked_amulets": []any{coin}},
		"/v0/dev/clock":    map[string]any{"ledger_time": at},
		"/v0/wallet/transactions": map[string]any{"items": []any{
			item("transfer", hostile), item("notification", hostile), item("transfer", "TransferFactory_Transfer"),
			item(hostile, hostile),
		}},
		"/v0/scan-proxy/open-and-issuing-mining-rounds": map[string]any{
			"open_mining_rounds": []any{with(map[string]any{"amuletPrice": "1"})},
		},
		"/v0/wallet/token-standard/transfers": map[string]any{
			"would_succeed": true, "path": hostile,
			"transfers": []any{contract(map[string]any{"transfer": map[string]any{
				"sender": party, "receiver": party, "amount": "1", "executeBefore": at,
				"meta": map[string]any{"values": map[string]any{
					"splice.lfdecentralizedtrust.org/reason": hostile, hostile: hostile,
				}},
			}})},
			"other_transfers": []any{hostileClaim(party)},
		},
		"/v0/wallet/token-standard/holdings": map[string]any{"tokens": []any{map[string]any{
			"package_name": hostile, "instrument": map[string]any{"admin": party, "id": hostile}, "locked": "1",
		}}, "unreadable": []any{map[string]any{"contract_id": hostile, "package_name": hostile, "reason": hostile}}},
		"/v0/wallet/token-standard/history": map[string]any{"transactions": []any{map[string]any{
			"update_id": hostile, "date": at, "incomplete": true, "movements": []any{map[string]any{
				"package_name": hostile, "instrument": map[string]any{"admin": party, "id": hostile}, "owner": party + "x",
			}},
		}}, "next": 1},
		"/v2/updates/update-by-id": transaction,
		"/v0/wallet/transfer-offers": map[string]any{"offers": []any{contract(map[string]any{
			"sender": hostile, "receiver": hostile, "amount": map[string]any{"amount": "1", "unit": hostile}, "expiresAt": at,
			"description": hostile, "trackingId": hostile,
		})}},
		"/v0/wallet/app-payment-requests": map[string]any{"payment_requests": []any{with(map[string]any{
			"provider": party, "description": hostile, "expiresAt": at, "receiverAmounts": []any{map[string]any{
				"receiver": party, "amount": map[string]any{"amount": "1", "unit": hostile},
			}},
		})}},
		"/v0/wallet/subscription-requests": map[string]any{"subscription_requests": []any{contract(hostileSubscription(party))}},
		"/v0/wallet/subscriptions": map[string]any{"subscriptions": []any{map[string]any{
			"subscription": contract(hostileSubscription(party)),
			"state":        map[string]any{"idle": contract(hostileSubscription(party))},
		}}},
		"/v0/wallet/token-standard/allocation-requests": map[string]any{"allocation_requests": []any{with(hostileRequest(party))}},
		"/v0/scan-proxy/dso-party-id":                   map[string]any{"dso_party_id": party},
		"/v0/allocations": map[string]any{"other_allocations": []any{hostileClaim(party)}, "allocations": []any{with(map[string]any{"allocation": map[string]any{
			"settlement": map[string]any{
				"executor": party, "settlementRef": map[string]any{"id": hostile}, "settleBefore": at,
			},
			"transferLeg": map[string]any{"receiver": party, "amount": "1"},
		}})}},
		"/v0/admin/external-party/balance": map[string]any{"total_available_coin": "1"},
		"/v0/admin/external-party/topology/generate": map[string]any{
			"party_id": party, "topology_txs": []any{map[string]any{"topology_tx": hostile, "hash": hostile}},
		},
		"/v0/wallet/transfer-preapproval": map[string]any{
			"transfer_preapproval": with(map[string]any{"provider": hostile, "expiresAt": at}),
		},
	}
	maps.Copy(answers, hostileAdminAnswers(party))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, known := answers[r.URL.Path]
		if text, isText := answer.(string); isText && !refusing {
			_, _ = w.Write([]byte(text))
			return
		}
		isSignIn := r.URL.Path == "/v2/authenticated-user" || r.URL.Path == "/v0/wallet/overview"
		if refusing && !isSignIn || !known {
			w.WriteHeader(http.StatusConflict)
			answer = map[string]any{"error": hostile, "code": hostile, "cause": hostile, "hint": hostile}
		}
		_ = json.NewEncoder(w).Encode(answer)
	})
}

func hostileSubscription(party string) map[string]any {
	return map[string]any{
		"subscriptionData": map[string]any{"receiver": party, "provider": party, "description": hostile},
		"payData": map[string]any{
			"paymentAmount": map[string]any{"amount": "1", "unit": hostile}, "paymentInterval": map[string]any{"microseconds": "1"},
		},
	}
}

// hostileAdminAnswers are answers to operators, with hostile texts in all fields.
func hostileAdminAnswers(party string) map[string]any {
	const at = "2026-11-23T03:46:02.110325Z"
	user := map[string]any{"id": hostile, "primaryParty": party, "identityProviderId": hostile}
	pkg := map[string]any{"packageId": hostile, "packageName": hostile, "packageVersion": hostile}
	line := strings.ReplaceAll(hostile, `"`, `\"`)
	return map[string]any{
		"/readyz":  "[-] ledger failed (not ready)\n[-] database failed (" + hostile + ")\n[!] " + hostile + ": " + hostile + "\n",
		"/metrics": "florin_commit_duration_seconds_count 1\n" + `florin_submissions_total{outcome="` + line + `"} 1` + "\n",
		"/v0/admin/automation": map[string]any{"automations": []any{map[string]any{
			"kind": hostile, "schedule": hostile, "trouble_count": 2, "troubles": []any{map[string]any{
				"subject": party, "command_id": hostile, "refusal": hostile, "tries": 1,
			}},
		}}},
		"/v2/users/" + hostile: map[string]any{"user": user},
		"/v2/parties": map[string]any{"nextPageToken": hostile, "partyDetails": []any{
			map[string]any{"party": party, "identityProviderId": hostile},
		}},
		"/v2/idps": map[string]any{"identityProviderConfigs": []any{map[string]any{
			"identityProviderId": hostile, "issuer": hostile, "jwksUrl": hostile, "audience": hostile,
		}}},
		"/v2/packages":             map[string]any{"packageIds": []any{hostile}},
		"/v2/package-vetting/list": map[string]any{"vettedPackages": []any{map[string]any{"packages": []any{pkg}}}},
		"/v0/admin/ledger-settings": map[string]any{"settings": []any{map[string]any{
			"name": hostile, "value": hostile, "default": hostile, "changed_at": at, "changed_by": hostile, "description": hostile,
		}}},
		"/v0/admin/user-rights": map[string]any{"users": []any{
			map[string]any{
				"id": hostile, "primary_party": hostile, "rights": []any{map[string]any{"kind": hostile, "party": party}},
			},
			map[string]any{"id": hostile, "identity_provider_id": hostile},
		}},
		"/v0/admin/audit": map[string]any{"hash": hostile, "finding_count": 1, "findings": []any{map[string]any{
			"rule": hostile, "contract_id": hostile, "detail": hostile,
		}}},
		"/v0/admin/audit-log": map[string]any{"entries": []any{map[string]any{
			"changed_at": at, "kind": "user", "action": hostile, "subject": hostile, "party": hostile,
			"before": map[string]any{hostile: hostile}, "after": map[string]any{hostile: hostile}, "changed_by": hostile,
			"identity_provider_id": hostile, "program": hostile, "addresses": hostile, "operation": hostile, "trace_id": hostile,
		}}},
		"/v0/dev/clock": map[string]any{"clock": hostile, "ledger_time": at, "real_time": at},
	}
}

// hostileTransaction is an update with hostile texts in all fields.
func hostileTransaction() map[string]any {
	const at = "2026-11-23T03:46:02.110325Z"
	return map[string]any{
		"updateId": hostile, "commandId": hostile, "workflowId": hostile, "offset": 1, "effectiveAt": at,
		"recordTime": at, "externalTransactionHash": hostile, "events": []any{
			map[string]any{"ExercisedEvent": map[string]any{
				"contractId": hostile, "templateId": hostile, "choice": hostile, "actingParties": []any{hostile},
				"choiceArgument": map[string]any{hostile: hostile}, "exerciseResult": hostile, "lastDescendantNodeId": 2,
				"witnessParties": []any{hostile}, "acsDelta": true,
			}},
			map[string]any{"CreatedEvent": map[string]any{
				"contractId": hostile, "templateId": hostile, "signatories": []any{hostile}, "nodeId": 1,
				"createArgument": map[string]any{hostile: hostile}, "witnessParties": []any{hostile},
			}},
			map[string]any{"ExercisedEvent": map[string]any{
				"contractId": hostile, "templateId": hostile, "choice": hostile, "actingParties": []any{hostile},
				"nodeId": 2, "lastDescendantNodeId": 2,
			}},
		},
	}
}

func TestTemplates_EscapeLedgerTexts(t *testing.T) {
	t.Parallel()
	const script = "%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E"
	for _, refusing := range []bool{false, true} {
		of := options(t, hostileAPI(t, refusing))
		if refusing { // of the list of users, too
			of.Development = nil
		}
		b := window(t, serve(t, of))
		b.open("/wallet").press("/wallet/sign-in", "user", "", "token", "t")
		checked := 0
		check := func(where string) {
			t.Helper()
			isHarmless(t, b.root, where)
			if strings.Contains(b.words(), "<script>alert(1)</script>") {
				checked++
			}
		}
		for _, path := range []string{
			"/wallet", "/wallet/send", "/wallet/inbox", "/wallet/receive", "/wallet/history",
			"/wallet/payments", "/wallet/allocations", "/wallet/traffic", "/wallet/traffic?request=" + script,
			"/wallet/external", "/wallet/external?party=" + script, "/wallet/external/new?name=" + script + "&key=" + script,
			"/wallet/names?party=" + script, "/wallet/coins", "/wallet/tokens", "/wallet/tokens?before=" + script, "/wallet/webhooks", "/wallet/webhooks/" + script,
			"/wallet/waiting", "/wallet/send?to=" + script, "/wallet/history?search=" + script + "&kind=%22%3E%3Cscript%3E",
			"/wallet/" + script, "/", "/wallet/history/1220ab",
			"/explorer", "/explorer?as=" + script, "/explorer?upto=" + script, "/explorer/search?for=" + script,
			"/explorer/updates/1220ab", "/explorer/offsets/1", "/explorer/offsets/" + script, "/explorer/contracts/00ab",
			"/explorer/contracts/" + script, "/explorer/parties", "/explorer/packages", "/explorer/packages?find=" + script,
			"/explorer/packages/" + script, "/explorer/templates/" + script, "/explorer/templates/a:b:" + script + "/create",
			"/explorer/contracts", "/explorer/contracts?state=archived", "/explorer/contracts?template=a:b:c&field=" + script +
				"&value=" + script, "/explorer/contracts/00ab/exercise/" + script, "/explorer/parties/" + script, "/explorer/" + script,
			"/admin", "/admin/automation", "/admin/users", "/admin/users?as=" + script, "/admin/users/" + script,
			"/admin/parties?begins=" + script, "/admin/providers", "/admin/packages", "/admin/settings", "/admin/clock",
			"/admin/ledger-time", "/admin/audit", "/admin/history?kind=" + script, "/admin/" + script,
		} {
			b.open(path)
			check(path)
		}
		require.GreaterOrEqual(t, checked, 12, "hostile texts were shown")
		if refusing {
			continue
		}
		b.open("/wallet/send").press("/wallet/send/preview", "to", hostile+"::x", "amount", hostile, "note", hostile)
		check("a refused preview")
		b.press("/wallet/send/preview", "to", hostile+"::x", "amount", "1", "note", hostile, "hours", "24")
		b.shows("Send this?", "alert(1)")
		check("a preview")
		b.press("/wallet/send").shows("You sent 1 CC to")
		check("a notice")
		b.open("/wallet").press("/wallet/tap", "amount", hostile)
		check("a refused tap")
	}
}

// isHarmless requires that a page runs only its own three scripts and links to no other site.
func isHarmless(t *testing.T, root *html.Node, where string) {
	t.Helper()
	scripts := 0
	for part := range root.Descendants() {
		require.NotEqual(t, html.CommentNode, part.Type, where)
		switch part.Data {
		case "script":
			scripts++
			require.True(t, strings.HasPrefix(attribute(part, "src"), "/assets/"), where)
			require.Nil(t, part.FirstChild, where)
		case "img", "style", "iframe", "object", "embed", "base":
			if part.Type == html.ElementNode {
				require.Fail(t, "the page has what it never has", "%s: %s", where, part.Data)
			}
		}
		for _, one := range part.Attr {
			require.False(t, strings.HasPrefix(one.Key, "on") || one.Key == "style", "%s: %s", where, one.Key)
			switch one.Key {
			case "href", "src", "action", "formaction", "hx-get":
				require.True(t, strings.HasPrefix(one.Val, "/") || one.Val == "#main", "%s: %s", where, one.Val)
			}
		}
	}
	require.LessOrEqual(t, scripts, 3, where)
}

// hostileRequest is what an app says that asks a party to set a token aside.
func hostileRequest(party string) map[string]any {
	return map[string]any{
		"settlement": map[string]any{"executor": party + "x", "settlementRef": map[string]any{"id": hostile}},
		"transferLegs": map[string]any{hostile: map[string]any{
			"sender": party, "receiver": party + "x", "amount": "1", "instrumentId": map[string]any{"admin": party, "id": hostile},
		}},
	}
}

// hostileClaim is a contract that claims to be a transfer and an allocation of a token.
func hostileClaim(party string) any {
	instrument := map[string]any{"admin": party, "id": hostile}
	return map[string]any{
		"contract_id": hostile, "package_name": hostile, "signatories": []any{hostile}, "view": map[string]any{
			"transfer": map[string]any{
				"sender": party + "x", "receiver": party, "amount": "1", "instrumentId": instrument,
				"executeBefore": "2026-11-23T03:46:02.110325Z", "meta": map[string]any{"values": map[string]any{
					"splice.lfdecentralizedtrust.org/reason": hostile,
				}},
			},
			"allocation": map[string]any{
				"settlement":  map[string]any{"executor": party, "settlementRef": map[string]any{"id": hostile}},
				"transferLeg": map[string]any{"receiver": party, "amount": "1", "instrumentId": instrument},
			},
		},
	}
}
