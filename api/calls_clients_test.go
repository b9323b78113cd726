package api_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/test/apitest"
)

// The calls of programs that many applications run, in their order and with the fields that they set.

const calls = "/com.daml.ledger.api.v2."

// program is a client of the gRPC API.
type program struct {
	t     *testing.T
	conn  *grpc.ClientConn
	token string
}

func (p program) context(ctx context.Context) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+p.token)
}

// call calls a method that succeeds.
func (p program) call(method string, in, out proto.Message) {
	p.t.Helper()
	require.NoError(p.t, p.conn.Invoke(p.context(p.t.Context()), calls+method, in, out), method)
}

// open opens a stream, which ends with the test.
func (p program) open(method string, in proto.Message) grpc.ClientStream {
	p.t.Helper()
	stream, err := p.conn.NewStream(p.context(p.t.Context()), &grpc.StreamDesc{ServerStreams: true}, calls+method)
	require.NoError(p.t, err)
	require.NoError(p.t, stream.SendMsg(in))
	require.NoError(p.t, stream.CloseSend())
	return stream
}

// maskNode is a node with the package of faces and two of masks: the view of one works, that of the other does not.
type maskNode struct {
	*apitest.Server
	t     *testing.T
	alice ledger.Party
	face  dartest.Package
}

func newMaskNode(t *testing.T) *maskNode {
	t.Helper()
	s := apitest.New(t, eager())
	n := &maskNode{Server: s, t: t, alice: s.Party("alice"), face: dartest.Compile(t, dartest.Faces)}
	s.ActingAs("alice", n.alice)
	n.upload("plain", "M:Mask {text} this")
	n.upload("broken", "M:endless (M:Mask {text} this)")
	return n
}

func (n *maskNode) upload(name, text string) {
	n.t.Helper()
	dar := dartest.DAR(n.t, dartest.Compile(n.t, dartest.Masks(name, n.face, text)), n.face)
	n.Call(apitest.Admin, http.MethodPost, "/v2/dars", string(dar)).OK(nil)
}

// mask creates a mask of alice.
func (n *maskNode) mask(name, text string) {
	n.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", object{
		"commandId": uuid.NewString(), "actAs": []ledger.Party{n.alice}, "commands": []object{{"CreateCommand": object{
			"templateId": "#" + name + ":M:Mask", "createArguments": object{"owner": n.alice, "text": text},
		}}},
	}).OK(nil)
}

// archive archives a mask of alice.
func (n *maskNode) archive(mask *ledgerpb.CreatedEvent) {
	n.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", object{
		"commandId": uuid.NewString(), "actAs": []ledger.Party{n.alice}, "commands": []object{{"ExerciseCommand": object{
			"templateId": "#" + mask.GetPackageName() + ":M:Mask", "contractId": mask.GetContractId(), "choice": "Archive",
			"choiceArgument": object{},
		}}},
	}).OK(nil)
}

func (n *maskNode) program(user string) program {
	return program{t: n.t, conn: n.Calls(), token: apitest.Token(n.t, user)}
}

// pqsFilters are the filters of the Participant Query Store: everything, a view of each interface, and blobs of a
// template.
func pqsFilters() *ledgerpb.Filters {
	name := func(pkg, module, entity string) *ledgerpb.Identifier {
		return &ledgerpb.Identifier{PackageId: pkg, ModuleName: module, EntityName: entity}
	}
	return &ledgerpb.Filters{Cumulative: []*ledgerpb.CumulativeFilter{
		{IdentifierFilter: &ledgerpb.CumulativeFilter_WildcardFilter{WildcardFilter: &ledgerpb.WildcardFilter{}}},
		{IdentifierFilter: &ledgerpb.CumulativeFilter_InterfaceFilter{InterfaceFilter: &ledgerpb.InterfaceFilter{
			InterfaceId: name("#faces", "F", "Face"), IncludeInterfaceView: true,
		}}},
		{IdentifierFilter: &ledgerpb.CumulativeFilter_InterfaceFilter{InterfaceFilter: &ledgerpb.InterfaceFilter{
			InterfaceId: name("#api-test", "Api.Test", "Valued"), IncludeInterfaceView: true,
		}}},
		{IdentifierFilter: &ledgerpb.CumulativeFilter_TemplateFilter{TemplateFilter: &ledgerpb.TemplateFilter{
			TemplateId: name("#plain", "M", "Mask"), IncludeCreatedEventBlob: true,
		}}},
	}}
}

