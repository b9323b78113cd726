package web_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// submit opens the page of a form that changes nothing, with typed values.
func (b *browser) submit(action string, typed ...string) *browser {
	b.t.Helper()
	path, form := b.form(action)
	for i := 0; i < len(typed); i += 2 {
		form.Set(typed[i], typed[i+1])
	}
	return b.open(path + "?" + form.Encode())
}

// inputs are the values of an attribute of the page's fields with a name.
func (b *browser) inputs(name, of string) (values []string) {
	for part := range b.root.Descendants() {
		if part.Data == "input" && attribute(part, "name") == name {
			values = append(values, attribute(part, of))
		}
	}
	return values
}

// proposed are the receivers that the field To proposes.
func (b *browser) proposed() (all []string) {
	for part := range b.root.Descendants() {
		if part.Data == "option" && attribute(part.Parent, "id") == "receivers" {
			all = append(all, attribute(part, "value"))
		}
	}
	return all
}

func TestSend_SuggestsRecentReceiversAndFullBalance(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice := window(t, server).as("alice")
	for _, name := range []string{"bob", "carol"} {
		window(t, server).as(name)
	}
	alice.press("/wallet/tap", "amount", "1")
	names := alice.open("/wallet/send").proposed()
	require.NotContains(t, names, "alice")
	require.Subset(t, names, []string{"bob", "carol"})
	alice.press("/wallet/send/preview", "to", "carol", "amount", "5").press("/wallet/send")
	require.Equal(t, "carol", alice.open("/wallet/send?to=bob&note=hello").proposed()[0], "the last receiver comes first")
	var all string
	for _, link := range links(alice, "href") {
		if strings.HasPrefix(link, "/wallet/send?amount=") {
			all = link
		}
	}
	_, typed := alice.open(all).form("/wallet/send/preview")
	require.Equal(t, []string{"bob", "195.0", "hello"}, []string{typed.Get("to"), typed.Get("amount"), typed.Get("note")})
	alice.press("/wallet/send/preview").press("/wallet/send").shows("You offered 195 CC to bob.")
	alice.open("/wallet").shows("Balance 0 CC")
}

func TestReceive_ShowsPartyAsQRCode(t *testing.T) {
	t.Parallel()
	alice := window(t, node(t)).as("alice").open("/wallet/receive")
	alice.shows("alice::" + apitest.Namespace)
	require.Regexp(t, `<svg class="qr" viewBox="0 0 (\d+) \d+" role="img" aria-label="QR code of your party id">`+
		`<path d="M4 4h7v1h-7z`, alice.text)
}

func TestSavedNames_FillsPartyFromURL(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice := window(t, server).as("alice")
	alice.open("/wallet/names?party=bob::1220").shows("This browser keeps the names")
	require.Equal(t, []string{"bob::1220"}, alice.inputs("party", "value"))
}

// trafficAPI answers with other traffic than the node's.
func trafficAPI(api http.Handler, used, limit *int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v0/wallet/overview" {
			api.ServeHTTP(w, r)
			return
		}
		real := httptest.NewRecorder()
		api.ServeHTTP(real, r)
		var answer map[string]any
		_ = json.Unmarshal(real.Body.Bytes(), &answer)
		if traffic, isRead := answer["traffic"].(map[string]any); isRead {
			traffic["used"], traffic["limit"] = *used, *limit
		}
		_ = json.NewEncoder(w).Encode(answer)
	})
}

func TestTraffic_ShowsWhenItRunsOut(t *testing.T) {
	t.Parallel()
	used, limit := int64(0), int64(0)
	server := serve(t, options(t, trafficAPI(coinAPI(t).Handler, &used, &limit)))
	alice := window(t, server).as("alice")
	window(t, server).as("bob")
	alice.press("/wallet/tap", "amount", "1")
	for _, test := range []struct {
		used, limit int64
		shows, says string
	}{
		{0, 0, "Bought traffic left 0 bytes Used of it a day 0 bytes It lasts not needed so far", "free traffic suffices so far"},
		{300_000, 300_000, "Bought traffic left 0 bytes Used of it a day 300 kB It lasts not at all", "no bought traffic is left"},
		{300_000, 1_050_000, "Bought traffic left 750 kB Used of it a day 300 kB It lasts 2 days", "750 kB left, 2 days at this rate"},
		{
			300_000, 310_000, "Bought traffic left 10 kB Used of it a day 300 kB It lasts less than a day",
			"10 kB left, less than a day at this rate",
		},
	} {
		used, limit = test.used, test.limit
		alice.open("/wallet/traffic").shows(test.shows, "400 kB grows back within 20 minutes", "cost $16.67")
		alice.open("/wallet/send").press("/wallet/send/preview", "to", "bob", "amount", "1").shows(test.says)
		require.Contains(t, links(alice, "href"), "/wallet/traffic")
	}
	_, form := alice.open("/wallet/traffic").form("/wallet/traffic")
	require.Equal(t, "9000", form.Get("kilobytes"), "thirty days")
}

