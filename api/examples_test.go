package api_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/test/apitest"
)

// TestOpenAPI_EveryOperationHasAnExample also checks examples against their schemas, which loading the document does.
func TestOpenAPI_EveryOperationHasAnExample(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	for path, from := range map[string]struct {
		read func() (map[string]json.RawMessage, error)
		file string
	}{
		"/docs/openapi":           {ledgerapi.Examples, "api/ledgerapi/examples.json"},
		"/docs/openapi/validator": {v0.Examples, "api/v0/examples.json"},
	} {
		unused, err := from.read()
		require.NoError(t, err)
		answer := s.Send(http.MethodGet, path, http.Header{"Accept": {"application/json"}}, nil)
		document, err := openapi3.NewLoader().LoadFromData([]byte(answer.Text))
		require.NoError(t, err)
		require.NoError(t, document.Validate(t.Context()))
		require.Empty(t, withoutExample(document, unused), "add examples of these types to "+from.file)
		require.Empty(t, unused, "examples of nothing that is served are in "+from.file)
	}
}

// withoutExample lists the types without an example in a document, and removes the others from unused.
func withoutExample(document *openapi3.T, unused map[string]json.RawMessage) map[string]string {
	missing := map[string]string{}
	use := func(media *openapi3.MediaType, operation string) {
		if media == nil {
			return
		}
		schema := media.Schema
		if len(schema.Value.AnyOf) > 0 { // the answer, and that of a dry run
			schema = schema.Value.AnyOf[0]
		}
		if media.Example == nil {
			missing[schema.Ref] = operation
		}
		if schema.Value.Type.Is(openapi3.TypeArray) {
			schema = schema.Value.Items
		}
		delete(unused, typeOf(schema.Ref))
	}
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			name := method + " " + path
			if body := operation.RequestBody; body != nil {
				use(body.Value.Content.Get("application/json"), name)
			}
			use(operation.Responses.Status(http.StatusOK).Value.Content.Get("application/json"), name)
			use(operation.Responses.Default().Value.Content.Get("application/json"), name)
		}
	}
	return missing
}

func typeOf(reference string) string { return reference[len("#/components/schemas/"):] }

func TestAsyncAPI_EveryMessageHasAnExample(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	answer := s.Send(http.MethodGet, "/docs/asyncapi", http.Header{"Accept": {"application/json"}}, nil)
	var document struct {
		Components struct {
			Messages map[string]struct {
				Examples []struct {
					Payload json.RawMessage `json:"payload"`
				} `json:"examples"`
			} `json:"messages"`
		} `json:"components"`
	}
	require.NoError(t, json.Unmarshal([]byte(answer.Text), &document))
	require.NotEmpty(t, document.Components.Messages)
	for name, message := range document.Components.Messages {
		require.Len(t, message.Examples, 1, name)
		require.NotEmpty(t, message.Examples[0].Payload, name)
	}
}

// TestOpenAPI_DescribesTokensOfChanges checks that the document names what a change of a token of an uploaded package
// needs in addition to a change of coin.
func TestOpenAPI_DescribesTokensOfChanges(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	answer := s.Send(http.MethodGet, "/docs/openapi/validator", http.Header{"Accept": {"application/json"}}, nil)
	document, err := openapi3.NewLoader().LoadFromData([]byte(answer.Text))
	require.NoError(t, err)
	const transfers = "/v0/wallet/token-standard/transfers"
	for path, fields := range map[string][]string{
		transfers:                                {"instrument", "trusted_packages"},
		transfers + "/{contract_id}/accept":      {"trusted_packages"},
		transfers + "/{contract_id}/reject":      {"trusted_packages"},
		transfers + "/{contract_id}/withdraw":    {"trusted_packages"},
		"/v0/allocations":                        {"instrument", "trusted_packages"},
		"/v0/allocations/{contract_id}/withdraw": {"trusted_packages"},
	} {
		body := document.Paths.Value(path).Post.RequestBody.Value.Content.Get("application/json").Schema.Value
		for _, field := range fields {
			require.Contains(t, body.Properties, field, path)
			require.Regexp(t, `(?i)token|instrument`, body.Properties[field].Value.Description, path+" "+field)
		}
	}
}
