package api_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/test/apitest"
)

var update = flag.Bool("update", false, "write testdata/openapi.golden.yaml anew")

const goldenPath = "testdata/openapi.golden.yaml"

func TestOpenAPI_MatchesGolden(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	answer := s.Call("", http.MethodGet, "/docs/openapi", nil)
	answer.Plain(http.StatusOK)
	if *update {
		require.NoError(t, os.WriteFile(goldenPath, []byte(answer.Text), 0o600))
	}
	golden, err := os.ReadFile(goldenPath)
	require.NoError(t, err)
	require.Equal(t, string(golden), answer.Text,
		"the API changed: look at the difference, then run go test ./api -run MatchesGolden -update")
}

func loadDocument(t *testing.T, s *apitest.Server) *openapi3.T {
	t.Helper()
	answer := s.Send(http.MethodGet, "/docs/openapi", http.Header{"Accept": {"application/json"}}, nil)
	require.Equal(t, "application/json", answer.Header.Get("Content-Type"))
	document, err := openapi3.NewLoader().LoadFromData([]byte(answer.Text))
	require.NoError(t, err)
	require.NoError(t, document.Validate(t.Context()))
	return document
}

// contract: version-document
func TestOpenAPI_DescribesRequiredOperations(t *testing.T) {
	t.Parallel()
	document := loadDocument(t, apitest.New(t, apitest.Options{}))
	require.Equal(t, "3.5.0-SNAPSHOT", document.Info.Version)
	require.Contains(t, document.Components.SecuritySchemes, "httpAuth")
	require.Contains(t, document.Components.SecuritySchemes, "apiKeyAuth")
	var served []string
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			served = append(served, method+" "+path)
			require.NotNil(t, operation.Responses.Status(http.StatusOK), operation.OperationID)
			require.NotNil(t, operation.Responses.Status(http.StatusBadRequest), operation.OperationID)
			require.NotNil(t, operation.Responses.Default(), operation.OperationID)
			require.Contains(t, operation.Description, "Required authorization: ", operation.OperationID)
		}
	}
	for name, schema := range document.Components.Schemas {
		for property, ref := range schema.Value.Properties {
			described := ref.Value.Description != "" || name == "Command" || name == "Event"
			require.True(t, described, "%s.%s has no description", name, property)
		}
	}
	require.ElementsMatch(t, []string{
		"POST /v2/commands/async/submit", "POST /v2/commands/submit-and-wait",
		"POST /v2/commands/submit-and-wait-for-transaction", "POST /v2/commands/completions",
		"POST /v2/users", "GET /v2/users", "GET /v2/users/{user-id}", "GET /v2/authenticated-user",
		"GET /v2/users/{user-id}/rights", "POST /v2/users/{user-id}/rights", "PATCH /v2/users/{user-id}/rights",
		"POST /v2/parties", "GET /v2/parties", "GET /v2/parties/participant-id", "GET /v2/parties/{party}",
		"GET /v2/version", "GET /v2/state/ledger-end", "GET /v2/state/connected-synchronizers",
		"GET /v2/state/latest-pruned-offsets", "POST /v2/state/active-contracts", "POST /v2/updates",
		"POST /v2/updates/flats", "POST /v2/updates/update-by-offset", "POST /v2/updates/update-by-id",
		"POST /v2/updates/update-by-hash", "POST /v2/commands/completion-by-hash",
		"POST /v2/commands/command-completions",
		"GET /v2/state/active-contracts-page", "POST /v2/updates/get-updates-page", "POST /v2/updates/trees",
		"POST /v2/updates/transaction-by-offset", "POST /v2/updates/transaction-by-id",
		"GET /v2/updates/transaction-tree-by-offset/{offset}", "GET /v2/updates/transaction-tree-by-id/{update-id}",
		"POST /v2/commands/submit-and-wait-for-transaction-tree", "POST /v2/commands/async/submit-reassignment",
		"POST /v2/commands/submit-and-wait-for-reassignment", "POST /v2/events/events-by-contract-id",
		"POST /v2/contracts/contract-by-id", "POST /v2/participant-pruning/prune",
		"PATCH /v2/users/{user-id}", "DELETE /v2/users/{user-id}", "PATCH /v2/users/{user-id}/identity-provider-id",
		"PATCH /v2/parties/{party}", "POST /v2/idps", "GET /v2/idps", "GET /v2/idps/{idp-id}", "PATCH /v2/idps/{idp-id}",
		"DELETE /v2/idps/{idp-id}", "GET /v2/packages", "POST /v2/packages", "GET /v2/packages/{package-id}",
		"GET /v2/packages/{package-id}/status", "POST /v2/dars", "POST /v2/dars/validate",
		"POST /v2/package-vetting/list", "POST /v2/package-vetting/update", "GET /v2/package-vetting",
		"POST /v2/package-vetting", "GET /v2/interactive-submission/preferred-package-version",
		"POST /v2/interactive-submission/preferred-packages",
		"POST /v2/interactive-submission/prepare", "POST /v2/interactive-submission/execute",
		"POST /v2/interactive-submission/executeAndWait",
		"POST /v2/interactive-submission/executeAndWaitForTransaction", "POST /v2/parties/external/allocate",
		"POST /v2/parties/external/generate-topology", "GET /v2/parties/external/{party}/onboarding",
		"GET /livez", "GET /readyz",
	}, served)
}

