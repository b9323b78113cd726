package ledgerapi_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// FuzzFiltersAndOffsets_AnyRequest reads the ledger with any format and any offsets. No answer is a server error, and
// the document describes each answer.
func FuzzFiltersAndOffsets_AnyRequest(f *testing.F) {
	s := apitest.New(f, apitest.Options{Settings: ledgerapi.Settings{ListWait: time.Millisecond}})
	s.Rights("auditor", ledger.Right{Kind: ledger.CanReadAsAnyParty})
	alice := s.Party("alice")
	s.ActingAs("alice", alice)
	s.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", fields{
		"commandId": "one", "actAs": []ledger.Party{alice}, "commands": []fields{{"CreateCommand": fields{
			"templateId":      apitest.NoteTemplate,
			"createArguments": fields{"owner": alice, "readers": []string{}, "label": "x", "amount": "1"},
		}}},
	}).OK(nil)
	named := func(filter string) string {
		return `{"filtersByParty":{"` + string(alice) + `":{"cumulative":[{"identifierFilter":` + filter + `}]}}}`
	}
	for i, format := range []string{
		`{"filtersForAnyParty":{}}`, named(`{"WildcardFilter":{"value":{"includeCreatedEventBlob":true}}}`),
		named(`{"TemplateFilter":{"value":{"templateId":"` + apitest.NoteTemplate + `"}}}`), named(`{"Empty":{}}`),
		named(`{"InterfaceFilter":{"value":{"interfaceId":"#api-test:A:B","includeInterfaceView":true}}}`),
		`{"filtersByParty":{"":{}}}`, `{"filtersByParty":{"\u0000":{"cumulative":[]}}}`, `null`, `[]`, `{"verbose":7}`,
	} {
		f.Add(byte(i), format, "0", "1")
	}
	for i, offsets := range [][2]string{
		{"-1", "null"}, {`"1"`, `"-0"`}, {"9223372036854775807", "9223372036854775808"}, {"1e3", "1.0"}, {"null", "x"},
	} {
		f.Add(byte(i), `{"filtersForAnyParty":{}}`, offsets[0], offsets[1])
	}
	transactions := func(format string) string {
		return `{"includeTransactions":{"eventFormat":` + format + `,"transactionShape":"TRANSACTION_SHAPE_LEDGER_EFFECTS"}}`
	}
	f.Fuzz(func(t *testing.T, target byte, format, begin, end string) {
		requests := []struct{ path, body string }{
			{"/v2/state/active-contracts", `{"activeAtOffset":` + begin + `,"eventFormat":` + format + `}`},
			{"/v2/state/active-contracts", `{"activeAtOffset":` + begin + `,"filter":` + format + `}`},
			{
				"/v2/updates", `{"beginExclusive":` + begin + `,"endInclusive":` + end +
					`,"updateFormat":` + transactions(format) + `}`,
			},
			{
				"/v2/updates/get-updates-page", `{"beginOffsetExclusive":` + begin + `,"endOffsetInclusive":` + end +
					`,"descendingOrder":true,"updateFormat":` + transactions(format) + `}`,
			},
			{"/v2/updates/update-by-offset", `{"offset":` + begin + `,"updateFormat":` + transactions(format) + `}`},
			{"/v2/commands/completions", `{"beginExclusive":` + begin + `,"parties":["` + string(alice) + `"]}`},
		}
		request := requests[int(target)%len(requests)]
		answer := s.In(t).Call("auditor", http.MethodPost, request.path, request.body)
		require.Less(t, answer.Status, http.StatusInternalServerError, "%s: %s", request.body, answer.Text)
		if !json.Valid([]byte(request.body)) {
			require.Contains(t, answer.Plain(http.StatusBadRequest), "Invalid value for: body")
		}
	})
}
