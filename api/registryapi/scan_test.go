package registryapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// errorOf requires an error in the form of /v0 and returns its text.
func errorOf(t *testing.T, answer apitest.Answer, status int) string {
	t.Helper()
	require.Equal(t, status, answer.Status, answer.Text)
	require.Equal(t, "application/json", answer.Header.Get("Content-Type"))
	var body map[string]string
	require.NoError(t, json.Unmarshal([]byte(answer.Text), &body), answer.Text)
	require.Len(t, body, 1)
	return body["error"]
}

func fails(t *testing.T, answer apitest.Answer, status int, text string) {
	t.Helper()
	require.Equal(t, text, errorOf(t, answer, status))
}

// cleanAudit requires that the audit of the whole record finds nothing.
func cleanAudit(t *testing.T, s *apitest.Server) {
	t.Helper()
	var outcome struct {
		Clean    bool              `json:"clean"`
		Supply   string            `json:"supply"`
		Held     string            `json:"held"`
		Findings []json.RawMessage `json:"findings"`
	}
	s.Call(apitest.Admin, http.MethodGet, "/v0/admin/audit", nil).OK(&outcome)
	require.True(t, outcome.Clean, "%s", outcome.Findings)
	require.Equal(t, outcome.Supply, outcome.Held)
}

// preapprove makes the receiver ask for a preapproval, and the provider pay for one of 90 days.
func preapprove(t *testing.T, s *apitest.Server, provider, receiver *apitest.Wallet) string {
	t.Helper()
	coin := provider.Tap("1000")
	proposal := receiver.Create("#splice-wallet:Splice.Wallet.TransferPreapproval:TransferPreapprovalProposal",
		map[string]any{"receiver": receiver.Party, "provider": provider.Party, "expectedDso": s.Node.DSO})
	rules, round := provider.Rules()
	var result struct{ TransferPreapprovalCid string }
	require.NoError(t, json.Unmarshal(provider.Exercise(
		"#splice-wallet:Splice.Wallet.TransferPreapproval:TransferPreapprovalProposal", proposal,
		"TransferPreapprovalProposal_Accept", map[string]any{
			"context":   map[string]any{"amuletRules": rules.Contract.ContractID, "context": paymentContext(round)},
			"inputs":    []any{map[string]any{"tag": "InputAmulet", "value": coin}},
			"expiresAt": time.Now().Add(90 * 24 * time.Hour),
		}, rules.Disclose(), round.Disclose()), &result))
	return result.TransferPreapprovalCid
}

func paymentContext(round apitest.Shown) map[string]any {
	return map[string]any{
		"openMiningRound": round.Contract.ContractID, "issuingMiningRounds": []any{}, "validatorRights": []any{},
		"featuredAppRight": nil,
	}
}

// feature makes a party a featured app.
func feature(t *testing.T, wallet *apitest.Wallet) {
	t.Helper()
	rules, _ := wallet.Rules()
	wallet.Exercise(rules.Contract.TemplateID, rules.Contract.ContractID, "AmuletRules_DevNet_FeatureApp",
		map[string]any{"provider": wallet.Party}, rules.Disclose())
}

// bases are the paths of scan and its proxy, with the user who calls.
func bases() map[string]string {
	return map[string]string{"/api/scan/v0": "", "/v0/scan-proxy": "anybody"}
}

