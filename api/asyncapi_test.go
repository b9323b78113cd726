package api_test

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/test/apitest"
)

const goldenStreamsPath = "testdata/asyncapi.golden.yaml"

func TestAsyncAPI_MatchesGolden(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	text := s.Call("", http.MethodGet, "/docs/asyncapi", nil).Plain(http.StatusOK)
	if *update {
		require.NoError(t, os.WriteFile(goldenStreamsPath, []byte(text), 0o600))
	}
	golden, err := os.ReadFile(goldenStreamsPath)
	require.NoError(t, err)
	require.Equal(t, string(golden), text,
		"the API changed: look at the difference, then run go test ./api -run MatchesGolden -update")
}

// streamsDocument has the parts of the document for the tests.
type streamsDocument struct {
	AsyncAPI string `json:"asyncapi"`
	Info     struct {
		Version string `json:"version"`
	} `json:"info"`
	Channels map[string]struct {
		Publish struct {
			Message reference `json:"message"`
		} `json:"publish"`
		Subscribe struct {
			OperationID string `json:"operationId"`
			Description string `json:"description"`
			Message     struct {
				OneOf []reference `json:"oneOf"`
			} `json:"message"`
		} `json:"subscribe"`
	} `json:"channels"`
}

type reference struct {
	Ref string `json:"$ref"`
}

func TestAsyncAPI_DescribesEveryStream(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	answer := s.Send(http.MethodGet, "/docs/asyncapi", http.Header{"Accept": {"application/json"}}, nil)
	require.Equal(t, "application/json", answer.Header.Get("Content-Type"))
	require.NotContains(t, answer.Text, "nullable", "JSON Schema knows no such word")
	var document streamsDocument
	require.NoError(t, json.Unmarshal([]byte(answer.Text), &document))
	require.Equal(t, "2.6.0", document.AsyncAPI)
	require.Equal(t, ledgerapi.DefaultVersion, document.Info.Version)
	for path, want := range map[string][2]string{
		"/v2/commands/completions":         {"CompletionStreamRequest", "CompletionStreamResponse"},
		"/v2/commands/command-completions": {"CommandCompletionsRequest", "CompletionStreamResponse"},
		"/v2/state/active-contracts":       {"GetActiveContractsRequest", "JsGetActiveContractsResponse"},
		"/v2/updates":                      {"GetUpdatesRequest", "JsGetUpdatesResponse"},
		"/v2/updates/flats":                {"GetUpdatesRequest", "JsGetUpdatesResponse"},
		"/v2/updates/trees":                {"GetUpdatesRequest", "JsGetUpdateTreesResponse"},
	} {
		require.Contains(t, document.Channels, path)
		channel := document.Channels[path]
		require.Equal(t, "#/components/messages/"+want[0], channel.Publish.Message.Ref)
		require.Equal(t, []reference{
			{"#/components/messages/" + want[1]}, {"#/components/messages/JsCantonError"},
		}, channel.Subscribe.Message.OneOf)
		require.Contains(t, channel.Subscribe.Description, "Required authorization: ")
		require.NotEmpty(t, channel.Subscribe.OperationID)
	}
	require.Len(t, document.Channels, 6)
}