func TestTraffic_BuysWithWallet(t *testing.T) {
	t.Parallel()
	api := apitest.NewWithCoin(t, apitest.Options{Once: true, Traffic: coin.TrafficRulesOf(
		coin.MemberOf("participant::"+apitest.Namespace), "global-domain::"+apitest.Namespace)})
	api.OperatorWallet()
	alice := window(t, serve(t, options(t, api.Handler))).as("alice")
	alice.open("/wallet/traffic").shows("Bought traffic left 0 bytes").submit("/wallet/traffic").shows("out of funds")
	require.Equal(t, http.StatusUnprocessableEntity, alice.status)
	alice.open("/wallet").press("/wallet/tap", "amount", "5")
	alice.open("/wallet/traffic").submit("/wallet/traffic", "kilobytes", "2 MB")
	alice.shows(`"2 MB" is not a number of kilobytes.`)
	alice.open("/wallet/traffic").submit("/wallet/traffic").shows("Buy this?", "200 kB", "666.8 CC", "$3.334")
	preview := alice.path
	path, form := alice.form("/wallet/traffic/buy")
	for range 2 { // a double click
		alice.load(alice.request(http.MethodPost, path, form)).shows("You ordered 200 kB of traffic.", "waiting")
	}
	bought := alice.path
	api.Automate()
	alice.open(bought).shows("Your purchase is done", "Bought traffic left 200 kB")
	alice.open("/wallet").shows("Balance 333.2 CC")
	alice.open(preview)
	require.Equal(t, http.StatusUnprocessableEntity, alice.status, "the balance is too low for another one")
	alice.open("/wallet/traffic?request=other").shows("Bought traffic left 200 kB")
	require.NotContains(t, alice.words(), "Your purchase")
}

func TestPayments_AreMadeRejectedAndCancelled(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	payer, app := api.Onboard("alice").Party, api.Onboard("carol").Party
	alice := window(t, serve(t, options(t, api.Handler))).as("alice")
	alice.open("/wallet/payments").shows("No app asks for a payment.", "No app offers a subscription.", "no subscription")
	request := api.PaymentRequest(payer, app)
	alice.open("/wallet/payments").shows("carol asks for a payment a ride", "10 CC to carol").press(request + "/accept")
	require.Equal(t, http.StatusUnprocessableEntity, alice.status, alice.text)
	alice.shows("insufficient-funds", "a ride")
	alice.open("/wallet").press("/wallet/tap", "amount", "1")
	alice.open("/wallet/payments").press(request+"/accept").shows("You paid.", "No app asks for a payment.")
	alice.open("/wallet").shows("Balance 190 CC")
	request = api.PaymentRequest(payer, app)
	alice.open("/wallet/payments").press(request+"/reject").shows("You rejected the payment.", "No app asks")

	request = api.SubscriptionRequest(payer, app)
	alice.open("/wallet/payments").shows("carol offers a subscription news", "1 hour", "10 CC").press(request + "/accept")
	alice.shows("You subscribed", "No app offers a subscription.").open("/wallet").shows("Balance 180 CC")
	request = api.SubscriptionRequest(payer, app)
	alice.open("/wallet/payments").press(request + "/reject").shows("You rejected the subscription.")
	idle := api.IdleSubscription(payer, app)
	alice.open("/wallet/payments").shows("You pay carol", "1 hour").press(idle + "/cancel")
	alice.shows("You cancelled the subscription.", "You have no subscription.")
	alice.load(alice.request(http.MethodPost, "/wallet/payments/payment/00/other", url.Values{
		"form": alice.inputs("form", "value")[:1],
	}))
	require.Equal(t, http.StatusNotFound, alice.status)
}

func TestAllocations_AreMadeWithdrawnAndRejected(t *testing.T) {
	t.Parallel()
	api := apitest.NewWithCoin(t, apitest.Options{Once: true, Packages: []ledger.Package{apitest.RequestPackage()}})
	api.OperatorWallet()
	asked, asker := api.Onboard("alice").Party, api.Onboard("carol").Party
	alice := window(t, serve(t, options(t, api.Handler))).as("alice")
	alice.press("/wallet/tap", "amount", "1")
	alice.open("/wallet/allocations").shows("No app asks you", "You have set nothing aside.")
	request := string(apitest.Create(api, apitest.Request{Asker: asker, Asked: asked}, asker))
	alice.open("/wallet/allocations").shows("carol settles deal", "1 CC to carol")
	path, form := alice.form(request + "/allocate")
	for range 2 { // a double click
		alice.load(alice.request(http.MethodPost, path, form))
		alice.shows("You set 1 CC aside.", "For carol , when carol settles deal")
	}
	alice.open("/wallet").shows("Balance 199 CC", "Locked 1 CC")
	alice.open("/wallet/allocations").press("/withdraw").shows("You took your coin back.", "You have set nothing aside.")
	alice.open("/wallet").shows("Balance 200 CC")
	form.Set("leg", "other")
	alice.load(alice.request(http.MethodPost, path, form)).shows("No app asks you for this any more.")
	require.Equal(t, http.StatusUnprocessableEntity, alice.status)
	path, form = alice.open("/wallet/allocations").form(request + "/reject")
	alice.load(alice.request(http.MethodPost, path, form)).shows("You rejected the request.", "No app asks you")
	form.Set("once", "another")
	alice.load(alice.request(http.MethodPost, path, form)).shows("not found")
	require.Equal(t, http.StatusUnprocessableEntity, alice.status)
}