func TestScan_ShowsNetwork(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	for base, user := range bases() {
		t.Run(base+" names the DSO", func(t *testing.T) {
			t.Parallel()
			var answer map[string]string
			s.In(t).Call(user, http.MethodGet, base+"/dso-party-id", nil).OK(&answer)
			require.Equal(t, map[string]string{"dso_party_id": string(s.Node.DSO)}, answer)
		})
		t.Run(base+" knows the network", func(t *testing.T) {
			t.Parallel()
			var answer struct {
				DSO    ledger.Party  `json:"dso_party_id"`
				Rules  apitest.Shown `json:"amulet_rules"`
				Latest apitest.Shown `json:"latest_mining_round"`
				Votes  int           `json:"voting_threshold"`

				Governance apitest.Shown `json:"dso_rules"`
			}
			s.In(t).Call(user, http.MethodGet, base+"/dso", nil).OK(&answer)
			require.Equal(t, s.Node.DSO, answer.DSO)
			require.Contains(t, answer.Rules.Contract.TemplateID, ":Splice.AmuletRules:AmuletRules")
			require.Contains(t, string(answer.Latest.Contract.Payload), `"number":"2"`)
			require.Equal(t, 1, answer.Votes)
			require.Contains(t, answer.Governance.Contract.TemplateID, ":Splice.DsoRules:DsoRules")
			require.NotEmpty(t, answer.Governance.Contract.CreatedEventBlob)
			require.Equal(t, s.Node.SynchronizerID, answer.Governance.DomainID)
			var payload struct {
				SVs         [][]json.RawMessage
				DSODelegate ledger.Party
				IsDevNet    bool
				Config      struct {
					DecentralizedSynchronizer struct{ ActiveSynchronizerID string }
				}
			}
			require.NoError(t, json.Unmarshal(answer.Governance.Contract.Payload, &payload))
			require.Equal(t, s.Node.Operator, payload.DSODelegate)
			require.True(t, payload.IsDevNet)
			require.Equal(t, s.Node.SynchronizerID, payload.Config.DecentralizedSynchronizer.ActiveSynchronizerID)
			require.Len(t, payload.SVs, 1)
			require.JSONEq(t, `"`+string(s.Node.Operator)+`"`, string(payload.SVs[0][0]))
			require.JSONEq(t, `{"name":"`+s.Node.OperatorUser+`","joinedAsOfRound":{"number":"0"},"svRewardWeight":"10000",
				"participantId":"`+s.Node.ParticipantID+`"}`, string(payload.SVs[0][1]))
		})
		t.Run(base+" has no names", func(t *testing.T) {
			t.Parallel()
			s := s.In(t)
			var answer map[string][]any
			s.Call(user, http.MethodGet, base+"/ans-entries?page_size=10&name_prefix=a", nil).OK(&answer)
			require.Equal(t, map[string][]any{"entries": {}}, answer)
			fails(t, s.Call(user, http.MethodGet, base+"/ans-entries", nil), http.StatusBadRequest,
				"Request is missing required query parameter 'page_size'")
			fails(t, s.Call(user, http.MethodGet, base+"/ans-entries?page_size=0", nil), http.StatusBadRequest,
				"Limit must be at least 1.")
			fails(t, s.Call(user, http.MethodGet, base+"/ans-entries?page_size=5000", nil), http.StatusBadRequest,
				"Exceeded limit maximum (5000 > 1000).")
			fails(t, s.Call(user, http.MethodGet, base+"/ans-entries/by-name/alice", nil), http.StatusNotFound,
				"No ans entry found for name: alice")
			fails(t, s.Call(user, http.MethodGet, base+"/ans-entries/by-party/a::1220", nil), http.StatusNotFound,
				"No ans entry found for party: a::1220")
			fails(t, s.Call(user, http.MethodPost, base+"/ans-rules", map[string]any{}), http.StatusNotFound,
				"No AnsRules found: this network has no name service")
		})
		t.Run(base+" has no grants", func(t *testing.T) {
			t.Parallel()
			var answer map[string][]any
			s.In(t).Call(user, http.MethodGet, base+"/unclaimed-development-fund-coupons", nil).OK(&answer)
			require.Equal(t, map[string][]any{"unclaimed-development-fund-coupons": {}}, answer)
		})
	}
}

