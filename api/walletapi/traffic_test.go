package walletapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/prepared"
	"github.com/florinledger/florin/test/apitest"
	"github.com/florinledger/florin/wallet/settings"
)

const trafficPath = "/v0/wallet/buy-traffic-requests"

// order is a valid request to buy traffic.
func order(s *apitest.Server, w *apitest.Wallet, trackingID string) map[string]any {
	return map[string]any{
		"receiving_validator_party_id": w.Party, "domain_id": s.Node.SynchronizerID, "traffic_amount": 200_000,
		"tracking_id": trackingID, "expires_at": time.Now().Add(time.Hour).UnixMicro(),
	}
}

func set(body map[string]any, field string, value any) map[string]any {
	body[field] = value
	return body
}

// errorOf is the text of a refusal in the form of /v0.
func errorOf(t *testing.T, answer apitest.Answer, status int) string {
	t.Helper()
	require.Equal(t, status, answer.Status, answer.Text)
	var body struct{ Error string }
	require.NoError(t, json.Unmarshal([]byte(answer.Text), &body), answer.Text)
	return body.Error
}

// contract: traffic-request, traffic-status
func TestBuyTraffic_CompletesPurchase(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	alice := s.Onboard("alice")
	alice.Tap("1000")
	var asked struct {
		ID string `json:"request_contract_id"`
	}
	answer := s.Call("alice", http.MethodPost, trafficPath, order(s, alice, "first"))
	answer.OK(&asked)
	require.NotEmpty(t, asked.ID)
	require.NotEmpty(t, answer.Header.Get("Florin-Workflow-Id"))
	s.Call("alice", http.MethodPost, trafficPath+"/first/status", nil).OK(nil)
	require.JSONEq(t, `{"status":"created"}`, s.Call("alice", http.MethodPost, trafficPath+"/first/status", nil).Text)

	s.Automate()
	var status struct {
		Status        string
		TransactionID string `json:"transaction_id"`
	}
	s.Call("alice", http.MethodPost, trafficPath+"/first/status", nil).OK(&status)
	require.Equal(t, "completed", status.Status)
	require.NotEmpty(t, status.TransactionID)

	var balance struct {
		Unlocked string `json:"effective_unlocked_qty"`
	}
	s.Call("alice", http.MethodGet, "/v0/wallet/balance", nil).OK(&balance)
	require.Equal(t, "333.2000000000", balance.Unlocked, "200,000 bytes cost 666.8")
	var traffic struct {
		Status struct {
			Actual struct {
				Limit int64 `json:"total_limit"`
			}
			Target struct {
				Purchased int64 `json:"total_purchased"`
			}
		} `json:"traffic_status"`
	}
	member := coin.MemberOf(s.Node.ParticipantID)
	s.Call("", http.MethodGet, "/api/scan/v0/domains/"+s.Node.SynchronizerID+"/members/"+member+"/traffic-status", nil).
		OK(&traffic)
	require.EqualValues(t, 200_000, traffic.Status.Target.Purchased)
}

// The physical synchronizer id names the same synchronizer.
func TestBuyTraffic_AcceptsPhysicalSynchronizerID(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	alice := s.Onboard("alice")
	alice.Tap("1000")
	physical := prepared.SynchronizerOf(s.Node).IDToSign()
	require.NotEqual(t, s.Node.SynchronizerID, physical)
	s.Call("alice", http.MethodPost, trafficPath, set(order(s, alice, "first"), "domain_id", physical)).OK(nil)
	s.Automate()
	require.Contains(t, s.Call("alice", http.MethodPost, trafficPath+"/first/status", nil).Text, "completed")
	status := func(synchronizer string) apitest.Answer {
		return s.Call("", http.MethodGet, "/api/scan/v0/domains/"+synchronizer+"/members/"+
			coin.MemberOf(s.Node.ParticipantID)+"/traffic-status", nil)
	}
	require.Contains(t, status(physical).Text, `"total_purchased":200000`)
	require.JSONEq(t, status(s.Node.SynchronizerID).Text, status(physical).Text)
	require.Equal(t, http.StatusNotFound, status(s.Node.SynchronizerID+"::34-0").Status)
}

