package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/devnet/runfile"
	"github.com/florinledger/florin/test/calls"
)

const (
	// adminUser is a participant administrator of a fresh node, with LocalNet's name; it may read as the DSO.
	adminUser = "ledger-api-user"
	secret    = "unsafe"
	audience  = "https://canton.network.global"
	// upReady is the last line that up prints before it waits.
	upReady = "Ctrl-C stops everything."
)

// endpoint is a node's address for clients.
type endpoint struct {
	url    string
	client *client.Client
	// calls is for the gRPC API; nil without it.
	calls *calls.Client
}

func newEndpoint(t *testing.T, url string) endpoint {
	t.Helper()
	client := client.New(url, 64)
	t.Cleanup(client.Close)
	return endpoint{url: url, client: client}
}

// withCalls is the same endpoint with the address of its gRPC API.
func (e endpoint) withCalls(t *testing.T, address string) endpoint {
	t.Helper()
	var err error
	e.calls, err = calls.Dial(address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.calls.Close() })
	return e
}

func (e endpoint) as(user string) *client.Client {
	return e.client.With(client.Token(secret, audience, user))
}

func (e endpoint) admin() *client.Client { return e.as(adminUser) }

// upNode is a running `florin up`.
type upNode struct {
	*program
	endpoint
	dir  string
	info runfile.Info
}

// dataDir makes a directory for `florin up` that is deleted when the test ends. Its path is short, because Unix sockets
// are below it, and the account of PostgreSQL may enter it.
func dataDir(t *testing.T) string {
	t.Helper()
	parent, err := os.MkdirTemp("/tmp", "florin-e2e-") //nolint:usetesting // t.TempDir is too long for a Unix socket
	require.NoError(t, err)
	require.NoError(t, os.Chmod(parent, 0o711))
	t.Cleanup(func() {
		if t.Failed() {
			logTails(t, filepath.Join(parent, "data"))
		}
		require.NoError(t, os.RemoveAll(parent))
	})
	return filepath.Join(parent, "data")
}

func logTails(t *testing.T, dir string) {
	t.Helper()
	const most = 6000
	for _, name := range []string{"florin.log", "temporal.log", "postgres.log"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			t.Logf("%s ends with:\n%s", name, content[max(0, len(content)-most):])
		}
	}
}

func upArguments(dir string, flags ...string) []string {
	return append([]string{
		"up", "--data-dir", dir, "--listen", "127.0.0.1:0", "--temporal-ui-listen", "127.0.0.1:0",
	}, flags...)
}

// up starts a whole node on free ports and returns when it is ready.
func up(t *testing.T, dir string, flags ...string) *upNode {
	t.Helper()
	n := &upNode{program: start(t, nil, upArguments(dir, flags...)...), dir: dir}
	n.awaitReady(t)
	return n
}

// awaitReady waits until the node is ready, and reads its addresses.
func (n *upNode) awaitReady(t *testing.T) {
	t.Helper()
	n.waitFor(t, upReady)
	var err error
	n.info, err = runfile.Read(n.dir)
	require.NoError(t, err)
	require.Equal(t, n.PID(), n.info.PID)
	n.endpoint = newEndpoint(t, n.info.URL)
	if n.info.GRPCAddress != "" {
		n.endpoint = n.withCalls(t, n.info.GRPCAddress)
	}
}

// interrupt stops the node as Ctrl-C does, and checks that it succeeds and leaves no process behind.
func (n *upNode) interrupt(t *testing.T) {
	t.Helper()
	family := descendants(t, n.PID())
	require.NoError(t, n.Signal(syscall.SIGINT))
	n.waitEnd(t)
	require.Equal(t, 0, n.exitCode(t), "it said: %s", n.stderr)
	requireGone(t, n.dir, family)
	require.NoFileExists(t, filepath.Join(n.dir, runfile.Name))
}

// servedNode is a running serve, api or worker.
type servedNode struct {
	*program
	endpoint
	what string
}

// launch starts a part of an installation: serve, api or worker.
func launch(t *testing.T, what string, at installation, flags ...string) *servedNode {
	t.Helper()
	arguments := append([]string{what, "--listen", "127.0.0.1:0", "--log-level", "warn", "--stop-delay", "0s"}, flags...)
	return &servedNode{program: start(t, at.environment(), arguments...), what: what}
}

