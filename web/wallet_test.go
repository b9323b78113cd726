package web_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// teeReader records what is read.
type teeReader struct {
	io.Reader

	into *strings.Builder
}

// Read implements [io.Reader].
func (r teeReader) Read(bytes []byte) (int, error) {
	n, err := r.Reader.Read(bytes)
	r.into.Write(bytes[:n])
	return n, err
}

func TestWallet_SendsCoinBetweenNewUsers(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice, bob := window(t, server).as("alice"), window(t, server).as("bob")
	alice.shows("0 CC", "amount in dollars; 1 USD is 200 CC").press("/wallet/tap", "amount", "10").shows("You minted coin worth 10 USD.", "2,000 CC", "$10.00")
	alice.open("/wallet").shows("You got 2,000 CC of test coin", "+2,000 CC")
	require.NotContains(t, alice.words(), "You minted", "notices are shown once")

	alice.open("/wallet/send").shows("You can spend 2,000 CC.")
	alice.press("/wallet/send/preview", "to", "bob", "amount", "1234.5", "note", "lunch & <b>more</b>")
	require.Equal(t, http.StatusOK, alice.status, alice.text)
	alice.shows("Send this?", "1,234.5 CC", "bob::1220247136781190caa1cebb2562a63effa0e79e4bbffc9a55a61f9bbe2650000685",
		"lunch & <b>more</b>", "bob gets 1,234.5 CC, locked until they accept", "24 hours left", "$6.17", "Fee none",
		"of the node's, which the node pays", "Send 1,234.5 CC to bob")
	path, form := alice.form("/wallet/send")
	for range 3 { // a double click, and a reload
		alice.load(alice.request(http.MethodPost, path, form)).shows("You offered 1,234.5 CC to bob.", "Withdraw")
	}
	alice.open("/wallet").shows("765.5 CC", "1,234.5 CC", "You offered bob 1,234.5 CC lunch & <b>more</b> waiting",
		"Available balance")

	bob.open("/wallet/waiting").shows("1", "waiting for you")
	bob.open("/wallet/inbox").shows("1,234.5 CC", "from alice", "lunch & <b>more</b>").press("/accept")
	bob.shows("You accepted the offer.", "No offers for you.")
	bob.open("/wallet").shows("1,234.5 CC", "You accepted alice's 1,234.5 CC lunch & <b>more</b> done")
	bob.open("/wallet/coins").shows("1,234.5 CC", "Nothing is locked.")
	alice.open("/wallet/history").shows("bob accepted your 1,234.5 CC lunch & <b>more</b> done", "−1,234.5 CC", "of test coin")
	require.NotContains(t, alice.words(), "offered", "an offer is one entry")
	alice.open("/wallet/history?kind=sent&search=BOB").shows("bob accepted")
	require.NotContains(t, alice.words(), "test coin")
	alice.open("/wallet/history?search=nothing+has+this").shows("None of these 2 entries matches.")
	alice.open("/wallet/history.csv")
	require.Equal(t, "text/csv", strings.Split(alice.header.Get("Content-Type"), ";")[0])
	require.Contains(t, alice.header.Get("Content-Disposition"), "attachment")
	rows := strings.Split(strings.TrimSpace(alice.text), "\n")
	require.Len(t, rows, 4, alice.text)
	end := strings.Split(rows[1], ",")[1]
	alice.open("/wallet/history?after=" + url.QueryEscape(end)).shows("You offered bob 1,234.5 CC lunch & <b>more</b> ended")
}

func TestOffer_IsRejectedOrWithdrawn(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice, bob := window(t, server).as("alice"), window(t, server).as("bob")
	alice.press("/wallet/tap", "amount", "1")
	offer := func() {
		alice.open("/wallet/send").press("/wallet/send/preview", "to", "bob", "amount", "5").press("/wallet/send")
	}
	offer()
	bob.open("/wallet/inbox").press("/reject").shows("You rejected the offer.")
	alice.open("/wallet").shows("200 CC")
	offer()
	alice.open("/wallet/inbox")
	bob.open("/wallet/inbox")
	alice.press("/withdraw").shows("You withdrew your offer.")
	bob.press("/accept").shows("not found") // it was there when he looked
	require.Equal(t, http.StatusUnprocessableEntity, bob.status)
	alice.open("/wallet").shows("200 CC")
}

