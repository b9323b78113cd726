//go:build long

package e2e_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// path is the path of the window's page.
func (w *window) path() string {
	w.t.Helper()
	path, err := ask[string](w, "() => location.pathname")
	require.NoError(w.t, err)
	return path
}

// anIDLeadsToWhoDidWhat: the id of an update leads to its events, to the contract that it created, and to the end of
// that contract. The list of updates shows new ones by itself.
func anIDLeadsToWhoDidWhat(t *testing.T, n *upNode, browser *chromium) {
	t.Helper()
	judy := browser.window(t, n.url).as("judy")
	ivan := browser.window(t, n.url).as("ivan").tap("10")
	ivan.offers("judy", "5", "for the boat")
	ivan.open("/wallet/history").press("You offered judy 5 CC").shows("On the ledger").press("In the explorer")
	ivan.shows("You see the parts that concern ivan", "ivan offered judy 5 CC").pictures("update")
	update := ivan.path()
	require.True(t, strings.HasPrefix(update, "/explorer/updates/1220"), update)
	id := strings.TrimPrefix(update, "/explorer/updates/")

	mallory := browser.window(t, n.url).open(update).shows("Sign in to explore").types("Your name", "mallory")
	mallory.press("Explore the ledger").shows("There is no such update, or you may not see any part of it.").lacks("ivan")

	judy.open("/").press("Explorer").shows("Latest activity").tabTo("Find").keys(id + kb.Enter)
	judy.shows("You see the parts that concern judy", "ivan offered judy 5 CC")
	judy.lacks("was locked").press("ivan offered judy 5 CC").shows("for the boat").press("00")
	judy.shows("Contents", "It is active.", "Signed by", "DSO", "ivan").pictures("contract")
	contract := judy.path()

	ivan.press("Updates").shows("Latest activity", "ivan offered judy").lacks("judy accepted")
	judy.open("/wallet/inbox").press("Accept").shows("You accepted the offer.")
	ivan.shows("judy accepted ivan's 5 CC") // without a reload
	ivan.pictures("explorer")
	judy.telephone().dark(true).open(contract).shows("It is archived.", "judy accepted ivan's 5 CC").press("1220")
	judy.shows("You see the parts that concern judy").press("Parties").shows("You may read as these parties.")
	judy.press("judy").shows("Active contracts", "Amulet")
}

// theExplorerIsAccessible checks every view of the explorer with axe.
func theExplorerIsAccessible(t *testing.T, n *upNode, browser *chromium) {
	t.Helper()
	rules := axe(t)
	w := browser.window(t, n.url)
	look := func(view string) { w.isAccessible(rules, view) }

	w.open("/explorer").shows("Sign in to explore")
	look("signing in to explore")
	w.as("kim").tap("10").open("/explorer").shows("Latest activity", "kim got")
	look("the explorer")
	w.press("Offset").shows("kim got", "On the ledger").press("kim got 2,000 CC Amulet").shows("Argument")
	look("an update, unfolded")
	w.press("00").shows("Contents", "It is active.")
	look("a contract")
	w.press("Parties").shows("You may read as these parties.").press("kim").shows("Active contracts", "Amulet")
	look("a party")
	w.types("Find", "nothing").keys(kb.Enter).shows("Nothing found for")
	look("a search that finds nothing")
}
