package e2e_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
)

// mistake is a wrong command line: its exit code, and parts of its one or two lines of output.
type mistake struct {
	line string
	code int
	says []string
}

// try runs the mistake with additional flags.
func (m mistake) try(t *testing.T, flags ...string) {
	t.Helper()
	ended := run(t, nil, append(strings.Fields(m.line), flags...)...)
	said := ended.stderr.String()
	require.Equal(t, m.code, ended.exitCode(t), "it said: %s", said)
	require.Empty(t, ended.stdout.String(), "nothing but the error is printed")
	require.True(t, strings.HasPrefix(said, "florin: "), said)
	require.LessOrEqual(t, strings.Count(said, "\n"), 2, "one or two lines: %s", said)
	for _, words := range m.says {
		require.Contains(t, said, words)
	}
}

func TestCLI_ExplainsWrongCommandLines(t *testing.T) {
	t.Parallel()
	for _, m := range []mistake{
		{"ballance", 2, []string{"unknown command ballance", "did you mean balance?", "`florin --help`"}},
		{"party nwe alice", 2, []string{"unknown command nwe", "did you mean new?", "`florin party --help`"}},
		{"party", 2, []string{"missing: one of the commands new, list", "`florin party --help`"}},
		{"party new", 2, []string{"missing: <name>", "`florin party new --help`"}},
		{"tap alice", 2, []string{"missing: <amount>", "`florin tap --help`"}},
		{"tap alice ten", 2, []string{`not a decimal number: "ten"`, "12.5"}},
		{"tap alice 0", 2, []string{"0: an amount must be above 0"}},
		{"tap alice 0.00000000001", 2, []string{"0.00000000001", "give at most 10"}},
		{"send alice bob -5", 2, []string{"-5: the number must be above 0"}},
		{"test my.dar --timeout -5s", 2, []string{"--timeout -5s: the number must be above 0"}},
		{"test my.dar --timeout --json", 2, []string{"--timeout: its value is missing"}},
		{"test my.dar --junit=", 2, []string{"--junit", "the name of a file is missing"}},
		{"send alice bob", 2, []string{"missing: <amount>"}},
		{"send alice bob 5 6", 2, []string{"unknown argument 6"}},
		{"send alice bob 5 --expires=-1h", 2, []string{"--expires=-1h0m0s: it must be above 0"}},
		{"send alice bob 5 --not tea", 2, []string{"unknown flag --not", "did you mean --note?"}},
		{"history alice --limit 0", 2, []string{"--limit=0: it must be 1 to 1000"}},
		{"balance --json --quiet", 2, []string{"--json and --quiet can't be used together"}},
		{"balance --token a --token-file b", 2, []string{"--token and --token-file are both given"}},
		{"balance --token-file /nowhere", 2, []string{"--token-file=/nowhere cannot be read"}},
		{"balance --url nowhere", 2, []string{"--url=nowhere", "--url http://127.0.0.1:7575"}},
		{"offers accept bob 00ab --all", 2, []string{"--all and ids of offers are both given"}},
		{"up --log-level loud", 2, []string{`--log-level must be one of "debug","info","warn","error"`, "loud"}},
		{"serve --log-format xml", 2, []string{`--log-format must be one of "auto","text","json"`, "xml"}},
		{"log level loud", 2, []string{"must be one of", "debug", "loud"}},
		{"up --clock sundial", 2, []string{"--clock must be one of", "sundial"}},
		{"updates alice --after minus", 2, []string{"--after", "minus"}},
		{"logs nonsense", 2, []string{"<log>", "nonsense"}},
		{"completion tcsh", 2, []string{"bash", "tcsh"}},
		{"submit", 2, []string{"missing: <file>"}},
		{"token", 2, []string{"--user"}},
		{"help nonsense", 2, []string{"unknown command nonsense"}},
	} {
		t.Run(m.line, func(t *testing.T) {
			t.Parallel()
			m.try(t)
		})
	}
}

// TestCompletion_PrintsShellScripts completes a command in bash.
func TestCompletion_PrintsShellScripts(t *testing.T) {
	t.Parallel()
	executable, err := binary()
	require.NoError(t, err)
	script := `source <(` + executable + ` completion bash)
		COMP_WORDS=(` + executable + ` party ne); COMP_CWORD=2; _florin; echo "${COMPREPLY[@]}"
		COMP_WORDS=(` + executable + ` send a b 5 --not); COMP_CWORD=5; _florin; echo "${COMPREPLY[@]}"`
	output, err := exec.CommandContext(t.Context(), "bash", "-c", script).CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Equal(t, "new\n--note\n", string(output))
	require.Contains(t, requireDone(t, "completion", "zsh"), "#compdef florin")
	require.Contains(t, requireDone(t, "completion", "fish"), "complete -c florin")
}

func TestCLI_GroupsHelpAndPrintsTheVersion(t *testing.T) {
	t.Parallel()
	help := requireDone(t, "--help")
	position := -1
	for _, part := range []string{"First steps", "  up ", "  party ", "  tap ", "  send ", "Operation", "  serve "} {
		found := strings.Index(help, part)
		require.Greater(t, found, position, "%s is behind what is more often used:\n%s", part, help)
		position = found
	}
	require.Equal(t, help, requireDone(t, "help"))
	require.Equal(t, help, requireDone(t))
	require.Equal(t, requireDone(t, "party", "new", "--help"), requireDone(t, "help", "party", "new"))
	require.Equal(t, requireDone(t, "version"), requireDone(t, "--version"))
}

// TestCLI_ExplainsAMissingNode tries addresses without a node, nodes that start or close the connection, and other
// servers.
func TestCLI_ExplainsAMissingNode(t *testing.T) {
	t.Parallel()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<html>welcome</html>"))
	}))
	t.Cleanup(page.Close)
	hangsUp := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(hangsUp.Close)
	older := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"error":"The requested resource could not be found: /v0/wallet/balance"}`))
	}))
	t.Cleanup(older.Close)

	empty, starting := t.TempDir(), t.TempDir()
	lock, err := os.Create(filepath.Join(starting, "lock"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, lock.Close()) })
	require.NoError(t, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX))

	token := client.Token(secret, audience, "alice")
	for name, m := range map[string]mistake{
		"no node at the address": {
			"balance alice --url http://127.0.0.1:1", 3, []string{"no node answers at http://127.0.0.1:1", "`florin up"},
		},
		"no node on the directory": {
			"balance alice --data-dir " + empty, 3, []string{"no node runs on data directory " + empty, "--url"},
		},
		"a node that starts": {
			"balance alice --data-dir " + starting, 3, []string{"is starting", "`florin wait"},
		},
		"another server": {
			"balance alice --token " + token + " --url " + page.URL, 3, []string{"does not answer like a node", "--url"},
		},
		"a closed connection": {
			"balance alice --url " + hangsUp.URL, 3, []string{"no node answers", "it closed the connection"},
		},
		"another version": {
			"balance alice --url " + older.URL, 1, []string{"has another version", "use the florin that started the node"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m.try(t)
		})
	}
}

// TestCLI_DocumentsItsExitCodes compares docs/cli.md with the exit codes.
func TestCLI_DocumentsItsExitCodes(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/cli.md")
	require.NoError(t, err)
	for code, meaning := range console.ExitCodes() {
		require.Contains(t, string(page), fmt.Sprintf("\n| %d | %s |\n", code, meaning))
	}
}
