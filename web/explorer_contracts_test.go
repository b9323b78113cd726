package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/test/apitest"
)

// noted is a node with the package of notes, on which alice is signed in and has written notes, and bob's window.
func noted(t *testing.T, texts ...string) (api *apitest.Server, alice, bob *browser) {
	t.Helper()
	api = coinAPI(t)
	upload(t, api, dartest.Notes("notes", "1.0.0", ""))
	server := serve(t, options(t, api.Handler))
	alice, bob = window(t, server).as("alice"), window(t, server).as("bob")
	owner, reader := alice.partyID(), bob.partyID()
	for i, text := range texts {
		api.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", map[string]any{
			"commandId": fmt.Sprint("note ", i), "actAs": []string{owner}, "commands": []any{map[string]any{
				"CreateCommand": map[string]any{"templateId": "#notes:N:Note", "createArguments": map[string]any{
					"owner": owner, "reader": reader, "text": text,
				}},
			}},
		}).OK(nil)
	}
	return api, alice, bob
}

// partyID is the id of the visitor's party.
func (b *browser) partyID() string {
	b.t.Helper()
	path := b.open("/explorer/parties").linkOn("/explorer/parties/")
	id, err := url.PathUnescape(strings.TrimPrefix(path, "/explorer/parties/"))
	require.NoError(b.t, err)
	return id
}

func TestContracts_AreFilteredByTemplateAndField(t *testing.T) {
	t.Parallel()
	_, alice, bob := noted(t, "buy milk", "buy bread", "sleep")
	alice.open("/explorer").open(alice.linkOn("/explorer/contracts")).shows("Contracts", "Active at offset", "alice created Note")
	alice.open("/explorer/contracts?template=note").shows("owner reader text", "buy milk", "buy bread", "sleep", "active")
	alice.open("/explorer/contracts?template=%23notes:N:Note&field=text&value=BUY").
		shows("buy milk", "buy bread", "Of 3 contracts").open(alice.linkOn("/explorer/templates/")).shows("3 active contracts")
	require.NotContains(t, alice.open("/explorer/contracts?template=note&field=text&value=BUY").words(), "sleep")
	alice.open("/explorer/contracts?template=note&field=owner&value=bob").shows("No such contracts")
	alice.open("/explorer/contracts?template=note&field=none.at.all&value=x").shows("No such contracts")
	bob.open("/explorer/contracts?template=note&as=bob").shows("buy milk", "alice")
	bob.open("/explorer/contracts?template=nothing").shows("There is no template")
	require.Equal(t, http.StatusUnprocessableEntity, bob.status)
	bob.open("/explorer/contracts?template=%23nothing:N:Note")
	require.NotEqual(t, http.StatusOK, bob.status)
	alice.open("/explorer/contracts?template=%23splice-amulet:Splice.Amulet:Amulet").shows("No such contracts")
}

func TestContracts_ArePaged(t *testing.T) {
	t.Parallel()
	texts := make([]string, 51)
	for i := range texts {
		texts[i] = fmt.Sprintf("note number %02d.", i)
	}
	_, alice, _ := noted(t, texts...)
	alice.open("/explorer/contracts?template=note&as=alice").shows("note number 00.", "note number 49.", "Next")
	require.NotContains(t, alice.words(), "note number 50.")
	next := alice.linkOn("/explorer/contracts?after=")
	require.Contains(t, next, "as=alice")
	alice.open(next).shows("note number 50.")
	require.NotContains(t, alice.words(), "note number 49.")
	require.NotContains(t, alice.words(), "Next")
	alice.open("/explorer/contracts?after=forged").shows("pageToken")
}

func TestContracts_ListsArchivedOnes(t *testing.T) {
	t.Parallel()
	api, alice, _ := noted(t, "a brief note", "kept")
	alice.open("/explorer/contracts?template=note")
	id := strings.TrimPrefix(alice.linkOn("/explorer/contracts/"), "/explorer/contracts/")
	api.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", map[string]any{
		"commandId": "end", "actAs": []string{alice.partyID()}, "commands": []any{map[string]any{
			"ExerciseCommand": map[string]any{
				"templateId": "#notes:N:Note", "contractId": id, "choice": "Archive", "choiceArgument": map[string]any{},
			},
		}},
	}).OK(nil)
	alice.open("/explorer/contracts?template=note").shows("kept")
	require.NotContains(t, alice.words(), "a brief note")
	alice.open("/explorer/contracts?template=note&state=archived").shows("alice archived Note", "archived")
	require.Equal(t, "/explorer/contracts/"+id, alice.linkOn("/explorer/contracts/"))
	alice.open("/explorer/contracts?state=archived&after=x").shows(`"x" is not an offset`)
}
