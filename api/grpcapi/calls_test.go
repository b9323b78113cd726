package grpcapi_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/test/apitest"
)

const (
	base  = "/com.daml.ledger.api.v2."
	admin = base + "admin."
)

func textOf(value string) *ledgerpb.Value {
	return &ledgerpb.Value{Sum: &ledgerpb.Value_Text{Text: value}}
}

// noteOf is the payload of a note, without labels.
func noteOf(owner, label, amount string) *ledgerpb.Record {
	return &ledgerpb.Record{Fields: []*ledgerpb.RecordField{
		{Value: &ledgerpb.Value{Sum: &ledgerpb.Value_Party{Party: owner}}},
		{Value: &ledgerpb.Value{Sum: &ledgerpb.Value_List{List: &ledgerpb.List{}}}},
		{Value: textOf(label)},
		{Value: &ledgerpb.Value{Sum: &ledgerpb.Value_Numeric{Numeric: amount}}},
	}}
}

func noteName(entity string) *ledgerpb.Identifier {
	return &ledgerpb.Identifier{PackageId: "#api-test", ModuleName: "Api.Test", EntityName: entity}
}

func createNote(owner string, payload *ledgerpb.Record) *ledgerpb.Commands {
	return &ledgerpb.Commands{
		CommandId: uuid.NewString(), ActAs: []string{owner}, Commands: []*ledgerpb.Command{{
			Command: &ledgerpb.Command_Create{Create: &ledgerpb.CreateCommand{
				TemplateId: noteName("Note"), CreateArguments: payload,
			}},
		}},
	}
}

// node is a server with the user alice, who acts as the party of her name.
func node(t *testing.T, options apitest.Options) (s *apitest.Server, conn *grpc.ClientConn, alice string) {
	t.Helper()
	s = apitest.New(t, options)
	alice = string(s.Party("alice"))
	s.ActingAs("alice", ledger.Party(alice))
	return s, s.Calls(), alice
}

