package api_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/apitest"
)

// TestTheTableOfCompatibilityIsTrue compares the table for people with what the node describes: what the one says is
// served is in the other, and nothing is left out.
func TestTheTableOfCompatibilityIsTrue(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/compatibility.md")
	require.NoError(t, err)
	s := apitest.New(t, apitest.Options{})
	described := operations(loadDocument(t, s))
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
			require.NotContains(t, described, operation)
		default:
			require.Contains(t, []string{"served", "refused"}, state, operation)
			require.Contains(t, described, operation)
			delete(described, operation)
		}
	}
	require.Equal(t, map[string]bool{"POST /v2/participant-pruning/prune": true}, described,
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

func TestOtherNamesOfIdentityProviders(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.IdentityProvider("acme")
	for _, path := range []string{"/v2/idps/acme", "/v2/idps"} {
		known := s.Call(apitest.Admin, http.MethodGet, path, nil)
		known.OK(nil)
		other := s.Undocumented(apitest.Admin, http.MethodGet,
			strings.Replace(path, "/v2/idps", "/v2/identity-provider-configs", 1))
		require.Equal(t, known.Text, other.Text)
	}
}
