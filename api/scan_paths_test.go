package api_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/test/apitest"
)

// The node serves every path of scan's clients, or the list of missing paths has it and it answers 404.
func TestScan_EveryPathIsServedOrListed(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	answer := s.Send(http.MethodGet, "/docs/openapi/validator", http.Header{"Accept": {"application/json"}}, nil)
	document, err := openapi3.NewLoader().LoadFromData([]byte(answer.Text))
	require.NoError(t, err)
	served := operations(document)
	text, err := os.ReadFile("../docs/compatibility.md")
	require.NoError(t, err)
	_, list, found := strings.Cut(string(text), "Not served, and answered 404:")
	require.True(t, found)
	list, _, _ = strings.Cut(list, "\n\nOf several")
	listed := map[string]bool{}
	for _, path := range regexp.MustCompile("`(/[^`]+)`").FindAllStringSubmatch(list, -1) {
		listed[path[1]] = true
	}
	paths, err := os.ReadFile("testdata/scan-paths.txt")
	require.NoError(t, err)
	variable := regexp.MustCompile(`\{\w+\}`)
	for line := range strings.Lines(string(paths)) {
		method, path, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || method == "#" {
			continue
		}
		isServed := served[method+" /api/scan"+path]
		require.NotEqual(t, isServed, listed["/api/scan"+path], "%s %s is served, or listed as not served", method, path)
		if !isServed {
			example := variable.ReplaceAllString(path, "x")
			require.Equal(t, http.StatusNotFound, s.Send(method, "/api/scan"+example, nil, nil).Status, "%s %s", method, path)
		}
	}
}