func TestBuyTraffic_RefusesInvalidRequests(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	alice := s.Onboard("alice")
	s.ActingAs("stranger")
	s.Call("alice", http.MethodPost, trafficPath, order(s, alice, "used")).OK(nil)
	body := func() map[string]any { return order(s, alice, "used") }
	nowhere := "carol::1220" + strings.Repeat("ab", 32)
	for name, test := range map[string]struct {
		user   string
		body   map[string]any
		status int
		text   string
	}{
		"no wallet": {"stranger", body(), 404, "No wallet found for user 'stranger' for operation 'createBuyTrafficRequest'"},
		"a malformed synchronizer": {
			"alice", set(body(), "domain_id", "here"), 400,
			"Failed to decode: domain_id: 'here' is not a synchronizer id: it must be a name, two colons and a fingerprint",
		},
		"a malformed party": {"alice", set(body(), "receiving_validator_party_id", "bob"), 400, "Failed to decode: "},
		"no traffic":        {"alice", set(body(), "traffic_amount", 0), 400, "trafficAmount must be positive"},
		"a name that no path has": {
			"alice", set(body(), "tracking_id", "."), 400, `Failed to decode: tracking_id: "." cannot be a name`,
		},
		"negative traffic": {"alice", set(body(), "traffic_amount", -1), 400, "trafficAmount must be positive"},
		"a party of another node, though the tracking id is used": {
			"alice",
			set(body(), "receiving_validator_party_id", nowhere), 400,
			"Could not find participant hosting " + nowhere + " on domain " + s.Node.SynchronizerID,
		},
		"another synchronizer": {
			"alice", set(body(), "domain_id", "other::1220"), 400,
			fmt.Sprintf("Could not find participant hosting %s on domain other::1220", alice.Party),
		},
		"a tracking id that is used, before the time is looked at": {
			"alice",
			set(body(), "expires_at", int64(-1)<<62), 409, "Buy traffic request with trackingId used already exists.",
		},
		"a time that there is not": {
			"alice",
			set(order(s, alice, "new"), "expires_at", int64(-1)<<62), 400, "Failed to decode: expires_at: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := s.In(t).Call(test.user, http.MethodPost, trafficPath, test.body)
			require.Contains(t, errorOf(t, answer, test.status), test.text)
		})
	}
	s.Send(http.MethodPost, trafficPath, http.Header{}, body()).Plain(http.StatusUnauthorized)
	require.Equal(t, "Couldn't find buy traffic request with tracking id other",
		errorOf(t, s.Call("alice", http.MethodPost, trafficPath+"/other/status", nil), 404))
	bob := s.Onboard("bob")
	require.Equal(t, "Couldn't find buy traffic request with tracking id used",
		errorOf(t, s.Call("bob", http.MethodPost, trafficPath+"/used/status", nil), 404), "it is Alice's")
	s.Call("bob", http.MethodPost, trafficPath, order(s, bob, "used")).OK(nil)
}

func TestBuyTraffic_StatusShowsFailureReason(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	alice := s.Onboard("alice")
	for name, test := range map[string]struct {
		field  string
		value  any
		reason string
	}{
		"poor": {
			"traffic_amount", 1_000_000,
			`{"status":"failed","failure_reason":"rejected","rejection_reason":"out of funds (missing 3334.0 CC)"}`,
		},
		"little": {"traffic_amount", 1000, `{"status":"failed","failure_reason":"rejected","rejection_reason":` +
			`"not enough traffic requested (trafficAmount 1000 < minTopupAmount 200000)"}`},
		"late": {
			"expires_at", time.Now().Add(-time.Hour).UnixMicro(),
			`{"status":"failed","failure_reason":"expired","rejection_reason":null}`,
		},
	} {
		if name == "late" { // as it is when its time has come
			apitest.Create(s, walletapp.BuyTrafficRequest{
				DSO: s.Node.DSO, EndUserParty: alice.Party, TrackingID: name, TrafficAmount: 200_000,
				ExpiresAt: lf.TimestampOf(time.Now().Add(-time.Hour)),
				MemberID:  "PAR::participant::1220", SynchronizerID: s.Node.SynchronizerID,
			}, alice.Party, s.Node.Operator)
			fails(t, s.Call("alice", http.MethodPost, trafficPath, set(order(s, alice, "over"), test.field, test.value)),
				http.StatusBadRequest, "expires_at: ")
		} else {
			s.Call("alice", http.MethodPost, trafficPath, set(order(s, alice, name), test.field, test.value)).OK(nil)
		}
		s.Automate()
		require.JSONEq(t, test.reason, s.Call("alice", http.MethodPost, trafficPath+"/"+name+"/status", nil).Text)
		again := s.Call("alice", http.MethodPost, trafficPath, order(s, alice, name))
		require.Contains(t, errorOf(t, again, http.StatusConflict), "already exists", "after a failure too")
	}
}

