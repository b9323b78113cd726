package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/test/apitest"
)

const updatesCall = "/com.daml.ledger.api.v2.UpdateService/GetUpdates"

// updatesOf asks for the updates of a party after an offset.
func updatesOf(party ledger.Party, after int64) *ledgerpb.GetUpdatesRequest {
	return &ledgerpb.GetUpdatesRequest{BeginExclusive: after, UpdateFormat: &ledgerpb.UpdateFormat{
		IncludeTransactions: &ledgerpb.TransactionFormat{
			TransactionShape: ledgerpb.TransactionShape_TRANSACTION_SHAPE_LEDGER_EFFECTS,
			EventFormat:      &ledgerpb.EventFormat{FiltersByParty: map[string]*ledgerpb.Filters{string(party): {}}},
		},
	}}
}

// openUpdates opens a stream with a token; the context ends it.
func openUpdates(
	ctx context.Context, t *testing.T, conn *grpc.ClientConn, token string, request *ledgerpb.GetUpdatesRequest,
) grpc.ClientStream {
	t.Helper()
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, updatesCall)
	require.NoError(t, err)
	require.NoError(t, stream.SendMsg(request))
	require.NoError(t, stream.CloseSend())
	return stream
}

// nextTransaction reads up to the next transaction. Checkpoints before it must not go back.
func nextTransaction(t *testing.T, stream grpc.ClientStream) *ledgerpb.Transaction {
	t.Helper()
	for last := int64(0); ; {
		element := &ledgerpb.GetUpdatesResponse{}
		require.NoError(t, stream.RecvMsg(element))
		if transaction := element.GetTransaction(); transaction != nil {
			return transaction
		}
		require.GreaterOrEqual(t, element.GetOffsetCheckpoint().GetOffset(), last)
		last = element.GetOffsetCheckpoint().GetOffset()
	}
}

// endOf reads a stream to its end.
func endOf(t *testing.T, stream grpc.ClientStream) *status.Status {
	t.Helper()
	for {
		if err := stream.RecvMsg(&ledgerpb.GetUpdatesResponse{}); errors.Is(err, io.EOF) {
			return status.New(codes.OK, "")
		} else if err != nil {
			return status.Convert(err)
		}
	}
}

// reasonOf is the code of an error, and how long to wait before a retry; -1 if the error does not say.
func reasonOf(t *testing.T, from *status.Status) (reason string, retry time.Duration) {
	t.Helper()
	retry = -1
	for _, detail := range from.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			reason = detail.GetReason()
		case *errdetails.RetryInfo:
			retry = detail.GetRetryDelay().AsDuration()
		}
	}
	return reason, retry
}

// submitNote makes a note as alice.
func submitNote(s *apitest.Server, party ledger.Party) int64 {
	var done struct {
		Offset int64 `json:"completionOffset"`
	}
	s.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", commandsOf(party)).OK(&done)
	return done.Offset
}

// contract: grpc-streams
func TestCalls_UpdatesResumeWithoutGapOrRepeat(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, eager())
	alice := s.Party("alice")
	s.ActingAs("alice", alice)
	conn := s.Calls()
	var offsets []int64
	for range 3 {
		offsets = append(offsets, submitNote(s, alice))
	}
	ctx, cancel := context.WithCancel(t.Context())
	token := apitest.Token(t, "alice")
	stream := openUpdates(ctx, t, conn, token, updatesOf(alice, 0))
	for _, offset := range offsets[:2] {
		require.Equal(t, offset, nextTransaction(t, stream).GetOffset())
	}
	cancel()
	require.Equal(t, codes.Canceled, endOf(t, stream).Code())
	stream = openUpdates(t.Context(), t, conn, token, updatesOf(alice, offsets[1]))
	require.Equal(t, offsets[2], nextTransaction(t, stream).GetOffset())
	last := submitNote(s, alice)
	require.Equal(t, last, nextTransaction(t, stream).GetOffset())

	bounded := updatesOf(alice, 0)
	bounded.EndInclusive = &last
	stream = openUpdates(t.Context(), t, conn, token, bounded)
	for _, offset := range append(offsets, last) {
		require.Equal(t, offset, nextTransaction(t, stream).GetOffset())
	}
	require.Equal(t, codes.OK, endOf(t, stream).Code(), "a stream with an end ends well")
}

