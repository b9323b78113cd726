package ledgerapi_test

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

const activePath = "/v2/state/active-contracts"

func (b *bundle) active(user string, body fields) []ledgerapi.JsActiveContract {
	b.t.Helper()
	var out []ledgerapi.JsActiveContract
	for _, element := range list[ledgerapi.JsGetActiveContractsResponse](b, user, activePath, body) {
		require.NotEmpty(b.t, element.StreamContinuationToken)
		out = append(out, *element.ContractEntry.JsActiveContract)
	}
	return out
}

func labels(t *testing.T, contracts []ledgerapi.JsActiveContract) []string {
	t.Helper()
	out := []string{}
	for _, contract := range contracts {
		var payload struct{ Label string }
		decode(t, contract.CreatedEvent.CreateArgument, &payload)
		out = append(out, payload.Label)
	}
	return out
}

// contract: submit-workflow-id
func TestActiveContracts_ListAtOffset(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	first := b.note("first")
	shared := b.created(b.submission("shared", b.create("shared", b.bob)).with(fields{"workflowId": "wf"}))
	before := b.end()
	b.wait("relabel", exercise(first, "Relabel", fields{"label": "renamed"}))
	end := b.end()

	all := b.active("alice", fields{"activeAtOffset": end, "eventFormat": byParty(b.alice)})
	require.Equal(t, []string{"shared", "renamed"}, labels(t, all), "in order of creation")
	event := all[0].CreatedEvent
	require.Equal(t, shared, event.ContractID)
	require.Equal(t, b.Node.SynchronizerID, all[0].SynchronizerID)
	require.Equal(t, []string{string(b.alice)}, event.WitnessParties)
	require.True(t, event.AcsDelta)
	require.Empty(t, event.InterfaceViews)

	elements := list[ledgerapi.JsGetActiveContractsResponse](b, "alice", activePath,
		fields{"activeAtOffset": end, "filter": byParty(b.alice), "verbose": true})
	require.Equal(t, "wf", elements[0].WorkflowID)
	require.Empty(t, elements[1].WorkflowID)

	t.Run("as they were", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		earlier := b.active("alice", fields{"activeAtOffset": before, "filter": byParty(b.alice)})
		require.Equal(t, []string{"first", "shared"}, labels(t, earlier))
		require.Empty(t, b.active("alice", fields{"activeAtOffset": 0, "filter": byParty(b.alice)}))
		require.Empty(t, b.active("alice", fields{"filter": byParty(b.alice)}))
	})
	t.Run("of their stakeholders", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		seen := b.active("bob", fields{"activeAtOffset": end, "filter": byParty(b.bob)})
		require.Equal(t, []string{"shared"}, labels(t, seen))
		require.Equal(t, []string{string(b.bob)}, seen[0].CreatedEvent.WitnessParties)
	})
	t.Run("of all parties, with CanReadAsAnyParty", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		everyone := fields{"activeAtOffset": end, "eventFormat": fields{"filtersForAnyParty": fields{}}}
		seen := b.active("auditor", everyone)
		require.Equal(t, []string{"shared", "renamed"}, labels(t, seen))
		require.Equal(t, []string{string(b.alice), string(b.bob)}, seen[0].CreatedEvent.WitnessParties)
		b.Call("alice", http.MethodPost, activePath, everyone).Refused(http.StatusForbidden, "NA")
	})
}

