package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExplorer_ListsRefusedCommands(t *testing.T) {
	t.Parallel()
	api, alice, bob := noted(t, "first")
	party := alice.partyID()
	answer := api.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", map[string]any{
		"commandId": "lost one", "actAs": []string{party}, "commands": []any{map[string]any{
			"ExerciseCommand": map[string]any{
				"templateId": "#notes:N:Note", "contractId": "00" + strings.Repeat("ab", 32), "choice": "Archive",
				"choiceArgument": map[string]any{},
			},
		}},
	})
	require.GreaterOrEqual(t, answer.Status, http.StatusBadRequest)
	alice.open("/explorer").shows("refused: command lost one of alice as alice —", "could not be found", "refused")
	require.Less(t, strings.Index(alice.words(), "lost one"), strings.Index(alice.words(), "created Note"), "newest first")
	for _, search := range []string{"lost one", alice.linkOn("/explorer/offsets/")[len("/explorer/offsets/"):]} {
		alice.open("/explorer/search?for=" + url.QueryEscape(search))
		alice.shows("A refused command", "could not be found", "lost one", "CONTRACT_NOT_FOUND", "Nothing changed.")
	}
	bob.open(alice.path).shows("There is no such update")
	bob.open("/explorer").shows("alice created Note")
	require.NotContains(t, bob.words(), "lost")
}
