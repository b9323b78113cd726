//go:build long

package e2e_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// lostNode is what the page says while it hears nothing from the node.
const lostNode = "The node does not answer. What you see may be old."

// offline disconnects a window, or connects it again.
func (w *window) offline(offline bool) *window {
	w.t.Helper()
	const unbounded = -1
	w.do(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := network.EmulateNetworkConditionsByRule(offline, []*network.Conditions{
			{DownloadThroughput: unbounded, UploadThroughput: unbounded},
		}).Do(ctx)
		return err
	}))
	return w
}

// value is the text in the field of a label, as soon as the page has the field.
func (w *window) value(label string) (text string) {
	w.t.Helper()
	w.eventually(fmt.Sprintf("the page has a field %q", label), func() (err error) {
		text, err = ask[string](w, `(label) => [...document.querySelectorAll('input')].find(
			(e) => e.labels && e.labels.length && e.labels[0].innerText.startsWith(label)).value`, label)
		return err
	})
	return text
}

// aLostConnectionLosesNoTransfer: a user without a connection reloads the page, and sends the coin once.
func aLostConnectionLosesNoTransfer(t *testing.T, n *upNode, browser *chromium) {
	t.Helper()
	heidi := browser.window(t, n.url).as("heidi")
	grace := browser.window(t, n.url).as("grace").tap("10").open("/wallet/send")
	grace.types("To", "heidi").types("Amount", "50").press("Preview").shows("Send this?")
	grace.offline(true).hides(true).hides(false).shows(lostNode) // Chromium keeps an open stream
	grace.press("Send 50 CC").shows("ERR_INTERNET_DISCONNECTED")
	grace.offline(false).do(chromedp.Reload())
	grace.shows("You offered 50 CC to heidi.")
	grace.open("/wallet").shows("1,950 CC", "You offered heidi 50 CC")
	heidi.open("/wallet/inbox").shows("For you 50 CC from grace", "Accept Reject From you")
}

// TestPage_HandlesErrors: too little coin, an offer that expires while its receiver sees it, and a node that restarts or
// is frozen.
func TestPage_HandlesErrors(t *testing.T) {
	t.Parallel()
	n, browser := up(t, dataDir(t), "--clock", "simulated"), startChromium(t)
	p := person{t: t, node: n}
	alice, bob := browser.window(t, n.url).as("alice"), browser.window(t, n.url).as("bob")
	alice.open("/wallet/send").types("To", "bob").types("Amount", "1").types("Note for the receiver", "too much")
	alice.press("Preview").shows("You can spend 0 CC, and 1 CC is more than that.")
	require.Equal(t, []string{"bob", "1", "too much"},
		[]string{alice.value("To"), alice.value("Amount"), alice.value("Note")}, "nothing has to be typed again")

	alice.tap("1").offers("bob", "150", "")
	bob.open("/wallet/inbox").shows("150 CC from alice")
	bob.do(network.SetBlockedURLs().WithURLPatterns([]*network.BlockPattern{ // his page stays old
		{URLPattern: n.url + `/wallet/inbox\?seen=*`, Block: true},
	}))
	p.types("clock advance 25h")
	bob.press("Accept").shows("not found", "No offers for you.")
	alice.open("/wallet").shows("200 CC")

	p.types("stop --node")
	alice.shows(lostNode, "200 CC")
	p.types("start")
	p.types("tap alice 0.5")
	alice.shows("300 CC").lacks(lostNode) // without an action of the user

	alice.eventually("the page reads nothing", func() error {
		idle, err := ask[float64](alice, `() => performance.now() - Math.max(
			...performance.getEntriesByType('resource').map((read) => read.responseEnd))`)
		if err == nil && idle < 3000 { // the stream tells at most once a second
			err = fmt.Errorf("it read %.0f ms ago", idle)
		}
		return err
	})
	require.NoError(t, n.Signal(syscall.SIGSTOP)) // as a cut cable: the browser does not see that its stream is dead
	t.Cleanup(func() { _ = n.Signal(syscall.SIGCONT) })
	alice.shows(lostNode)
	require.NoError(t, n.Signal(syscall.SIGCONT))
	alice.lacks(lostNode)
	alice.press("Send").shows("You can spend 300 CC.") // still signed in
}