// trafficRules are those of the test node.
func trafficRules() ledger.TrafficRules {
	return coin.TrafficRulesOf(coin.MemberOf("participant::"+apitest.Namespace), "global-domain::"+apitest.Namespace)
}

// reserve makes the node buy traffic automatically and sets the reserve.
func reserve(t *testing.T, s *apitest.Server, value string) {
	t.Helper()
	_, err := s.DB.ChooseAutomation(t.Context(), string(settings.KindTopUp), "", []byte(value))
	require.NoError(t, err)
}

func TestTrafficReserve_AllowsOnlyPurchasesBelowReserve(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{
		Traffic: trafficRules(), LedgerSettings: func(s *ledger.Settings) { s.EnforceTraffic = true },
	})
	alice := s.Onboard("alice")
	alice.Tap("1000")
	offer := func(trackingID string) apitest.Answer {
		return s.Call("alice", http.MethodPost, "/v0/wallet/transfer-offers", map[string]any{
			"receiver_party_id": s.Node.Operator, "amount": "1", "description": "", "tracking_id": trackingID,
			"expires_at": time.Now().Add(time.Hour).UnixMicro(),
		})
	}
	offer("before").OK(nil)
	reserve(t, s, `{"target-throughput":20000,"min-topup-interval":"1m0s","reserved-traffic":200000}`)
	require.Equal(t, "Traffic balance below reserved traffic amount (0 < 200000)", errorOf(t, offer("low"), 429))
	s.Call("alice", http.MethodPost, trafficPath, set(order(s, alice, "more"), "traffic_amount", 250_000)).OK(nil)
	s.Automate()
	require.Contains(t, s.Call("alice", http.MethodPost, trafficPath+"/more/status", nil).Text, "completed")
	reserve(t, s, `{"target-throughput":20000,"min-topup-interval":"1m0s","reserved-traffic":100000}`)
	offer("enough").OK(nil)
	reserve(t, s, `{"target-throughput":0,"min-topup-interval":"1m0s","reserved-traffic":900000}`)
	offer("no top-up").OK(nil)
}

// Traffic that is only metered costs nothing.
func TestTrafficReserve_IgnoredWhenNotEnforced(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{Traffic: trafficRules()})
	alice := s.Onboard("alice")
	reserve(t, s, `{"target-throughput":20000,"min-topup-interval":"1m0s","reserved-traffic":200000}`)
	alice.Tap("1000")
}

func TestBuyTraffic_SucceedsWithoutTraffic(t *testing.T) {
	t.Parallel()
	rules := trafficRules()
	rules.BaseBurst, rules.BaseWindow = 300_000, 1000*time.Hour
	s := apitest.NewWithCoin(t, apitest.Options{
		Traffic: rules, LedgerSettings: func(s *ledger.Settings) { s.EnforceTraffic = true },
	})
	alice := s.Onboard("alice")
	alice.Tap("2000")
	offer := func() apitest.Answer {
		return s.Call("alice", http.MethodPost, "/v0/wallet/transfer-offers", map[string]any{
			"receiver_party_id": s.Node.Operator, "amount": "1", "description": strings.Repeat("x", 279),
			"tracking_id": uuid.NewString(), "expires_at": time.Now().Add(time.Hour).UnixMicro(),
		})
	}
	last := offer()
	for range 300 {
		if last.Status != http.StatusOK {
			break
		}
		last = offer()
	}
	require.Contains(t, errorOf(t, last, http.StatusBadRequest), "SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT")
	for _, trackingID := range []string{"rescue", "another"} { // the second one with nothing at all left
		s.Call("alice", http.MethodPost, trafficPath, order(s, alice, trackingID)).OK(nil)
	}
	s.Automate()
	require.Contains(t, s.Call("alice", http.MethodPost, trafficPath+"/rescue/status", nil).Text, "completed")
	head, err := s.DB.Head(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 400_000, head.Traffic.Purchased)
	require.Positive(t, head.Traffic.Consumed, "the purchase pays for itself")
	offer().OK(nil)
}
