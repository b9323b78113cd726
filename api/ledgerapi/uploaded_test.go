package ledgerapi_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// uploaded submits as alice, and returns the transaction.
func uploaded(s *apitest.Server, alice ledger.Party, commandID, command string) ledgerapi.JsTransaction {
	var answer ledgerapi.JsSubmitAndWaitForTransactionResponse
	s.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait-for-transaction", fmt.Sprintf(
		`{"commands":{"commandId":%q,"actAs":[%q],"commands":[%s]}}`, commandID, alice, command)).OK(&answer)
	return answer.Transaction
}

func TestUploadedPackage_WorksOnEachNode(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	twin := s.Twin(apitest.Options{})
	alice, bob := s.Party("alice"), s.Party("bob")
	s.ActingAs("alice", alice)
	s.ActingAs("bob", bob)
	pkg := dartest.Compile(t, dartest.Notes("notes", "1.0.0", ""))
	s.Call(apitest.Admin, http.MethodPost, "/v2/dars", string(dartest.DAR(t, pkg))).OK(nil)

	payload := fmt.Sprintf(`{"owner":%q,"reader":%q,"text":"hello"}`, alice, alice)
	created := uploaded(twin, alice, "1", `{"CreateCommand":{"templateId":"#notes:N:Note","createArguments":`+payload+`}}`)
	event := created.Events[0].CreatedEvent
	require.Equal(t, string(pkg.ID)+":N:Note", event.TemplateID.String())
	require.JSONEq(t, payload, string(event.CreateArgument))
	shared := uploaded(s, alice, "2", fmt.Sprintf(`{"ExerciseCommand":{"templateId":"#notes:N:Note","contractId":%q,
		"choice":"Share","choiceArgument":{"reader":%q}}}`, event.ContractID, bob))
	require.Len(t, shared.Events, 2)

	for _, node := range []*apitest.Server{s, twin} {
		answer := node.Call("bob", http.MethodPost, "/v2/state/active-contracts", fmt.Sprintf(`{"activeAtOffset":%d,
			"eventFormat":{"verbose":false,"filtersByParty":{%q:{"cumulative":[{"identifierFilter":{"TemplateFilter":
			{"value":{"templateId":"#notes:N:Note","includeCreatedEventBlob":true}}}}]}}}}`, shared.Offset, bob))
		answer.OK(nil)
		require.Contains(t, answer.Text, `"text":"hello+"`)
		require.Contains(t, answer.Text, `"packageName":"notes"`)
	}
	body := s.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", fmt.Sprintf(
		`{"commandId":"3","actAs":[%q],"commands":[{"CreateCommand":{"templateId":"#notes:N:Note",
		"createArguments":{"owner":%q,"reader":%q,"text":7}}}]}`, alice, alice, alice)).
		Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
	require.Contains(t, body.Cause, "text")
}

func TestActiveContracts_NameFilterShowsAllVersions(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alice := s.Party("alice")
	s.ActingAs("alice", alice)
	for i, added := range []string{"", ", mood: Optional Text"} {
		dar := dartest.Build(t, dartest.Notes("notes", fmt.Sprintf("1.%d.0", i), added))
		s.Call(apitest.Admin, http.MethodPost, "/v2/dars", string(dar)).OK(nil)
		uploaded(s, alice, strconv.Itoa(i), fmt.Sprintf(`{"CreateCommand":{"templateId":"#notes:N:Note",
			"createArguments":{"owner":%q,"reader":%q,"text":"version %d"}}}`, alice, alice, i))
	}
	var found []ledgerapi.JsGetActiveContractsResponse
	head, err := s.DB.Head(t.Context())
	require.NoError(t, err)
	s.Call("alice", http.MethodPost, "/v2/state/active-contracts", fmt.Sprintf(`{"activeAtOffset":%d,"eventFormat":
		{"verbose":false,"filtersByParty":{%q:{"cumulative":[{"identifierFilter":{"TemplateFilter":{"value":
		{"templateId":"#notes:N:Note","includeCreatedEventBlob":false}}}}]}}}}`, head.Offset, alice)).OK(&found)
	require.Len(t, found, 2)
}