// contract: grpc-values
func TestSubmission_ShowsValuesWithAndWithoutLabels(t *testing.T) {
	t.Parallel()
	s, conn, alice := node(t, apitest.Options{})
	ctx := s.As(t.Context(), "alice")
	out := &ledgerpb.SubmitAndWaitForTransactionResponse{}
	require.NoError(t, conn.Invoke(ctx, base+"CommandService/SubmitAndWaitForTransaction",
		&ledgerpb.SubmitAndWaitForTransactionRequest{Commands: createNote(alice, noteOf(alice, "first", "1.5"))}, out))
	created := out.GetTransaction().GetEvents()[0].GetCreated()
	fields := created.GetCreateArguments().GetFields()
	require.Equal(t, "amount", fields[3].GetLabel(), "without a format, the answer is verbose")
	require.Equal(t, "1.5000000000", fields[3].GetValue().GetNumeric())
	require.Equal(t, "NoteKey", created.GetContractKey().GetRecord().GetRecordId().GetEntityName())
	require.Len(t, created.GetContractKeyHash(), 32)

	format := &ledgerpb.EventFormat{FiltersByParty: map[string]*ledgerpb.Filters{alice: {Cumulative: []*ledgerpb.CumulativeFilter{
		{IdentifierFilter: &ledgerpb.CumulativeFilter_InterfaceFilter{InterfaceFilter: &ledgerpb.InterfaceFilter{
			InterfaceId: noteName("Valued"), IncludeInterfaceView: true, IncludeCreatedEventBlob: true,
		}}},
	}}}}
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, base+"StateService/GetActiveContracts")
	require.NoError(t, err)
	require.NoError(t, stream.SendMsg(&ledgerpb.GetActiveContractsRequest{
		ActiveAtOffset: out.GetTransaction().GetOffset(), EventFormat: format,
	}))
	require.NoError(t, stream.CloseSend())
	entry := &ledgerpb.GetActiveContractsResponse{}
	require.NoError(t, stream.RecvMsg(entry))
	require.ErrorIs(t, stream.RecvMsg(entry), io.EOF)
	active := entry.GetActiveContract().GetCreatedEvent()
	require.Empty(t, active.GetCreateArguments().GetRecordId().GetModuleName())
	require.Empty(t, active.GetCreateArguments().GetFields()[3].GetLabel())
	require.NotEmpty(t, active.GetCreatedEventBlob())
	view := active.GetInterfaceViews()[0]
	require.Zero(t, view.GetViewStatus().GetCode())
	require.Equal(t, "1.5000000000", view.GetViewValue().GetFields()[0].GetValue().GetNumeric())

	exercised := &ledgerpb.SubmitAndWaitForTransactionResponse{}
	require.NoError(t, conn.Invoke(ctx, base+"CommandService/SubmitAndWaitForTransaction",
		&ledgerpb.SubmitAndWaitForTransactionRequest{
			Commands: &ledgerpb.Commands{CommandId: "inspect", ActAs: []string{alice}, Commands: []*ledgerpb.Command{{
				Command: &ledgerpb.Command_ExerciseByKey{ExerciseByKey: &ledgerpb.ExerciseByKeyCommand{
					TemplateId: noteName("Note"), Choice: "Inspect",
					ContractKey: &ledgerpb.Value{Sum: &ledgerpb.Value_Record{Record: &ledgerpb.Record{
						Fields: []*ledgerpb.RecordField{
							{Label: "label", Value: textOf("first")},
							{Label: "owner", Value: &ledgerpb.Value{Sum: &ledgerpb.Value_Party{Party: alice}}},
						},
					}}},
					ChoiceArgument: &ledgerpb.Value{Sum: &ledgerpb.Value_Record{Record: &ledgerpb.Record{}}},
				}},
			}}},
			TransactionFormat: &ledgerpb.TransactionFormat{
				TransactionShape: ledgerpb.TransactionShape_TRANSACTION_SHAPE_LEDGER_EFFECTS,
				EventFormat:      &ledgerpb.EventFormat{FiltersByParty: map[string]*ledgerpb.Filters{alice: {}}},
			},
		}, exercised))
	event := exercised.GetTransaction().GetEvents()[0].GetExercised()
	require.Equal(t, "1.5000000000", event.GetExerciseResult().GetNumeric())
	require.Equal(t, active.GetContractId(), event.GetContractId())
}

func TestUsers_WithoutAnIDMeanTheCaller(t *testing.T) {
	t.Parallel()
	s, conn, alice := node(t, apitest.Options{})
	user := &ledgerpb.GetUserResponse{}
	ctx := s.As(t.Context(), "alice")
	require.NoError(t, conn.Invoke(ctx, admin+"UserManagementService/GetUser", &ledgerpb.GetUserRequest{}, user))
	require.Equal(t, "alice", user.GetUser().GetId())
	rights := &ledgerpb.ListUserRightsResponse{}
	require.NoError(t, conn.Invoke(ctx, admin+"UserManagementService/ListUserRights", &ledgerpb.ListUserRightsRequest{}, rights))
	require.Equal(t, alice, rights.GetRights()[0].GetCanActAs().GetParty())
	details := &ledgerpb.GetPartiesResponse{}
	require.NoError(t, conn.Invoke(ctx, admin+"PartyManagementService/GetParties",
		&ledgerpb.GetPartiesRequest{Parties: []string{alice}}, details))
	require.Equal(t, alice, details.GetPartyDetails()[0].GetParty())
	err := conn.Invoke(ctx, admin+"PartyManagementService/GetParties",
		&ledgerpb.GetPartiesRequest{Parties: []string{alice, string(s.Party("bob"))}}, details)
	require.Equal(t, codes.PermissionDenied, status.Code(err))
}

