package ledgerapi_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/test/apitest"
)

const updatesPath = "/v2/updates"

// transactions reads updates and drops the checkpoint at the end.
func (b *bundle) transactions(user, path string, body fields) ([]ledgerapi.JsTransaction, *v2.OffsetCheckpoint) {
	b.t.Helper()
	var found []ledgerapi.JsTransaction
	var checkpoint *v2.OffsetCheckpoint
	for _, element := range list[ledgerapi.JsGetUpdatesResponse](b, user, path, body) {
		require.Nil(b.t, checkpoint, "a checkpoint ends the list")
		if element.Update.OffsetCheckpoint != nil {
			checkpoint = &element.Update.OffsetCheckpoint.Value
			continue
		}
		found = append(found, element.Update.Transaction.Value)
	}
	return found, checkpoint
}

func offsets(transactions []ledgerapi.JsTransaction) []int64 {
	out := []int64{}
	for _, transaction := range transactions {
		out = append(out, transaction.Offset)
	}
	return out
}

// updateFormatOf makes an update format for transactions.
func updateFormatOf(shape string, events fields) fields {
	return fields{"includeTransactions": fields{"eventFormat": events, "transactionShape": "TRANSACTION_SHAPE_" + shape}}
}

func TestUpdates_ListTransactions(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	mine := b.note("mine")                                               // offset 1
	b.note("shared", b.bob)                                              // 2
	b.wait("inspect", exercise(mine, "Inspect", fields{}))               // 3
	b.wait("relabel", exercise(mine, "Relabel", fields{"label": "new"})) // 4

	t.Run("what changed in the active contracts", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		for name, body := range map[string]fields{
			"older form": {"filter": byParty(b.alice), "verbose": true},
			"newer form": {"updateFormat": updateFormatOf("ACS_DELTA", byParty(b.alice))},
		} {
			for _, path := range []string{updatesPath, "/v2/updates/flats"} {
				found, checkpoint := b.transactions("alice", path+quick, body)
				require.Equal(t, []int64{1, 2, 4}, offsets(found), name)
				require.Equal(t, int64(4), checkpoint.Offset)
				require.Equal(t, "create-mine", found[0].CommandID)
				archived, created := found[2].Events[0].ArchivedEvent, found[2].Events[1].CreatedEvent
				require.Equal(t, mine, archived.ContractID)
				require.Equal(t, []string{string(b.alice)}, archived.WitnessParties)
				require.Equal(t, apitest.NoteTemplateID, archived.TemplateID.String())
				require.Empty(t, archived.ImplementedInterfaces)
				require.True(t, created.AcsDelta)
			}
		}
	})
	t.Run("all that happened", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		found, _ := b.transactions("alice", updatesPath+quick,
			fields{"updateFormat": updateFormatOf("LEDGER_EFFECTS", byParty(b.alice))})
		require.Equal(t, []int64{1, 2, 3, 4}, offsets(found))
		inspected := found[2].Events[0].ExercisedEvent
		require.False(t, inspected.Consuming)
		require.False(t, inspected.AcsDelta)
		require.JSONEq(t, `"1.5000000000"`, string(inspected.ExerciseResult))
	})
	t.Run("through an interface", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		events := filterFor(b.alice, "InterfaceFilter",
			fields{"interfaceId": apitest.NoteInterface, "includeInterfaceView": true})
		found, _ := b.transactions("alice", updatesPath+quick, fields{"updateFormat": updateFormatOf("ACS_DELTA", events)})
		require.Len(t, found[0].Events[0].CreatedEvent.InterfaceViews, 1)
		require.Equal(t, apitest.NoteInterfaceID, found[2].Events[0].ArchivedEvent.ImplementedInterfaces[0].String())
		found, _ = b.transactions("alice", updatesPath+quick, fields{"updateFormat": updateFormatOf("LEDGER_EFFECTS", events)})
		require.Empty(t, found[2].Events[0].ExercisedEvent.ImplementedInterfaces, "of exercises that archive only")
		require.Len(t, found[3].Events[0].ExercisedEvent.ImplementedInterfaces, 1)
	})
	t.Run("to its readers", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		found, checkpoint := b.transactions("bob", updatesPath+quick, fields{"filter": byParty(b.bob)})
		require.Equal(t, []int64{2}, offsets(found))
		require.Equal(t, int64(4), checkpoint.Offset)
		require.Empty(t, found[0].CommandID, "bob did not submit it")
		require.Nil(t, found[0].PaidTrafficCost)
		everything, _ := b.transactions("auditor", updatesPath+quick,
			fields{"updateFormat": updateFormatOf("LEDGER_EFFECTS", fields{"filtersForAnyParty": fields{}})})
		require.Len(t, everything, 4)
	})
	t.Run("between offsets, in either order", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		body := fields{"beginExclusive": 1, "endInclusive": 4, "filter": byParty(b.alice)}
		found, checkpoint := b.transactions("alice", updatesPath, body)
		require.Equal(t, []int64{2, 4}, offsets(found))
		require.Nil(t, checkpoint, "the client named the end itself")
		found, _ = b.transactions("alice", updatesPath, body.with(fields{"descendingOrder": true}))
		require.Equal(t, []int64{4, 2}, offsets(found))
		found, _ = b.transactions("alice", updatesPath+"?limit=1", body.with(fields{"descendingOrder": true}))
		require.Equal(t, []int64{4}, offsets(found))
		found, _ = b.transactions("alice", updatesPath, body.with(fields{"endInclusive": 1}))
		require.Empty(t, found)
	})
	t.Run("no kind of update", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		for _, format := range []fields{
			{},
			{"includeReassignments": byParty(b.alice)},
			{"includeTopologyEvents": fields{
				"includeParticipantAuthorizationEvents": fields{"parties": []string{string(b.alice)}},
			}},
			{"includeTopologyEvents": fields{}},
		} {
			found, checkpoint := b.transactions("alice", updatesPath+quick, fields{"updateFormat": format})
			require.Empty(t, found)
			require.Equal(t, int64(4), checkpoint.Offset)
		}
	})
}

