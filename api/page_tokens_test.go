package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// pagedRequest is a request for a list with pages, with the code of its refusal of other lists' tokens.
type pagedRequest struct {
	method, path string
	// body is nil if the token is in the query.
	body object
	code string
}

// with returns the request for the page after a token; "" for the first page.
func (r pagedRequest) with(token string) (path string, body any) {
	if r.body == nil {
		return r.path + "&pageToken=" + token, nil
	}
	whole := maps.Clone(r.body)
	if token != "" {
		whole["pageToken"] = token
	}
	return r.path, whole
}

func (r pagedRequest) operation() string {
	path, _, _ := strings.Cut(r.path, "?")
	return r.method + " " + path
}

// The test sends every list the page tokens of all other lists, and its own with another filter.
func TestPageTokens_FitOnlyTheirList(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alice := s.Party("alice")
	s.Party("ann")
	s.Rights("reader", ledger.Right{Kind: ledger.ParticipantAdmin}, ledger.Right{Kind: ledger.CanReadAsAnyParty},
		ledger.Right{Kind: ledger.CanActAs, Party: alice})
	s.IdentityProvider("acme")
	for i := range 3 {
		s.Rights(fmt.Sprintf("user-%d", i))
		label := fmt.Sprintf("note-%d", i)
		s.Call("reader", http.MethodPost, "/v2/commands/submit-and-wait", object{
			"commandId": label, "actAs": []ledger.Party{alice}, "commands": []object{{"CreateCommand": object{
				"templateId": apitest.NoteTemplate, "createArguments": object{
					"owner": alice, "readers": []ledger.Party{}, "label": label, "amount": "1.0",
				},
			}}},
		}).OK(nil)
	}
	everybody := object{"filtersForAnyParty": object{}}
	only := object{"filtersByParty": object{string(alice): object{}}}
	updates := func(format object, descending bool) object {
		return object{
			"updateFormat": object{"includeTransactions": object{
				"eventFormat": format, "transactionShape": "TRANSACTION_SHAPE_ACS_DELTA",
			}},
			"maxPageSize": 1, "descendingOrder": descending,
		}
	}
	const (
		contracts, updatesPage = "/v2/state/active-contracts-page", "/v2/updates/get-updates-page"
		invalid                = "INVALID_ARGUMENT"
		invalidContracts       = "INVALID_ACS_PAGE_TOKEN"
		invalidUpdates         = "INVALID_UPDATES_PAGE_TOKEN"
	)
	active := func(format object) object { return object{"eventFormat": format, "maxPageSize": 1} }
	lists := map[string]pagedRequest{
		"users":                  {http.MethodGet, "/v2/users?pageSize=1", nil, invalid},
		"parties":                {http.MethodGet, "/v2/parties?pageSize=1", nil, invalid},
		"parties that begin so":  {http.MethodGet, "/v2/parties?pageSize=1&filter-party=a", nil, invalid},
		"parties of a provider":  {http.MethodGet, "/v2/parties?pageSize=1&identity-provider-id=acme", nil, invalid},
		"contracts of everybody": {http.MethodGet, contracts, active(everybody), invalidContracts},
		"contracts of a party":   {http.MethodGet, contracts, active(only), invalidContracts},
		"updates of everybody":   {http.MethodPost, updatesPage, updates(everybody, false), invalidUpdates},
		"updates of a party":     {http.MethodPost, updatesPage, updates(only, false), invalidUpdates},
		"updates the other way":  {http.MethodPost, updatesPage, updates(only, true), invalidUpdates},
	}
	// These have only one page, without a token.
	single := map[string]pagedRequest{
		"vetted packages":  {http.MethodPost, "/v2/package-vetting/list", object{}, "INVALID_ARGUMENT"},
		"the same, by GET": {http.MethodGet, "/v2/package-vetting", object{}, "INVALID_ARGUMENT"},
		"instruments, through the proxy": {
			http.MethodGet, "/v0/scan-proxy/registry/metadata/v1/instruments?pageSize=1", nil, "",
		},
		"instruments": {http.MethodGet, "/registry/metadata/v1/instruments?pageSize=1", nil, ""},
	}
	tokens := make(map[string]string)
	for name, list := range lists {
		path, body := list.with("")
		var page struct{ NextPageToken string }
		s.Call("reader", list.method, path, body).OK(&page)
		require.NotEmpty(t, page.NextPageToken, name)
		tokens[name] = page.NextPageToken
	}
	for name, list := range lists {
		path, body := list.with(tokens[name])
		s.Call("reader", list.method, path, body).OK(nil)
	}
	known := make(map[string]bool)
	maps.Copy(lists, single)
	for request, list := range lists {
		known[list.operation()] = true
		for given, token := range tokens {
			if given == request {
				continue
			}
			path, body := list.with(token)
			answer := s.Call("reader", list.method, path, body)
			require.Equal(t, http.StatusBadRequest, answer.Status, "%s takes the token of %s", request, given)
			if list.code != "" {
				answer.Refused(http.StatusBadRequest, list.code)
			}
		}
	}
	require.Equal(t, pagedOperations(loadDocuments(t, s)), known, "every list that takes a page token is in the table")
}

// pagedOperations are the operations with a page token in the query or in the body.
func pagedOperations(documents []*openapi3.T) map[string]bool {
	found := make(map[string]bool)
	for _, document := range documents {
		for path, item := range document.Paths.Map() {
			for method, operation := range item.Operations() {
				inQuery := slices.ContainsFunc(operation.Parameters, func(p *openapi3.ParameterRef) bool {
					return p.Value.Name == "pageToken"
				})
				if inQuery || takesInBody(operation, "pageToken") {
					found[method+" "+path] = true
				}
			}
		}
	}
	return found
}

func takesInBody(operation *openapi3.Operation, field string) bool {
	if operation.RequestBody == nil {
		return false
	}
	content := operation.RequestBody.Value.Content.Get("application/json")
	return content != nil && content.Schema.Value.Properties[field] != nil
}
