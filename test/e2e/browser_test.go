//go:build long

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	cdptarget "github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/devnet/process"
)

const (
	// storyTime limits a story in a browser on a busy machine.
	storyTime = 3 * time.Minute
	// browserGrace limits the stop of a browser.
	browserGrace = 20 * time.Second
	// The sizes of a window on a desk, on a tablet and on a telephone.
	deskWidth, deskHeight           = 1280, 800
	tabletWidth, tabletHeight       = 768, 1024
	telephoneWidth, telephoneHeight = 375, 740
)

// chromium is a browser without a screen.
type chromium struct {
	*program
	ctx context.Context //nolint:containedctx // chromedp has the browser in it
}

// startChromium starts a browser until the test ends. It can only reach this machine, because the page needs no other.
func startChromium(t *testing.T) *chromium {
	t.Helper()
	executable, err := exec.LookPath("chromium")
	require.NoError(t, err, "the test needs Chromium: `make chromium` installs Debian's package")
	profile := t.TempDir()
	cmd := exec.Command(executable, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
		"--disable-breakpad", "--disable-crash-reporter", "--hide-scrollbars",
		"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--user-data-dir="+profile,
		"--remote-debugging-port=0", "about:blank")
	cmd.Env = append(withoutSettings(os.Environ()), "HOME="+profile, "TZ=UTC")
	said := newOutput()
	cmd.Stdout, cmd.Stderr = said, said
	c := &chromium{program: &program{stdout: said, stderr: said}}
	c.Process, err = process.Start(cmd, syscall.SIGKILL)
	require.NoError(t, err)
	t.Cleanup(func() {
		family := descendants(t, c.PID())
		if err := c.Stop(context.Background(), syscall.SIGTERM, syscall.SIGKILL, browserGrace); err != nil {
			t.Errorf("chromium: %v: it said %s", err, said)
		}
		requireGone(t, profile, family)
	})
	const listens = "DevTools listening on "
	c.waitFor(t, listens)
	c.waitFor(t, "/devtools/browser/")
	_, url, _ := strings.Cut(said.String(), listens)
	url, _, _ = strings.Cut(url, "\n")
	ctx, cancel := chromedp.NewRemoteAllocator(t.Context(), url, chromedp.NoModifyURL)
	t.Cleanup(cancel)
	c.ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Run(c.ctx))
	return c
}

// window is a window with its own cookies.
type window struct {
	t   *testing.T
	ctx context.Context //nolint:containedctx // chromedp has the window in it
	url string
	// cookies is the context of the browser that the window's cookies and downloads belong to.
	cookies cdp.BrowserContextID
	// presses counts the mouse clicks.
	presses int

	mu sync.Mutex
	// troubles are the complaints of the browser, foreign its requests to other servers than the node.
	troubles, foreign []string
	// received counts the received bytes.
	received float64
}

// window opens a window for a node, until the test ends and for [storyTime] at most.
func (c *chromium) window(t *testing.T, url string) *window {
	t.Helper()
	all := cdp.WithExecutor(c.ctx, chromedp.FromContext(c.ctx).Browser)
	cookies, err := cdptarget.CreateBrowserContext().WithDisposeOnDetach(true).Do(all)
	require.NoError(t, err)
	tab, err := cdptarget.CreateTarget("about:blank").WithBrowserContextID(cookies).WithNewWindow(true).Do(all)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(c.ctx, storyTime)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithTargetID(tab))
	t.Cleanup(cancel)
	w := &window{t: t, ctx: ctx, url: url, cookies: cookies}
	chromedp.ListenTarget(ctx, w.notice)
	w.do(network.Enable(), chromedp.EmulateViewport(deskWidth, deskHeight))
	t.Cleanup(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		require.Empty(t, w.troubles, "the browser complains")
		require.Empty(t, w.foreign, "the page sends requests to other servers")
	})
	return w
}

// notice stores complaints and foreign requests.
func (w *window) notice(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch event := event.(type) {
	case *runtime.EventExceptionThrown:
		w.troubles = append(w.troubles, event.ExceptionDetails.Error())
	case *log.EventEntryAdded: // except those about refusals, which the tests cause
		if event.Entry.Level == log.LevelError && event.Entry.Source != log.SourceNetwork {
			w.troubles = append(w.troubles, event.Entry.Text)
		}
	case *network.EventRequestWillBeSent:
		if url := event.Request.URL; strings.HasPrefix(url, "http") && !strings.HasPrefix(url, w.url+"/") {
			w.foreign = append(w.foreign, url)
		}
	case *network.EventLoadingFinished:
		w.received += event.EncodedDataLength
	}
}

func (w *window) do(actions ...chromedp.Action) {
	w.t.Helper()
	require.NoError(w.t, chromedp.Run(w.ctx, actions...))
}

// open loads a page by its address.
func (w *window) open(path string) *window {
	w.t.Helper()
	require.NoError(w.t, chromedp.Run(w.ctx, chromedp.Navigate(w.url+path)), path)
	return w
}