func TestUpdate_ByOffsetAndByID(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	done := b.wait("one", b.create("one"))
	format := updateFormatOf("ACS_DELTA", byParty(b.alice))
	for path, body := range map[string]fields{
		"/v2/updates/update-by-offset": {"offset": done.CompletionOffset, "updateFormat": format},
		"/v2/updates/update-by-id":     {"updateId": done.UpdateID, "updateFormat": format},
	} {
		var found ledgerapi.JsGetUpdateResponse
		b.Call("alice", http.MethodPost, path, body).OK(&found)
		require.Equal(t, done.UpdateID, found.Update.Transaction.Value.UpdateID)

		asBob := body.with(fields{"updateFormat": updateFormatOf("ACS_DELTA", byParty(b.bob))})
		hidden := b.Call("bob", http.MethodPost, path, asBob).Refused(http.StatusNotFound, "UPDATE_NOT_FOUND")
		require.Equal(t, "Update not found, or not visible.", hidden.Cause)
		b.Call("alice", http.MethodPost, path, body.with(fields{"updateFormat": fields{}})).
			Refused(http.StatusNotFound, "UPDATE_NOT_FOUND")
		missing := b.Call("alice", http.MethodPost, path, body.with(fields{"updateFormat": nil})).
			Refused(http.StatusBadRequest, "MISSING_FIELD")
		require.Equal(t, "update_format", missing.Context["field_name"])
		b.NotAllowed(http.MethodPost, path, body)
		b.Call("", http.MethodPost, path, body.with(fields{"updateFormat": nil})).Refused(http.StatusUnauthorized, "NA")
	}
	for _, test := range []struct {
		path   string
		body   fields
		status int
		code   string
	}{
		{"offset", fields{"offset": 0}, 400, "NON_POSITIVE_OFFSET"},
		{"offset", fields{"offset": 99}, 404, "UPDATE_NOT_FOUND"},
		{"id", fields{"updateId": ""}, 400, "MISSING_FIELD"},
		{"id", fields{"updateId": "xyz"}, 400, "INVALID_ARGUMENT"},
		{"id", fields{"updateId": "1220zz"}, 400, "INVALID_ARGUMENT"},
		{"id", fields{"updateId": "1220" + strings.Repeat("a", 64)}, 404, "UPDATE_NOT_FOUND"},
	} {
		b.Call("alice", http.MethodPost, "/v2/updates/update-by-"+test.path, test.body.with(fields{"updateFormat": format})).
			Refused(test.status, test.code)
	}
}