func TestActiveContracts_Filter(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	b.note("one")
	for name, test := range map[string]struct {
		kind        string
		value       fields
		blob, views bool
	}{
		"wildcard":           {"WildcardFilter", fields{}, false, false},
		"wildcard with blob": {"WildcardFilter", fields{"includeCreatedEventBlob": true}, true, false},
		"template by name":   {"TemplateFilter", fields{"templateId": apitest.NoteTemplate}, false, false},
		"template by id":     {"TemplateFilter", fields{"templateId": apitest.NoteTemplateID}, false, false},
		"template with blob": {
			"TemplateFilter", fields{"templateId": apitest.NoteTemplate, "includeCreatedEventBlob": true}, true, false,
		},
		"interface without view": {"InterfaceFilter", fields{"interfaceId": apitest.NoteInterface}, false, false},
		"interface with view": {
			"InterfaceFilter", fields{"interfaceId": apitest.NoteInterfaceID, "includeInterfaceView": true}, false, true,
		},
		"interface view and blob": {
			"InterfaceFilter",
			fields{"interfaceId": apitest.NoteInterface, "includeInterfaceView": true, "includeCreatedEventBlob": true},
			true,
			true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := b.in(t)
			found := b.active("alice",
				fields{"activeAtOffset": b.end(), "eventFormat": filterFor(b.alice, test.kind, test.value)})
			require.Len(t, found, 1)
			event := found[0].CreatedEvent
			require.Equal(t, test.blob, len(event.CreatedEventBlob) > 0)
			if !test.views {
				require.Empty(t, event.InterfaceViews)
				return
			}
			require.Len(t, event.InterfaceViews, 1)
			view := event.InterfaceViews[0]
			require.Equal(t, apitest.NoteInterfaceID, view.InterfaceID.String())
			require.Zero(t, view.ViewStatus.Code)
			require.JSONEq(t, `{"amount":"1.5000000000"}`, string(view.ViewValue))
			require.Equal(t, apitest.NotePackage, *view.ImplementationPackageID)
		})
	}
	t.Run("several are a union, and what one includes is included", func(t *testing.T) {
		t.Parallel()
		b := b.in(t)
		found := b.active("alice", fields{"activeAtOffset": b.end(), "eventFormat": fields{"filtersByParty": fields{
			string(b.alice): fields{"cumulative": []fields{
				{"identifierFilter": fields{"TemplateFilter": fields{"value": fields{"templateId": apitest.NoteTemplate}}}},
				{"identifierFilter": fields{"WildcardFilter": fields{"value": fields{"includeCreatedEventBlob": true}}}},
				{"identifierFilter": fields{"Empty": fields{}}},
			}},
		}}})
		require.Len(t, found, 1)
		require.NotEmpty(t, found[0].CreatedEvent.CreatedEventBlob)
	})
	for name, test := range map[string]struct {
		kind   string
		value  fields
		status int
		code   string
	}{
		"unknown package name": {"TemplateFilter", fields{"templateId": "#nope:A:B"}, 404, "PACKAGE_NAMES_NOT_FOUND"},
		"unknown template": {
			"TemplateFilter", fields{"templateId": "#api-test:A:B"}, 404, "NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME",
		},
		"an interface as one": {
			"TemplateFilter",
			fields{"templateId": apitest.NoteInterface},
			404,
			"NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME",
		},
		"unknown interface": {
			"InterfaceFilter", fields{"interfaceId": "#api-test:A:B"}, 404, "NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME",
		},
		"unknown package id": {"TemplateFilter", fields{"templateId": "00:A:B"}, 404, "TEMPLATES_OR_INTERFACES_NOT_FOUND"},
		"unknown by id": {
			"InterfaceFilter", fields{"interfaceId": apitest.NotePackage + ":A:B"}, 404, "TEMPLATES_OR_INTERFACES_NOT_FOUND",
		},
		"malformed package": {"TemplateFilter", fields{"templateId": "#$:A:B"}, 400, "INVALID_ARGUMENT"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := b.in(t)
			b.Call("alice", http.MethodPost, activePath,
				fields{"activeAtOffset": 1, "eventFormat": filterFor(b.alice, test.kind, test.value)}).
				Refused(test.status, test.code)
		})
	}
}

func TestActiveContracts_RefuseInvalidRequests(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{})
	b.note("one")
	format := byParty(b.alice)
	token := func(bytes ...byte) string { return base64.StdEncoding.EncodeToString(bytes) }
	for name, test := range map[string]struct {
		body fields
		code string
	}{
		"both forms":         {fields{"eventFormat": format, "filter": format}, "INVALID_ARGUMENT"},
		"verbose beside":     {fields{"eventFormat": format, "verbose": true}, "INVALID_ARGUMENT"},
		"neither form":       {fields{}, "INVALID_ARGUMENT"},
		"nobody's contracts": {fields{"eventFormat": fields{}}, "INVALID_ARGUMENT"},
		"a negative offset":  {fields{"eventFormat": format, "activeAtOffset": -1}, "NEGATIVE_OFFSET"},
		"an offset to come":  {fields{"eventFormat": format, "activeAtOffset": 2}, "OFFSET_AFTER_LEDGER_END"},
		"a token of nobody": {
			fields{"eventFormat": format, "activeAtOffset": 1, "streamContinuationToken": token(1, 2)},
			"INVALID_CONTINUATION_TOKEN",
		},
		"a token of the wrong": {
			fields{"eventFormat": format, "activeAtOffset": 1, "streamContinuationToken": token(make([]byte, 29)...)},
			"INVALID_CONTINUATION_TOKEN",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := b.in(t)
			b.Call("alice", http.MethodPost, activePath, test.body).Refused(http.StatusBadRequest, test.code)
		})
	}
	b.Call("auditor", http.MethodPost, activePath, fields{"eventFormat": byParty("a$b")}).
		Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	b.Call("alice", http.MethodPost, activePath, `{"eventFormat":{"filtersByParty":{"x":null}}}`).
		Plain(http.StatusBadRequest)
	b.NotAllowed(http.MethodPost, activePath, fields{"activeAtOffset": 1, "eventFormat": format})
	b.Call("", http.MethodPost, activePath, fields{}).Refused(http.StatusUnauthorized, "NA")
}

