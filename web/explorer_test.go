package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/test/apitest"
)

// linkOn is the first link of the page with the prefix.
func (b *browser) linkOn(prefix string) string {
	b.t.Helper()
	for _, link := range links(b, "href") {
		if strings.HasPrefix(link, prefix) {
			return link
		}
	}
	require.Fail(b.t, "the page has no such link", "%s in\n%s", prefix, b.text)
	return ""
}

// search looks for something in the explorer.
func (b *browser) search(id string) *browser {
	b.t.Helper()
	return b.open("/explorer/search?for=" + url.QueryEscape(id))
}

// textOf is the text of the first element of a kind after a place on the page.
func (b *browser) textOf(kind, after string) string {
	b.t.Helper()
	_, rest, found := strings.Cut(b.text, after)
	require.True(b.t, found, after)
	_, rest, found = strings.Cut(rest, "<"+kind+">")
	require.True(b.t, found, kind)
	text, _, _ := strings.Cut(rest, "</"+kind+">")
	return text
}

func TestExplorer_FindsByIdAndLinksPages(t *testing.T) {
	t.Parallel()
	of := options(t, coinAPI(t).Handler)
	of.TemporalUI, of.TemporalNamespace, of.TemporalQuery = "http://127.0.0.1:8233", "default", "WorkflowId = 1"
	server := serve(t, of)
	alice, bob := window(t, server).as("alice"), window(t, server).as("bob")
	alice.press("/wallet/tap", "amount", "1")
	alice.open("/wallet/send").press("/wallet/send/preview", "to", "bob", "amount", "5", "note", "<b>lunch</b>")
	alice.press("/wallet/send")

	alice.open("/explorer").shows("Latest activity", "alice offered bob 5 CC", "alice got 200 CC of test coin")
	update := alice.linkOn("/explorer/updates/")
	alice.open(update).shows("alice's 5 CC was locked", "ExternalPartyAmuletRules:TransferFactory_Transfer",
		"You see the parts that concern alice", "On the ledger", "The workflows of the party")
	require.NotContains(t, alice.text, "<b>lunch")
	offset := alice.textOf("dd", "<dt>Offset</dt>")
	alice.open(update + "/json")
	require.Equal(t, "application/json; charset=utf-8", alice.header.Get("Content-Type"))
	require.Contains(t, alice.text, `"choice":"TransferFactory_Transfer"`)
	alice.open(update + "77/json").shows("There is no such update")
	alice.open(update)
	id := strings.TrimPrefix(update, "/explorer/updates/")
	require.Equal(t, update, alice.search(" "+id+" ").path)
	require.Equal(t, "/explorer/offsets/"+offset, alice.search(offset).path)
	alice.shows("alice offered bob 5 CC", id)
	alice.open(alice.linkOn("/explorer?upto=")).shows("Offset " + offset)

	// The locked coin, which the transfer made.
	contract := alice.open(update).linkOn("/explorer/contracts/")
	require.Equal(t, contract, alice.search(strings.TrimPrefix(contract, "/explorer/contracts/")).path)
	alice.shows("Contents", "Signed by", "Created")
	instruction := bob.open(update).linkOn("/explorer/contracts/")
	bob.open(instruction).shows("alice offered bob 5 CC", "It is active.", "lunch", "Not archived.",
		"AmuletTransferInstruction", id)
	require.NotContains(t, bob.words(), "TransferFactory_Transfer", "who made it is not for him to see")
	require.NotContains(t, bob.words(), "Key")
	alice.open(instruction).shows("ExternalPartyAmuletRules:TransferFactory_Transfer", id)
	bob.open("/wallet/inbox").press("/accept")
	bob.open(instruction).shows("It is archived.", "bob accepted alice's 5 CC")
	require.Contains(t, links(bob, "href"), update, "where it began")
	alice.open("/wallet/history").open(alice.linkOn("/wallet/history/12"))
	alice.open(alice.linkOn("/explorer/updates/")).shows("bob accepted alice's 5 CC")

	party := alice.open("/explorer/parties").linkOn("/explorer/parties/")
	require.Equal(t, party, alice.search("alice").path)
	alice.shows("alice::1220", "Active contracts", "Amulet")
	alice.open(alice.linkOn("/explorer?as=")).shows("As seen by", "alice got")
	alice.search("bob::1220ab").shows("You may not read as this party")
	for _, nothing := range []string{"", "rob", "12zz", "77ab", `"><script>`, strings.Repeat("9", 20)} {
		alice.search(nothing).shows("Nothing found for", "To the explorer")
		require.Equal(t, http.StatusUnprocessableEntity, alice.status)
	}
	alice.search(strings.Repeat("9", 18)).shows("There is no such update")
	alice.open("/explorer/offsets/many").shows(`"many" is not an offset.`)
	alice.open("/explorer?upto=many").shows(`"many" is not an offset.`)
	alice.open("/explorer?upto=100000000").shows("after ledger end")
	alice.open("/explorer/nothing").shows("There is no page", "Go to the explorer.")
}

