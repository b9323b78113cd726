//go:build long

package e2e_test

import (
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// goesBack presses the back button.
func (w *window) goesBack() *window {
	w.t.Helper()
	w.do(chromedp.NavigateBack())
	return w
}

// chooses gives a file to the file field with an id.
func (w *window) chooses(id, path string) *window {
	w.t.Helper()
	w.do(chromedp.SetUploadFiles("#"+id, []string{path}, chromedp.ByQuery))
	return w
}

// aSavedNameReceives: a user saves a party under a name and sends all of the coin to it, and the back button leads to
// what was typed.
func aSavedNameReceives(t *testing.T, n *upNode, browser *chromium) {
	t.Helper()
	nina := browser.window(t, n.url).as("nina").open("/wallet/receive").shows("Your party id")
	party, err := ask[string](nina, "() => document.getElementById('party').textContent")
	require.NoError(t, err)
	modules, err := ask[float64](nina, "() => document.querySelector('.qr').getBBox().width")
	require.NoError(t, err)
	require.Greater(t, modules, 20.0, "the QR code is drawn")

	oscar := browser.window(t, n.url).as("oscar").tap("1")
	oscar.open("/wallet/names").types("Name", "my niece").types("Party id", party).press("Save").shows("my niece " + party + " Remove")
	oscar.press("my niece").shows("Send coin")
	require.Equal(t, party, oscar.value("To"))
	oscar.open("/wallet/send").types("To", "my niece").types("Note for the receiver", "all I have")
	oscar.press("Send all")
	require.Equal(t, "200.0", oscar.value("Amount"))
	require.Equal(t, "all I have", oscar.value("Note for the receiver"), "the script keeps what was typed")
	oscar.press("Preview").shows("Send this?", "nina gets 200 CC, locked until they accept", party)
	oscar.goesBack().shows("Send coin")
	require.Equal(t, "200.0", oscar.value("Amount"))
	oscar.press("Preview").press("Send 200 CC to nina").shows("You offered 200 CC to nina.")
	oscar.goesBack().shows("You can spend 0 CC, and 200 CC is more than that.") // the preview, which would pay again
	nina.open("/wallet/inbox").shows("200 CC from oscar")
	oscar.open("/wallet/names").press("Remove").lacks("my niece")
}

// qrReader replaces the browser's reader of QR codes, which not every system has.
const qrReader = `window.BarcodeDetector = class {
	async detect(image) { return image.width == 2 ? [{ rawValue: 'peggy::1220' }] : []; }
}`

// aPictureFillsTheReceiver: a picture of a QR code fills the field.
func aPictureFillsTheReceiver(t *testing.T, n *upNode, browser *chromium) {
	t.Helper()
	w := browser.window(t, n.url).as("peggy").open("/wallet/send").lacks("Scan a party id") // without a reader
	w.do(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := cdppage.AddScriptToEvaluateOnNewDocument(qrReader).Do(ctx)
		return err
	}))
	picture := func(width int) string {
		path := filepath.Join(t.TempDir(), "code.png")
		file, err := os.Create(path)
		require.NoError(t, err)
		drawn := image.NewGray(image.Rect(0, 0, width, 1))
		drawn.SetGray(0, 0, color.Gray{Y: 1})
		require.NoError(t, png.Encode(file, drawn))
		require.NoError(t, file.Close())
		return path
	}
	w.open("/wallet/send").shows("Scan a party id").chooses("picture", picture(1)).shows("This picture has no QR code.")
	w.chooses("picture", picture(2)).shows("Found a party id.")
	require.Equal(t, "peggy::1220", w.value("To"))
}

