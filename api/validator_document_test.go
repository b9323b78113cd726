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

// TestCompatibilityPage_MatchesValidatorOpenAPI compares the table for people with the document of what is not under
// /v2.
func TestCompatibilityPage_MatchesValidatorOpenAPI(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	answer := s.Send(http.MethodGet, "/docs/openapi/validator", http.Header{"Accept": {"application/json"}}, nil)
	document, err := openapi3.NewLoader().LoadFromData([]byte(answer.Text))
	require.NoError(t, err)
	require.NoError(t, document.Validate(t.Context()))
	text, err := os.ReadFile("../docs/compatibility.md")
	require.NoError(t, err)
	rows := map[string]bool{}
	pattern := regexp.MustCompile(`(?m)^\| (GET|POST|PUT|PATCH|DELETE) \| (/(?:v[01]/|api/|registry/|metrics|version)\S*) \|`)
	for _, row := range pattern.FindAllStringSubmatch(string(text), -1) {
		rows[row[1]+" "+row[2]] = true
	}
	require.Equal(t, operations(document), rows)
}
