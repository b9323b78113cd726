package api_test

import (
	"net/http"
	"os"
	"regexp"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/test/apitest"
)

// The compatibility page and the API documents of the node have the same endpoints.
func TestCompatibilityPage_ListsEveryServedEndpoint(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/compatibility.md")
	require.NoError(t, err)
	s := apitest.New(t, apitest.Options{})
	documented := operations(loadDocument(t, s))
	rows := regexp.MustCompile(`(?m)^\| ([A-Z]+) \| (/\S+) \| (\w+) \|`).FindAllStringSubmatch(string(text), -1)
	require.Len(t, rows, 65+5, "every endpoint and every stream of the 3.5 line has a row")
	for _, row := range rows {
		method, path, state := row[1], row[2], row[3]
		operation := method + " " + path
		switch {
		case method == "WS":
			require.Equal(t, "served", state, operation)
			require.Contains(t, streamPaths(t, s), path)
		case state == "missing":
			require.NotContains(t, documented, operation)
		default:
			require.Contains(t, []string{"served", "refused"}, state, operation)
			require.Contains(t, documented, operation)
			delete(documented, operation)
		}
	}
	require.Equal(t, map[string]bool{
		"POST /v2/participant-pruning/prune": true, "GET /v2/parties/external/{party}/onboarding": true,
		"POST /v2/updates/update-by-hash": true, "POST /v2/commands/completion-by-hash": true,
		"POST /v2/commands/command-completions": true,
	}, documented,
		"what is served besides is an addition")
}

func operations(document *openapi3.T) map[string]bool {
	found := make(map[string]bool)
	for path, item := range document.Paths.Map() {
		for method := range item.Operations() {
			found[method+" "+path] = true
		}
	}
	return found
}

func streamPaths(t *testing.T, s *apitest.Server) string {
	t.Helper()
	return s.Call("", http.MethodGet, "/docs/asyncapi", nil).Plain(http.StatusOK)
}

func TestEndpointAliases_GiveTheSameAnswer(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.IdentityProvider("acme")
	alice := s.Party("alice")
	s.ActingAs("reader", alice)
	page := `{"eventFormat":{"filtersByParty":{"` + string(alice) + `":{}}}}`
	for _, name := range []struct{ user, method, path, otherMethod, otherPath, body string }{
		{apitest.Admin, http.MethodGet, "/v2/idps", http.MethodGet, "/v2/identity-provider-configs", ""},
		{apitest.Admin, http.MethodGet, "/v2/idps/acme", http.MethodGet, "/v2/identity-provider-configs/acme", ""},
		{
			"reader", http.MethodGet, "/v2/state/active-contracts-page",
			http.MethodPost, "/v2/state/active-contracts-page", page,
		},
	} {
		known := s.Call(name.user, name.method, name.path, name.body)
		known.OK(nil)
		other := s.Call(name.user, name.otherMethod, name.otherPath, name.body)
		other.OK(nil)
		require.Equal(t, known.Text, other.Text)
	}
}
