//go:build long

package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// axe is the path of axe, the accessibility checker.
func axe(t *testing.T) string {
	t.Helper()
	dir, err := installPackage("browser")
	require.NoError(t, err)
	source, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	require.NoError(t, err)
	return string(source)
}

// violations are the broken rules of axe, each with its elements.
const violations = `async () => {
	const found = await axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } });
	return found.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.html + ' ' + n.failureSummary).join(' | '));
}`

// isAccessible checks the window with axe, in light and dark, as desktop and phone. On a phone, nothing may be beyond
// the edge.
func (w *window) isAccessible(axe, view string) {
	w.t.Helper()
	w.do(chromedp.ActionFunc(func(ctx context.Context) error {
		_, thrown, err := runtime.Evaluate(axe).Do(ctx)
		if err == nil && thrown != nil {
			err = thrown
		}
		return err
	}))
	for _, telephone := range []bool{false, true} {
		w.do(chromedp.EmulateViewport(deskWidth, deskHeight))
		if telephone {
			w.telephone()
			beyond, err := ask[float64](w, `() => document.documentElement.scrollWidth - window.innerWidth`)
			require.NoError(w.t, err)
			require.LessOrEqual(w.t, beyond, 0.0, "%s is wider than a telephone", view)
		}
		for _, dark := range []bool{false, true} {
			w.dark(dark)
			found, err := ask[[]string](w, violations)
			require.NoError(w.t, err)
			require.Empty(w.t, found, "%s, dark: %v, telephone: %v", view, dark, telephone)
		}
	}
	w.do(chromedp.EmulateViewport(deskWidth, deskHeight))
	w.dark(false)
}

// everyViewIsAccessible checks every view with axe.
func everyViewIsAccessible(t *testing.T, n *upNode, browser *chromium) {
	t.Helper()
	rules := axe(t)
	carol, dave := browser.window(t, n.url), browser.window(t, n.url)
	look := func(w *window, view string) { w.isAccessible(rules, view) }

	look(carol.open("/").shows("A Florin node"), "the front door")
	look(carol.open("/wallet").shows("Open a wallet"), "signing in")
	look(carol.types("Your name", "no such name").press("Open the wallet").shows("is not a valid user name"),
		"a name that is none")
	look(carol.as("carol"), "a new wallet")
	dave.as("dave").tap("10")
	carol.tap("10").offers("dave", "5", "words that are rather long, about a boat, its sails and what they cost")
	dave.offers("carol", "7.0000000001", "")
	look(carol.open("/wallet/inbox").shows("For you", "7.0000000001 CC", "Withdraw"), "offers")
	carol.press("Accept").shows("You accepted the offer.")
	look(carol, "a notice")
	dave.open("/wallet/inbox").press("Accept").shows("You accepted the offer.")
	look(carol.open("/wallet").shows("Latest activity", "You accepted dave's 7.0000000001 CC"), "the balance")
	look(carol.open("/wallet/history").shows("You got 2,000 CC of test coin", "Download all as CSV"), "the history")
	look(carol.press("You got 2,000 CC").shows("carol got 2,000 CC of test coin", "On the ledger"), "what happened")
	look(carol.press("carol got 2,000 CC of test coin").shows("Argument"), "what happened, unfolded")
	look(carol.open("/wallet/history?search=nothing").shows("entries matches"), "a search without a result")
	look(carol.open("/wallet/coins").shows("To spend", "CC"), "coins") // the node may have merged them
	look(carol.open("/wallet/tokens").shows("You hold no other tokens"), "tokens")
	look(carol.open("/wallet/receive").shows("Your party id"), "receiving")
	look(carol.press("Turn it on").shows("On: you get coin at once"), "a preapproval")
	look(carol.open("/wallet/send").shows("You can spend"), "sending")
	carol.types("To", "dave").types("Amount", "3000").press("Preview")
	look(carol.shows("is more than that"), "a refusal")
	carol.types("Amount", "3").press("Preview")
	look(carol.shows("Send this?"), "a preview")
	look(carol.open("/wallet/nothing").shows("There is no page"), "a path without a page")
}

// theFirstViewIsSmall: the first view of a wallet needs less than 100 kB, with all files.
func theFirstViewIsSmall(t *testing.T, n *upNode, browser *chromium) {
	t.Helper()
	w := browser.window(t, n.url)
	w.do(network.ClearBrowserCache())
	w.open("/wallet").shows("Open a wallet")
	w.mu.Lock()
	defer w.mu.Unlock()
	require.Greater(t, w.received, 10_000.0, "nothing was counted")
	require.Less(t, w.received, 100_000.0)
}

// focused is the element with the focus: its name for [visible], and whether the focus is visible.
const focused = `() => {
	const e = document.activeElement;
	const label = e.labels && e.labels.length ? e.labels[0].innerText : e.innerText || e.value || '';
	return { Name: label.replace(/\s+/g, ' ').trim(), Shown: getComputedStyle(e).outlineStyle != 'none' };
}`

// tabTo presses the tab key until an element has the focus, and checks that each focus is visible.
func (w *window) tabTo(name string) *window {
	w.t.Helper()
	const most = 40
	var passed []string
	for range most {
		w.keys(kb.Tab)
		at, err := ask[struct {
			Name  string
			Shown bool
		}](w, focused)
		require.NoError(w.t, err)
		require.True(w.t, at.Shown, "nobody sees that %q has the keyboard", at.Name)
		if strings.HasPrefix(at.Name, name) {
			return w
		}
		passed = append(passed, at.Name)
	}
	require.FailNow(w.t, "the keyboard does not get there", "%q is not among %q", name, passed)
	return w
}

// holds waits until an element has the focus.
func (w *window) holds(name string) *window {
	w.t.Helper()
	w.eventually(name+" has the keyboard", func() error {
		at, err := ask[struct{ Name string }](w, focused)
		if err == nil && !strings.HasPrefix(at.Name, name) {
			err = fmt.Errorf("%q has it", at.Name)
		}
		return err
	})
	return w
}

// theKeyboardSuffices: a user sends and accepts coin without a mouse.
func theKeyboardSuffices(t *testing.T, n *upNode, browser *chromium) {
	t.Helper()
	erin, frank := browser.window(t, n.url), browser.window(t, n.url)
	for name, w := range map[string]*window{"erin": erin, "frank": frank} {
		w.open("/").shows("A Florin node").tabTo("Skip to the content").keys(kb.Enter).tabTo("Wallet").keys(kb.Enter)
		w.shows("Your name").holds("Your name").keys(name+kb.Enter).shows("Balance", "0 CC")
	}
	erin.tabTo("Tap").keys(kb.Enter).shows("You minted coin worth 100 USD.")
	for i := range 2 {
		erin.tabTo("Send").keys(kb.Enter).shows("Send coin").holds("To").keys("frank" + kb.Escape + kb.Tab)
		erin.holds("Amount").keys("12" + kb.Enter).shows("Send this?").holds("Send 12 CC").keys(kb.Enter)
		erin.shows("You offered 12 CC to frank.")
		if i == 0 {
			frank.tabTo("Offers").keys(kb.Enter).shows("For you", "12 CC").tabTo("Accept")
		}
	}
	frank.shows("Offers 2").shows("Accept Reject 12 CC from erin").holds("Accept") // the new offer does not take the focus
	frank.keys(kb.Enter).shows("You accepted the offer.").open("/wallet").shows("12 CC")
	require.Zero(t, erin.presses+frank.presses)
}
