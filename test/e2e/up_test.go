package e2e_test

import (
	"errors"
	"net/http"
	"net/http/httptrace"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

func TestUp_PrintsCommandsThatWork(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t))
	printed := n.stdout.String()
	require.Contains(t, printed, "florin: ready")
	for _, expected := range []string{
		n.info.URL, n.info.TemporalUI, n.info.TemporalAddress, n.info.DatabaseURL, n.dir, n.info.DSO, n.info.Operator,
	} {
		require.Contains(t, printed, expected)
	}
	requireAddressesWork(t, n)

	for range 2 { // the same commands work again
		answers := paste(t, n, printed)
		require.Contains(t, answers, "alice::1220")
		require.Contains(t, answers, "minted 20000 CC (100 USD) for alice")
		require.Contains(t, answers, "alice sent 5 CC to bob")
	}

	n.interrupt(t)
	require.Contains(t, n.stdout.String(), "florin: stopped")
	again := up(t, n.dir)
	answers := paste(t, again, again.stdout.String())
	require.Contains(t, again.stdout.String(), "with the wallets of alice, bob.")
	require.Contains(t, answers, "bob       10 CC")
	require.Regexp(t, `alice sent 5 CC to bob +-5 CC +done`, answers)
	require.Contains(t, answers, "alice::1220")
	again.interrupt(t)
}

// requireAddressesWork calls all addresses that up prints.
func requireAddressesWork(t *testing.T, n *upNode) {
	t.Helper()
	for _, page := range []string{
		n.info.URL + "/livez", n.info.URL + "/readyz", n.info.URL + "/docs/openapi",
		n.info.TemporalUI,
	} {
		response, err := http.Get(page)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusOK, response.StatusCode, page)
	}
	_, err := temporalClient(t, n.info.TemporalAddress, "default").CheckHealth(t.Context(), nil)
	require.NoError(t, err)
	connection, err := pgx.Connect(t.Context(), n.info.DatabaseURL)
	require.NoError(t, err)
	require.NoError(t, connection.Ping(t.Context()))
	require.NoError(t, connection.Close(t.Context()))
}

// paste runs the printed commands of up in a shell, and returns their output.
func paste(t *testing.T, n *upNode, printed string) string {
	t.Helper()
	executable, err := binary()
	require.NoError(t, err)
	script := []string{"set -e"}
	for line := range strings.Lines(printed) {
		if command := strings.TrimSpace(line); strings.HasPrefix(command, executable+" ") {
			require.True(t, strings.HasSuffix(command, " --data-dir "+n.dir), command)
			script = append(script, command)
		}
	}
	require.Len(t, script, 4, "three commands:\n%s", printed)
	command := exec.CommandContext(t.Context(), "sh", "-c", strings.Join(script, "\n"))
	command.Env = []string{"PATH=" + os.Getenv("PATH")}
	answers, err := command.CombinedOutput()
	require.NoError(t, err, "%s", answers)
	return string(answers)
}

func TestUp_RefusesADataDirectoryInUse(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t))
	second := run(t, nil, upArguments(n.dir)...)
	require.Equal(t, 1, second.exitCode(t))
	require.Contains(t, second.stderr.String(), "is in use by another florin (pid "+strconv.Itoa(n.PID())+")")
	require.Contains(t, second.stderr.String(), "--data-dir")
	_, err := n.admin().LedgerEnd(t.Context())
	require.NoError(t, err, "the first one goes on")

	taken := strings.TrimPrefix(n.info.URL, "http://")
	third := run(t, nil, "up", "--data-dir", dataDir(t), "--listen", taken, "--temporal-ui-listen", "127.0.0.1:0")
	require.Equal(t, 1, third.exitCode(t))
	require.Contains(t, third.stderr.String(), taken+" is taken by another program")
	require.Contains(t, third.stderr.String(), "--listen")

	takenUI := strings.TrimPrefix(n.info.TemporalUI, "http://")
	fourth := run(t, nil, "up", "--data-dir", dataDir(t), "--listen", "127.0.0.1:0", "--temporal-ui-listen", takenUI)
	require.Equal(t, 1, fourth.exitCode(t))
	require.Contains(t, fourth.stderr.String(), takenUI+" is taken by another program")
	require.Contains(t, fourth.stderr.String(), "--temporal-ui-listen")
}

func TestUp_StopsAtOnceOnASecondInterrupt(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t))
	family := descendants(t, n.PID())
	// An open request delays the stop of the node.
	sent, answered := make(chan struct{}), make(chan error, 1)
	traced := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { close(sent) },
	})
	go func() {
		_, _, err := n.admin().Completions(traced, client.CompletionsRequest{
			Parties: []string{n.info.DSO}, Idle: patience,
		})
		answered <- err
	}()
	<-sent
	_, err := n.admin().LedgerEnd(t.Context())
	require.NoError(t, err, "the node accepts connections in order, so it has the other one")
	require.NoError(t, n.Signal(syscall.SIGINT))
	n.waitFor(t, "florin: stopping")
	await(t, "it ends", func() error {
		select {
		case <-n.Done():
			return nil
		default:
			return errors.Join(n.Signal(syscall.SIGINT), errors.New("it still runs"))
		}
	})
	require.Equal(t, -1, n.exitCode(t), "the signal ended it")
	require.NotContains(t, n.stdout.String(), "florin: stopped")
	require.Error(t, <-answered)
	requireGone(t, n.dir, family)
}

func TestUp_RefusesADataDirectoryOfAnotherRelease(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	require.NoError(t, os.Mkdir(dir, 0o711))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "florin-version"), []byte("999\n"), 0o600))
	refused := run(t, nil, upArguments(dir)...)
	require.Equal(t, 1, refused.exitCode(t))
	require.Contains(t, refused.stderr.String(), `has format version "999"`)
	require.Contains(t, refused.stderr.String(), "use the florin release that wrote it, or choose another directory")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2, "only the lock is new")
}

func TestUp_RefusesAForeignDirectory(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	require.NoError(t, os.Mkdir(dir, 0o711))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "thesis.txt"), []byte("years of work"), 0o600))
	refused := run(t, nil, upArguments(dir)...)
	require.Equal(t, 1, refused.exitCode(t))
	require.Contains(t, refused.stderr.String(), "is not a florin data directory")
	require.Contains(t, refused.stderr.String(), "thesis.txt")
}
