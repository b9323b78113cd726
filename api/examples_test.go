package api_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/apitest"
	"github.com/florinledger/florin/api/ledgerapi"
)

// TestEverythingDescribedHasAnExample also holds each example to its schema: loading the document does.
func TestEverythingDescribedHasAnExample(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	unused, err := ledgerapi.Examples()
	require.NoError(t, err)
	missing := map[string]string{}
	use := func(media *openapi3.MediaType, operation string) {
		if media == nil {
			return
		}
		schema := media.Schema
		if media.Example == nil {
			missing[schema.Ref] = operation
		}
		if schema.Value.Type.Is(openapi3.TypeArray) {
			schema = schema.Value.Items
		}
		delete(unused, typeOf(schema.Ref))
	}
	for path, item := range loadDocument(t, s).Paths.Map() {
		for method, operation := range item.Operations() {
			name := method + " " + path
			if body := operation.RequestBody; body != nil {
				use(body.Value.Content.Get("application/json"), name)
			}
			use(operation.Responses.Status(http.StatusOK).Value.Content.Get("application/json"), name)
			use(operation.Responses.Default().Value.Content.Get("application/json"), name)
		}
	}
	require.Empty(t, missing, "add examples of these types to api/ledgerapi/examples.json")
	require.Empty(t, unused, "examples of nothing that is served")
}

func typeOf(reference string) string { return reference[len("#/components/schemas/"):] }

func TestEveryMessageOfStreamsHasAnExample(t *testing.T) {
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
