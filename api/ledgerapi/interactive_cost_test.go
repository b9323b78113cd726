package ledgerapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/test/apitest"
)

// A transaction that fails after ordering costs as much as a successful one. A refusal before ordering costs nothing.
//
// contract: completion-traffic-unordered, completion-traffic-refused
func TestTraffic_IsPaidForEveryOrderedTransaction(t *testing.T) {
	t.Parallel()
	const granted = 10_000_000
	c := newCustodyWith(t, apitest.Options{
		Traffic:        ledger.TrafficRules{BaseBurst: granted, BaseWindow: 1_000_000 * time.Hour},
		LedgerSettings: func(s *ledger.Settings) { s.EnforceTraffic = true },
	}, 1, signing.Curve25519)
	execute := func(p ledgerapi.JsPrepareSubmissionResponse, code string, change fields) (cost, charged int64) {
		t.Helper()
		before, err := c.DB.Head(t.Context())
		require.NoError(t, err)
		answer := c.Call("signer", http.MethodPost, waitURL, c.sign(p).with(change))
		if code == "" {
			answer.OK(nil)
		} else {
			require.Contains(t, answer.Text, `"code":"`+code+`"`)
		}
		after, err := c.DB.Head(t.Context())
		require.NoError(t, err)
		require.Equal(t, before.Offset+1, after.Offset, "it has a completion")
		var found []ledgerapi.CompletionStreamResponse
		c.Call("signer", http.MethodPost, "/v2/commands/completions"+quick, fields{
			"parties": []ledger.Party{c.carol}, "beginExclusive": before.Offset,
		}).OK(&found)
		// Less than a byte of free traffic comes back in the time of this test.
		return found[0].CompletionResponse.Completion.Value.PaidTrafficCost, before.Traffic.Base - after.Traffic.Base
	}
	late, spent := c.prepare(c.settleBody("late")), c.prepare(c.settleBody("spent"))
	far := fields{"minLedgerTime": fields{"time": fields{"MinLedgerTimeRel": fields{
		"value": fields{"seconds": 3600, "nanos": 0},
	}}}}
	for _, attempt := range []struct {
		name, code string
		prepared   ledgerapi.JsPrepareSubmissionResponse
		change     fields
		paid       bool
	}{
		{"at the wrong time", "LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND", late, far, true},
		{"in time", "", late, fields{}, true},
		{"with inputs that are spent", "LOCAL_VERDICT_INACTIVE_CONTRACTS", spent, fields{}, true},
		{"a second time", "DUPLICATE_COMMAND", late, fields{}, false},
	} {
		cost, charged := execute(attempt.prepared, attempt.code, attempt.change)
		want := int64(0)
		if attempt.paid {
			want = attempt.prepared.CostEstimation.Total
			require.Positive(t, want)
		}
		require.Equal(t, want, cost, attempt.name)
		require.Equal(t, want, charged, "%s: the reported cost is the charge", attempt.name)
	}
}
