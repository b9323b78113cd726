package ledgerapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/test/apitest"
)

func TestTransactionTrees_ListAndLookUp(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	mine := b.note("mine", b.bob)                                                // offset 1
	done := b.wait("relabel", exercise(mine, "Relabel", fields{"label": "new"})) // 2

	requireTree := func(t *testing.T, tree ledgerapi.JsTransactionTree) {
		t.Helper()
		require.Equal(t, done.UpdateID, tree.UpdateID)
		require.Equal(t, int64(2), tree.Offset)
		require.Equal(t, "relabel", tree.CommandID)
		require.Len(t, tree.EventsByID, 2)
		exercised := tree.EventsByID["0"].ExercisedTreeEvent.Value
		require.Equal(t, mine, exercised.ContractID)
		require.Equal(t, int32(1), exercised.LastDescendantNodeID)
		require.Equal(t, int32(1), tree.EventsByID["1"].CreatedTreeEvent.Value.NodeID)
	}
	t.Run("by offset and by id", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		for _, path := range []string{"by-offset/2", "by-id/" + done.UpdateID} {
			var found ledgerapi.JsGetTransactionTreeResponse
			path = "/v2/updates/transaction-tree-" + path + "?parties="
			b.Call("alice", http.MethodGet, path+string(b.alice), nil).OK(&found)
			requireTree(t, found.Transaction)
			b.Call("bob", http.MethodGet, path+string(b.bob), nil).OK(&found)
			require.Empty(t, found.Transaction.CommandID, "bob did not submit it")
			b.Call("bob", http.MethodGet, path+string(b.alice), nil).Refused(http.StatusForbidden, "NA")
			b.Call("alice", http.MethodGet, path+"a%2Fb", nil).Refused(http.StatusForbidden, "NA")
			b.Call("auditor", http.MethodGet, path+"a%2Fb", nil).Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
			b.Call("alice", http.MethodGet, strings.TrimSuffix(path, "?parties="), nil).
				Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
		}
	})
	t.Run("that cannot be found", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		for path, want := range map[string]struct {
			status int
			code   string
		}{
			"by-offset/0":   {400, "NON_POSITIVE_OFFSET"},
			"by-offset/99":  {404, "UPDATE_NOT_FOUND"},
			"by-id/unknown": {400, "INVALID_ARGUMENT"},
			"by-id/1220aa":  {404, "UPDATE_NOT_FOUND"},
		} {
			b.Call("alice", http.MethodGet, "/v2/updates/transaction-tree-"+path+"?parties="+string(b.alice), nil).
				Refused(want.status, want.code)
		}
		text := b.Call("alice", http.MethodGet, "/v2/updates/transaction-tree-by-offset/x", nil).
			Plain(http.StatusBadRequest)
		require.Equal(t, "Invalid value for: path parameter offset", text)
	})
	t.Run("as a list, of either form of request", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		for _, body := range []fields{
			{"filter": byParty(b.alice), "verbose": true}, {"updateFormat": updateFormatOf("ACS_DELTA", byParty(b.alice))},
		} {
			elements := list[ledgerapi.JsGetUpdateTreesResponse](b, "alice", "/v2/updates/trees"+quick, body)
			require.Len(t, elements, 3)
			require.Len(t, elements[0].Update.TransactionTree.Value.EventsByID, 1)
			requireTree(t, elements[1].Update.TransactionTree.Value)
			require.Equal(t, int64(2), elements[2].Update.OffsetCheckpoint.Value.Offset)
			elements = list[ledgerapi.JsGetUpdateTreesResponse](b, "alice", "/v2/updates/trees",
				body.with(fields{"beginExclusive": 1, "endInclusive": 2, "descendingOrder": true}))
			require.Len(t, elements, 1)
		}
		require.Len(t, list[ledgerapi.JsGetUpdateTreesResponse](b, "alice", "/v2/updates/trees"+quick,
			fields{"updateFormat": fields{}}), 1, "nothing but the checkpoint")
		b.NotAllowed(http.MethodPost, "/v2/updates/trees", fields{"filter": byParty(b.alice)})
	})
}

func TestSubmitAndWaitForTransactionTree_AnswersWithTree(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	const path = "/v2/commands/submit-and-wait-for-transaction-tree"
	id := b.note("one")
	var done ledgerapi.JsSubmitAndWaitForTransactionTreeResponse
	b.Call("alice", http.MethodPost, path, b.submission("inspect", exercise(id, "Inspect", fields{}))).OK(&done)
	require.Equal(t, "inspect", done.TransactionTree.CommandID)
	require.False(t, done.TransactionTree.EventsByID["0"].ExercisedTreeEvent.Value.Consuming)

	refusal := b.Call("alice", http.MethodPost, path,
		b.submission("gone", exercise("00"+strings.Repeat("a", 64), "Inspect", fields{})).with(fields{"submissionId": "s"})).
		Refused(http.StatusNotFound, "CONTRACT_NOT_FOUND")
	require.Equal(t, "s", *refusal.CorrelationID)
	b.Call("alice", http.MethodPost, path, b.submission("empty").with(fields{"commands": []any{}})).
		Refused(http.StatusBadRequest, "MISSING_FIELD")
	b.NotAllowed(http.MethodPost, path, b.submission("x", b.create("x")))
}

