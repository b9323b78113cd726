package registryapi_test

import (
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// contract: traffic-consumed
func TestTrafficStatus_ShowsConsumedAndPurchased(t *testing.T) {
	t.Parallel()
	member, synchronizer := coin.MemberOf("participant::"+apitest.Namespace), "global-domain::"+apitest.Namespace
	rules := coin.TrafficRulesOf(member, synchronizer)
	rules.BaseBurst = 0 // nothing is free, so that what is sent shows
	s := apitest.NewWithCoin(t, apitest.Options{Traffic: rules})
	alice := s.Wallet("alice")

	paid := func() (sum int64) {
		completions, err := s.DB.Completions(t.Context(), db.CompletionsQuery{
			User: new(ledger.DefaultUser(alice.User)), Parties: []ledger.Party{alice.Party}, UpTo: math.MaxInt64, Limit: 100,
		})
		require.NoError(t, err)
		for _, completion := range completions {
			sum += completion.PaidTrafficCost
		}
		return sum
	}
	start := trafficOf(s, member).Actual.Consumed - paid()
	require.GreaterOrEqual(t, start, int64(0), "what the network itself did")
	first := alice.Tap("5000")
	status := trafficOf(s, member)
	require.Zero(t, status.Target.Purchased)
	require.Equal(t, start+paid(), status.Actual.Consumed, "consumption shows before anything was bought")
	granted := status.Actual.Consumed
	require.Equal(t, granted, status.Actual.Limit, "what the account does not cover is granted while it is only metered")

	buyTraffic(s, alice, first, member, "1000000")
	status = trafficOf(s, member)
	require.EqualValues(t, 1_000_000, status.Target.Purchased)
	require.Equal(t, 1_000_000+granted, status.Actual.Limit)
	require.Equal(t, status, trafficOf(s, s.Node.ParticipantID), "the kind of member may be left out")
	require.Equal(t, []string{"1666.0000000000"}, listAmounts(alice), "3334 coins were burned for a megabyte")

	before := status.Actual.Consumed
	require.Greater(t, before, granted, "the purchase itself was charged")
	second := alice.Tap("5000")
	require.Equal(t, start+paid(), trafficOf(s, member).Actual.Consumed, "what is sent is charged by its cost")

	const other = "PAR::other::" + apitest.Namespace
	buyTraffic(s, alice, second, other, "200000")
	status = trafficOf(s, other)
	require.EqualValues(t, 200_000, status.Target.Purchased)
	require.EqualValues(t, 200_000, status.Actual.Limit)
	require.Zero(t, status.Actual.Consumed, "for other members only the purchases are known")
	require.Equal(t, 1_000_000+granted, trafficOf(s, member).Actual.Limit)
	cleanAudit(t, s)
}

func TestTrafficStatus_NotFoundForUnknownMember(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	for path, text := range map[string]string{
		trafficPath(s, "PAR::nobody::1220"): "No traffic state found for " +
			"member PAR::nobody",
		strings.Replace(trafficPath(s, s.Node.ParticipantID), "/global-domain", "/other", 1): "No synchronizer other::",
	} {
		require.Contains(t, errorOf(t, s.Call("", http.MethodGet, path, nil), http.StatusNotFound), text)
	}
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
		"inputs": []any{map[string]any{"tag": "InputAmulet", "value": coin}}, "context": paymentContext(round),
		"provider": w.Party, "memberId": member, "synchronizerId": s.Node.SynchronizerID, "migrationId": "0",
		"trafficAmount": bytes, "expectedDso": s.Node.DSO,
	}, rules.Disclose(), round.Disclose())
}