// packages lists the packages and fetches each.
func (p program) packages() []string {
	p.t.Helper()
	listed := &ledgerpb.ListPackagesResponse{}
	p.call("PackageService/ListPackages", &ledgerpb.ListPackagesRequest{}, listed)
	for _, id := range listed.GetPackageIds() {
		got := &ledgerpb.GetPackageResponse{}
		p.call("PackageService/GetPackage", &ledgerpb.GetPackageRequest{PackageId: id}, got)
		sum := sha256.Sum256(got.GetArchivePayload())
		require.Equal(p.t, id, hex.EncodeToString(sum[:]))
		require.Equal(p.t, id, got.GetHash())
	}
	return listed.GetPackageIds()
}

// readsActive reads the contracts to start with.
func (p program) readsActive(offset int64, format *ledgerpb.EventFormat) {
	p.t.Helper()
	stream := p.open("StateService/GetActiveContracts", &ledgerpb.GetActiveContractsRequest{
		ActiveAtOffset: offset, EventFormat: format,
	})
	found := map[string]bool{}
	for {
		entry := &ledgerpb.GetActiveContractsResponse{}
		err := stream.RecvMsg(entry)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(p.t, err)
		created := entry.GetActiveContract().GetCreatedEvent()
		if created.GetTemplateId().GetEntityName() == "Mask" {
			found[created.GetPackageName()] = true
			requireMask(p.t, created, created.GetPackageName(), "")
		}
	}
	require.Equal(p.t, map[string]bool{"plain": true, "broken": true}, found)
}

// maskIn is the mask that a transaction creates, with the trace of its submission.
func maskIn(t *testing.T, transaction *ledgerpb.Transaction) *ledgerpb.CreatedEvent {
	t.Helper()
	require.Regexp(t, "^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$", transaction.GetTraceContext().GetTraceparent())
	require.Len(t, transaction.GetEvents(), 1)
	return transaction.GetEvents()[0].GetCreated()
}

// requireMask checks a mask with a text; "" for any. A view that fails has a status and no value.
func requireMask(t *testing.T, created *ledgerpb.CreatedEvent, name, text string) {
	t.Helper()
	require.Equal(t, name, created.GetPackageName())
	require.Equal(t, created.GetTemplateId().GetPackageId(), created.GetRepresentativePackageId())
	fields := created.GetCreateArguments().GetFields()
	require.Len(t, fields, 2)
	require.Empty(t, fields[0].GetLabel())
	require.Nil(t, created.GetCreateArguments().GetRecordId())
	if text != "" {
		require.Equal(t, text, fields[1].GetValue().GetText())
	}
	require.Equal(t, name == "plain", len(created.GetCreatedEventBlob()) > 0)
	require.Len(t, created.GetInterfaceViews(), 1)
	view := created.GetInterfaceViews()[0]
	require.Equal(t, "Face", view.GetInterfaceId().GetEntityName())
	if name == "broken" {
		require.NotZero(t, view.GetViewStatus().GetCode())
		require.Contains(t, view.GetViewStatus().GetMessage(), "INTERPRETATION_TIME_EXCEEDED")
		require.Nil(t, view.GetViewValue())
		return
	}
	require.Zero(t, view.GetViewStatus().GetCode())
	require.Equal(t, fields[1].GetValue().GetText(), view.GetViewValue().GetFields()[0].GetValue().GetText())
}