// Each way to lose a right ends the stream with a code on which clients open the next one.
func TestCalls_StreamsEndWithTheRights(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, eager())
	s.IdentityProvider("acme")
	alice := s.Party("alice")
	s.ActingAs("alice", alice)
	submitNote(s, alice)
	conn := s.Calls()
	for i := range waysToLoseRights("", alice) {
		user := fmt.Sprintf("reader-%d", i)
		s.Rights(user, ledger.Right{Kind: ledger.CanReadAs, Party: alice})
		way := waysToLoseRights(user, alice)[i]
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			stream := openUpdates(t.Context(), t, conn, apitest.Token(t, user), updatesOf(alice, 0))
			nextTransaction(t, stream)
			s.In(t).Call(apitest.Admin, way.method, way.path, way.body).OK(nil)
			end := endOf(t, stream)
			require.Equal(t, codes.Aborted, end.Code(), end)
			reason, retry := reasonOf(t, end)
			require.Equal(t, "STALE_STREAM_AUTHORIZATION", reason)
			require.Zero(t, retry)
		})
	}
	t.Run("the token expires", func(t *testing.T) {
		t.Parallel()
		token, err := auth.Mint(auth.DefaultSecret, auth.DefaultAudience, "alice", 2*time.Second, time.Now())
		require.NoError(t, err)
		end := endOf(t, openUpdates(t.Context(), t, conn, token, updatesOf(alice, 0)))
		require.Equal(t, codes.Aborted, end.Code(), end)
		reason, retry := reasonOf(t, end)
		require.Equal(t, "ACCESS_TOKEN_EXPIRED", reason)
		require.Equal(t, time.Second, retry)
	})
}

func TestCalls_StreamsEndWhenTheNodeStops(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, eager())
	alice := s.Party("alice")
	s.ActingAs("alice", alice)
	submitNote(s, alice)
	stream := openUpdates(t.Context(), t, s.Calls(), apitest.Token(t, "alice"), updatesOf(alice, 0))
	nextTransaction(t, stream)
	require.NoError(t, s.Streams.Close(t.Context()))
	end := endOf(t, stream)
	require.Equal(t, codes.Unavailable, end.Code(), end)
	reason, retry := reasonOf(t, end)
	require.Equal(t, "ABORTED_DUE_TO_SHUTDOWN", reason)
	require.Equal(t, 10*time.Second, retry)
}

// A reader that takes nothing holds up nobody: others get all their updates, and its place is free when it leaves.
func TestCalls_ASlowReaderHoldsUpNobody(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, eager())
	alice := s.Party("alice")
	s.ActingAs("alice", alice)
	for range 100 {
		submitNote(s, alice)
	}
	conn := s.Calls(grpc.WithInitialWindowSize(1<<16), grpc.WithInitialConnWindowSize(1<<20))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	token := apitest.Token(t, "alice")
	for range 4 {
		nextTransaction(t, openUpdates(ctx, t, conn, token, updatesOf(alice, 0)))
	}
	request := updatesOf(alice, 0)
	end := submitNote(s, alice)
	request.EndInclusive = &end
	require.Equal(t, codes.OK, endOf(t, openUpdates(t.Context(), t, conn, token, request)).Code())
	cancel()
	require.Eventually(t, func() bool { return s.Streams.Open() == 0 }, 10*time.Second, time.Millisecond)
}

// A deadline reaches the wait for the completion; the command may still happen, and the error says so.
func TestCalls_ADeadlineEndsTheWait(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Submitter: &silent{}})
	alice := s.Party("alice")
	s.ActingAs("alice", alice)
	ctx, cancel := context.WithTimeout(s.As(t.Context(), "alice"), 300*time.Millisecond)
	defer cancel()
	err := s.Calls().Invoke(ctx, "/com.daml.ledger.api.v2.CommandService/SubmitAndWait", &ledgerpb.SubmitAndWaitRequest{
		Commands: &ledgerpb.Commands{
			CommandId: "one", ActAs: []string{string(alice)}, DeduplicationPeriod: &ledgerpb.Commands_DeduplicationDuration{
				DeduplicationDuration: durationpb.New(time.Minute),
			},
			Commands: []*ledgerpb.Command{{Command: &ledgerpb.Command_Create{Create: &ledgerpb.CreateCommand{
				TemplateId:      &ledgerpb.Identifier{PackageId: "#api-test", ModuleName: "Api.Test", EntityName: "Note"},
				CreateArguments: noteOf(alice),
			}}}},
		},
	}, &ledgerpb.SubmitAndWaitResponse{})
	require.Equal(t, codes.DeadlineExceeded, status.Code(err), err)
}

// silent takes submissions and completes none.
type silent struct{}

// Submit implements [ledgerapi.Submitter].
func (*silent) Submit(context.Context, ledger.Submission) error { return nil }

// SubmitAndWait implements [ledgerapi.Submitter].
func (*silent) SubmitAndWait(ctx context.Context, _ ledger.Submission) (ledger.Completion, error) {
	<-ctx.Done()
	return ledger.Completion{}, ctx.Err()
}

func noteOf(owner ledger.Party) *ledgerpb.Record {
	return &ledgerpb.Record{Fields: []*ledgerpb.RecordField{
		{Value: &ledgerpb.Value{Sum: &ledgerpb.Value_Party{Party: string(owner)}}},
		{Value: &ledgerpb.Value{Sum: &ledgerpb.Value_List{List: &ledgerpb.List{}}}},
		{Value: &ledgerpb.Value{Sum: &ledgerpb.Value_Text{Text: "label"}}},
		{Value: &ledgerpb.Value{Sum: &ledgerpb.Value_Numeric{Numeric: "1"}}},
	}}
}