// aKeyStaysInTheBrowser: a party is created, receives and sends with a key that the browser keeps, and another one with
// a key in a file.
func aKeyStaysInTheBrowser(t *testing.T, n *upNode, browser *chromium) {
	t.Helper()
	rita := browser.window(t, n.url).as("rita").tap("1").open("/wallet/receive").press("Turn it on").shows("On: you get coin")
	operator := browser.window(t, n.url).as("ledger-api-user").tap("1000")
	dir := t.TempDir()
	operator.do(cdpbrowser.SetDownloadBehavior(cdpbrowser.SetDownloadBehaviorBehaviorAllow).
		WithBrowserContextID(operator.cookies).WithDownloadPath(dir))
	operator.open("/wallet/external").shows("Create a party").types("Name", "safe").press("Prepare").shows("Create this party?")
	operator.picture("signing").press("Sign and create safe").shows("You created the party safe.", "cannot receive coin yet")
	operator.press("Turn on automatic receiving").shows("Turn on automatic receiving?").press("Sign and turn it on")
	operator.shows("Automatic receiving is on.", "0 CC")
	party, err := ask[string](operator, "() => document.querySelector('h2 .party').title")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(party, "safe::1220"), party)
	rita.offersAtOnce(party, "20")
	operator.open("/wallet/external").press("safe").shows("20 CC").types("To", "rita").types("Amount", "5")
	operator.press("Prepare to send").shows("Send 5 CC to rita?").press("Sign and send 5 CC").shows("safe signed")
	rita.open("/wallet").shows("185 CC") // the operator has executed it

	stored, err := ask[string](operator, `async () => {
		const open = indexedDB.open('florin-keys');
		const db = await new Promise((then) => { open.onsuccess = () => then(open.result); });
		const all = db.transaction('keys').objectStore('keys').getAll();
		const keys = await new Promise((then) => { all.onsuccess = () => then(all.result); });
		return JSON.stringify(keys.map((key) => key.secret.extractable));
	}`)
	require.NoError(t, err)
	var extractable []bool
	require.NoError(t, json.Unmarshal([]byte(stored), &extractable))
	require.Equal(t, []bool{false}, extractable, "nobody can copy the key")

	operator.open("/wallet/external").types("Name", "vault")
	operator.click("Make one that I download", "label")
	operator.press("Prepare").shows("The file is downloaded.").press("Prepare").shows("Create this party?")
	operator.press("Sign and create vault").shows("Choose the file with the key.")
	file := filepath.Join(dir, "vault.pem")
	await(t, "the key is downloaded", func() error {
		_, err := os.Stat(file)
		return err
	})
	operator.chooses("key-file", file).press("Sign and create vault").shows("You created the party vault.")
}

// offersAtOnce sends coin to a party that receives automatically.
func (w *window) offersAtOnce(party, amount string) {
	w.t.Helper()
	w.open("/wallet/send").types("To", party).types("Amount", amount).press("Preview").shows("gets " + amount + " CC at once.")
	w.press("Send " + amount + " CC").shows("You sent " + amount + " CC")
}

// theMoneyViewsAreAccessible checks the views about money with axe.
func theMoneyViewsAreAccessible(t *testing.T, n *upNode, browser *chromium) {
	t.Helper()
	rules := axe(t)
	w := browser.window(t, n.url).as("sybil").tap("10").tap("5")
	look := func(view string) { w.isAccessible(rules, view) }
	w.open("/wallet").shows("The points as a table").press("The points as a table").shows("Tokens").picture("balance-chart")
	look("the balance with a chart")
	w.open("/wallet/coins").shows("Merge the chosen coins")
	look("coins to choose")
	w.open("/wallet/names").types("Name", "me").types("Party id", "me::1220").press("Save").shows("Remove")
	look("saved names")
	w.open("/wallet/payments").shows("No app asks for a payment.")
	look("payments")
	w.open("/wallet/allocations").shows("You have set nothing aside.")
	look("allocations")
	w.press("Traffic").shows("It lasts", "Used of it a day").picture("traffic").types("Kilobytes", "200")
	look("traffic")
	w.press("Preview").shows("Buy this?")
	look("a purchase of traffic")
	w.press("Buy 200 kB").shows("Your purchase is done", "200 kB") // without a reload
	look("a purchase that is done")
	operator := browser.window(t, n.url).as("ledger-api-user").open("/wallet/external").shows("Create a party")
	operator.isAccessible(rules, "parties with their own key")
	operator.types("Name", "sight").press("Prepare").shows("Create this party?")
	operator.isAccessible(rules, "what is signed")
}
