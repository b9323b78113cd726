package e2e_test

import (
	"encoding/json"
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

	"github.com/florinledger/florin/ledgerclient"
)

func TestUpPrintsLinesThatWorkWhenPasted(t *testing.T) {
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

	answers := paste(t, printed)
	require.Len(t, answers, 3)
	var allocated struct {
		PartyDetails struct {
			Party string `json:"party"`
		} `json:"partyDetails"`
	}
	require.NoError(t, json.Unmarshal([]byte(answers[0]), &allocated), answers[0])
	require.Regexp(t, "^alice::1220[0-9a-f]{64}$", allocated.PartyDetails.Party)
	var minted ledgerclient.Outcome
	require.NoError(t, json.Unmarshal([]byte(answers[1]), &minted), answers[1])
	require.NotEmpty(t, minted.UpdateID)
	var completions []struct {
		CompletionResponse map[string]struct {
			Value ledgerclient.Completion `json:"value"`
		} `json:"completionResponse"`
	}
	require.NoError(t, json.Unmarshal([]byte(answers[2]), &completions), answers[2])
	require.NotEmpty(t, completions)
	completion := completions[0].CompletionResponse["Completion"].Value
	require.Equal(t, minted.UpdateID, completion.UpdateID)
	require.Equal(t, minted.CompletionOffset, completion.Offset)
	require.Equal(t, []string{allocated.PartyDetails.Party}, completion.ActAs)

	n.interrupt(t)
	require.Contains(t, n.stdout.String(), "florin: stopped")
}

// requireAddressesWork asks everything that up says it has started.
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

// paste runs the token's line and the curl lines that up printed in a shell, as a person would, and returns the line
// that each answered.
func paste(t *testing.T, printed string) []string {
	t.Helper()
	_, err := exec.LookPath("curl")
	require.NoError(t, err, "the printed lines need curl: apt-get install curl")
	script := []string{"set -e"}
	for line := range strings.Lines(printed) {
		if strings.HasPrefix(line, "TOKEN=") || strings.HasPrefix(line, "curl ") {
			script = append(script, strings.TrimSuffix(line, "\n"))
		}
	}
	require.Len(t, script, 5, "a token and three curl lines:\n%s", printed)
	command := exec.CommandContext(t.Context(), "sh", "-c", strings.Join(script, "\n"))
	command.Env = []string{"PATH=" + os.Getenv("PATH")}
	answers, err := command.CombinedOutput()
	require.NoError(t, err, "%s", answers)
	return strings.Split(strings.TrimSpace(string(answers)), "\n")
}

func TestASecondUpOnADataDirectoryIsRefused(t *testing.T) {
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

func TestASecondInterruptEndsUpAtOnce(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t))
	family := descendants(t, n.PID())
	// A request that waits keeps the node from stopping.
	sent, answered := make(chan struct{}), make(chan error, 1)
	traced := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { close(sent) },
	})
	go func() {
		_, _, err := n.admin().Completions(traced, ledgerclient.CompletionsRequest{
			Parties: []string{n.info.DSO}, Idle: patience,
		})
		answered <- err
	}()
	<-sent
	_, err := n.admin().LedgerEnd(t.Context())
	require.NoError(t, err, "connections are accepted in turn, so the other one is there")
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

func TestUpRefusesADataDirectoryOfAnotherRelease(t *testing.T) {
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
	require.Len(t, entries, 2, "it left the lock and nothing else")
}

func TestUpRefusesADirectoryOfSomebodyElse(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	require.NoError(t, os.Mkdir(dir, 0o711))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "thesis.txt"), []byte("years of work"), 0o600))
	refused := run(t, nil, upArguments(dir)...)
	require.Equal(t, 1, refused.exitCode(t))
	require.Contains(t, refused.stderr.String(), "is not a florin data directory")
	require.Contains(t, refused.stderr.String(), "thesis.txt")
}