func TestPreapproval_TurnsOnAndOff(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	server := serve(t, options(t, api.Handler))
	alice, bob := window(t, server).as("alice"), window(t, server).as("bob")
	alice.press("/wallet/tap", "amount", "1")
	bob.open("/wallet/receive").shows("Off: you accept or reject each transfer.", "bob::1220")
	bob.press("/wallet/preapproval").shows("On: you get coin at once, without accepting it.")
	alice.open("/wallet/send").press("/wallet/send/preview", "to", "bob", "amount", "5").shows("bob gets 5 CC at once.")
	alice.press("/wallet/send").shows("You sent 5 CC to bob.")
	bob.open("/wallet").shows("5 CC")
	bob.open("/wallet/receive").press("/wallet/preapproval/cancel").shows("Off: you accept or reject each transfer.")
}

func TestForm_ShowsErrorsAndKeepsInput(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice := window(t, server)
	alice.open("/wallet").press("/wallet/sign-in", "user", "no such name").shows(`"no such name" is not a valid user name`)
	_, form := alice.form("/wallet/sign-in")
	require.Equal(t, "no such name", form.Get("user"))
	alice.open("/wallet").press("/wallet/sign-in", "user", "").shows("No name was given.")
	alice.open("/wallet").press("/wallet/sign-in", "user", "", "token", "no token").shows("Send a bearer token")
	alice.as("alice").press("/wallet/tap", "amount", "much").shows("Invalid Decimal")
	alice.press("/wallet/tap", "amount", "1")
	window(t, server).as("bob")
	for name, test := range map[string]struct{ to, amount, says string }{
		"no receiver":    {"", "1", "The receiver is missing."},
		"nobody":         {"rob", "1", `No party found for "rob".`},
		"no party":       {"rob::x", "1", "UNKNOWN_INFORMEES"},
		"unknown party":  {"rob::1220", "1", "rob::1220"},
		"no amount":      {"bob", "many", `"many" is not an amount of coin.`},
		"a comma":        {"bob", "1,5", "Write the amount without commas, with a point before its decimals: 1234.5"},
		"thousands":      {"bob", "1,234", "without commas"},
		"nothing":        {"bob", "0", `"0" is not an amount of coin.`},
		"too many":       {"bob", "0.00000000001", "is not an amount of coin."},
		"more than hers": {"bob", "1000", "You can spend 200 CC, and 1,000 CC is more than that."},
	} {
		alice.open("/wallet/send").press("/wallet/send/preview", "to", test.to, "amount", test.amount, "note", "hello")
		require.Equal(t, http.StatusUnprocessableEntity, alice.status, name)
		alice.shows(test.says)
		_, typed := alice.form("/wallet/send/preview")
		require.Equal(t, []string{test.to, test.amount, "hello"},
			[]string{typed.Get("to"), typed.Get("amount"), typed.Get("note")}, name)
	}
	alice.open("/wallet/nothing").shows("There is no page")
	require.Equal(t, http.StatusNotFound, alice.status)
}

func TestSend_RefusalAfterPreviewKeepsInput(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice := window(t, server).as("alice")
	window(t, server).as("bob")
	alice.press("/wallet/tap", "amount", "1")
	other := *alice // another tab
	for _, tab := range []*browser{alice, &other} {
		tab.open("/wallet/send").press("/wallet/send/preview", "to", "bob", "amount", "150")
	}
	alice.press("/wallet/send").shows("You offered 150 CC")
	other.press("/wallet/send").shows("You can spend 50 CC, and 150 CC is more than that.")
	_, typed := other.form("/wallet/send/preview")
	require.Equal(t, "150", strings.TrimSuffix(typed.Get("amount"), ".0"))
	require.True(t, strings.HasPrefix(typed.Get("to"), "bob::"))
	other.press("/wallet/send/preview", "amount", "40").press("/wallet/send").shows("You offered 40 CC")
}