func TestActiveContracts_LimitAndContinue(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{Settings: ledgerapi.Settings{MaxListElements: 3}})
	for i := range 5 {
		b.note(strconv.Itoa(i))
	}
	ask := fields{"activeAtOffset": b.end(), "filter": byParty(b.alice)}
	refused := b.Call("alice", http.MethodPost, activePath, ask).
		Refused(http.StatusRequestEntityTooLarge, "JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED")
	require.Contains(t, *refused.Hint, "continue with the streamContinuationToken of the last element")
	require.Contains(t, *refused.Hint, "GET /v2/state/active-contracts-page")
	require.NotContains(t, *refused.Hint, "offset", "contracts are read at one offset")
	require.Contains(t, b.Call("alice", http.MethodPost, activePath+"?limit=-1", ask).
		Plain(http.StatusBadRequest), "limit")

	var all []string
	token := ""
	for range 3 {
		var page []ledgerapi.JsGetActiveContractsResponse
		b.Call("alice", http.MethodPost, activePath+"?limit=2", ask.with(fields{"streamContinuationToken": token})).OK(&page)
		for _, element := range page {
			all = append(all, labels(t, []ledgerapi.JsActiveContract{*element.ContractEntry.JsActiveContract})...)
			token = base64.StdEncoding.EncodeToString(element.StreamContinuationToken)
		}
	}
	require.Equal(t, []string{"0", "1", "2", "3", "4"}, all)
	for name, other := range map[string]fields{
		"offset": {"activeAtOffset": b.end() - 1, "filter": byParty(b.alice)},
		"filter": {
			"activeAtOffset": b.end(), "filter": filterFor(b.alice, "TemplateFilter", fields{"templateId": apitest.NoteTemplate}),
		},
	} {
		refusal := b.Call("alice", http.MethodPost, activePath, other.with(fields{"streamContinuationToken": token})).
			Refused(http.StatusBadRequest, "INVALID_CONTINUATION_TOKEN")
		require.Contains(t, refusal.Cause, "another request", name)
	}
}

func TestActiveContracts_ReadManyInPages(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{Settings: ledgerapi.Settings{MaxListElements: 1000}})
	commands := make([]fields, 450)
	for i := range commands {
		commands[i] = b.create(strconv.Itoa(i))
	}
	b.wait("many", commands...)
	require.Len(t, b.active("alice", fields{"activeAtOffset": b.end(), "filter": byParty(b.alice)}), 450)
	var parties []ledger.Party
	require.Empty(t, b.active("bob", fields{"activeAtOffset": b.end(), "filter": byParty(append(parties, b.bob)...)}))
}

func TestLists_LimitZeroIsAnEmptyList(t *testing.T) {
	t.Parallel()
	b := newBundle(t, apitest.Options{Settings: ledgerapi.Settings{MaxListElements: 3}})
	b.note("one")
	format := fields{"filtersByParty": fields{string(b.alice): fields{}}}
	for path, body := range map[string]fields{
		activePath:      {"activeAtOffset": b.end(), "eventFormat": format},
		completionsPath: {"parties": []ledger.Party{b.alice}},
		"/v2/updates": {"updateFormat": fields{"includeTransactions": fields{
			"eventFormat": format, "transactionShape": "TRANSACTION_SHAPE_ACS_DELTA",
		}}},
	} {
		answer := b.Call("alice", http.MethodPost, path+"?limit=0", body)
		answer.OK(nil)
		require.Equal(t, "[]", strings.TrimSpace(answer.Text), path)
		answer = b.Call("alice", http.MethodPost, path+"?limit=1", body)
		answer.OK(nil)
		require.NotEqual(t, "[]", strings.TrimSpace(answer.Text), path)
	}
}
