package grpcapi_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/test/apitest"
)

const base = "/com.daml.ledger.api.v2."

func TestSubmitAndWaitForTransaction_ShowsTheContract(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alice := string(s.Party("alice"))
	s.ActingAs("alice", s.Node.LocalParty("alice"))
	conn := s.Calls()
	version := &ledgerpb.GetLedgerApiVersionResponse{}
	require.NoError(t, conn.Invoke(t.Context(), base+"VersionService/GetLedgerApiVersion", &ledgerpb.GetLedgerApiVersionRequest{}, version))
	t.Log(version)
	out := &ledgerpb.SubmitAndWaitForTransactionResponse{}
	ctx := s.As(t.Context(), "alice")
	require.NoError(t, conn.Invoke(ctx, base+"CommandService/SubmitAndWaitForTransaction",
		&ledgerpb.SubmitAndWaitForTransactionRequest{Commands: &ledgerpb.Commands{
			CommandId: "one", ActAs: []string{alice}, Commands: []*ledgerpb.Command{{Command: &ledgerpb.Command_Create{
				Create: &ledgerpb.CreateCommand{
					TemplateId:      &ledgerpb.Identifier{PackageId: "#api-test", ModuleName: "Api.Test", EntityName: "Note"},
					CreateArguments: note(alice, "first", "1.5"),
				},
			}}},
		}}, out))
	t.Log(out)
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, base+"StateService/GetActiveContracts")
	require.NoError(t, err)
	require.NoError(t, stream.SendMsg(&ledgerpb.GetActiveContractsRequest{ActiveAtOffset: out.GetTransaction().GetOffset(),
		EventFormat: &ledgerpb.EventFormat{FiltersByParty: map[string]*ledgerpb.Filters{alice: {}}}}))
	require.NoError(t, stream.CloseSend())
	contract := &ledgerpb.GetActiveContractsResponse{}
	require.NoError(t, stream.RecvMsg(contract))
	t.Log(contract)
	require.ErrorIs(t, stream.RecvMsg(contract), io.EOF)
	t.Log(conn.Invoke(ctx, base+"CommandService/SubmitAndWait", &ledgerpb.SubmitAndWaitRequest{}, out))
	t.Log(conn.Invoke(t.Context(), base+"CommandService/SubmitAndWait", &ledgerpb.SubmitAndWaitRequest{}, out))
	t.Log(conn.Invoke(ctx, base+"admin.PackageManagementService/ListKnownPackages", &ledgerpb.ListKnownPackagesRequest{}, out))
}

func text(value string) *ledgerpb.Value {
	return &ledgerpb.Value{Sum: &ledgerpb.Value_Text{Text: value}}
}

func party(value string) *ledgerpb.Value {
	return &ledgerpb.Value{Sum: &ledgerpb.Value_Party{Party: value}}
}

func numeric(value string) *ledgerpb.Value {
	return &ledgerpb.Value{Sum: &ledgerpb.Value_Numeric{Numeric: value}}
}

func note(owner, label, amount string) *ledgerpb.Record {
	return &ledgerpb.Record{Fields: []*ledgerpb.RecordField{
		{Value: party(owner)}, {Value: &ledgerpb.Value{Sum: &ledgerpb.Value_List{List: &ledgerpb.List{}}}},
		{Value: text(label)}, {Value: numeric(amount)},
	}}
}