func TestParties_MoveToAnotherIdentityProvider(t *testing.T) {
	t.Parallel()
	s, conn, alice := node(t, apitest.Options{})
	s.IdentityProvider("acme")
	move := func(user, source string) error {
		return conn.Invoke(s.As(t.Context(), user), admin+"PartyManagementService/UpdatePartyIdentityProviderId",
			&ledgerpb.UpdatePartyIdentityProviderIdRequest{
				Party: alice, SourceIdentityProviderId: source, TargetIdentityProviderId: "acme",
			}, &ledgerpb.UpdatePartyIdentityProviderIdResponse{})
	}
	require.Equal(t, codes.PermissionDenied, status.Code(move("alice", "")), "only administrators move parties")
	require.NoError(t, move(apitest.Admin, ""))
	require.Equal(t, codes.PermissionDenied, status.Code(move(apitest.Admin, "")), "it is not there any more")
	known, err := s.DB.Parties(t.Context(), []ledger.Party{ledger.Party(alice)})
	require.NoError(t, err)
	require.Equal(t, "acme", known[0].IdentityProviderID)
}

func TestPackages_UploadListAndGet(t *testing.T) {
	t.Parallel()
	s, conn, _ := node(t, apitest.Options{})
	ctx := s.As(t.Context(), apitest.Admin)
	dar := dartest.Build(t, dartest.Notes("notes", "1.0.0", ""))
	require.NoError(t, conn.Invoke(ctx, admin+"PackageManagementService/UploadDarFile",
		&ledgerpb.UploadDarFileRequest{DarFile: dar}, &ledgerpb.UploadDarFileResponse{}))
	listed := &ledgerpb.ListKnownPackagesResponse{}
	require.NoError(t, conn.Invoke(ctx, admin+"PackageManagementService/ListKnownPackages",
		&ledgerpb.ListKnownPackagesRequest{}, listed))
	var uploaded *ledgerpb.PackageDetails
	for _, details := range listed.GetPackageDetails() {
		if details.GetName() == "notes" {
			uploaded = details
		}
	}
	require.Equal(t, "1.0.0", uploaded.GetVersion())
	require.WithinDuration(t, time.Now(), uploaded.GetKnownSince().AsTime(), time.Minute)
	got := &ledgerpb.GetPackageResponse{}
	require.NoError(t, conn.Invoke(s.As(t.Context(), "alice"), base+"PackageService/GetPackage",
		&ledgerpb.GetPackageRequest{PackageId: uploaded.GetPackageId()}, got))
	require.Equal(t, uploaded.GetPackageId(), got.GetHash())
	require.Len(t, got.GetArchivePayload(), int(uploaded.GetPackageSize()))
	all := &ledgerpb.ListPackagesResponse{}
	require.NoError(t, conn.Invoke(ctx, base+"PackageService/ListPackages", &ledgerpb.ListPackagesRequest{}, all))
	require.Contains(t, all.GetPackageIds(), uploaded.GetPackageId())
	for _, id := range all.GetPackageIds() {
		require.NoError(t, conn.Invoke(ctx, base+"PackageService/GetPackage", &ledgerpb.GetPackageRequest{PackageId: id}, got))
	}
	require.Equal(t, codes.InvalidArgument, status.Code(conn.Invoke(ctx, admin+"PackageManagementService/UploadDarFile",
		&ledgerpb.UploadDarFileRequest{DarFile: dar, VettingChange: 7}, &ledgerpb.UploadDarFileResponse{})))
}

