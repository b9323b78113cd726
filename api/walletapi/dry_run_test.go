package walletapi_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// tryOut previews a change, with a key that must not be used, and requires that nothing has changed.
func tryOut(t *testing.T, s *apitest.Server, user, path string, body any) (apitest.Answer, changes.DryRun) {
	t.Helper()
	before, err := s.DB.Head(t.Context())
	require.NoError(t, err)
	key := uuid.NewString()
	answer := s.Send(http.MethodPost, path+"?dry_run=true", http.Header{
		"Authorization": {"Bearer " + apitest.Token(t, user)}, changes.KeyHeader: {key},
	}, body)
	after, err := s.DB.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, after, "nothing is written")
	require.Empty(t, answer.Header.Get("Florin-Workflow-Id"))
	again := s.Send(http.MethodPost, "/v0/wallet/transfer-offers/00aa/reject", http.Header{
		"Authorization": {"Bearer " + apitest.Token(t, user)}, changes.KeyHeader: {key},
	}, "")
	require.NotEqual(t, http.StatusUnprocessableEntity, again.Status, "the key is not used up: %s", again.Text)
	var shown changes.DryRun
	if answer.Status == http.StatusOK {
		require.NoError(t, json.Unmarshal([]byte(answer.Text), &shown), answer.Text)
		require.True(t, shown.DryRun)
		require.Equal(t, shown.WouldSucceed, shown.Refusal == nil)
	}
	return answer, shown
}

func TestDryRun_ShowsEffectsOfChange(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	alice, bob, carol := s.Onboard("alice"), s.Onboard("bob"), s.Onboard("carol")
	s.OperatorWallet().Tap("100")
	alice.Tap("1000")
	bob.Tap("1000")
	s.Call("bob", http.MethodPost, "/v0/wallet/transfer-preapproval", nil).OK(nil)
	s.Automate()
	expires := time.Now().Add(time.Hour).UnixMicro()
	transfer := func(receiver *apitest.Wallet) map[string]any {
		return map[string]any{
			"receiver_party_id": receiver.Party, "amount": "25.5", "description": "x", "tracking_id": uuid.NewString(),
			"expires_at": expires,
		}
	}
	for name, test := range map[string]struct {
		user, path string
		body       map[string]any
		way, coin  string
		usd        string
	}{
		"an offer": {
			"alice", "/v0/wallet/transfer-offers", transfer(bob), "offer", "0.0000000000", "0.0000000000",
		},
		"a transfer in two steps locks the coin": {
			"alice", "/v0/wallet/token-standard/transfers", transfer(carol), "two-step", "25.5000000000", "0.1275000000",
		},
		"a transfer in one step": {
			"alice", "/v0/wallet/token-standard/transfers", transfer(bob), "one-step", "25.5000000000", "0.1275000000",
		},
		"a transfer through a preapproval": {
			"alice", "/v0/wallet/transfer-preapproval/send",
			map[string]any{"receiver_party_id": bob.Party, "amount": "25.5", "deduplication_id": "d"},
			"preapproval", "25.5000000000", "0.1275000000",
		},
		"a purchase of traffic, with what automation spends then": {
			"alice", trafficPath, order(s, alice, "dry"), "traffic-request", "666.8000000000", "3.3340000000",
		},
		"a preapproval, which the operator pays": {
			"carol", "/v0/wallet/transfer-preapproval", nil, "new-preapproval", "0.0000000000", "0.0000000000",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var body any = ""
			if test.body != nil {
				body = test.body
			}
			answer, shown := tryOut(t, s.In(t), test.user, test.path, body)
			require.Equal(t, http.StatusOK, answer.Status, answer.Text)
			require.True(t, shown.WouldSucceed, answer.Text)
			require.NotNil(t, shown.Path, answer.Text)
			require.Equal(t, test.way, *shown.Path)
			require.Equal(t, test.coin, shown.Coin.Amulet.String())
			require.Equal(t, test.usd, shown.Coin.USD.String())
			require.Greater(t, shown.Traffic.Bytes, int64(1000))
			require.Positive(t, shown.Traffic.Amulet.Sign())
			require.Positive(t, shown.Traffic.USD.Sign())
		})
	}
}

