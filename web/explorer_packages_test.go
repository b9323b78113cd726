package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/test/apitest"
)

// upload uploads the package of a text.
func upload(t *testing.T, api *apitest.Server, source string) {
	t.Helper()
	api.Call(apitest.Admin, http.MethodPost, "/v2/dars", string(dartest.Build(t, source))).OK(nil)
}

func TestPackages_FindsThePackageOfAChoice(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	upload(t, api, dartest.Notes("notes", "1.9.0", ""))
	upload(t, api, dartest.Notes("notes", "1.10.0", ", mood: Option Text"))
	alice := window(t, serve(t, options(t, api.Handler))).as("alice")
	alice.open("/explorer").open(alice.linkOn("/explorer/packages"))
	words := alice.shows("notes 1.10.0 1", "notes 1.9.0 1", "splice-amulet", "built in").words()
	require.Less(t, strings.Index(words, "1.10.0"), strings.Index(words, "1.9.0"), "the newest version is first")

	alice.search("share").shows("Share", "1.10.0")
	require.True(t, strings.HasPrefix(alice.path, "/explorer/templates/"), "the newest version has the only match")

	alice.open("/explorer/packages?find=SHARE").shows("N:Note ▸ Share", "1.10.0", "1.9.0")
	require.NotContains(t, alice.words(), "splice-amulet")
	alice.open("/explorer/packages?find=notes").shows("1.10.0")
	alice.open("/explorer/packages?find=nothing").shows("has nothing in its name")

	alice.open("/explorer/packages?find=Share").open(alice.linkOn("/explorer/packages/"))
	alice.shows("notes 1.10.0", "Other versions 1.9.0", "N", "Note", "Share Archive")
	alice.open(alice.linkOn("/explorer/templates/"))
	alice.shows("N:Note", "mood", "Optional Text", "Signed by owner", "Also seen by reader", "0 active contracts",
		"Share archives the contract", "reader : Party", "ContractId Note", "Create")
	alice.open("/explorer/templates/%23notes:N:Note").shows("mood", "1.10.0")
}

func TestPackages_TellsWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	of := options(t, coinAPI(t).Handler)
	alice := window(t, serve(t, of)).as("alice")
	builtIn := of.BuiltIn[0]
	alice.open("/explorer/packages/" + builtIn).shows("built into the node")
	alice.open("/explorer/templates/" + builtIn + ":A:B").shows("The node has no archive of the package")
	require.Equal(t, http.StatusNotFound, alice.status)
	for _, nothing := range []string{"/explorer/packages/" + strings.Repeat("ab", 32), "/explorer/packages/x"} {
		alice.open(nothing).shows("There is no package")
		require.Equal(t, http.StatusNotFound, alice.status, nothing)
	}
	for _, nothing := range []string{"x", "a:b", "%23nothing:A:B"} {
		alice.open("/explorer/templates/" + nothing).shows("There is no template")
		require.Equal(t, http.StatusNotFound, alice.status, nothing)
	}
}