func TestTransaction_ByOffsetAndByIDInOlderForm(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	id := b.note("one")
	done := b.wait("inspect", exercise(id, "Inspect", fields{}))
	effects := fields{"transactionFormat": updateFormatOf("LEDGER_EFFECTS", byParty(b.alice))["includeTransactions"]}
	for path, body := range map[string]fields{
		"/v2/updates/transaction-by-offset": {"offset": done.CompletionOffset},
		"/v2/updates/transaction-by-id":     {"updateId": done.UpdateID},
	} {
		var found ledgerapi.JsGetTransactionResponse
		b.Call("alice", http.MethodPost, path, body.with(effects)).OK(&found)
		require.Equal(t, done.UpdateID, found.Transaction.UpdateID)
		require.Equal(t, "Inspect", found.Transaction.Events[0].ExercisedEvent.Choice)

		parties := fields{"requestingParties": []any{b.alice}}
		b.Call("alice", http.MethodPost, path, body.with(parties)).
			Refused(http.StatusNotFound, "UPDATE_NOT_FOUND") // no active contract changed
		b.Call("alice", http.MethodPost, path, body.with(parties).with(effects)).
			Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
		b.Call("alice", http.MethodPost, path, body).Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
		b.NotAllowed(http.MethodPost, path, body.with(parties))
	}
	var found ledgerapi.JsGetTransactionResponse
	b.Call("alice", http.MethodPost, "/v2/updates/transaction-by-offset",
		fields{"offset": 1, "requestingParties": []any{b.alice}}).OK(&found)
	require.Equal(t, id, found.Transaction.Events[0].CreatedEvent.ContractID)
}

func TestReassignment_IsRefused(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	id := b.note("one")
	ours := b.Node.SynchronizerID
	unassign := func(source, target string) fields {
		return fields{"command": fields{"UnassignCommand": fields{"value": fields{
			"contractId": id, "source": source, "target": target,
		}}}}
	}
	assign := fields{"command": fields{"AssignCommand": fields{"value": fields{
		"reassignmentId": "00aa", "source": ours, "target": ours,
	}}}}
	whole := fields{
		"commandId": "move", "submitter": b.alice, "submissionId": "s", "commands": []fields{unassign(ours, ours)},
	}
	other := "other::" + apitest.Namespace
	for name, test := range map[string]struct {
		changes fields
		status  int
		code    string
	}{
		"nowhere to go":      {fields{}, 404, "REASSIGNMENT_VALIDATION_FAILED"},
		"nothing on its way": {fields{"commands": []fields{assign}}, 404, "REASSIGNMENT_VALIDATION_FAILED"},
		"another synchronizer": {
			fields{"commands": []fields{unassign(ours, other)}}, 400, "NOT_CONNECTED_TO_SYNCHRONIZER",
		},
		"not a synchronizer": {fields{"commands": []fields{unassign("x y", ours)}}, 400, "INVALID_FIELD"},
		"no target":          {fields{"commands": []fields{unassign(ours, "")}}, 400, "MISSING_FIELD"},
		"an empty command": {
			fields{"commands": []fields{{"command": fields{"Empty": fields{}}}}}, 400, "MISSING_FIELD",
		},
		"no command":              {fields{"commands": []fields{}}, 400, "MISSING_FIELD"},
		"no command id":           {fields{"commandId": ""}, 400, "MISSING_FIELD"},
		"a malformed workflow id": {fields{"workflowId": "ä"}, 400, "INVALID_ARGUMENT"},
		"someone else":            {fields{"submitter": b.bob}, 403, "NA"},
		"another user":            {fields{"userId": "bob"}, 403, "NA"},
	} {
		for _, path := range []string{"async/submit-reassignment", "submit-and-wait-for-reassignment"} {
			t.Run(fmt.Sprintf("%s, %s", path, name), func(t *testing.T) {
				t.Parallel()
				refusal := b.in(t).Call("alice", http.MethodPost, "/v2/commands/"+path,
					fields{"reassignmentCommands": whole.with(test.changes)}).Refused(test.status, test.code)
				if test.status != http.StatusForbidden {
					require.Equal(t, "s", *refusal.CorrelationID)
					require.NotEmpty(t, *refusal.Hint)
				}
			})
		}
	}
	b.Call("alice", http.MethodPost, "/v2/commands/async/submit-reassignment", fields{"reassignmentCommands": nil}).
		Refused(http.StatusBadRequest, "MISSING_FIELD")
	b.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait-for-reassignment",
		fields{"reassignmentCommands": whole, "eventFormat": byParty(b.bob)}).Refused(http.StatusForbidden, "NA")
}