func TestUpdates_RefuseInvalidRequests(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	b.note("one")
	b.note("two")
	format, filter := updateFormatOf("ACS_DELTA", byParty(b.alice)), byParty(b.alice)
	for name, test := range map[string]struct {
		body   fields
		status int
		code   string
	}{
		"both forms":     {fields{"updateFormat": format, "filter": filter}, 400, "INVALID_ARGUMENT"},
		"verbose beside": {fields{"updateFormat": format, "verbose": true}, 400, "INVALID_ARGUMENT"},
		"neither form":   {fields{}, 400, "INVALID_ARGUMENT"},
		"no event format": {
			fields{"updateFormat": fields{"includeTransactions": fields{"transactionShape": "TRANSACTION_SHAPE_ACS_DELTA"}}},
			400, "MISSING_FIELD",
		},
		"no shape":          {fields{"updateFormat": updateFormatOf("UNSPECIFIED", filter)}, 400, "MISSING_FIELD"},
		"a negative begin":  {fields{"filter": filter, "beginExclusive": -1}, 400, "NEGATIVE_OFFSET"},
		"a begin to come":   {fields{"filter": filter, "beginExclusive": 3}, 400, "OFFSET_AFTER_LEDGER_END"},
		"an end of nothing": {fields{"filter": filter, "endInclusive": 0}, 400, "NON_POSITIVE_OFFSET"},
		"an end to come":    {fields{"filter": filter, "endInclusive": 3}, 400, "OFFSET_AFTER_LEDGER_END"},
		"end before begin":  {fields{"filter": filter, "beginExclusive": 2, "endInclusive": 1}, 400, "OFFSET_OUT_OF_RANGE"},
		"descending to now": {fields{"filter": filter, "descendingOrder": true}, 400, "DESCENDING_ORDER_MISSING_END"},
		"another party":     {fields{"filter": byParty(b.bob)}, 403, "NA"},
		"moves of others":   {fields{"updateFormat": fields{"includeReassignments": byParty(b.bob)}}, 403, "NA"},
		"all parties": {fields{"updateFormat": fields{"includeTopologyEvents": fields{
			"includeParticipantAuthorizationEvents": fields{"parties": []string{}},
		}}}, 403, "NA"},
		"others' hosting": {fields{"updateFormat": fields{"includeTopologyEvents": fields{
			"includeParticipantAuthorizationEvents": fields{"parties": []string{string(b.bob)}},
		}}}, 403, "NA"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := b.in(t)
			b.Call("alice", http.MethodPost, updatesPath+quick, test.body).Refused(test.status, test.code)
		})
	}
	text := b.Call("alice", http.MethodPost, updatesPath,
		fields{"updateFormat": updateFormatOf("FULL", filter)}).Plain(http.StatusBadRequest)
	require.Contains(t, text, "Unrecognized enum value TRANSACTION_SHAPE_FULL. Supported values: [TRANSACTION_SHAPE_")
	b.NotAllowed(http.MethodPost, updatesPath, fields{"filter": filter})
	b.Call("", http.MethodPost, updatesPath, fields{}).Refused(http.StatusUnauthorized, "NA")
	b.Call("", http.MethodPost, updatesPath, fields{"updateFormat": fields{}}).Refused(http.StatusUnauthorized, "NA")
}

func TestUpdates_LimitListElements(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{Settings: ledgerapi.Settings{MaxListElements: 120}})
	id := b.note("0")
	for i := range 60 { // every second update changes no active contract
		b.wait("inspect-"+strconv.Itoa(i), exercise(id, "Inspect", fields{}))
		b.note(strconv.Itoa(i + 1))
	}
	body := fields{"filter": byParty(b.alice)}
	found, checkpoint := b.transactions("alice", updatesPath+quick, body)
	require.Len(t, found, 61, "hidden updates do not end a page")
	require.Equal(t, b.end(), checkpoint.Offset)
	found, checkpoint = b.transactions("alice", updatesPath+quick+"&limit=61", body)
	require.Len(t, found, 61)
	require.Nil(t, checkpoint)
	backwards := body.with(fields{"endInclusive": b.end(), "descendingOrder": true})
	found, _ = b.transactions("alice", updatesPath+quick, backwards)
	require.Len(t, found, 61)
	require.Equal(t, int64(1), found[60].Offset)
	refused := b.Call("alice", http.MethodPost, updatesPath+quick,
		fields{"updateFormat": updateFormatOf("LEDGER_EFFECTS", byParty(b.alice))}).
		Refused(http.StatusRequestEntityTooLarge, "JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED")
	require.Contains(t, *refused.Hint, "continue after the offset of the last element")
	require.Contains(t, *refused.Hint, "POST /v2/updates/get-updates-page")
}