func TestCoins_MergesChosenCoins(t *testing.T) {
	t.Parallel()
	alice := window(t, node(t)).as("alice")
	for _, dollars := range []string{"1", "2", "3"} {
		alice.open("/wallet").press("/wallet/tap", "amount", dollars)
	}
	path, form := alice.open("/wallet/coins").shows("600 CC", "400 CC", "200 CC", "now").form("/merge-chosen")
	coins := alice.inputs("coin", "value")
	require.Len(t, coins, 3)
	form["coin"] = coins[:1]
	alice.load(alice.request(http.MethodPost, path, form)).shows("You chose 1 coin.")
	require.Equal(t, http.StatusUnprocessableEntity, alice.status)
	form["coin"] = coins[1:] // the largest stays as it is
	for range 2 {            // a double click
		alice.load(alice.request(http.MethodPost, path, form)).shows("Your coin is merged.")
	}
	left := alice.open("/wallet/coins").inputs("coin", "value")
	require.Len(t, left, 2)
	require.Contains(t, left, coins[0])
	alice.open("/wallet").shows("Balance 1,200 CC", "You merged 2 holdings")
	form.Set("once", "another")
	alice.load(alice.request(http.MethodPost, path, form))
	require.Equal(t, http.StatusUnprocessableEntity, alice.status, "the chosen coins are spent")
}

func TestBalance_ShowsWaitingOffersAndChartPoints(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice, bob := window(t, server).as("alice"), window(t, server).as("bob")
	alice.press("/wallet/tap", "amount", "1")
	require.NotContains(t, bob.open("/wallet").words(), "Waiting for you")
	for range 2 {
		alice.open("/wallet/send").press("/wallet/send/preview", "to", "bob", "amount", "50").press("/wallet/send")
	}
	bob.open("/wallet").shows("Waiting for you: 2 offers", "CC, the coin")
	alice.open("/wallet").shows("Balance 100 CC", "200 CC 100 CC 0 CC", "The points as a table")
	rows := strings.Count(alice.text, `<rect class="hit"`)
	require.Equal(t, 3, rows, "one for each entry")
}

func TestCoins_SendsExactlyTheChosenCoins(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice, bob := window(t, server).as("alice"), window(t, server).as("bob")
	for _, dollars := range []string{"1", "2", "3"} {
		alice.open("/wallet").press("/wallet/tap", "amount", dollars)
	}
	path, form := alice.open("/wallet/coins").form("/wallet/coins/choose")
	form.Del("coin")
	alice.load(alice.request(http.MethodPost, path, form)).shows("You chose no coin.")
	all := alice.inputs("coin", "value")
	form["coin"] = all[:2]
	alice.load(alice.request(http.MethodPost, path, form)).shows("Send these coins", "1,000 CC", "Exactly 2 coins")
	require.NotContains(t, alice.path, url.QueryEscape(form.Get("form")))
	chosen := alice.path
	id, _, _ := strings.Cut(all[0], " ")
	for _, coin := range [][]string{{id + " 1", id + " 1"}, {"00ab 5"}} {
		alice.open("/wallet/coins/send?" + url.Values{"coin": coin, "to": {"bob"}}.Encode()).shows("You do not hold one of these coins")
	}
	held := "/wallet/coins/send?" + url.Values{"coin": {id + " 1"}, "to": {"bob"}}.Encode()
	alice.open(held).shows("600 CC", "Exactly 1 coin") // not the amount of the address
	alice.open(chosen + "&to=rob&hours=24").shows(`No party found for "rob".`)
	alice.open(chosen + "&to=bob&hours=3").shows(`"3" hours is not one of the times to accept.`)
	alice.open(chosen+"&to=bob&hours=24&note=lunch").shows("bob gets 1,000 CC, locked until they accept", "lunch")
	path, form = alice.form("/wallet/coins/send")
	form["coin"] = alice.inputs("coin", "value")
	for range 2 { // a double click
		alice.load(alice.request(http.MethodPost, path, form)).shows("You offered 1,000 CC to bob.")
	}
	alice.open("/wallet").shows("Balance 200 CC")
	bob.open("/wallet/inbox").shows("1,000 CC from alice", "lunch").press("/accept")
	bob.open("/wallet/receive").press("/wallet/preapproval")
	alice.open("/wallet").press("/wallet/tap", "amount", "1")
	all = alice.open("/wallet/coins").inputs("coin", "value")
	chosen = "/wallet/coins/send?" + url.Values{"coin": all[:1], "to": {"bob"}}.Encode()
	alice.open(chosen).shows("bob gets 200 CC at once.")
	alice.press("/wallet/coins/send").shows("You sent 200 CC to bob.")
	bob.open("/wallet").shows("Balance 1,200 CC")
}