func TestTime_MovesOnlyAClockThatIsNotReal(t *testing.T) {
	t.Parallel()
	s, conn, _ := node(t, apitest.Options{})
	ctx := s.As(t.Context(), apitest.Admin)
	now := &ledgerpb.GetTimeResponse{}
	require.Equal(t, codes.Unimplemented,
		status.Code(conn.Invoke(ctx, base+"testing.TimeService/GetTime", &ledgerpb.GetTimeRequest{}, now)))
	require.NoError(t, s.DB.StopClock(t.Context(), time.Now()))
	conn = s.Calls()
	require.NoError(t, conn.Invoke(ctx, base+"testing.TimeService/GetTime", &ledgerpb.GetTimeRequest{}, now))
	later := timestamppb.New(now.GetCurrentTime().AsTime().Add(time.Hour))
	set := func(user string, current, to *timestamppb.Timestamp) error {
		return conn.Invoke(s.As(t.Context(), user), base+"testing.TimeService/SetTime",
			&ledgerpb.SetTimeRequest{CurrentTime: current, NewTime: to}, &emptypb.Empty{})
	}
	require.Equal(t, codes.PermissionDenied, status.Code(set("alice", now.GetCurrentTime(), later)))
	require.Equal(t, codes.InvalidArgument, status.Code(set(apitest.Admin, later, later)))
	require.Equal(t, codes.InvalidArgument, status.Code(set(apitest.Admin, nil, later)))
	require.NoError(t, set(apitest.Admin, now.GetCurrentTime(), later))
	require.Equal(t, codes.InvalidArgument, status.Code(set(apitest.Admin, later, now.GetCurrentTime())), "never back")
}

// compressedWith sends an empty message with a compression, as no library does that lacks it, and returns the headers of
// the answer.
func compressedWith(t *testing.T, conn *grpc.ClientConn, compression string) http.Header {
	t.Helper()
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		"http://"+conn.Target()+base+"StateService/GetLedgerEnd", bytes.NewReader([]byte{1, 0, 0, 0, 0}))
	require.NoError(t, err)
	request.Header = http.Header{
		"Content-Type": {"application/grpc"}, "Te": {"trailers"}, "Grpc-Encoding": {compression},
		"Authorization": {"Bearer " + apitest.Token(t, "alice")},
	}
	answer, err := transport.RoundTrip(request)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	if answer.Header.Get("Grpc-Status") == "" {
		return answer.Trailer
	}
	return answer.Header
}

