//go:build long

package e2e_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/dartest"
)

// aBuilderTriesAPackage: a builder uploads a package, finds its template, creates a contract and exercises a choice with
// forms, and finds out why a command was refused.
func aBuilderTriesAPackage(t *testing.T, n *upNode, browser *chromium) {
	t.Helper()
	rules := axe(t)
	file := filepath.Join(t.TempDir(), "notes.dar")
	require.NoError(t, os.WriteFile(file, dartest.Build(t, dartest.Notes("notes", "1.0.0", "")), 0o600))
	admin := browser.window(t, n.url).as(adminUser).open("/admin/packages").chooses("dar", file)
	admin.press("Upload").shows("The packages of notes.dar are on the ledger.").pictures("packages")

	vera := browser.window(t, n.url).as("vera").open("/explorer").press("Packages").shows("notes", "splice-amulet")
	vera.types("Find a package, a template or a choice", "share").keys(kb.Enter).shows("N:Note ▸ Share")
	vera.isAccessible(rules, "a choice that was found")
	vera.press("N:Note ▸ Share").shows("Signed by owner", "Share archives the contract", "0 active contracts")
	vera.pictures("template").isAccessible(rules, "a template")
	vera.press("Create").types("owner Party", "vera").types("reader Party", "vera").types("text Text", "buy milk")
	vera.pictures("form").isAccessible(rules, "a form")
	vera.press("Preview").shows("Do this?", "vera creates Note", "buy milk", "of the node's traffic")
	vera.pictures("trial").isAccessible(rules, "a dry run")
	vera.press("Edit").shows("Create Note")
	require.Equal(t, "buy milk", vera.value("text Text"))
	vera.press("Preview").press("Create Note").shows("Done: Create Note.", "vera created Note")
	vera.press("JSON").shows("createArgument").press("Tree").shows("Note")

	vera.open("/explorer/contracts").shows("vera created Note", "(package notes)").pictures("contracts")
	vera.isAccessible(rules, "the contracts")
	vera.press("N:Note").shows("Exercise", "Share").press("Share").types("reader Party", "nobody").press("Preview")
	vera.shows("nobody").types("reader Party", "vera").press("Preview").shows("Note:Share by vera")
	vera.press("Share").shows("Done: Share.", "Note:Share by vera")
	vera.types("Find", "N:Note").keys(kb.Enter).shows("1 active contract")
	admin.open("/admin").press("Packages").press("Unvet…").press("Unvet it").shows("Commands can no longer use the package.")
	vera.open("/explorer/contracts?template=note").press("N:Note").press("Share").types("reader Party", "vera").press("Preview")
	vera.shows("vetted").isAccessible(rules, "a refused dry run")
}