// The visitor's current rights decide.
func TestExplorer_ShowsOnlyWhatVisitorMayRead(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	server := serve(t, options(t, api.Handler))
	alice, bob := window(t, server).as("alice"), window(t, server).as("bob")
	alice.press("/wallet/tap", "amount", "1")
	update := alice.open("/explorer").linkOn("/explorer/updates/")
	contract := alice.open(update).linkOn("/explorer/contracts/")
	party := url.QueryEscape(alice.open("/explorer/parties").textOf("code", `<td class="id"`))
	for _, path := range []string{update, contract} {
		bob.open(path).shows("you may not see")
		require.Equal(t, http.StatusNotFound, bob.status, path)
		require.NotContains(t, bob.words(), "Tap")
	}
	for _, path := range []string{"/explorer?as=" + party, update + "?as=" + party, contract + "?as=" + party} {
		bob.open(path).shows("That did not work")
		require.Equal(t, http.StatusForbidden, bob.status, path)
	}
	bob.open("/explorer/parties/" + party).shows("You may not read as this party")
	require.NotContains(t, bob.words(), "Active contracts")

	rights := func(method string, right client.Right) {
		api.Call(apitest.LedgerUser, method, "/v2/users/bob/rights",
			map[string]any{"userId": "bob", "identityProviderId": "", "rights": []any{right}}).OK(nil)
	}
	named, err := url.QueryUnescape(party)
	require.NoError(t, err)
	rights(http.MethodPost, client.CanReadAs(named))
	bob.open(update).shows("test coin", "the parties that you read as", "Seen by")
	bob.open(update+"?as=alice").shows("test coin", "that concern alice")
	bob.open(contract).shows("You see it as alice")
	bob.open("/explorer/parties").shows("alice", "bob")
	bob.open("/explorer/parties/"+party).shows("Active contracts", "Amulet")
	rights(http.MethodPatch, client.CanReadAs(named))
	bob.open(update).shows("you may not see")
	rights(http.MethodPost, client.CanReadAsAnyParty())
	bob.open(update).shows("test coin", "the parties that you read as")
	bob.open("/explorer/parties").shows("You may read as any party.")
	bob.open(update + "?as=bob").shows("you may not see")
}

// Anybody can name a template Amulet. The explorer shows the package of such contracts, but not of the coin.
func TestExplorer_NamesThePackageOfALookalike(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	alice := window(t, serve(t, options(t, api.Handler))).as("alice")
	alice.press("/wallet/tap", "amount", "1")
	update := alice.open("/explorer").shows("alice got 200 CC of test coin").linkOn("/explorer/updates/")
	alice.open(update).shows("alice got 200 CC", "Amulet")
	alice.open(alice.linkOn("/explorer/contracts/"))
	require.NotContains(t, alice.words(), "(package")

	lookalike := strings.ReplaceAll(dartest.Notes("amulet-look", "1.0.0", ""), "Note", "Amulet")
	api.Call(apitest.Admin, http.MethodPost, "/v2/dars", string(dartest.Build(t, lookalike))).OK(nil)
	party := alice.open("/explorer/parties").textOf("code", `<td class="id"`)
	submit := func(command string) {
		api.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", fmt.Sprintf(
			`{"commandId":"one","actAs":[%q],"commands":[%s]}`, party, command)).OK(nil)
	}
	submit(fmt.Sprintf(`{"CreateAndExerciseCommand":{"templateId":"#amulet-look:N:Amulet","createArguments":{
		"owner":%[1]q,"reader":%[1]q,"text":"a coin"},"choice":"Share","choiceArgument":{"reader":%[1]q}}}`, party))
	const on = "(package amulet-look)"
	update = alice.open("/explorer").shows("alice created Amulet #", on, ", and 1 more").linkOn("/explorer/updates/")
	alice.open(update).shows("alice created Amulet #", "Amulet:Share by alice on #", on)
	// the contract's heading, and its creation
	require.GreaterOrEqual(t, strings.Count(alice.open(alice.linkOn("/explorer/contracts/")).words(), on), 2)
	alice.open("/explorer/parties/" + url.PathEscape(party)).shows(on)
	require.Equal(t, 1, strings.Count(alice.words(), "(package"), "of the contracts of the party")
}

