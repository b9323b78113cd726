package e2e_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

// about are the lines of a log that have a command id.
func about(t *testing.T, log, commandID string) (lines []map[string]any) {
	t.Helper()
	for _, message := range []string{"request", "the ledger refused a submission"} {
		for _, line := range logged(t, log, message) {
			if line["command_id"] == commandID && line["level"] != "DEBUG" {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

func TestLog_HasEachRefusalOnceAndNoSuccess(t *testing.T) {
	t.Parallel()
	node := serve(t, "serve", install(t), "--log-level", "debug")
	dso := findDSO(t, node.endpoint)
	alice, bob := newAccount(t, node.endpoint, dso, "alice", "alice"), newAccount(t, node.endpoint, dso, "bob", "bob")
	coin, err := node.admin().FindCoin(t.Context(), dso)
	require.NoError(t, err)
	_, err = alice.SubmitAndWait(t.Context(), alice.tap(coin, "accepted", 1))
	require.NoError(t, err)

	archive := client.Commands{
		CommandID: "at the commit", ActAs: []string{alice.party()}, WorkflowID: "night shift",
		Commands: []client.Command{{Exercise: &client.Exercise{
			TemplateID: "#splice-amulet:Splice.Amulet:Amulet", ContractID: "00" + strings.Repeat("ab", 32), Choice: "Archive",
			ChoiceArgument: map[string]any{},
		}}},
	}
	_, err = alice.SubmitAndWait(t.Context(), archive)
	require.Error(t, err)
	archive.CommandID = "without the right"
	_, err = bob.SubmitAndWait(t.Context(), archive)
	refused, ok := errors.AsType[*client.Error](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, http.StatusForbidden, refused.Status)
	archive.CommandID = "nobody waits"
	require.NoError(t, alice.Submit(t.Context(), archive))
	alice.awaitCompletion(t, archive.CommandID)

	for id, message := range map[string]string{
		"at the commit": "the ledger refused a submission", "nobody waits": "the ledger refused a submission",
		"without the right": "request",
	} {
		var lines []map[string]any
		await(t, "the log has the refusal of "+id, func() error {
			if lines = about(t, node.stderr.String(), id); len(lines) == 0 {
				return errNotYet
			}
			return nil
		})
		require.Len(t, lines, 1, id)
		line := lines[0]
		require.Equal(t, "INFO", line["level"], id)
		require.Equal(t, message, line["msg"], id)
		require.Equal(t, alice.party(), line["act_as"], id)
		require.Equal(t, "night shift", line["workflow_id"], id)
		require.Regexp(t, ":Splice.Amulet:Amulet$", line["template"], id)
		require.Equal(t, "Archive", line["choice"], id)
		require.NotEmpty(t, line["error"], id)
		require.NotEmpty(t, line["trace_id"], id)
	}
	log := node.stderr.String()
	require.Empty(t, about(t, log, "accepted"))
	for _, line := range logged(t, log, "request") {
		if status, _ := line["status"].(float64); status < http.StatusBadRequest {
			require.Equal(t, "DEBUG", line["level"], "%v", line)
		}
	}
}

func TestLog_ChangesItsLevelWhileTheNodeRuns(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t), "--log-level", "warn", "--log-format", "text")
	log := func() string {
		content, err := os.ReadFile(filepath.Join(n.dir, "florin.log"))
		require.NoError(t, err)
		return string(content)
	}
	at := []string{"--data-dir", n.dir}
	require.Equal(t, "log level warn\n", requireDone(t, append([]string{"log", "level"}, at...)...))
	require.NotContains(t, log(), "level=DEBUG")
	require.Equal(t, "log level debug\n", requireDone(t, append([]string{"log", "level", "debug"}, at...)...))
	require.Contains(t, log(), `level=INFO msg="the log level changed" from=warn to=debug user_id=`+adminUser)
	_, err := n.admin().LedgerEnd(t.Context())
	require.NoError(t, err)
	await(t, "requests are logged", func() error {
		if !strings.Contains(log(), "level=DEBUG msg=request method=GET pattern=/v2/state/ledger-end status=200") {
			return errNotYet
		}
		return nil
	})
	err = n.admin().Call(t.Context(), http.MethodPut, "/v0/admin/log-level", map[string]string{"level": "loud"}, nil)
	refused, ok := errors.AsType[*client.Error](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, http.StatusBadRequest, refused.Status)
	require.Contains(t, string(refused.Body), `\"loud\"`)
	require.Equal(t, "log level debug\n", requireDone(t, append([]string{"log", "level"}, at...)...))
}