func TestWallet_OpensForNewUser(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	dora := api.Wallet("dora") // with a party, and without a wallet
	server := serve(t, options(t, api.Handler))
	b := window(t, server)
	b.open("/wallet").press("/wallet/sign-in", "user", "", "token", token(t, dora.User))
	b.shows("You have no wallet yet", "dora")
	b.press("/wallet/open").shows("Your wallet is open.", "0 CC")
	b.press("/wallet/sign-out").shows("Open a wallet")
	b.open("/wallet/send").shows("Open a wallet")
}

func TestPages_LinksAndFormsWork(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice := window(t, server).as("alice")
	alice.press("/wallet/tap", "amount", "1")
	seen := map[string]bool{"/": true}
	for queue := []string{"/"}; len(queue) > 0; queue = queue[1:] {
		alice.open(queue[0])
		if alice.status == http.StatusForbidden && strings.HasPrefix(queue[0], "/admin/") {
			alice.shows("This needs the right ParticipantAdmin")
			continue
		}
		require.Equal(t, http.StatusOK, alice.status, queue[0])
		if alice.header.Get("Content-Type") != "text/html; charset=utf-8" {
			continue // none of this page
		}
		titles := 0
		for part := range alice.root.Descendants() {
			if part.Data == "h1" {
				titles++
			}
			for _, name := range []string{"href", "src", "hx-get"} {
				link, isLink := has(part, name)
				if !isLink || strings.HasPrefix(link, "#") {
					continue
				}
				require.True(t, strings.HasPrefix(link, "/"), "%s leads elsewhere, to %s", queue[0], link)
				if path, _, _ := strings.Cut(link, "?"); !seen[path] {
					seen[path] = true
					queue = append(queue, link)
				}
			}
		}
		isPage := strings.HasPrefix(alice.path, "/wallet") || strings.HasPrefix(alice.path, "/explorer")
		if alice.path == "/" || isPage && alice.path != "/wallet/waiting" {
			require.Equal(t, 1, titles, queue[0])
		}
	}
	for _, path := range []string{
		"/wallet/history.csv", "/wallet/waiting", "/docs", "/explorer", "/explorer/parties", "/wallet/names", "/wallet/traffic",
		"/wallet/payments", "/wallet/allocations", "/wallet/external",
	} {
		require.True(t, seen[path], "%s: %v", path, seen)
	}
}

func TestPages_AreSmallAndSelfContained(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice := window(t, server).as("alice")
	for _, page := range []string{"/wallet", "/explorer"} {
		size := len(alice.open(page).text)
		files := 0
		for _, path := range links(alice, "src", "href") {
			if strings.HasPrefix(path, "/assets/") {
				files++
				alice.open(path)
				require.Contains(t, alice.header.Get("Cache-Control"), "immutable")
				size += len(alice.text)
			}
		}
		require.Equal(t, 4, files)
		require.Less(t, size, 100_000)
	}
}

// links are the values of attributes on the page.
func links(b *browser, names ...string) (found []string) {
	for part := range b.root.Descendants() {
		for _, name := range names {
			if link, isLink := has(part, name); isLink {
				found = append(found, link)
			}
		}
	}
	return found
}