// The test calls every endpoint of the document, so that none can forget authentication.
//
// contract: auth-none
func TestRouter_RefusesCallsWithoutToken(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	open := map[string]bool{"/livez": true, "/readyz": true, "/v2/version": true}
	for path, item := range loadDocument(t, s).Paths.Map() {
		for method, operation := range item.Operations() {
			_, body := mountedRoute{operation: operation}.json()
			if object, ok := body.(map[string]any); ok {
				body = withoutCommands(object) // the node checks their templates before the caller
			}
			address := fill(path, "x")
			if inBody := strings.Contains(path, "/users/{") || path == "/v2/parties/{party}"; inBody {
				address = fill(path, exampleID(body)) // the node compares both ids before it checks the caller
			}
			answer := s.Call("", method, address, body)
			if open[path] {
				answer.OK(nil)
				continue
			}
			answer.Refused(http.StatusUnauthorized, "NA")
			forged := http.Header{"Authorization": {"Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0."}}
			s.Send(method, address, forged, body).Refused(http.StatusUnauthorized, "NA")
		}
	}
}

// withoutCommands removes the commands of a body.
func withoutCommands(body map[string]any) map[string]any {
	body = maps.Clone(body)
	switch commands := body["commands"].(type) {
	case []any:
		body["commands"] = []any{}
	case map[string]any:
		body["commands"] = withoutCommands(commands)
	}
	return body
}

// exampleID is the user or the party in an example body.
func exampleID(body any) string {
	object, _ := body.(map[string]any)
	for _, key := range []string{"user", "partyDetails"} {
		if inner, ok := object[key].(map[string]any); ok {
			object = inner
		}
	}
	for _, key := range []string{"id", "userId", "party"} {
		if id, ok := object[key].(string); ok {
			return id
		}
	}
	return "x"
}

func TestDocsPage_IsServed(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	for _, path := range []string{"/docs", "/docs/"} {
		answer := s.Call("", http.MethodGet, path, nil)
		answer.OK(nil)
		require.Equal(t, "text/html; charset=UTF-8", answer.Header.Get("Content-Type"))
		require.Len(t, answer.Header.Values("Content-Security-Policy"), 1)
		require.Contains(t, answer.Header.Get("Content-Security-Policy"), "connect-src 'self'")
	}
}

func TestHealth_ReportsLivenessAndReadiness(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alive := s.Call("", http.MethodGet, "/livez", nil)
	alive.OK(nil)
	require.Empty(t, alive.Text)
	ready := s.Call("", http.MethodGet, "/readyz", nil).Plain(http.StatusOK)
	require.Equal(t, "[+] ledger ok (SERVING)\nreadyz check passed\n", ready)
	head := s.Call("", http.MethodHead, "/livez", nil)
	require.Equal(t, http.StatusOK, head.Status)

	warned := apitest.New(t, apitest.Options{Readiness: func(context.Context) []api.Part {
		return []api.Part{{Name: "database"}, {Name: "clock", Warning: "an hour ahead"}}
	}})
	require.Equal(t, "[+] ledger ok (SERVING)\n[!] clock: an hour ahead [FlorinClock]\nreadyz check passed\n",
		warned.Call("", http.MethodGet, "/readyz", nil).Plain(http.StatusOK))
	for _, asked := range []string{"verbose", "verbose=", "verbose=1"} {
		require.Equal(t, "[+] ledger ok (SERVING)\n[+] database ok\n[!] clock: an hour ahead [FlorinClock]\n"+
			"readyz check passed\n", warned.Call("", http.MethodGet, "/readyz?"+asked, nil).Plain(http.StatusOK), asked)
	}

	broken := apitest.New(t, apitest.Options{Readiness: func(context.Context) []api.Part {
		return []api.Part{
			{Name: "database"},
			{Name: "temporal", Err: errors.New("connection\nrefused")},
			{Name: "worker", Unknown: "it asks Temporal"},
			{Name: "commits", Err: errors.New("none for 20s")},
		}
	}})
	require.Equal(t, "[-] ledger failed (not ready: temporal, commits)\n[-] temporal failed (connection refused) [FlorinTemporal]\n"+
		"[?] worker unknown (it asks Temporal)\n[-] commits failed (none for 20s) [FlorinCommits]\nreadyz check failed\n",
		broken.Call("", http.MethodGet, "/readyz", nil).Plain(http.StatusServiceUnavailable))
}

