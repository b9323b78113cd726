package ledgerapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/test/apitest"
)

// contract: completion-trace
func TestTracing_StoresTraceWithUpdateAndCompletion(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	const (
		traceID = "6b0c3f0d8e5a4c1f9d2b7a6e5c4d3b2a"
		parent  = "00-" + traceID + "-1122334455667788-01"
		state   = "vendor=1"
	)
	send := func(user, path, trace string, body any) apitest.Answer {
		return b.Send(http.MethodPost, path, http.Header{
			"Authorization": {"Bearer " + apitest.Token(t, user)}, "Traceparent": {trace}, "Tracestate": {state},
		}, body)
	}
	requireTrace := func(trace *v2.TraceContext) {
		t.Helper()
		require.NotNil(t, trace)
		require.Equal(t, parent, *trace.Traceparent)
		require.Equal(t, state, *trace.Tracestate)
	}
	answer := send(apitest.Admin, "/v2/parties", parent, fields{"partyIdHint": "carol", "userId": "alice"}) // offset 1
	require.Equal(t, parent, answer.Header.Get("Traceparent"))
	require.Equal(t, state, answer.Header.Get("Tracestate"))
	var done ledgerapi.JsSubmitAndWaitForTransactionResponse
	send("alice", "/v2/commands/submit-and-wait-for-transaction", parent,
		fields{"commands": b.submission("traced", b.create("traced"))}).OK(&done) // 2
	requireTrace(done.Transaction.TraceContext)

	t.Run("with completions", func(t *testing.T) {
		t.Parallel()
		elements := list[ledgerapi.CompletionStreamResponse](b.in(t), "alice", "/v2/commands/completions?limit=1",
			fields{"parties": []any{b.alice}})
		requireTrace(elements[0].CompletionResponse.Completion.Value.TraceContext)
	})
	t.Run("with transactions, trees and topology", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		format := updateFormatOf("ACS_DELTA", byParty(b.alice)).with(hosting(b.Node.LocalParty("carol")))
		elements := list[ledgerapi.JsGetUpdatesResponse](b, "alice", updatesPath+"?limit=2", fields{"updateFormat": format})
		requireTrace(elements[0].Update.TopologyTransaction.Value.TraceContext)
		requireTrace(elements[1].Update.Transaction.Value.TraceContext)
		trees := list[ledgerapi.JsGetUpdateTreesResponse](b, "alice", "/v2/updates/trees?limit=1",
			fields{"updateFormat": format})
		requireTrace(trees[0].Update.TransactionTree.Value.TraceContext)
	})
	t.Run("in errors", func(t *testing.T) {
		t.Parallel()
		refusal := send("alice", "/v2/updates/update-by-id", parent, fields{"updateId": "", "updateFormat": fields{}}).
			Refused(http.StatusBadRequest, "MISSING_FIELD")
		require.Equal(t, traceID, *refusal.TraceID)
		require.Equal(t, traceID, refusal.Context["tid"])
	})
	t.Run("and one is made where the client's cannot be used", func(t *testing.T) {
		t.Parallel()
		for _, broken := range []string{"", "nonsense", "ff" + parent[2:], strings.ToUpper(parent)} {
			answer := send("alice", "/v2/updates/update-by-id", broken, fields{"updateId": "", "updateFormat": fields{}})
			made := answer.Header.Get("Traceparent")
			require.Regexp(t, "^00-[0-9a-f]{32}-[0-9a-f]{16}-01$", made)
			require.NotContains(t, made, traceID)
			require.Equal(t, made[3:35], *answer.Refused(http.StatusBadRequest, "MISSING_FIELD").TraceID)
			require.Empty(t, answer.Header.Get("Tracestate"), "a state without a parent says nothing")
		}
	})
}
