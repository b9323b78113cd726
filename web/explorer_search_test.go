package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/dartest"
)

func TestSearch_FindsNamesCommandsAndShortIDs(t *testing.T) {
	t.Parallel()
	api, alice, bob := noted(t, "one", "two")
	other := strings.ReplaceAll(dartest.Notes("other-notes", "1.0.0", ""), "module N", "module M")
	upload(t, api, strings.ReplaceAll(other, "N:", "M:"))
	require.Contains(t, alice.open("/wallet").text, "a party, a command, a template, a choice")

	alice.search("note 1").shows("alice created Note")
	update := strings.TrimPrefix(alice.path, "/explorer/updates/")
	require.Equal(t, "/explorer/updates/"+update, alice.search(update[:20]+"…").path)
	contract := alice.linkOn("/explorer/contracts/")
	id := strings.TrimPrefix(contract, "/explorer/contracts/")
	require.Equal(t, contract, alice.search("#"+id[2:10]+"…").path)
	require.Equal(t, contract, alice.search(id[:12]).path)

	alice.search("note").shows("2 matches for note", "M:Note", "N:Note", "other-notes 1.0.0")
	alice.search("m:note").shows("M:Note", "Create")
	require.True(t, strings.HasPrefix(alice.path, "/explorer/templates/"))
	alice.search("#notes:N:Note").shows("N:Note", "Create")
	alice.search("bob").shows("bob", "You may not read as this party")

	bob.search("note 1").shows("Nothing found for", "newest 100 updates")
	require.Equal(t, http.StatusUnprocessableEntity, bob.status, "only the submitter sees the command")
}
