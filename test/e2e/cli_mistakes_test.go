package e2e_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// linesOfClients are command lines of all commands that call a node over HTTP.
func linesOfClients(t *testing.T) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "commands.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"commands":[],"actAs":["alice::1220aa"]}`), 0o600))
	dar, scripts := darFile(t, "notes"), scriptsFile(t)
	return []string{
		"dar upload " + dar, "dar check " + dar, "dar list", "dar watch " + dar, "script " + scripts + " Setup:init",
		"party new alice", "party list", "user new alice", "user list", "tap alice 1", "send alice bob 1", "balance",
		"balance alice", "history alice", "holdings alice", "holdings history alice",
		"holdings requests alice", "holdings allocate alice 00", "holdings allocations alice", "holdings withdraw alice 00",
		"offers alice", "offers accept alice", "offers reject alice",
		"offers withdraw alice", "preapproval show alice", "preapproval on alice", "preapproval off alice",
		"contracts alice", "updates alice", "submit " + file, "simulate " + file,
		"clock show", "clock advance 1h", "config list",
		"config set coin-price 1", "log level", "log level debug",
	}
}

// answersAll is a server with the same answer to every request.
func answersAll(t *testing.T, status int, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestCLI_ExplainsNodeErrors runs every command that calls a node: without a node, with one that starts, that has
// another version, and that refuses the token or the user.
func TestCLI_ExplainsNodeErrors(t *testing.T) {
	t.Parallel()
	empty, starting := t.TempDir(), t.TempDir()
	lock, err := os.Create(filepath.Join(starting, "lock"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, lock.Close()) })
	require.NoError(t, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX))
	other := answersAll(t, http.StatusNotFound, `{"error":"The requested resource could not be found: /"}`)
	denied := answersAll(t, http.StatusForbidden, `{"error":"the user lacks the right"}`)
	unknown := answersAll(t, http.StatusUnauthorized, `{"error":"the token is over"}`)
	busy := answersAll(t, http.StatusServiceUnavailable, `{"error":"a part is missing"}`)
	for _, line := range linesOfClients(t) {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			for _, wrong := range []struct {
				flags []string
				code  int
				says  []string
			}{
				{[]string{"--url", "http://127.0.0.1:1"}, 3, []string{"no node answers at http://127.0.0.1:1", "`florin up"}},
				{[]string{"--url", "nowhere"}, 2, []string{"--url=nowhere"}},
				{[]string{"--data-dir", empty}, 3, []string{"no node runs on data directory " + empty, "--url"}},
				{[]string{"--data-dir", starting}, 3, []string{"is starting", "`florin wait"}},
				{[]string{"--url", other}, 1, []string{"has another version", "use the florin that started the node"}},
				{[]string{"--url", denied}, 4, []string{"the token's user may not"}},
				{[]string{"--url", unknown}, 4, []string{"refuses the token: the token is over", "--token"}},
				{[]string{"--url", busy}, 3, []string{"is not ready: a part is missing"}},
				{[]string{"--no-such-flag"}, 2, []string{"unknown flag --no-such-flag", "--help`"}},
				{[]string{"--token", "a", "--token-file", "b"}, 2, []string{"--token and --token-file are both given"}},
			} {
				mistake{line, wrong.code, wrong.says}.try(t, wrong.flags...)
			}
		})
	}
}