// What a client may send beside what JSON allows.
//
// contract: grpc-bad-input
func TestCall_RefusesBadInput(t *testing.T) {
	t.Parallel()
	s, conn, alice := node(t, apitest.Options{MaxBodyBytes: 1 << 20})
	valid := func() *ledgerpb.SubmitAndWaitForTransactionRequest {
		return &ledgerpb.SubmitAndWaitForTransactionRequest{Commands: createNote(alice, noteOf(alice, "x", "1"))}
	}
	for name, c := range map[string]struct {
		change func(*ledgerpb.SubmitAndWaitForTransactionRequest)
		code   codes.Code
		want   string
	}{
		"no commands": {func(r *ledgerpb.SubmitAndWaitForTransactionRequest) { r.Commands = nil }, codes.InvalidArgument, "commands"},
		"an unset one-of": {func(r *ledgerpb.SubmitAndWaitForTransactionRequest) {
			r.Commands.Commands[0] = &ledgerpb.Command{}
		}, codes.InvalidArgument, "no content"},
		"an unknown enum value": {func(r *ledgerpb.SubmitAndWaitForTransactionRequest) {
			r.TransactionFormat = &ledgerpb.TransactionFormat{
				TransactionShape: 9, EventFormat: &ledgerpb.EventFormat{FiltersByParty: map[string]*ledgerpb.Filters{alice: {}}},
			}
		}, codes.InvalidArgument, "transaction_shape is defined with invalid value 9"},
		"an unset value": {func(r *ledgerpb.SubmitAndWaitForTransactionRequest) {
			r.Commands.Commands[0].GetCreate().CreateArguments.Fields[2].Value = nil
		}, codes.InvalidArgument, "MISSING_FIELD"},
		"a name without a module": {func(r *ledgerpb.SubmitAndWaitForTransactionRequest) {
			r.Commands.Commands[0].GetCreate().TemplateId.ModuleName = ""
		}, codes.InvalidArgument, "module_name"},
		"no template": {func(r *ledgerpb.SubmitAndWaitForTransactionRequest) {
			r.Commands.Commands[0].GetCreate().TemplateId = nil
		}, codes.InvalidArgument, "mandatory field: template_id"},
		"too many passes": {func(r *ledgerpb.SubmitAndWaitForTransactionRequest) {
			r.Commands.TapsMaxPasses = proto.Uint32(1 << 31)
		}, codes.InvalidArgument, "larger than 2147483647"},
		"too many values": {func(r *ledgerpb.SubmitAndWaitForTransactionRequest) {
			list := &ledgerpb.List{Elements: make([]*ledgerpb.Value, 150_000)}
			for i := range list.Elements {
				list.Elements[i] = &ledgerpb.Value{Sum: &ledgerpb.Value_Bool{}}
			}
			r.Commands.Commands[0].GetCreate().CreateArguments.Fields[1].Value.Sum = &ledgerpb.Value_List{List: list}
		}, codes.InvalidArgument, "more than 200000 values"},
		"a message that is too long": {func(r *ledgerpb.SubmitAndWaitForTransactionRequest) {
			r.Commands.WorkflowId = strings.Repeat("x", 2<<20)
		}, codes.ResourceExhausted, "larger than max"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := valid()
			c.change(request)
			err := conn.Invoke(s.As(t.Context(), "alice"), base+"CommandService/SubmitAndWaitForTransaction", request,
				&ledgerpb.SubmitAndWaitForTransactionResponse{})
			require.Equal(t, c.code, status.Code(err), err)
			require.ErrorContains(t, err, c.want)
		})
	}
	t.Run("a missing right before a missing field", func(t *testing.T) {
		t.Parallel()
		s.Rights("mallory")
		request := valid()
		request.Commands.Commands[0].GetCreate().CreateArguments = nil
		err := conn.Invoke(s.As(t.Context(), "mallory"), base+"CommandService/SubmitAndWaitForTransaction", request,
			&ledgerpb.SubmitAndWaitForTransactionResponse{})
		require.Equal(t, codes.PermissionDenied, status.Code(err))
		err = conn.Invoke(s.As(t.Context(), apitest.Admin), admin+"UserManagementService/UpdateUser",
			&ledgerpb.UpdateUserRequest{}, &ledgerpb.UpdateUserResponse{})
		require.ErrorContains(t, err, "mandatory field: user")
	})
	t.Run("metadata", func(t *testing.T) {
		t.Parallel()
		for name, pairs := range map[string][]string{
			"none": nil, "broken": {"authorization", "Bearer a.b.c"}, "another scheme": {"authorization", "Basic YTpi"},
			"empty": {"authorization", "Bearer "},
			"two":   {"authorization", "Bearer " + apitest.Token(t, "alice"), "authorization", "Bearer x"},
		} {
			err := conn.Invoke(metadata.AppendToOutgoingContext(t.Context(), pairs...), base+"StateService/GetLedgerEnd",
				&ledgerpb.GetLedgerEndRequest{}, &ledgerpb.GetLedgerEndResponse{})
			require.Equal(t, codes.Unauthenticated, status.Code(err), name)
			require.ErrorContains(t, err, "An error occurred. Please contact the operator", name)
		}
	})
	t.Run("compression", func(t *testing.T) {
		t.Parallel()
		ctx := s.As(t.Context(), "alice")
		require.NoError(t, conn.Invoke(ctx, base+"StateService/GetLedgerEnd", &ledgerpb.GetLedgerEndRequest{},
			&ledgerpb.GetLedgerEndResponse{}, grpc.UseCompressor(gzip.Name)))
		refused := compressedWith(t, conn, "squeeze")
		require.Equal(t, strconv.Itoa(int(codes.Unimplemented)), refused.Get("Grpc-Status"))
		require.Contains(t, refused.Get("Grpc-Message"), "squeeze")
	})
	t.Run("an unknown method", func(t *testing.T) {
		t.Parallel()
		err := conn.Invoke(s.As(t.Context(), "alice"), base+"StateService/Nothing", &emptypb.Empty{}, &emptypb.Empty{})
		require.Equal(t, codes.Unimplemented, status.Code(err))
	})
}

