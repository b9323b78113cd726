//go:build dars && long

package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

// A token of a published package moves between two people on the page. Nobody accepts it without a word on its package.
func TestPublishedDARs_TokenMovesOnThePage(t *testing.T) {
	t.Parallel()
	p, parties, _ := issueGold(t)
	require.NoError(t, p.node.admin().GrantRights(t.Context(), "alice", client.CanReadAs(parties["acme"])))
	browser, rules := startChromium(t), axe(t)
	alice, bob := browser.window(t, p.node.url).as("alice"), browser.window(t, p.node.url).as("bob")
	alice.open("/wallet/tokens").shows("12 Gold", "says package "+goldPackage).press("Send some")
	alice.types("To", "bob").types("Amount", "5").types("Note for the receiver", "lunch")
	alice.click("I trust package", "input")
	alice.isAccessible(rules, "sending a token")
	alice.pictures("tokens").press("Send Gold")
	alice.shows("You offered 5 Gold to bob.")
	bob.open("/wallet/inbox").shows("5 Gold from alice", "lunch", "This is no coin.")
	bob.isAccessible(rules, "an offer of a token")
	bob.press("Accept").lacks("You accepted")
	bob.click("I trust package", "input")
	bob.press("Accept").shows("You accepted the offer.")
	bob.open("/wallet").shows("Gold", "says package "+goldPackage, "0 CC").pictures("tokens-balance")
	alice.open("/wallet").shows("100 CC")
	alice.open("/wallet/tokens").shows("7 Gold", "History")
	alice.isAccessible(rules, "tokens")
	alice.pictures("tokens-history")
}