// TestCLI_ExplainsArgumentErrors has a mistake for each command that calls no node, in addition to
// [TestCLI_ExplainsWrongCommandLines].
func TestCLI_ExplainsArgumentErrors(t *testing.T) {
	t.Parallel()
	nowhere, fresh := filepath.Join(t.TempDir(), "nowhere"), filepath.Join(t.TempDir(), "fresh")
	away := " --database-url postgres://x:y@127.0.0.1:1/z"
	mistakes := []mistake{
		{"up --listen nowhere --data-dir " + fresh, 1, []string{`cannot listen on "nowhere"`, "--listen"}},
		{"up --listen 0.0.0.0:0 --data-dir " + fresh, 1, []string{"--listen=0.0.0.0:0", "--auth-jwks-url"}},
		{"up --temporal-retention 5m --data-dir " + fresh, 2, []string{"--temporal-retention=5m0s", "at least 1h"}},
		{"serve", 2, []string{"the database is missing", "--database-url"}},
		{"serve --database-url-file f --temporal-address a" + away, 2, []string{"--database-url and --database-url-file"}},
		{"api", 2, []string{"the database is missing"}},
		{"worker", 2, []string{"the database is missing"}},
		{"migrate", 2, []string{"the database is missing", "--database-url"}},
		{"migrate" + away, 1, []string{"cannot reach the database", "127.0.0.1:1", "check its URL"}},
		{"audit --data-dir " + nowhere, 1, []string{"there is no node in " + nowhere, "--database-url"}},
		{"audit" + away, 1, []string{"cannot reach the database", "check its URL"}},
		{"audit --offset x", 2, []string{"--offset", `"x"`}},
		{"backup", 2, []string{"missing: <directory>"}},
		{"backup " + nowhere + away, 1, []string{"cannot reach the database"}},
		{"restore " + nowhere, 2, []string{nowhere, "no such file or directory"}},
		{"webhook", 2, []string{"missing: one of the commands"}},
		{"webhook resend wh_1", 2, []string{"give the ids of the messages, or --all"}},
		{"prune", 2, []string{"--up-to"}},
		{"prune --up-to 5" + away, 1, []string{"cannot reach the database"}},
		{"repair" + away, 1, []string{"cannot reach the database"}},
		{"seal-key" + away, 1, []string{"cannot reach the database"}},
		{"temporal", 2, []string{"missing: indexes"}},
		{"temporal indexes --all --few", 2, []string{"--all and --few can't be used together"}},
		{"temporal indexes --data-dir " + nowhere, 3, []string{"no node runs on data directory", "`florin up"}},
		{"key", 2, []string{"missing: one of the commands"}},
		{"key public " + nowhere, 1, []string{"open " + nowhere}},
		{"tx show " + nowhere, 1, []string{"open " + nowhere}},
		{"dar show " + nowhere, 1, []string{nowhere, "no such file"}},
		{"test " + nowhere, 1, []string{nowhere, "no such file"}},
		{"test", 2, []string{"missing: <dar>"}},
		{"start --data-dir " + nowhere, 3, []string{"no node runs on data directory", "`florin up"}},
		{"stop --timeout x", 2, []string{"--timeout", `"x"`}},
		{"env --data-dir " + nowhere, 3, []string{"no node runs on data directory", "--url"}},
		{"wait --timeout 100ms --url http://127.0.0.1:1", 5, []string{"the node does not answer after 100ms", "`florin"}},
		{"status --json --quiet", 2, []string{"--json and --quiet can't be used together"}},
		{"doctor --json --quiet", 2, []string{"--json and --quiet can't be used together"}},
		{"reset --nonsense", 2, []string{"unknown flag --nonsense"}},
		{"logs --data-dir " + nowhere, 1, []string{"there is no log", "--data-dir"}},
		{"token --user", 2, []string{"--user"}},
		{"completion", 2, []string{"missing: <shell>"}},
		{"version --nonsense", 2, []string{"unknown flag --nonsense"}},
	}
	tried := map[string]bool{"help": true} // it is the same as --help
	for _, m := range mistakes {
		tried[strings.Fields(m.line)[0]] = true
	}
	for _, line := range linesOfClients(t) {
		tried[strings.Fields(line)[0]] = true
	}
	for command := range strings.FieldsSeq(requireDone(t, "__complete", "")) {
		require.True(t, tried[command], "no mistake of %s is tried", command)
	}
	for _, m := range mistakes {
		t.Run(m.line, func(t *testing.T) {
			t.Parallel()
			m.tryAnyhow(t)
		})
	}
}

// tryAnyhow is try for a command that may print its progress before it fails.
func (m mistake) tryAnyhow(t *testing.T) {
	t.Helper()
	ended := run(t, nil, strings.Fields(m.line)...)
	said := ended.stderr.String()
	require.Equal(t, m.code, ended.exitCode(t), "it said: %s", said)
	require.True(t, strings.HasPrefix(said, "florin: "), said)
	require.LessOrEqual(t, strings.Count(said, "\n"), 2, "one or two lines: %s", said)
	for _, words := range m.says {
		require.Contains(t, said, words)
	}
}