func TestPages_UnchangedAnswersNoContent(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice := window(t, server).as("alice")
	for _, page := range []string{"/wallet", "/wallet/inbox"} {
		alice.open(page)
		var live string
		for _, link := range links(alice, "hx-get") {
			if strings.HasPrefix(link, page+"?seen=") {
				live = link
			}
		}
		require.NotEmpty(t, live, page)
		require.Equal(t, http.StatusNoContent, alice.fragment(live).status, page)
	}
	alice.open("/wallet")
	var live string
	for _, link := range links(alice, "hx-get") {
		if strings.HasPrefix(link, "/wallet?seen=") {
			live = link
		}
	}
	alice.press("/wallet/tap", "amount", "1")
	alice.fragment(live).shows("200 CC")
	require.NotContains(t, alice.text, "<html")
	// A page whose session has ended loads the sign-in page.
	mine := alice.headers
	alice.open("/wallet").press("/wallet/sign-out").as("bob") // in another tab
	alice.headers = mine
	require.Equal(t, "true", alice.fragment("/wallet/inbox").header.Get("Hx-Refresh"))
	require.Empty(t, alice.text)
	alice.client.Jar = nil
	require.Equal(t, "/wallet", alice.fragment("/wallet/inbox").header.Get("Hx-Redirect"))
}

// The page shows the transaction as a tree in words, and links to its workflow.
func TestHistory_ShowsFullEntry(t *testing.T) {
	t.Parallel()
	of := options(t, coinAPI(t).Handler)
	of.TemporalUI, of.TemporalNamespace, of.TemporalQuery = "http://127.0.0.1:8233", "default", "WorkflowId = 1"
	server := serve(t, of)
	alice, bob := window(t, server).as("alice"), window(t, server).as("bob")
	alice.press("/wallet/tap", "amount", "1")
	alice.open("/wallet/send").press("/wallet/send/preview", "to", "bob", "amount", "5", "note", "<b>lunch</b>")
	alice.press("/wallet/send").open("/wallet/history").shows("You offered bob 5 CC", "of test coin")
	var updates []string
	for _, link := range links(alice, "href") {
		if strings.HasPrefix(link, "/wallet/history/") {
			updates = append(updates, link)
		}
	}
	require.Len(t, updates, 2)
	alice.open(updates[0])
	require.Equal(t, http.StatusOK, alice.status, alice.text)
	alice.shows("alice offered bob 5 CC", "ExternalPartyAmuletRules:TransferFactory_Transfer", "alice's 5 CC was locked",
		"lunch", "On the ledger", "Offset", "The workflows of your party")
	require.NotContains(t, alice.text, "<b>lunch")
	require.Contains(t, strings.Join(links(alice, "href"), " "),
		"http://127.0.0.1:8233/namespaces/default/workflows?query=FlorinParty+%3D+%22alice%3A%3A1220")
	bob.open(updates[0]).shows("alice offered bob 5 CC", "lunch")
	bob.open(updates[1]).shows("There is no such update, or you may not see any part of it.")
	require.Equal(t, http.StatusNotFound, bob.status)
	bob.open("/wallet/history/nothing")
	require.GreaterOrEqual(t, bob.status, http.StatusBadRequest)
	require.Less(t, bob.status, http.StatusInternalServerError)
}

func TestCoins_MergesHoldings(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice := window(t, server).as("alice")
	alice.press("/wallet/tap", "amount", "1").open("/wallet/coins").shows("200 CC")
	require.NotContains(t, alice.words(), "Merge")
	alice.shows("Age")
	alice.open("/wallet").press("/wallet/tap", "amount", "2").open("/wallet/coins").shows("200 CC", "400 CC")
	path, form := alice.form("/wallet/coins/merge")
	for range 2 { // a double click
		alice.load(alice.request(http.MethodPost, path, form)).shows("Your coin is merged.", "600 CC")
	}
	require.NotContains(t, alice.words(), "400 CC")
	alice.open("/wallet").shows("600 CC", "You merged 2 holdings")
	form.Set("amount", "1000")
	form.Set("once", "another")
	alice.load(alice.request(http.MethodPost, path, form)).shows("Insufficient funds", "600 CC")
	require.Equal(t, http.StatusUnprocessableEntity, alice.status)
}