func TestDryRun_ShowsRefusal(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{
		Traffic: trafficRules(), LedgerSettings: func(s *ledger.Settings) { s.EnforceTraffic = true },
	})
	alice, bob := s.Onboard("alice"), s.Onboard("bob")
	s.Call("alice", http.MethodPost, trafficPath, order(s, alice, "used")).OK(nil)
	offer := map[string]any{
		"receiver_party_id": bob.Party, "amount": "1", "description": strings.Repeat("x", walletapp.MaxTextLength), "tracking_id": "t",
		"expires_at": time.Now().Add(time.Hour).UnixMicro(),
	}
	t.Run("of the endpoint itself", func(t *testing.T) {
		_, shown := tryOut(t, s.In(t), "alice", trafficPath, order(s, alice, "used"))
		require.Equal(t, &changes.Refusal{
			Status: http.StatusConflict, Error: "Buy traffic request with trackingId used already exists.",
		}, shown.Refusal)
	})
	t.Run("of the ledger", func(t *testing.T) {
		_, shown := tryOut(t, s.In(t), "alice", "/v0/wallet/transfer-offers", offer)
		require.EqualValues(t, http.StatusConflict, shown.Refusal.Status)
		require.Contains(t, shown.Refusal.Error, "TEMPLATE_PRECONDITION_VIOLATED")
		require.False(t, shown.Refusal.Later)
	})
	t.Run("of automation", func(t *testing.T) {
		answer, shown := tryOut(t, s.In(t), "alice", trafficPath, order(s, alice, "poor"))
		require.Equal(t, &changes.Refusal{
			Status: http.StatusBadRequest, Error: "out of funds (missing 666.8 CC)", Later: true,
		}, shown.Refusal, answer.Text)
		require.Equal(t, "traffic-request", *shown.Path)
		_, shown = tryOut(t, s.In(t), "alice", trafficPath, set(order(s, alice, "little"), "traffic_amount", 5))
		require.Equal(t, "not enough traffic requested (trafficAmount 5 < minTopupAmount 200000)", shown.Refusal.Error)
	})
	t.Run("of automation, once an offer is accepted", func(t *testing.T) {
		accepted := maps.Clone(offer)
		accepted["description"] = "short"
		answer, shown := tryOut(t, s.In(t), "alice", "/v0/wallet/transfer-offers", accepted)
		require.Equal(t, &changes.Refusal{
			Status: http.StatusBadRequest, Error: "out of funds (missing 1.0 CC)", Later: true,
		}, shown.Refusal, answer.Text)
		require.Equal(t, "offer", *shown.Path)
		require.Equal(t, "0.0000000000", shown.Coin.Amulet.String(), "the receiver has not decided yet")
		accepted["expires_at"] = int64(1_700_000_000_000_000)
		_, shown = tryOut(t, s.In(t), "alice", "/v0/wallet/transfer-offers", accepted)
		require.Equal(t, &changes.Refusal{
			Status: http.StatusBadRequest, Error: shown.Refusal.Error,
		}, shown.Refusal)
		require.Contains(t, shown.Refusal.Error, "expires_at: 2023-11-14T22:13:20Z is not after the ledger's time")
	})
	t.Run("for want of traffic", func(t *testing.T) {
		reserve(t, s, `{"target-throughput":20000,"min-topup-interval":"1m0s","reserved-traffic":200000}`)
		offer["description"] = "short"
		_, shown := tryOut(t, s.In(t), "alice", "/v0/wallet/transfer-offers", offer)
		require.Equal(t, &changes.Refusal{
			Status: http.StatusTooManyRequests, Error: "Traffic balance below reserved traffic amount (0 < 200000)",
		}, shown.Refusal)
	})
	t.Run("but not for callers without the right", func(t *testing.T) {
		s.ActingAs("stranger")
		answer := s.In(t).Send(http.MethodPost, trafficPath+"?dry_run=true", http.Header{}, order(s, alice, "x"))
		answer.Plain(http.StatusUnauthorized)
	})
}

func TestDryRun_RefusesUnsupportedRequests(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	alice := s.Onboard("alice")
	fails(t, s.Call("alice", http.MethodPost, trafficPath+"?dry_run=yes", order(s, alice, "x")), http.StatusBadRequest,
		`The query parameter dry_run is \"yes\". Send true to preview the change, or omit it to make the change.`)
	fails(t, s.Call("alice", http.MethodPost, "/v0/wallet/tap?dry_run=true", `{"amount":"1"}`), http.StatusBadRequest,
		"POST /v0/wallet/tap does not support dry_run. Nothing was done: omit the parameter to make the change.")
	var balance struct {
		Unlocked string `json:"effective_unlocked_qty"`
	}
	s.Call("alice", http.MethodGet, "/v0/wallet/balance", nil).OK(&balance)
	require.Equal(t, "0.0000000000", balance.Unlocked)
	s.Call("alice", http.MethodPost, trafficPath+"?dry_run=false", order(s, alice, "real")).OK(nil)
	s.Call("alice", http.MethodPost, trafficPath+"/real/status", nil).OK(nil)
}