// contract: values-unknown-fields
func TestVersion_ListsFeatures(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Settings: ledgerapi.Settings{Version: "3.4.9"}})
	answer := s.Call("", http.MethodGet, "/v2/version", nil)
	answer.OK(nil)
	require.JSONEq(t, `{"version":"3.4.9","features":{
		"experimental":{"staticTime":{"supported":false},"commandInspectionService":{"supported":false}},
		"userManagement":{"supported":true,"maxRightsPerUser":1000,"maxUsersPageSize":1000},
		"partyManagement":{"maxPartiesPageSize":10000},
		"offsetCheckpoint":{"maxOffsetCheckpointEmissionDelay":
			{"seconds":75,"nanos":0,"unknownFields":{"fields":{}}}},
		"packageFeature":{"maxVettedPackagesPageSize":100}}}`, answer.Text)
}

// The test sends a secret in unknown paths of every family, and of none.
func TestRouter_LogsNoUnknownPath(t *testing.T) {
	t.Parallel()
	const secret = "kept-to-ourselves"
	var log bytes.Buffer
	s := apitest.New(t, apitest.Options{Log: &log, LogLevel: slog.LevelDebug})
	paths := []string{
		"/v0/nothing/", "/v0/wallet/", "/v2/nothing/", "/api/scan/", "/api/scan/v0/", "/api/validator/v0/", "/registry/", "/",
	}
	for _, path := range paths {
		answer := s.Call(apitest.Admin, http.MethodGet, path+secret, nil)
		require.Equal(t, http.StatusNotFound, answer.Status, path)
		require.Contains(t, answer.Text, secret, "the sender sees the unknown path")
	}
	require.Equal(t, len(paths)+1, strings.Count(log.String(), "\n"), "one line for each request, and one for all")
	require.NotContains(t, log.String(), secret)
	require.Contains(t, log.String(), `"error":"no route matches the path"`)
}

func TestRouter_AnswersUnknownPathsMethodsAndLargeBodies(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := apitest.New(t, apitest.Options{MaxBodyBytes: 100, Log: &log, LogLevel: slog.LevelDebug})
	missing := s.Call(apitest.Admin, http.MethodGet, "/v2/nope", nil)
	require.Equal(t, http.StatusNotFound, missing.Status)
	require.JSONEq(t, `{"errors":["HttpMethod(GET), uri: http://example.com/v2/nope"],"status":404,
		"ledgerApiError":null}`, missing.Text)

	wrong := s.Call(apitest.Admin, http.MethodDelete, "/v2/users", nil)
	require.Equal(t, "Method Not Allowed", wrong.Plain(http.StatusMethodNotAllowed))
	require.Equal(t, []string{"GET", "POST"}, wrong.Header.Values("Allow"))

	s.Call(apitest.Admin, http.MethodGet, "//v2/parties/participant-id", nil).OK(nil)
	large := s.Call("", http.MethodPost, "/v2/users", strings.Repeat(" ", 101)).Plain(http.StatusRequestEntityTooLarge)
	require.Contains(t, large, "exceeded size limit (100 bytes)")
	require.Equal(t, "Invalid value for: header Authorization",
		s.Send(http.MethodGet, "/v2/users", http.Header{"Authorization": {"Bearer "}}, nil).Plain(http.StatusBadRequest))

	websocketToken := http.Header{"Sec-Websocket-Protocol": {"daml.ws.auth, jwt.token." + apitest.Token(t, apitest.Admin)}}
	s.Send(http.MethodGet, "/v2/users", websocketToken, nil).OK(nil)

	require.Equal(t, 1, strings.Count(log.String(), "by_status"), "one line for all requests that no endpoint serves")
	require.Contains(t, log.String(), `"by_status":{"404":1}`)
	require.Equal(t, 3, strings.Count(log.String(), `"pattern":"/`), "one line for each request that an endpoint serves")
	require.Contains(t, log.String(), `"pattern":"/v2/users","status":200`)
	require.Contains(t, log.String(), `"user_id":"`+apitest.Admin+`"`)
}