// contract: grpc-clients
func TestCalls_ServeTheQueryStore(t *testing.T) {
	t.Parallel()
	n := newMaskNode(t)
	n.mask("plain", "first")
	n.mask("broken", "first")
	n.Rights("by-party", ledger.Right{Kind: ledger.CanReadAs, Party: n.alice})
	n.Rights("any-party", ledger.Right{Kind: ledger.CanReadAsAnyParty})
	byParty := &ledgerpb.EventFormat{FiltersByParty: map[string]*ledgerpb.Filters{string(n.alice): pqsFilters()}}
	anyParty := &ledgerpb.EventFormat{FiltersForAnyParty: pqsFilters()}
	for i, c := range []struct {
		user   string
		shape  ledgerpb.TransactionShape
		format *ledgerpb.EventFormat
	}{
		{"by-party", ledgerpb.TransactionShape_TRANSACTION_SHAPE_ACS_DELTA, byParty},
		{"any-party", ledgerpb.TransactionShape_TRANSACTION_SHAPE_LEDGER_EFFECTS, anyParty},
	} {
		p := n.program(c.user)
		for range 2 { // at once, and again as its own sign of life
			version := &ledgerpb.GetLedgerApiVersionResponse{}
			p.call("VersionService/GetLedgerApiVersion", &ledgerpb.GetLedgerApiVersionRequest{}, version)
			require.True(t, version.GetFeatures().GetUserManagement().GetSupported())
		}
		require.Len(t, p.packages(), 3+i, "and those of the round before")
		rights := &ledgerpb.ListUserRightsResponse{}
		p.call("admin.UserManagementService/ListUserRights", &ledgerpb.ListUserRightsRequest{}, rights)
		require.Len(t, rights.GetRights(), 1)
		pruned := &ledgerpb.GetLatestPrunedOffsetsResponse{}
		p.call("StateService/GetLatestPrunedOffsets", &ledgerpb.GetLatestPrunedOffsetsRequest{}, pruned)
		require.Zero(t, pruned.GetParticipantPrunedUpToInclusive())
		end := &ledgerpb.GetLedgerEndResponse{}
		p.call("StateService/GetLedgerEnd", &ledgerpb.GetLedgerEndRequest{}, end)
		p.readsActive(end.GetOffset(), c.format)

		updates := p.open("UpdateService/GetUpdates", &ledgerpb.GetUpdatesRequest{
			BeginExclusive: end.GetOffset(), UpdateFormat: &ledgerpb.UpdateFormat{
				IncludeTransactions: &ledgerpb.TransactionFormat{EventFormat: c.format, TransactionShape: c.shape},
			},
		})
		n.mask("broken", c.user)
		requireMask(t, maskIn(t, nextTransaction(t, updates)), "broken", c.user)
		later := "later-" + c.user
		n.upload(later, "M:Mask {text} this")
		n.mask(later, c.user)
		shown := maskIn(t, nextTransaction(t, updates))
		require.Equal(t, later, shown.GetPackageName())
		require.Contains(t, p.packages(), shown.GetTemplateId().GetPackageId(), "it lists and fetches the packages again")
		n.archive(shown)
		gone := nextTransaction(t, updates).GetEvents()[0]
		if c.shape == ledgerpb.TransactionShape_TRANSACTION_SHAPE_ACS_DELTA {
			require.Equal(t, shown.GetContractId(), gone.GetArchived().GetContractId())
		} else {
			require.Equal(t, shown.GetContractId(), gone.GetExercised().GetContractId())
			require.True(t, gone.GetExercised().GetConsuming())
		}
		n.Call(apitest.Admin, http.MethodPost, "/v2/package-vetting", object{"changes": []object{{"operation": object{
			"Unvet": object{"value": object{"packages": []object{{
				"packageId": shown.GetTemplateId().GetPackageId(), "packageName": "", "packageVersion": "",
			}}}},
		}}}}).OK(nil)
	}

	admin := n.program(apitest.Admin) // what it asks a node without tokens
	participant := &ledgerpb.GetParticipantIdResponse{}
	admin.call("admin.PartyManagementService/GetParticipantId", &ledgerpb.GetParticipantIdRequest{}, participant)
	require.NotEmpty(t, participant.GetParticipantId())
	known := &ledgerpb.ListKnownPartiesResponse{}
	admin.call("admin.PartyManagementService/ListKnownParties", &ledgerpb.ListKnownPartiesRequest{}, known)
	require.NotEmpty(t, known.GetPartyDetails())
}

