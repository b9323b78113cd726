package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/test/apitest"
)

// BenchmarkSubmission submits a note and waits for it, from 16 clients, over HTTP and over gRPC. A commit is made on the
// spot, so that the difference is that of the encodings.
func BenchmarkSubmission(b *testing.B) {
	node := func(b *testing.B) (*apitest.Server, ledger.Party) { // a record that grows makes later runs slower
		b.Helper()
		s := apitest.New(b, apitest.Options{Once: true})
		alice := s.Party("alice")
		s.ActingAs("alice", alice)
		return s, alice
	}
	b.Run("http", func(b *testing.B) {
		s, alice := node(b)
		s.URL()
		b.ResetTimer()
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
		token := apitest.Token(b, "alice")
		b.SetParallelism(8)
		b.RunParallel(func(loop *testing.PB) {
			for loop.Next() {
				body, err := json.Marshal(commandsOf(alice))
				require.NoError(b, err)
				request, err := http.NewRequestWithContext(b.Context(), http.MethodPost,
					s.URL()+"/v2/commands/submit-and-wait", bytes.NewReader(body))
				require.NoError(b, err)
				request.Header.Set("Authorization", "Bearer "+token)
				request.Header.Set("Content-Type", "application/json")
				answer, err := client.Do(request)
				require.NoError(b, err)
				text, err := io.ReadAll(answer.Body)
				require.NoError(b, err)
				require.NoError(b, answer.Body.Close())
				require.Equal(b, http.StatusOK, answer.StatusCode, "%s", text)
			}
		})
	})
	b.Run("grpc", func(b *testing.B) {
		s, alice := node(b)
		conn := s.Calls()
		ctx := s.As(b.Context(), "alice")
		b.ResetTimer()
		b.SetParallelism(8)
		b.RunParallel(func(loop *testing.PB) {
			for loop.Next() {
				payload := noteOf(alice)
				payload.Fields[2].Value = &ledgerpb.Value{Sum: &ledgerpb.Value_Text{Text: uuid.NewString()}}
				require.NoError(b, conn.Invoke(ctx, "/com.daml.ledger.api.v2.CommandService/SubmitAndWait",
					&ledgerpb.SubmitAndWaitRequest{Commands: &ledgerpb.Commands{
						CommandId: uuid.NewString(), ActAs: []string{string(alice)}, Commands: []*ledgerpb.Command{{
							Command: &ledgerpb.Command_Create{Create: &ledgerpb.CreateCommand{
								TemplateId:      &ledgerpb.Identifier{PackageId: "#api-test", ModuleName: "Api.Test", EntityName: "Note"},
								CreateArguments: payload,
							}},
						}},
					}}, &ledgerpb.SubmitAndWaitResponse{}))
			}
		})
	})
}

// BenchmarkUpdates reads and decodes a stream of 10,000 updates to its end, over a WebSocket and over gRPC.
func BenchmarkUpdates(b *testing.B) {
	const count = 10_000
	s := apitest.New(b, apitest.Options{Once: true})
	alice := s.Party("alice")
	s.ActingAs("alice", alice)
	var end int64
	for range count {
		end = submitNote(s, alice)
	}
	b.Run("websocket", func(b *testing.B) {
		for b.Loop() {
			stream := s.In(b).Open("alice", "/v2/updates", object{
				"beginExclusive": 0, "endInclusive": end, "updateFormat": object{"includeTransactions": object{
					"eventFormat":      object{"filtersByParty": object{string(alice): object{}}, "verbose": true},
					"transactionShape": "TRANSACTION_SHAPE_LEDGER_EFFECTS",
				}},
			})
			for range count {
				_, frame, err := stream.Conn.Read(b.Context())
				require.NoError(b, err)
				var element ledgerapi.JsGetUpdatesResponse
				require.NoError(b, json.Unmarshal(frame, &element))
			}
			_ = stream.Conn.CloseNow()
		}
	})
	b.Run("grpc", func(b *testing.B) {
		conn := s.In(b).Calls()
		request := updatesOf(alice, 0)
		request.EndInclusive = new(end)
		for b.Loop() {
			stream, err := conn.NewStream(s.As(b.Context(), "alice"), &grpc.StreamDesc{ServerStreams: true}, updatesCall)
			require.NoError(b, err)
			require.NoError(b, stream.SendMsg(request))
			require.NoError(b, stream.CloseSend())
			for range count {
				require.NoError(b, stream.RecvMsg(&ledgerpb.GetUpdatesResponse{}))
			}
		}
	})
}
