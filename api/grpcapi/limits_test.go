package grpcapi_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/test/apitest"
)

// openCall sends the head of a call, and no message.
func openCall(ctx context.Context, t *testing.T, conn *grpc.ClientConn, method string) grpc.ClientStream {
	t.Helper()
	call, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, base+method)
	require.NoError(t, err)
	return call
}

// Of messages that do not come, one user has as many as long bodies.
func TestMessages_CountOnTheirWay(t *testing.T) {
	t.Parallel()
	const longest = 1 << 20
	s, conn, _ := node(t, apitest.Options{MaxBodyBytes: longest, Limits: admission.New(admission.Options{
		BodyMemory: 4 * longest, UserBodyMemory: longest, Now: time.Now,
	})})
	ctx := s.As(t.Context(), "alice")
	ends := make(chan error, 2)
	for range cap(ends) {
		call := openCall(ctx, t, conn, "CommandSubmissionService/Submit")
		go func() { ends <- call.RecvMsg(&ledgerpb.SubmitResponse{}) }()
	}
	err := <-ends
	require.Equal(t, codes.Aborted, status.Code(err), err)
	require.ErrorContains(t, err, "bytes of long request bodies")
	require.NoError(t, conn.Invoke(ctx, base+"StateService/GetLedgerEnd", &ledgerpb.GetLedgerEndRequest{},
		&ledgerpb.GetLedgerEndResponse{}), "usual calls go on")
}

// A stream that waits for its request ends like any other one.
func TestStreams_WithoutRequestEnd(t *testing.T) {
	t.Parallel()
	s, conn, _ := node(t, apitest.Options{})
	s.Rights("leaver")
	gone := openCall(s.As(t.Context(), "leaver"), t, conn, "UpdateService/GetUpdates")
	stopped := openCall(s.As(t.Context(), "alice"), t, conn, "UpdateService/GetUpdates")
	s.Eventually(func() bool { return s.Streams.Open() == 2 })
	s.Call(apitest.Admin, http.MethodDelete, "/v2/users/leaver", nil).OK(nil)
	require.Equal(t, codes.Aborted, status.Code(gone.RecvMsg(&ledgerpb.GetUpdatesResponse{})))
	require.NoError(t, s.Streams.Close(t.Context()))
	require.Equal(t, codes.Unavailable, status.Code(stopped.RecvMsg(&ledgerpb.GetUpdatesResponse{})))
}

// An answer counts until the client has it.
func TestAnswers_CountUntilTheyAreRead(t *testing.T) {
	t.Parallel()
	limits := admission.New(admission.Options{Now: time.Now})
	s, _, alice := node(t, apitest.Options{Limits: limits})
	conn := s.Calls(grpc.WithInitialWindowSize(64<<10), grpc.WithInitialConnWindowSize(64<<10))
	ctx := s.As(t.Context(), "alice")
	for range 40 {
		require.NoError(t, conn.Invoke(ctx, base+"CommandService/SubmitAndWait", &ledgerpb.SubmitAndWaitRequest{
			Commands: createNote(alice, noteOf(alice, uuid.NewString()+strings.Repeat("x", 15_000), "1")),
		}, &ledgerpb.SubmitAndWaitResponse{}))
	}
	used := func() (bytes int64) {
		for _, use := range limits.ListUsage() {
			if use.Limit == "answer_bytes" {
				bytes = use.InUse
			}
		}
		return bytes
	}
	call := openCall(ctx, t, conn, "StateService/GetActiveContractsPage")
	require.NoError(t, call.SendMsg(&ledgerpb.GetActiveContractsPageRequest{EventFormat: &ledgerpb.EventFormat{
		FiltersByParty: map[string]*ledgerpb.Filters{alice: {}},
	}}))
	require.NoError(t, call.CloseSend())
	looks := 0 // in a row: the rows count before the answer, which the node encodes meanwhile
	s.Eventually(func() bool {
		if looks++; used() < 200_000 {
			looks = 0
		}
		return looks > 20
	})
	page := &ledgerpb.GetActiveContractsPageResponse{}
	require.NoError(t, call.RecvMsg(page))
	require.Len(t, page.GetActiveContracts(), 40)
	s.Eventually(func() bool { return used() == 0 })
}

func TestCall_ThatIsNotReadableIsNoFailureOfTheNode(t *testing.T) {
	t.Parallel()
	var log apitest.Log
	s, conn, alice := node(t, apitest.Options{MaxBodyBytes: 1 << 16, Log: &log})
	commands := createNote(alice, noteOf(alice, "x", "1"))
	commands.WorkflowId = strings.Repeat("x", 1<<17)
	err := conn.Invoke(s.As(t.Context(), "alice"), base+"CommandSubmissionService/Submit",
		&ledgerpb.SubmitRequest{Commands: commands}, &ledgerpb.SubmitResponse{})
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
	s.Eventually(func() bool { return strings.Contains(log.String(), `"status":400`) }) // it follows the answer
	require.NotContains(t, log.String(), `"level":"ERROR"`)
}