// awaitReady waits until it is ready, and reads its address.
func (n *servedNode) awaitReady(t *testing.T) {
	t.Helper()
	const ready = "florin: ready at "
	n.waitFor(t, ready+"http://")
	n.waitFor(t, "\n")
	said := n.stdout.String()
	_, rest, _ := strings.Cut(said, ready)
	url, _, _ := strings.Cut(rest, "\n")
	n.endpoint = newEndpoint(t, url)
	if _, rest, served := strings.Cut(said, "florin: gRPC at "); served {
		address, _, _ := strings.Cut(rest, "\n")
		n.endpoint = n.withCalls(t, address)
	}
}

// serve starts a part of an installation and returns when it is ready.
func serve(t *testing.T, what string, at installation, flags ...string) *servedNode {
	t.Helper()
	n := launch(t, what, at, flags...)
	n.awaitReady(t)
	return n
}

// interrupt stops it as a supervisor of services does.
func (n *servedNode) interrupt(t *testing.T) {
	t.Helper()
	require.NoError(t, n.Signal(syscall.SIGTERM))
	n.waitEnd(t)
	require.Equal(t, 0, n.exitCode(t), "it said: %s", n.stderr)
}

// account is a user and the parties it acts for.
type account struct {
	user    string
	parties []string
	*client.Client
}

// newAccount allocates parties by hint and creates a user who acts for them and reads as the DSO.
func newAccount(t *testing.T, e endpoint, dso, user string, hints ...string) account {
	t.Helper()
	a := account{user: user}
	var rights []client.Right
	if dso != "" {
		rights = append(rights, client.CanReadAs(dso))
	}
	for _, hint := range hints {
		party, err := e.admin().AllocateParty(t.Context(), hint, "")
		require.NoError(t, err)
		a.parties = append(a.parties, party)
		rights = append(rights, client.CanActAs(party))
	}
	require.NoError(t, e.admin().CreateUser(t.Context(), user, a.parties[0], rights...))
	a.Client = e.as(user)
	return a
}

// party is the first party of the account.
func (a account) party() string { return a.parties[0] }

// token is a token of the account's user.
func (a account) token() string { return client.Token(secret, audience, a.user) }

// on is the same account at another node.
func (a account) on(e endpoint) account {
	a.Client = e.as(a.user)
	return a
}

// findDSO asks a node for its DSO party.
func findDSO(t *testing.T, e endpoint) string {
	t.Helper()
	parties, err := e.admin().Parties(t.Context(), "DSO::")
	require.NoError(t, err)
	require.Len(t, parties, 1)
	return parties[0]
}

// tap is a submission that mints coin for the account's first party.
func (a account) tap(coin client.Coin, commandID string, amount int) client.Commands {
	return client.Commands{
		CommandID: commandID, ActAs: a.parties[:1], ReadAs: []string{coin.DSO},
		Commands: []client.Command{coin.Tap(a.parties[0], strconv.Itoa(amount)+".0")},
	}
}

// completionsFrom reads all completions of the account's user after an offset, page by page.
func (a account) completionsFrom(ctx context.Context, after int64) ([]client.Completion, error) {
	const page = 100
	var all []client.Completion
	for {
		found, reached, err := a.Completions(ctx, client.CompletionsRequest{
			Parties: a.parties, BeginExclusive: after, Limit: page,
		})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
		if len(found) == 0 {
			return all, nil
		}
		if reached <= after {
			return nil, fmt.Errorf("completions after %d reach %d: no progress", after, reached)
		}
		after = reached
	}
}

// awaitCompletion waits for the completion of a command.
func (a account) awaitCompletion(t *testing.T, commandID string) client.Completion {
	t.Helper()
	var completion client.Completion
	await(t, "completion of "+commandID, func() error {
		all, err := a.completionsFrom(t.Context(), 0)
		for _, candidate := range all {
			if candidate.CommandID == commandID {
				completion = candidate
				return nil
			}
		}
		if err == nil {
			err = fmt.Errorf("%d completions and none of %s", len(all), commandID)
		}
		return err
	})
	return completion
}