// ask calls a function of JavaScript in the page.
func ask[T any](w *window, function string, arguments ...any) (answer T, err error) {
	passed := make([]string, len(arguments))
	for i, argument := range arguments {
		text, err := json.Marshal(argument)
		if err != nil {
			return answer, err
		}
		passed[i] = string(text)
	}
	expression := "(" + function + ")(" + strings.Join(passed, ",") + ")"
	err = chromedp.Run(w.ctx, chromedp.Evaluate(expression, &answer,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return answer, err
}

// eventually waits for a condition. A page that loads gives no answer.
func (w *window) eventually(what string, condition func() error) {
	w.t.Helper()
	await(w.t, what, func() error {
		require.NoError(w.t, w.ctx.Err(), "the story takes too long: %s", what)
		return condition()
	})
}

// words are all visible texts of a loaded page.
const words = `() => document.readyState == 'complete' ? document.body.innerText.replace(/\s+/g, ' ') : ''`

// shows waits until the page has all texts.
func (w *window) shows(texts ...string) *window {
	w.t.Helper()
	w.eventually(fmt.Sprintf("the page shows %q", texts), func() error {
		shown, err := ask[string](w, words)
		if err != nil {
			return err
		}
		for _, text := range texts {
			if !strings.Contains(shown, text) {
				return fmt.Errorf("the page does not show %q: %s", text, shown)
			}
		}
		return nil
	})
	return w
}

// lacks waits until the page does not have a text.
func (w *window) lacks(text string) *window {
	w.t.Helper()
	w.eventually(fmt.Sprintf("the page does not show %q", text), func() error {
		shown, err := ask[string](w, words)
		if err == nil && strings.Contains(shown, text) {
			err = fmt.Errorf("the page shows %q", text)
		}
		return err
	})
	return w
}

// place is the middle of something on the page.
type place struct {
	X, Y  float64
	Found bool
}

// visible finds what can be used by its words, or by its label: those that are the same before those that begin so.
// Elements that something else covers are not there.
const visible = `(name, kinds) => {
	if (document.readyState != 'complete') return {};
	const named = (e) => {
		const label = e.labels && e.labels.length ? e.labels[0].innerText : e.innerText || e.value || '';
		return label.replace(/\s+/g, ' ').trim();
	};
	const all = [...document.querySelectorAll(kinds)].filter((e) => e.checkVisibility());
	const found = all.find((e) => named(e) == name) || all.find((e) => named(e).startsWith(name));
	if (!found) return {};
	found.scrollIntoView({ block: 'center', behavior: 'instant' });
	const box = found.getClientRects()[0];
	const x = box.x + box.width / 2, y = box.y + box.height / 2;
	const top = document.elementFromPoint(x, y);
	return { X: x, Y: y, Found: top == found || found.contains(top) };
}`

// click presses the mouse on what has a name.
func (w *window) click(name, kinds string) {
	w.t.Helper()
	var at place
	w.eventually("the page has "+name, func() (err error) {
		at, err = ask[place](w, visible, name, kinds)
		if err == nil && !at.Found {
			err = fmt.Errorf("there is no %q to press", name)
		}
		return err
	})
	w.do(chromedp.MouseClickXY(at.X, at.Y))
}

// press presses the button or the link of a name.
func (w *window) press(name string) *window {
	w.t.Helper()
	w.presses++
	w.click(name, "a[href], button, summary")
	return w
}

// types writes a text into the field of a label, in the place of what is there.
func (w *window) types(label, text string) *window {
	w.t.Helper()
	w.click(label, "input")
	_, err := ask[bool](w, "() => { document.activeElement.select(); return true; }")
	require.NoError(w.t, err)
	w.keys(text)
	return w
}

// keys presses keys.
func (w *window) keys(keys string) *window {
	w.t.Helper()
	w.do(chromedp.KeyEvent(keys))
	return w
}

// as signs in by a name, and returns when the wallet is shown.
func (w *window) as(name string) *window {
	w.t.Helper()
	return w.open("/wallet").types("Your name", name).press("Open the wallet").shows("Balance", name)
}

// tap mints coin for dollars.
func (w *window) tap(dollars string) *window {
	w.t.Helper()
	return w.open("/wallet").types("Get test coin", dollars).press("Tap").shows("You minted coin worth " + dollars + " USD.")
}

// offers offers coin to somebody, who has to accept it.
func (w *window) offers(receiver, amount, note string) {
	w.t.Helper()
	w.open("/wallet/send").types("To", receiver).types("Amount", amount)
	if note != "" {
		w.types("Note for the receiver", note)
	}
	w.press("Preview").shows("Send this?").press("Send " + amount + " CC").
		shows("You offered " + amount + " CC to " + receiver + ".")
}

// dark has the window prefer dark colours, or light ones.
func (w *window) dark(dark bool) *window {
	w.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	w.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme},
	}))
	return w
}

// telephone gives the window the size of a telephone.
func (w *window) telephone() *window {
	w.t.Helper()
	w.do(chromedp.EmulateViewport(telephoneWidth, telephoneHeight, chromedp.EmulateMobile, chromedp.EmulateTouch))
	return w
}

// imagesVariable names the directory that pictures of the page are written to.
const imagesVariable = "FLORIN_TEST_IMAGES"

// pictures writes what the window shows on a desk, a tablet and a telephone.
func (w *window) pictures(name string) *window {
	w.t.Helper()
	if os.Getenv(imagesVariable) == "" {
		return w
	}
	w.picture(name)
	w.do(chromedp.EmulateViewport(tabletWidth, tabletHeight))
	w.picture(fmt.Sprintf("%s-%d", name, tabletWidth))
	w.do(chromedp.EmulateViewport(telephoneWidth, telephoneHeight))
	w.picture(fmt.Sprintf("%s-%d", name, telephoneWidth))
	w.do(chromedp.EmulateViewport(deskWidth, deskHeight))
	return w
}

// picture writes what the window shows to the directory of pictures, if there is one.
func (w *window) picture(name string) *window {
	w.t.Helper()
	dir := os.Getenv(imagesVariable)
	if dir == "" {
		return w
	}
	const whole = 100 // a PNG
	var picture []byte
	w.do(chromedp.FullScreenshot(&picture, whole))
	require.NoError(w.t, os.MkdirAll(dir, 0o755))
	require.NoError(w.t, os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644))
	return w
}