func TestCall_IsLoggedWithItsSize(t *testing.T) {
	t.Parallel()
	var log apitest.Log
	s, conn, _ := node(t, apitest.Options{Log: &log, LogLevel: slog.LevelDebug})
	require.NoError(t, conn.Invoke(s.As(t.Context(), "alice"), base+"VersionService/GetLedgerApiVersion",
		&ledgerpb.GetLedgerApiVersionRequest{}, &ledgerpb.GetLedgerApiVersionResponse{}))
	line := regexp.MustCompile(
		`"pattern":"/com.daml.ledger.api.v2.VersionService/GetLedgerApiVersion","status":200,.*"bytes":[1-9]`)
	s.Eventually(func() bool { return line.MatchString(log.String()) }) // it follows the answer
}

// contract: grpc-errors
func TestError_HasTheDetailsOfJSONAndFits(t *testing.T) {
	t.Parallel()
	s, conn, alice := node(t, apitest.Options{})
	commands := createNote(alice, noteOf(alice, "same", "1"))
	commands.SubmissionId = "first-submission"
	invoke := func() error {
		return conn.Invoke(s.As(t.Context(), "alice"), base+"CommandService/SubmitAndWait",
			&ledgerpb.SubmitAndWaitRequest{Commands: commands}, &ledgerpb.SubmitAndWaitResponse{})
	}
	require.NoError(t, invoke())
	refused := status.Convert(invoke())
	require.Equal(t, codes.AlreadyExists, refused.Code())
	require.Regexp(t, `^DUPLICATE_COMMAND\(10,first-su\): `, refused.Message())
	info, ok := refused.Details()[0].(*errdetails.ErrorInfo)
	require.True(t, ok)
	require.Equal(t, "10", info.GetMetadata()["category"])
	require.NotEmpty(t, info.GetMetadata()["completion_offset"])
	require.Equal(t, "participant", info.GetMetadata()["participant"])
	require.Len(t, info.GetMetadata()["tid"], 32)
	request, ok := refused.Details()[1].(*errdetails.RequestInfo)
	require.True(t, ok)
	require.Equal(t, "first-submission", request.GetRequestId())

	commands.ActAs = []string{strings.Repeat("x", 5000)}
	require.LessOrEqual(t, proto.Size(status.Convert(invoke()).Proto()), 4096)
}

// contract: grpc-errors
func TestError_NamesTheMissingRightOnlyOnADevelopmentNode(t *testing.T) {
	t.Parallel()
	for _, explains := range []bool{false, true} {
		var log apitest.Log
		s := apitest.New(t, apitest.Options{Settings: ledgerapi.Settings{Explains: explains}, Log: &log})
		s.Rights("nobody")
		err := s.Calls().Invoke(s.As(t.Context(), "nobody"), admin+"PartyManagementService/ListKnownParties",
			&ledgerpb.ListKnownPartiesRequest{}, &ledgerpb.ListKnownPartiesResponse{})
		require.Equal(t, codes.PermissionDenied, status.Code(err))
		require.Equal(t, explains, strings.Contains(err.Error(), "ParticipantAdmin"), err)
		s.Eventually(func() bool { return strings.Contains(log.String(), "ParticipantAdmin") }) // always
		answer := s.Call("nobody", "GET", "/v2/parties", nil)
		require.Equal(t, explains, strings.Contains(answer.Text, "ParticipantAdmin"), answer.Text)
	}
}