func TestExplorer_TellsUserWithoutReadRights(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	api.Call(apitest.LedgerUser, http.MethodPost, "/v2/users", map[string]any{
		"user": map[string]any{"id": "nora", "primaryParty": "", "isDeactivated": false, "identityProviderId": ""},
	}).OK(nil)
	nora := window(t, serve(t, options(t, api.Handler)))
	nora.open("/explorer").press("/wallet/sign-in", "user", "", "token", token(t, "nora"))
	require.Equal(t, http.StatusForbidden, nora.status)
	nora.shows("You have no right to read as a party", "Open a wallet")
}

func TestSignIn_ReturnsToRequestedPage(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice := window(t, server).as("alice")
	alice.press("/wallet/tap", "amount", "1")
	update := alice.open("/explorer").linkOn("/explorer/updates/")
	bob := window(t, server).open(update+"?as=a%26b").shows("Sign in to explore").press("/wallet/sign-in", "user", "bob")
	require.Equal(t, update+"?as=a%26b", bob.path)
	bob.open("/explorer").press("/wallet/sign-out").shows("Sign in to explore")
	for _, to := range []string{
		"https://evil.example/explorer", "//evil.example/explorer", "/\\evil.example/explorer", "/explorerevil",
		"https:/explorer/x", "/wallet/history", "explorer", "/explorer/" + strings.Repeat("x", 1000), "",
	} {
		stranger := window(t, server).open("/explorer").press("/wallet/sign-in", "user", "bob", "to", to)
		require.Equal(t, "/wallet", stranger.path, to)
	}
	lost := window(t, server)
	require.Equal(t, "/explorer?seen=x", lost.fragment("/explorer?seen=x").header.Get("Hx-Redirect"))
}

// After sign-in the page opens the explorer. It refuses a path that leaves the explorer.
func TestSignIn_DoesNotLeaveTheExplorer(t *testing.T) {
	t.Parallel()
	server := node(t)
	for to, path := range map[string]string{
		"/explorer/../wallet/send?to=mallory":       "/wallet",
		"/explorer/%2e%2e/wallet/send?to=mallory":   "/wallet",
		"/explorer/.%2E/wallet/send?to=mallory":     "/wallet",
		"/explorer/..%2fwallet/send?to=mallory":     "/wallet",
		"/explorer/..\\wallet/send?to=mallory":      "/explorer/..%5Cwallet/send?to=mallory",
		"/explorer/x/../../wallet/send?to=mallory":  "/wallet",
		"/explorer/../explorer/../wallet/send?to=m": "/wallet",
		"/explorer/..":                           "/wallet",
		"/wallet/../explorer/parties?as=bob":     "/explorer/parties?as=bob",
		"/explorer/./parties?as=bob":             "/explorer/parties?as=bob",
		"/explorer/a%2Fb/../../wallet/send?to=m": "/explorer/wallet/send?to=m",
	} {
		stranger := window(t, server).open("/explorer").press("/wallet/sign-in", "user", "bob", "to", to)
		require.Equal(t, path, stranger.path, to)
		lost := window(t, server)
		require.Equal(t, path, lost.fragment("/wallet?to="+url.QueryEscape(to)).header.Get("Hx-Redirect"), to)
	}
}

func TestExplorer_UpdateListIsLiveAndPaged(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice := window(t, server).as("alice")
	alice.open("/explorer").shows("alice opened a wallet")
	live := alice.live("/explorer")
	ask := func() *browser { return alice.fragment(live) }
	require.Equal(t, http.StatusNoContent, ask().status)
	for range 21 {
		alice.open("/wallet").press("/wallet/tap", "amount", "1")
	}
	ask().shows("alice got 200 CC of test coin done")
	require.NotContains(t, alice.text, "<html")
	count := func() (rows int) {
		for _, link := range links(alice, "href") {
			if strings.HasPrefix(link, "/explorer/updates/") {
				rows++
			}
		}
		return rows
	}
	require.Equal(t, 20, count())
	alice.open("/explorer").open(alice.linkOn("/explorer?upto="))
	require.Equal(t, 2, count())
	require.Equal(t, []string{"/admin/ledger-time"}, links(alice, "hx-get"), "older ones stay as they are")
	alice.shows("Newest").open("/explorer?upto=1").shows("No updates that you may see.")
}
