package ledgerapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/test/apitest"
)

const (
	eventsPath   = "/v2/events/events-by-contract-id"
	contractPath = "/v2/contracts/contract-by-id"
)

var unknownContract = "00" + strings.Repeat("a", 64)

func TestEventsByContractID_ReturnEvents(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	id := b.note("one", b.bob)
	ask := func(user string, format fields) ledgerapi.JsGetEventsByContractIDResponse {
		var found ledgerapi.JsGetEventsByContractIDResponse
		b.Call(user, http.MethodPost, eventsPath, fields{"contractId": id, "eventFormat": format}).OK(&found)
		return found
	}
	view := fields{"interfaceId": apitest.NoteInterface, "includeInterfaceView": true, "includeCreatedEventBlob": true}
	alive := ask("alice", filterFor(b.alice, "InterfaceFilter", view))
	require.Nil(t, alive.Archived)
	require.Equal(t, b.Node.SynchronizerID, alive.Created.SynchronizerID)
	created := alive.Created.CreatedEvent
	require.Equal(t, id, created.ContractID)
	require.Equal(t, int64(1), created.Offset)
	require.Len(t, created.InterfaceViews, 1)
	require.NotEmpty(t, created.CreatedEventBlob)
	require.True(t, created.AcsDelta)
	require.Equal(t, []string{string(b.alice)}, created.WitnessParties)

	b.wait("relabel", exercise(id, "Relabel", fields{"label": "two"}))
	gone := ask("bob", byParty(b.bob))
	require.Equal(t, id, gone.Created.CreatedEvent.ContractID)
	require.Equal(t, int64(2), gone.Archived.ArchivedEvent.Offset)
	require.Equal(t, []string{string(b.bob)}, gone.Archived.ArchivedEvent.WitnessParties)
	require.NotNil(t, ask("auditor", fields{"filtersForAnyParty": fields{}}).Archived)

	format := byParty(b.alice)
	b.ActingAs("carol", b.Party("carol"))
	for name, test := range map[string]struct {
		user   string
		body   fields
		status int
		code   string
	}{
		"no contract":    {"alice", fields{"contractId": "", "eventFormat": format}, 400, "MISSING_FIELD"},
		"not a contract": {"alice", fields{"contractId": "x", "eventFormat": format}, 400, "INVALID_FIELD"},
		"no format":      {"alice", fields{"contractId": id}, 400, "MISSING_FIELD"},
		"unknown": {
			"alice", fields{"contractId": unknownContract, "eventFormat": format}, 404, "CONTRACT_EVENTS_NOT_FOUND",
		},
		"invisible": {
			"carol",
			fields{"contractId": id, "eventFormat": byParty(b.Node.LocalParty("carol"))},
			404, "CONTRACT_EVENTS_NOT_FOUND",
		},
	} {
		refusal := b.Call(test.user, http.MethodPost, eventsPath, test.body).Refused(test.status, test.code)
		require.NotEmpty(t, *refusal.Hint, name)
	}
	b.NotAllowed(http.MethodPost, eventsPath, fields{"contractId": id, "eventFormat": format})
}

func TestGetContract_ReturnsContract(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	id := b.note("one", b.bob)
	ask := func(user string, parties ...any) ledgerapi.CreatedEvent {
		var found ledgerapi.GetContractResponse
		parties = append([]any{}, parties...) // a list in JSON, also when it is empty
		b.Call(user, http.MethodPost, contractPath, fields{"contractId": id, "queryingParties": parties}).OK(&found)
		return found.CreatedEvent
	}
	for range 2 { // active, then archived
		event := ask("alice", b.alice)
		require.Equal(t, id, event.ContractID)
		require.Zero(t, event.Offset)
		require.Empty(t, event.CreatedEventBlob)
		require.False(t, event.AcsDelta)
		require.Contains(t, string(event.CreateArgument), `"label":"one"`)
		require.Equal(t, []string{string(b.alice)}, event.WitnessParties)
		require.Equal(t, []string{string(b.alice), string(b.bob)}, ask("auditor").WitnessParties)
		b.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait",
			b.submission("archive", exercise(id, "Archive", fields{})))
	}
	unknown := fields{"contractId": unknownContract, "queryingParties": []any{b.alice}}
	refusal := b.Call("alice", http.MethodPost, contractPath, unknown).Refused(404, "CONTRACT_PAYLOAD_NOT_FOUND")
	require.Equal(t, [][]string{{"CONTRACT_ID", unknownContract}}, refusal.Resources)
	b.ActingAs("carol", b.Party("carol"))
	b.Call("carol", http.MethodPost, contractPath,
		fields{"contractId": id, "queryingParties": []any{b.Node.LocalParty("carol")}}).
		Refused(404, "CONTRACT_PAYLOAD_NOT_FOUND")
	b.Call("alice", http.MethodPost, contractPath, fields{"contractId": id}).Refused(403, "NA")
	b.Call("auditor", http.MethodPost, contractPath, fields{"contractId": ""}).Refused(400, "MISSING_FIELD")
	asAlice := fields{"contractId": id, "queryingParties": []any{b.alice}}
	b.NotAllowed(http.MethodPost, contractPath, asAlice)
}
