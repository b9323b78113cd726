//go:build long

package e2e_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/daml/dartest"
)

// grpcBase is the package of the services.
const grpcBase = "com.daml.ledger.api.v2."

// TestGRPC_ServesGrpcurl runs grpcurl, which knows the API only by reflection: it uploads a package, makes a user who
// commits contracts, and reads them.
func TestGRPC_ServesGrpcurl(t *testing.T) {
	t.Parallel()
	program, err := grpcurlProgram()
	require.NoError(t, err)
	n := up(t, dataDir(t))
	g := grpcurl{t: t, program: program, address: n.grpcAddress(t)}
	g.needsNoToken()
	user, party := g.with(client.Token(secret, audience, adminUser)).administers()
	g.with(client.Token(secret, audience, user)).commits(user, party)
	requireNoFailures(t, n)
}

// requireNoFailures checks the log: no deadline or refusal of a client is a failure of the node.
func requireNoFailures(t *testing.T, n *upNode) {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(n.dir, "florin.log"))
	require.NoError(t, err)
	for line := range strings.Lines(string(log)) {
		require.NotContains(t, line, `"level":"ERROR"`)
	}
}

// grpcAddress is the address of the gRPC API that env names.
func (n *upNode) grpcAddress(t *testing.T) string {
	t.Helper()
	require.Contains(t, requireDone(t, "env", "--data-dir", n.dir), "FLORIN_GRPC_ADDRESS="+n.info.GRPCAddress+"\n")
	return n.info.GRPCAddress
}

// grpcurlProgram builds grpcurl in the version of grpcclients/go.mod, outside the tree.
var grpcurlProgram = sync.OnceValues(func() (string, error) {
	sums, err := os.ReadFile("grpcclients/go.sum")
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(sums)
	path := filepath.Join(cache, "florin", "grpcurl-"+hex.EncodeToString(sum[:6]))
	build := exec.Command("go", "build", "-buildvcs=false", "-o", path, "github.com/fullstorydev/grpcurl/cmd/grpcurl")
	build.Dir = "grpcclients"
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, said)
	}
	return path, nil
})

// grpcurl calls a node with one token; "" for none.
type grpcurl struct {
	t                       *testing.T
	program, address, token string
}

func (g grpcurl) with(token string) grpcurl {
	g.token = token
	return g
}

// run runs the program: flags, then what follows the address.
func (g grpcurl) run(input string, flags []string, what ...string) (printed, said string, code int) {
	g.t.Helper()
	arguments := append([]string{"-plaintext"}, flags...)
	if g.token != "" {
		arguments = append(arguments, "-H", "Authorization: Bearer "+g.token)
	}
	command := exec.CommandContext(g.t.Context(), g.program, append(append(arguments, g.address), what...)...)
	var stdout, stderr bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(input), &stdout, &stderr
	err := command.Run()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return stdout.String(), stderr.String(), failed.ExitCode()
	}
	require.NoError(g.t, err)
	return stdout.String(), stderr.String(), 0
}

// grpcurlExit is the exit code of grpcurl for a status.
func grpcurlExit(status codes.Code) int {
	if status == codes.OK {
		return 0
	}
	return 64 + int(status)
}

// call sends a request to a method and expects the status.
func (g grpcurl) call(status codes.Code, method string, request any) (printed, said string) {
	g.t.Helper()
	message, err := json.Marshal(request)
	require.NoError(g.t, err)
	printed, said, code := g.run(string(message), []string{"-d", "@"}, method)
	require.Equal(g.t, grpcurlExit(status), code, "%s %s: %s%s", method, message, printed, said)
	return printed, said
}

// messagesOf calls a method that succeeds, and decodes its answers.
func messagesOf[T any](g grpcurl, method string, request any) []T {
	g.t.Helper()
	printed, _ := g.call(codes.OK, method, request)
	return decodeAll[T](g.t, printed)
}

// messageOf calls a method that succeeds with one answer.
func messageOf[T any](g grpcurl, method string, request any) T {
	g.t.Helper()
	all := messagesOf[T](g, method, request)
	require.Len(g.t, all, 1)
	return all[0]
}

// refuses calls a method that fails with a status whose first detail has the reason.
func (g grpcurl) refuses(status codes.Code, reason, method string, request any) (said string) {
	g.t.Helper()
	_, said = g.call(status, method, request)
	require.Contains(g.t, said, "Code: "+status.String())
	const first = `(?s)Details:\s+1\)\s*\{\s*"@type": "type.googleapis.com/google.rpc.ErrorInfo",`
	require.Regexp(g.t, first+`.*"reason": "`+reason+`"`, said)
	return said
}

func decodeAll[T any](t *testing.T, printed string) []T {
	t.Helper()
	var out []T
	for decoder := json.NewDecoder(strings.NewReader(printed)); ; {
		var next T
		err := decoder.Decode(&next)
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err, "%s", printed)
		out = append(out, next)
	}
}

type object = map[string]any