// contract: scan-rounds
func TestScan_ShowsRulesAndRounds(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	var rules struct {
		AmuletRules apitest.Shown `json:"amulet_rules"`
	}
	s.Call("anybody", http.MethodGet, "/v0/scan-proxy/amulet-rules", nil).OK(&rules)
	require.Equal(t, s.Node.SynchronizerID, rules.AmuletRules.DomainID)
	var payload struct {
		IsDevNet       bool
		ConfigSchedule struct {
			InitialValue struct {
				DecentralizedSynchronizer struct{ ActiveSynchronizer string }
			}
		}
	}
	require.NoError(t, json.Unmarshal(rules.AmuletRules.Contract.Payload, &payload))
	require.True(t, payload.IsDevNet)
	require.Equal(t, s.Node.SynchronizerID,
		payload.ConfigSchedule.InitialValue.DecentralizedSynchronizer.ActiveSynchronizer)

	t.Run("the proxy lists rounds oldest first", func(t *testing.T) {
		t.Parallel()
		var rounds struct {
			Open    []apitest.Shown `json:"open_mining_rounds"`
			Issuing []apitest.Shown `json:"issuing_mining_rounds"`
		}
		s.In(t).Call("anybody", http.MethodGet, "/v0/scan-proxy/open-and-issuing-mining-rounds", nil).OK(&rounds)
		require.Len(t, rounds.Open, 3)
		require.Empty(t, rounds.Issuing)
		for i, round := range rounds.Open {
			require.Contains(t, string(round.Contract.Payload), fmt.Sprintf(`"number":"%d"`, i))
			require.Contains(t, string(round.Contract.Payload), `"amuletPrice":"0.005"`)
		}
	})
	t.Run("scan leaves out what the client has", func(t *testing.T) {
		t.Parallel()
		type cached struct {
			Contract *json.RawMessage `json:"contract"`
			DomainID string           `json:"domain_id"`
		}
		var update struct {
			Rules cached `json:"amulet_rules_update"`
		}
		s := s.In(t)
		s.Call("", http.MethodPost, "/api/scan/v0/amulet-rules", map[string]any{}).OK(&update)
		require.NotNil(t, update.Rules.Contract)
		update.Rules.Contract = nil
		s.Call("", http.MethodPost, "/api/scan/v0/amulet-rules", map[string]any{
			"cached_amulet_rules_contract_id": rules.AmuletRules.Contract.ContractID,
		}).OK(&update)
		require.Nil(t, update.Rules.Contract)
		require.Equal(t, s.Node.SynchronizerID, update.Rules.DomainID)

		var rounds struct {
			TimeToLive int64             `json:"time_to_live_in_microseconds"`
			Open       map[string]cached `json:"open_mining_rounds"`
			Issuing    map[string]cached `json:"issuing_mining_rounds"`
		}
		s.Call("", http.MethodPost, "/api/scan/v0/open-and-issuing-mining-rounds", map[string]any{}).OK(&rounds)
		require.Len(t, rounds.Open, 3)
		require.Positive(t, rounds.TimeToLive)
		listed := s.Call("anybody", http.MethodGet, "/v0/scan-proxy/open-and-issuing-mining-rounds", nil)
		var ordered struct {
			Open []apitest.Shown `json:"open_mining_rounds"`
		}
		listed.OK(&ordered)
		text := s.Call("", http.MethodPost, "/api/scan/v0/open-and-issuing-mining-rounds", map[string]any{}).Text
		at := 0
		for _, round := range ordered.Open {
			next := strings.Index(text, `"`+round.Contract.ContractID+`":{`)
			require.Greater(t, next, at, "the map is ordered as the list is: clients take the last")
			at = next
		}
		known := ""
		for known = range rounds.Open {
			break
		}
		rounds.Open = nil
		s.Call("", http.MethodPost, "/api/scan/v0/open-and-issuing-mining-rounds", map[string]any{
			"cached_open_mining_round_contract_ids": []string{known},
		}).OK(&rounds)
		for id, round := range rounds.Open {
			require.Equal(t, id == known, round.Contract == nil)
		}

		var external struct {
			Rules cached `json:"external_party_amulet_rules_update"`
		}
		s.Call("", http.MethodPost, "/api/scan/v0/external-party-amulet-rules", map[string]any{}).OK(&external)
		require.NotNil(t, external.Rules.Contract)
	})
	t.Run("there are two configuration states", func(t *testing.T) {
		t.Parallel()
		var states struct {
			States []apitest.Shown `json:"external_party_config_states"`
		}
		s.In(t).Call("anybody", http.MethodGet, "/v0/scan-proxy/external-party-config-states", nil).OK(&states)
		require.Len(t, states.States, 2)
	})
	t.Run("the network has names for things", func(t *testing.T) {
		t.Parallel()
		var names map[string]string
		s.In(t).Call("", http.MethodGet, "/api/scan/v0/splice-instance-names", nil).OK(&names)
		require.Equal(t, "Amulet", names["amulet_name"])
	})
}

