//go:build long

package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// idleTime is how long the test watches an idle node, because the requirement is about a minute.
const idleTime = time.Minute

// A page that nobody uses asks nothing: the node tells it of changes.
func TestPage_IsQuietWhileNothingHappens(t *testing.T) {
	t.Parallel()
	n, browser := up(t, dataDir(t), "--log-level", "debug"), startChromium(t)
	w := browser.window(t, n.url)
	w.open("/").press("Wallet").types("Your name", "quiet").press("Open the wallet").shows("Balance", "0 CC")
	log := func() string {
		content, err := os.ReadFile(filepath.Join(n.dir, "florin.log"))
		require.NoError(t, err)
		return string(content)
	}
	opened := func() bool { // the page has read itself again after the stream opened
		return strings.Contains(log(), `"pattern":"/wallet/waiting"`)
	}
	require.Eventually(t, opened, storyTime, 100*time.Millisecond)
	before := len(log())
	over := time.After(idleTime)
	<-over
	since := log()[before:]
	var notable, pages, calls int
	for line := range strings.Lines(since) {
		switch {
		case strings.Contains(line, `"msg":"page"`):
			pages++
		case strings.Contains(line, `"msg":"request"`):
			calls++
		}
		if !strings.Contains(line, `"level":"DEBUG"`) {
			notable++
		}
	}
	t.Logf("in %s: %d lines above debug, %d pages, %d API calls", idleTime, notable, pages, calls)
	require.LessOrEqual(t, notable, 1, since)
	require.LessOrEqual(t, pages, 2, since)
	require.LessOrEqual(t, calls, 6, since)

	alice := browser.window(t, n.url)
	alice.open("/").press("Wallet").types("Your name", "alice").press("Open the wallet").shows("Balance", "0 CC")
	alice.press("Tap").shows("20,000 CC").offers("quiet", "12.5", "")
	w.shows("Offers 1", "Waiting for you: 1 offer") // without a reload

	w.hides(true)
	alice.offers("quiet", "1.5", "")
	alice.open("/wallet").shows("You offered quiet 1.5 CC")
	w.lacks("Offers 2") // nobody sees the page, so it has no stream
	w.hides(false).shows("Offers 2", "Waiting for you: 2 offers")
}

// hides tells the page that its tab is hidden, or seen again.
func (w *window) hides(hidden bool) *window {
	w.t.Helper()
	w.do(chromedp.Evaluate(fmt.Sprintf(`Object.defineProperty(document, 'hidden', { configurable: true, value: %t });
		document.dispatchEvent(new Event('visibilitychange'))`, hidden), nil))
	return w
}