// The backend of the reference application sends no user and no submission id, names packages, and reads by position.
//
// contract: grpc-clients
func TestCalls_ServeTheReferenceBackend(t *testing.T) {
	t.Parallel()
	n := newMaskNode(t)
	provider := n.Party("provider")
	n.ActingAs("provider", provider)
	n.mask("plain", "disclosed")
	mask := n.blobOf("plain")

	commands := func(choice string) *ledgerpb.Commands {
		return &ledgerpb.Commands{
			CommandId: uuid.NewString(), WorkflowId: "licence", ActAs: []string{string(provider)},
			ReadAs: []string{string(provider)},
			Commands: []*ledgerpb.Command{{Command: &ledgerpb.Command_Exercise{Exercise: &ledgerpb.ExerciseCommand{
				TemplateId: &ledgerpb.Identifier{PackageId: "#plain", ModuleName: "M", EntityName: "Mask"},
				ContractId: mask.GetContractId(), Choice: choice, ChoiceArgument: &ledgerpb.Value{Sum: &ledgerpb.Value_Record{
					Record: &ledgerpb.Record{Fields: []*ledgerpb.RecordField{{
						Label: "viewer", Value: &ledgerpb.Value{Sum: &ledgerpb.Value_Party{Party: string(provider)}},
					}}},
				}},
			}}}},
			DisclosedContracts: []*ledgerpb.DisclosedContract{{
				TemplateId: mask.GetTemplateId(), ContractId: mask.GetContractId(), CreatedEventBlob: mask.GetCreatedEventBlob(),
			}},
		}
	}
	submitted := commands("Look")
	n.program("provider").call("CommandSubmissionService/Submit", &ledgerpb.SubmitRequest{Commands: submitted},
		&ledgerpb.SubmitResponse{})
	done := &ledgerpb.SubmitAndWaitForTransactionResponse{}
	for choice, requireResult := range map[string]func(*ledgerpb.Value){
		"Look":   func(result *ledgerpb.Value) { require.Equal(t, "disclosed", result.GetText()) },
		"Forget": func(result *ledgerpb.Value) { require.NotNil(t, result.GetOptional(), "None is a value") },
	} {
		n.program("provider").call("CommandService/SubmitAndWaitForTransaction", // each call has a new token
			&ledgerpb.SubmitAndWaitForTransactionRequest{Commands: commands(choice), TransactionFormat: &ledgerpb.TransactionFormat{
				TransactionShape: ledgerpb.TransactionShape_TRANSACTION_SHAPE_LEDGER_EFFECTS,
				EventFormat:      &ledgerpb.EventFormat{FiltersByParty: map[string]*ledgerpb.Filters{string(provider): {}}},
			}}, done)
		require.Equal(t, "licence", done.GetTransaction().GetWorkflowId())
		require.Positive(t, done.GetTransaction().GetOffset())
		requireResult(done.GetTransaction().GetEvents()[0].GetExercised().GetExerciseResult())
	}

	completions := n.program("provider").open("CommandCompletionService/CompletionStream",
		&ledgerpb.CompletionStreamRequest{Parties: []string{string(provider)}})
	first := &ledgerpb.CompletionStreamResponse{}
	require.NoError(t, completions.RecvMsg(first))
	require.Equal(t, submitted.GetCommandId(), first.GetCompletion().GetCommandId())
	require.Equal(t, "provider", first.GetCompletion().GetUserId())
	require.Zero(t, first.GetCompletion().GetStatus().GetCode())

	hidden := commands("Look")
	hidden.DisclosedContracts = nil
	p := n.program("provider")
	err := p.conn.Invoke(p.context(t.Context()), calls+"CommandService/SubmitAndWaitForTransaction",
		&ledgerpb.SubmitAndWaitForTransactionRequest{Commands: hidden}, done)
	require.Equal(t, codes.NotFound, status.Code(err))
}

// blobOf is the first mask of a package, with its blob.
func (n *maskNode) blobOf(name string) *ledgerpb.CreatedEvent {
	n.t.Helper()
	p := n.program("alice")
	end := &ledgerpb.GetLedgerEndResponse{}
	p.call("StateService/GetLedgerEnd", &ledgerpb.GetLedgerEndRequest{}, end)
	stream := p.open("StateService/GetActiveContracts", &ledgerpb.GetActiveContractsRequest{
		ActiveAtOffset: end.GetOffset(), EventFormat: &ledgerpb.EventFormat{FiltersByParty: map[string]*ledgerpb.Filters{
			string(n.alice): {Cumulative: []*ledgerpb.CumulativeFilter{{
				IdentifierFilter: &ledgerpb.CumulativeFilter_TemplateFilter{TemplateFilter: &ledgerpb.TemplateFilter{
					TemplateId:              &ledgerpb.Identifier{PackageId: "#" + name, ModuleName: "M", EntityName: "Mask"},
					IncludeCreatedEventBlob: true,
				}},
			}}},
		}},
	})
	entry := &ledgerpb.GetActiveContractsResponse{}
	require.NoError(n.t, stream.RecvMsg(entry))
	return entry.GetActiveContract().GetCreatedEvent()
}
