package registryapi_test

import (
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/apitest"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

func TestTrafficStatus(t *testing.T) {
	t.Parallel()
	member, synchronizer := coin.MemberOf("participant::"+apitest.Namespace), "global-domain::"+apitest.Namespace
	rules := coin.TrafficRulesOf(member, synchronizer)
	rules.BaseBurst = 0 // nothing is free, so that what is sent shows
	s := apitest.NewWithCoin(t, apitest.Options{Traffic: rules})
	alice := s.Wallet("alice")
	first := alice.Tap("5000")

	status := trafficOf(s, member)
	require.Zero(t, status.Target.Purchased)
	require.Zero(t, status.Actual.Limit)
	require.Zero(t, status.Actual.Consumed, "what the account does not cover is not charged when traffic is only metered")

	buyTraffic(s, alice, first, member, "1000000")
	status = trafficOf(s, member)
	require.EqualValues(t, 1_000_000, status.Target.Purchased)
	require.EqualValues(t, 1_000_000, status.Actual.Limit)
	require.Equal(t, status, trafficOf(s, s.Node.ParticipantID), "the kind of member may be left out")
	require.Equal(t, []string{"1666.0000000000"}, amounts(alice), "3334 coins were burned for a megabyte")

	t.Run("what is sent is charged by its cost", func(t *testing.T) {
		before := trafficOf(s.In(t), member).Actual.Consumed
		require.Positive(t, before, "the purchase itself was charged")
		alice.Tap("5000")
		completions, err := s.DB.Completions(t.Context(), db.CompletionsQuery{
			UserID: alice.User, Parties: []ledger.Party{alice.Party}, UpTo: math.MaxInt64, Limit: 100,
		})
		require.NoError(t, err)
		require.Equal(t, before+completions[len(completions)-1].PaidTrafficCost, trafficOf(s.In(t), member).Actual.Consumed)
	})
	t.Run("traffic can be bought for others, of whom only that is known", func(t *testing.T) {
		const other = "PAR::other::" + apitest.Namespace
		var held string
		for id := range alice.Holdings() {
			held = id
		}
		buyTraffic(s, alice, held, other, "200000")
		status := trafficOf(s.In(t), other)
		require.EqualValues(t, 200_000, status.Target.Purchased)
		require.EqualValues(t, 200_000, status.Actual.Limit)
		require.Zero(t, status.Actual.Consumed)
		require.EqualValues(t, 1_000_000, trafficOf(s.In(t), member).Actual.Limit)
	})
	cleanAudit(t, s)

	t.Run("nothing is known of a member whom nobody bought traffic", func(t *testing.T) {
		require.Contains(t, refusal(t, s.In(t).Call("", http.MethodGet, trafficPath(s, "PAR::nobody::1220"), nil),
			http.StatusNotFound), "No traffic state found for member PAR::nobody")
	})
	t.Run("there is one synchronizer", func(t *testing.T) {
		path := strings.Replace(trafficPath(s, member), "/global-domain", "/other", 1)
		require.Contains(t, refusal(t, s.In(t).Call("", http.MethodGet, path, nil), http.StatusNotFound),
			"No synchronizer other::")
	})
}

// memberTraffic is the traffic of a member of the synchronizer.
type memberTraffic struct {
	Actual struct {
		Consumed int64 `json:"total_consumed"`
		Limit    int64 `json:"total_limit"`
	} `json:"actual"`
	Target struct {
		Purchased int64 `json:"total_purchased"`
	} `json:"target"`
}

func trafficPath(s *apitest.Server, member string) string {
	return "/api/scan/v0/domains/" + s.Node.SynchronizerID + "/members/" + member + "/traffic-status"
}

func trafficOf(s *apitest.Server, member string) memberTraffic {
	var answer struct {
		Status memberTraffic `json:"traffic_status"`
	}
	s.Call("", http.MethodGet, trafficPath(s, member), nil).OK(&answer)
	return answer.Status
}

// buyTraffic pays for a member's traffic with a coin.
func buyTraffic(s *apitest.Server, w *apitest.Wallet, coin, member, bytes string) {
	rules, round := w.Rules()
	w.Exercise(rules.Contract.TemplateID, rules.Contract.ContractID, "AmuletRules_BuyMemberTraffic", map[string]any{
		"inputs": []any{map[string]any{"tag": "InputAmulet", "value": coin}}, "context": context(round),
		"provider": w.Party, "memberId": member, "synchronizerId": s.Node.SynchronizerID, "migrationId": "0",
		"trafficAmount": bytes, "expectedDso": s.Node.DSO,
	}, rules.Disclose(), round.Disclose())
}