// needsNoToken reads what needs no token, and is refused the rest.
func (g grpcurl) needsNoToken() {
	g.t.Helper()
	listed, _, code := g.run("", nil, "list")
	require.Zero(g.t, code)
	services := strings.Fields(listed)
	require.Subset(g.t, services, []string{
		grpcBase + "CommandCompletionService", grpcBase + "CommandService", grpcBase + "CommandSubmissionService",
		grpcBase + "EventQueryService", grpcBase + "PackageService", grpcBase + "StateService", grpcBase + "UpdateService",
		grpcBase + "VersionService", grpcBase + "admin.PackageManagementService",
		grpcBase + "admin.PartyManagementService", grpcBase + "admin.UserManagementService",
		grpcBase + "interactive.InteractiveSubmissionService", "grpc.health.v1.Health",
	})
	for _, service := range services {
		described, said, code := g.run("", nil, "describe", service)
		require.Zero(g.t, code, "%s: %s", service, said)
		require.Contains(g.t, described, service+" is a service:")
		methods, _, _ := g.run("", nil, "list", service)
		require.Len(g.t, strings.Fields(methods), strings.Count(described, "rpc "))
	}
	described, _, _ := g.run("", nil, "describe", grpcBase+"UpdateService.GetUpdates")
	require.Contains(g.t, described, "returns ( stream ."+grpcBase+"GetUpdatesResponse )")
	described, _, _ = g.run("", nil, "describe", grpcBase+"GetUpdatesRequest")
	require.Contains(g.t, described, "optional int64 end_inclusive = 2;")
	for _, version := range []string{"v1", "v1alpha"} {
		found := messageOf[struct {
			ListServicesResponse struct{ Service []struct{ Name string } }
		}](
			g, "grpc.reflection."+version+".ServerReflection/ServerReflectionInfo", object{"listServices": ""})
		require.Len(g.t, found.ListServicesResponse.Service, len(services))
	}
	require.Equal(g.t, "SERVING", messageOf[struct{ Status string }](g, "grpc.health.v1.Health/Check", object{}).Status)
	g.call(codes.NotFound, "grpc.health.v1.Health/Check", object{"service": "nobody"})

	version := messageOf[struct {
		Version  string
		Features map[string]object
	}](g, grpcBase+"VersionService/GetLedgerApiVersion", object{})
	require.NotEmpty(g.t, version.Version)
	require.Len(g.t, version.Features, 5)
	require.Equal(g.t, true, version.Features["userManagement"]["supported"])
	_, said := g.call(codes.Unauthenticated, grpcBase+"StateService/GetLedgerEnd", object{})
	require.Contains(g.t, said, "Code: Unauthenticated")
	g.with("no.real.token").call(codes.Unauthenticated, grpcBase+"StateService/GetLedgerEnd", object{})
	g.with(client.Token(secret, audience, "nobody")).
		call(codes.PermissionDenied, grpcBase+"VersionService/GetLedgerApiVersion", object{})
}

// administers uploads a package, and makes a user who acts for a party.
func (g grpcurl) administers() (user, party string) {
	g.t.Helper()
	const users = grpcBase + "admin.UserManagementService/"
	own := messageOf[struct{ Rights []object }](g, users+"ListUserRights", object{})
	require.Contains(g.t, own.Rights, object{"participantAdmin": object{}})

	dar := dartest.Build(g.t, dartest.Notes("grpc-notes", "1.0.0", ", mood: Optional Text"))
	messageOf[object](g, grpcBase+"admin.PackageManagementService/UploadDarFile",
		object{"darFile": base64.StdEncoding.EncodeToString(dar)})
	known := messageOf[struct {
		PackageDetails []struct{ Name, Version string }
	}](
		g, grpcBase+"admin.PackageManagementService/ListKnownPackages", object{})
	require.Contains(g.t, known.PackageDetails, struct{ Name, Version string }{"grpc-notes", "1.0.0"})
	g.refuses(codes.InvalidArgument, "DAR_PARSE_ERROR", grpcBase+"admin.PackageManagementService/UploadDarFile",
		object{"darFile": base64.StdEncoding.EncodeToString([]byte("no archive"))})

	const allocate = grpcBase + "admin.PartyManagementService/AllocateParty"
	allocated := messageOf[struct {
		PartyDetails struct {
			Party   string
			IsLocal bool
		}
	}](g, allocate, object{"partyIdHint": "ann"})
	party = allocated.PartyDetails.Party
	require.True(g.t, allocated.PartyDetails.IsLocal)
	require.True(g.t, strings.HasPrefix(party, "ann::1220"))
	g.refuses(codes.InvalidArgument, "INVALID_ARGUMENT", allocate, object{"partyIdHint": "ann"})

	user = "ann-user"
	created := messageOf[struct {
		User struct{ ID, PrimaryParty string }
	}](g, users+"CreateUser", object{
		"user": object{"id": user, "primaryParty": party},
	})
	require.Equal(g.t, user, created.User.ID)
	require.Equal(g.t, party, created.User.PrimaryParty)
	act := object{"canActAs": object{"party": party}}
	request := object{"userId": user, "rights": []object{act}}
	granted := messageOf[struct{ NewlyGrantedRights []object }](g, users+"GrantUserRights", request)
	require.Equal(g.t, []object{act}, granted.NewlyGrantedRights)
	require.Empty(g.t, messageOf[object](g, users+"GrantUserRights", request), "no right is new")
	g.refuses(codes.NotFound, "USER_NOT_FOUND", users+"GetUser", object{"userId": "nobody"})
	return user, party
}
