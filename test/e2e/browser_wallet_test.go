//go:build long

package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPage_WorksInABrowser runs stories on the page of one node, each with its own users and windows.
func TestPage_WorksInABrowser(t *testing.T) {
	t.Parallel()
	n, browser := up(t, dataDir(t)), startChromium(t)
	require.NoError(t, n.admin().Call(t.Context(), http.MethodPut, "/v0/admin/automation/rewards/paused",
		map[string]bool{"paused": true}, nil)) // it merges coin at each round, also in the middle of a story
	for name, story := range map[string]func(t *testing.T, n *upNode, browser *chromium){
		"two new users transfer coin":         twoNewUsersTransferCoin,
		"the keyboard suffices":               theKeyboardSuffices,
		"every view is accessible":            everyViewIsAccessible,
		"the first view is small":             theFirstViewIsSmall,
		"an id leads to who did what":         anIDLeadsToWhoDidWhat,
		"the explorer is accessible":          theExplorerIsAccessible,
		"an operator changes the node":        anOperatorSeesAndChangesTheNode,
		"a lost connection loses no transfer": aLostConnectionLosesNoTransfer,
		"a saved name receives":               aSavedNameReceives,
		"a picture fills the receiver":        aPictureFillsTheReceiver,
		"a key stays in the browser":          aKeyStaysInTheBrowser,
		"the money views are accessible":      theMoneyViewsAreAccessible,
		"a builder tries a package":           aBuilderTriesAPackage,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story(t, n, browser)
		})
	}
}

// twoNewUsersTransferCoin: two new users sign in, send and accept coin in less than a minute and with ten mouse clicks.
func twoNewUsersTransferCoin(t *testing.T, n *upNode, browser *chromium) {
	t.Helper()
	alice, bob := browser.window(t, n.url), browser.window(t, n.url)
	began := time.Now()
	bob.open("/").press("Wallet").types("Your name", "bob").press("Open the wallet").shows("Balance", "0 CC")
	alice.open("/").press("Wallet").types("Your name", "alice").press("Open the wallet").shows("Balance", "0 CC")
	alice.press("Tap").shows("You minted coin worth 100 USD.", "20,000 CC")
	alice.press("Send").types("To", "bob").types("Amount", "1234.5").types("Note for the receiver", "for the boat")
	alice.press("Preview")
	alice.shows("Send this?", "1,234.5 CC", "bob::1220", "for the boat", "locked until they accept")
	alice.pictures("preview").press("Send 1,234.5 CC").shows("You offered 1,234.5 CC to bob.")

	bob.shows("Offers 1").press("Offers").shows("1,234.5 CC", "alice", "for the boat") // without a reload
	bob.pictures("offers").press("Accept").shows("You accepted the offer.")
	alice.open("/wallet").shows("18,765.5 CC", "bob accepted your 1,234.5 CC")
	bob.open("/wallet").shows("1,234.5 CC", "You accepted alice's 1,234.5 CC")
	require.LessOrEqual(t, alice.presses+bob.presses, 10)
	require.Less(t, time.Since(began), time.Minute)

	bob.offers("alice", "34.5", "")
	alice.open("/wallet/inbox").press("Accept").shows("You accepted the offer.")
	alice.open("/wallet").shows("18,800 CC").pictures("balance")
	alice.open("/wallet/history").shows("You accepted bob's 34.5 CC").pictures("history")
	alice.open("/").shows("A Florin node").pictures("home")
	alice.telephone().dark(true).open("/wallet").shows("18,800 CC").picture("telephone")

	alice.press("Sign out").shows("Open a wallet")
	alice.open("/wallet/history").shows("Open a wallet")
}
