package e2e_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// logged are the lines of a log with a message.
func logged(t *testing.T, log, message string) (lines []map[string]any) {
	t.Helper()
	for text := range strings.Lines(log) {
		var line map[string]any
		if json.Unmarshal([]byte(text), &line) == nil && line["msg"] == message {
			lines = append(lines, line)
		}
	}
	return lines
}

// awaitLogged waits until the log has a line with the message, and returns it.
func (n *servedNode) awaitLogged(t *testing.T, message string) map[string]any {
	t.Helper()
	var lines []map[string]any
	await(t, "the log says: "+message, func() error {
		if lines = logged(t, n.stderr.String(), message); len(lines) == 0 {
			return errNotYet
		}
		return nil
	})
	return lines[len(lines)-1]
}

// page reads a public page of a node.
func page(t *testing.T, e endpoint, path string) (status int, text string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, e.url+path, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(content)
}

func TestLog_HasStartsStopsAndSettings(t *testing.T) {
	t.Parallel()
	i := install(t)
	node := serve(t, "serve", i, "--log-level", "info", "--auth-secret", particular, "--max-batch", "7",
		"--coin-price", "0.25")
	node.interrupt(t)
	log := node.stderr.String()
	for _, message := range []string{"starting", "started", "stopping", "stopped"} {
		require.Len(t, logged(t, log, message), 1, message)
	}
	starting := logged(t, log, "starting")[0]
	require.Equal(t, "api and worker", starting["role"])
	require.NotEmpty(t, starting["version"])
	settings, _ := starting["settings"].(map[string]any)
	require.Equal(t, "7", settings["max-batch"])
	require.Equal(t, i.namespace, settings["temporal-namespace"])
	require.Equal(t, "(hidden)", settings["auth-secret"])
	require.Equal(t, "(hidden)", settings["database-url"])
	require.NotContains(t, settings, "request-timeout", "it is the default")
	require.Less(t, len(settings), 15)
	started := logged(t, log, "started")[0]
	require.Equal(t, node.url, started["url"])
	require.Contains(t, started["participant"], "participant::1220")
	ofLedger, _ := started["ledger_settings"].(map[string]any)
	require.Equal(t, "0.25", ofLedger["coin-price"])
	require.NotContains(t, ofLedger, "auth-secret")
	require.Equal(t, "stop requested", logged(t, log, "stopping")[0]["reason"])
	require.NotContains(t, log, particular)

	refused := run(t, i.environment(), "api", "--listen", "127.0.0.1:0", "--auth-secret", particular, "--coin-price", "1")
	require.Equal(t, 1, refused.exitCode(t))
	require.Contains(t, logged(t, refused.stderr.String(), "stopping")[0]["reason"], "--coin-price=1")
}

// The last commit was on a machine whose clock was an hour ahead.
func TestLog_WarnsOfARecordAheadOfTheClock(t *testing.T) {
	t.Parallel()
	i := install(t)
	first := serve(t, "serve", i)
	_, text := page(t, first.endpoint, "/metrics")
	require.Contains(t, text, "\nflorin_record_time_ahead_seconds 0\n")
	first.interrupt(t)
	connection, err := pgx.Connect(t.Context(), i.databaseURL)
	require.NoError(t, err)
	_, err = connection.Exec(t.Context(), "UPDATE ledger_head SET record_time = now() + interval '1 hour'")
	require.NoError(t, err)
	require.NoError(t, connection.Close(t.Context()))

	node := serve(t, "serve", i)
	require.Len(t, logged(t, node.stderr.String(),
		"the record is ahead of the ledger's clock: compare the clocks of all machines"), 1)
	status, text := page(t, node.endpoint, "/readyz")
	require.Equal(t, http.StatusOK, status, text)
	require.Regexp(t, `\n\[!\] clock: the record is (59m|1h0m)\d+s ahead of the ledger's clock on this machine \[FlorinClock\]\n`, text)
	_, text = page(t, node.endpoint, "/metrics")
	require.Regexp(t, `\nflorin_record_time_ahead_seconds 3[56]\d\d`, text)
	alice := newAccount(t, node.endpoint, findDSO(t, node.endpoint), "alice", "alice")
	coin, err := node.admin().FindCoin(t.Context(), findDSO(t, node.endpoint))
	require.NoError(t, err)
	_, err = alice.SubmitAndWait(t.Context(), alice.tap(coin, "late", 1))
	require.NoError(t, err, "the node works nevertheless")
}
