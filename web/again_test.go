package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// lossyHandler is an API that answers the next change with status: after the change, or with early before it.
type lossyHandler struct {
	http.Handler

	status atomic.Int64
	early  atomic.Bool
}

// ServeHTTP implements [http.Handler].
func (l *lossyHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	isChange := r.Header.Get("Idempotency-Key") != "" && !r.URL.Query().Has("dry_run")
	status := int64(0)
	if isChange {
		status = l.status.Swap(0)
	}
	if status == 0 {
		l.Handler.ServeHTTP(w, r)
		return
	}
	if !l.early.Load() {
		l.Handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	http.Error(w, `{"error":"The answer was lost."}`, int(status))
}

// The test uses every form that changes something.
func TestForm_RepeatAfterUnknownOutcomeActsOnce(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]struct {
		status int
		early  bool
	}{
		"the change is done, the answer is 503": {http.StatusServiceUnavailable, false},
		"the change is done, the answer is 500": {http.StatusInternalServerError, false},
		"refused with 429":                      {http.StatusTooManyRequests, true},
		"refused with 408":                      {http.StatusRequestTimeout, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := coinAPI(t)
			dora := api.Wallet("dora") // with a party, and without a wallet
			between := &lossyHandler{Handler: api.Handler}
			between.early.Store(lost.early)
			server := serve(t, options(t, between))
			twice := func(b *browser, action, words string) {
				t.Helper()
				between.status.Store(int64(lost.status))
				path, form := b.form(action)
				b.press(action)
				require.Equal(t, lost.status, b.status, b.text)
				b.shows("The outcome of this change is unknown", "The answer was lost.", words)
				again, same := b.form(action)
				require.Equal(t, path, again)
				require.Equal(t, form, same, "the form is the same, with the same key")
				b.press(action)
				require.Equal(t, http.StatusOK, b.status, b.text)
			}
			d := window(t, server)
			d.open("/wallet").press("/wallet/sign-in", "user", "", "token", token(t, dora.User))
			twice(d, "/wallet/open", "Open a wallet")
			alice, bob := window(t, server).as("alice"), window(t, server).as("bob")
			twice(alice, "/wallet/tap", "Get test coin worth 100 USD")
			alice.open("/wallet").shows("Balance 20,000 CC")
			offer := func() {
				alice.open("/wallet/send").press("/wallet/send/preview", "to", "bob", "amount", "5000", "note", "<b>x</b>")
				twice(alice, "/wallet/send", "Send 5,000 CC to bob")
			}
			offer()
			alice.open("/wallet").shows("Balance 15,000 CC", "5,000 CC")
			twice(alice.open("/wallet/inbox"), "/withdraw", "Withdraw your offer")
			alice.open("/wallet").shows("Balance 20,000 CC")
			offer()
			twice(bob.open("/wallet/inbox"), "/reject", "Reject the offer")
			alice.open("/wallet").shows("Balance 20,000 CC")
			offer()
			twice(bob.open("/wallet/inbox"), "/accept", "Accept the offer")
			alice.open("/wallet").shows("Balance 15,000 CC")
			bob.open("/wallet").shows("Balance 5,000 CC")
			twice(bob.open("/wallet/receive"), "/wallet/preapproval", "Turn on automatic receiving")
			twice(bob.open("/wallet/receive"), "/wallet/preapproval/cancel", "Turn off automatic receiving")
		})
	}
}

// The back button of a browser loads the preview again, with the previous form.
func TestPreview_RepeatedPreviewPaysOnce(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice := window(t, server).as("alice")
	window(t, server).as("bob")
	alice.press("/wallet/tap", "amount", "1")
	path, form := alice.open("/wallet/send").form("/wallet/send/preview")
	form.Set("to", "bob")
	form.Set("amount", "5")
	key := ""
	for i := range 2 {
		alice.load(alice.request(http.MethodPost, path, form)).shows("Send this?")
		_, shown := alice.form("/wallet/send")
		require.NotEmpty(t, shown.Get("once"))
		require.True(t, i == 0 || shown.Get("once") == key)
		key = shown.Get("once")
		alice.press("/wallet/send")
	}
	alice.open("/wallet").shows("Balance 195 CC")
	require.Equal(t, 1, strings.Count(alice.words(), "You offered bob 5 CC"), alice.words())
	form.Del("once") // the preview makes a key for a form without one
	alice.load(alice.request(http.MethodPost, path, form)).shows("Send this?")
	_, shown := alice.form("/wallet/send")
	require.NotEmpty(t, shown.Get("once"))
}

// After a transfer, the back button of a browser leads to the preview, and from there to the form.
func TestPreview_BackLeadsToInputAndPaysOnce(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice := window(t, server).as("alice")
	window(t, server).as("bob")
	alice.press("/wallet/tap", "amount", "1")
	alice.open("/wallet/send").press("/wallet/send/preview", "to", "bob", "amount", "5", "note", "a & b", "hours", "1")
	preview := alice.path
	require.True(t, strings.HasPrefix(preview, "/wallet/send/preview?"), preview)
	_, form := alice.form("/wallet/send")
	require.NotContains(t, preview, url.QueryEscape(form.Get("form")), "the token of the session is in no address")
	for range 2 {
		alice.open(preview).shows("Send this?", "a & b").press("/wallet/send").shows("You offered 5 CC to bob.")
	}
	alice.open("/wallet").shows("195 CC", "You offered bob 5 CC")
	var edit string
	for _, link := range links(alice.open(preview), "href") {
		if strings.HasPrefix(link, "/wallet/send?") {
			edit = link
		}
	}
	_, typed := alice.open(edit).form("/wallet/send/preview")
	require.Equal(t, []string{"bob", "5", "a & b", "1"},
		[]string{typed.Get("to"), typed.Get("amount"), typed.Get("note"), typed.Get("hours")})

	alice.open("/wallet/send/preview?to=bob&amount=5") // without a key, two forms could pay twice
	require.True(t, strings.HasPrefix(alice.path, "/wallet/send?"), alice.path)
	alice.press("/wallet/send/preview", "note", strings.Repeat("x", 4<<10)).shows("Send this?") // no redirect
	alice.open(edit).press("/wallet/send/preview", "hours", "5").shows(`"5" hours is not one of the times to accept.`)
}