func TestScan_ShowsPreapprovalsAndFeaturedApps(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	bob, operator := s.Wallet("bob"), s.Operator()
	for base, user := range bases() {
		path := base + "/transfer-preapprovals/by-party/" + string(bob.Party)
		fails(t, s.Call(user, http.MethodGet, path, nil), http.StatusNotFound,
			"No TransferPreapproval found for party: "+string(bob.Party))
		require.Contains(t, errorOf(t, s.Call(user, http.MethodGet, base+"/transfer-preapprovals/by-party/b!", nil),
			http.StatusBadRequest), "Failed to decode: ")
		var right map[string]any
		s.Call(user, http.MethodGet, base+"/featured-apps/"+string(operator.Party), nil).OK(&right)
		require.Equal(t, map[string]any{"featured_app_right": nil}, right)
	}
	var before struct {
		PartyID  ledger.Party `json:"party_id"`
		UserName string       `json:"user_name"`
		Featured bool         `json:"featured"`
	}
	s.Call("", http.MethodGet, "/v0/validator-user", nil).OK(&before)
	require.Equal(t, operator.Party, before.PartyID)
	require.Equal(t, operator.User, before.UserName)
	require.False(t, before.Featured)

	preapproval := preapprove(t, s, operator, bob)
	feature(t, operator)
	for base, user := range bases() {
		var found struct {
			TransferPreapproval apitest.Shown `json:"transfer_preapproval"`
		}
		s.Call(user, http.MethodGet, base+"/transfer-preapprovals/by-party/"+string(bob.Party), nil).OK(&found)
		require.Equal(t, preapproval, found.TransferPreapproval.Contract.ContractID)
		var payload struct {
			Receiver, Provider, DSO ledger.Party
			ExpiresAt               time.Time
		}
		require.NoError(t, json.Unmarshal(found.TransferPreapproval.Contract.Payload, &payload))
		require.Equal(t, bob.Party, payload.Receiver)
		var right struct {
			Right *struct {
				ContractID string `json:"contract_id"`
			} `json:"featured_app_right"`
		}
		s.Call(user, http.MethodGet, base+"/featured-apps/"+string(operator.Party), nil).OK(&right)
		require.NotEmpty(t, right.Right.ContractID)
	}
	var all struct {
		Apps []json.RawMessage `json:"featured_apps"`
	}
	s.Call("", http.MethodGet, "/api/scan/v0/featured-apps", nil).OK(&all)
	require.Len(t, all.Apps, 1)
	s.Call("", http.MethodGet, "/v0/validator-user", nil).OK(&before)
	require.True(t, before.Featured)
	cleanAudit(t, s)
}

func TestScan_AuthenticatesCallers(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	t.Run("the proxy needs a token", func(t *testing.T) {
		t.Parallel()
		for _, path := range []string{"/v0/scan-proxy/dso-party-id", "/v0/scan-proxy/registry/metadata/v1/info"} {
			answer := s.In(t).Send(http.MethodGet, path, http.Header{}, nil)
			require.Equal(t, "The resource requires authentication, which was not supplied with the request",
				answer.Plain(http.StatusUnauthorized))
			require.Equal(t, `Bearer realm="splice scan proxy realm"`, answer.Header.Get("WWW-Authenticate"))
			answer = s.In(t).Send(http.MethodGet, path, http.Header{"Authorization": {"Bearer abc"}}, nil)
			require.Equal(t, "The supplied authentication is invalid", answer.Plain(http.StatusUnauthorized))
		}
	})
	t.Run("any token will do, below both paths", func(t *testing.T) {
		t.Parallel()
		for _, path := range []string{"/v0/scan-proxy/dso-party-id", "/api/validator/v0/scan-proxy/dso-party-id"} {
			s.In(t).Undocumented("nobody-created-me", http.MethodGet, path).OK(nil)
		}
	})
	t.Run("scan and the registry are for everybody, whatever they send", func(t *testing.T) {
		t.Parallel()
		for _, path := range []string{"/api/scan/v0/dso-party-id", "/registry/metadata/v1/info", "/v0/validator-user"} {
			s.In(t).Send(http.MethodGet, path, http.Header{}, nil).OK(nil)
			s.In(t).Send(http.MethodGet, path, http.Header{"Authorization": {"Bearer abc"}}, nil).OK(nil)
		}
	})
	t.Run("what is not there is told in the form of the family", func(t *testing.T) {
		t.Parallel()
		for _, path := range []string{"/v0/nothing", "/registry/nothing", "/api/scan/v0/nothing"} {
			fails(t, s.In(t).Call("", http.MethodGet, path, nil), http.StatusNotFound,
				"The requested resource could not be found: "+path)
		}
	})
	t.Run("another method is not allowed", func(t *testing.T) {
		t.Parallel()
		answer := s.In(t).Call("", http.MethodPost, "/v0/scan-proxy/dso-party-id", map[string]any{})
		require.Equal(t, "HTTP method not allowed, supported methods: GET", answer.Plain(http.StatusMethodNotAllowed))
		require.Contains(t, answer.Header.Values("Allow"), http.MethodGet)
	})
}
