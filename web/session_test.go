package web_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/web"
)

func TestSession_WorksOnEveryProcess(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	now := time.Now()
	// Processes behind a balancer, which all have the balancer's address.
	processes := make([]http.Handler, 3)
	for i := range processes {
		of := options(t, api.Handler)
		of.Now = func() time.Time { return now }
		if i == 2 {
			of.Secret = secretOf(strings.Repeat("another ledger's", 2))
		}
		var err error
		processes[i], err = web.New(of)
		require.NoError(t, err)
	}
	behind := 0
	balancer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		processes[behind].ServeHTTP(w, r)
	}))
	t.Cleanup(balancer.Close)
	alice := window(t, balancer).as("alice")
	behind = 1
	alice.press("/wallet/tap", "amount", "1").shows("200 CC")
	behind = 2
	alice.open("/wallet").shows("Open a wallet")

	behind = 0
	alice.as("alice")
	now = now.Add(12*time.Hour + time.Second)
	alice.open("/wallet").shows("Open a wallet")
}

func TestSession_EndsWithToken(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	api.Onboard("alice")
	of := options(t, api.Handler)
	now := time.Now()
	of.Now = func() time.Time { return now }
	server := serve(t, of)
	short, err := auth.Mint(auth.DefaultSecret, auth.DefaultAudience, "alice", time.Hour, now)
	require.NoError(t, err)
	alice := window(t, server)
	alice.open("/wallet").press("/wallet/sign-in", "user", "", "token", short).shows("alice", "0 CC")
	now = now.Add(time.Hour + time.Second)
	alice.open("/wallet").shows("Open a wallet")
}

func TestSession_EndsWhenNodeRefusesToken(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	refuses := false
	server := serve(t, options(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refuses && r.URL.Path == "/v0/wallet/coins" {
			http.Error(w, "The supplied authentication is invalid", http.StatusUnauthorized)
			return
		}
		api.Handler.ServeHTTP(w, r)
	})))
	alice := window(t, server).as("alice")
	refuses = true
	alice.open("/wallet/coins").shows("Open a wallet")
	alice.open("/wallet").shows("Open a wallet")
}

// Browsers send cookies to all ports of a host.
func TestCookie_BoundToOriginAndTamperProof(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	handler, err := web.New(options(t, api.Handler))
	require.NoError(t, err)
	ask := func(host, path string, cookies []*http.Cookie, tls bool, form url.Values) *http.Response {
		method := http.MethodGet
		if form != nil {
			method = http.MethodPost
		}
		request := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
		request.Host = host
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if tls {
			request.Header.Set("X-Forwarded-Proto", "https")
		}
		for _, cookie := range cookies {
			request.AddCookie(cookie)
		}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		return answer.Result()
	}
	for _, tls := range []bool{false, true} {
		first := ask("127.0.0.1:7575", "/wallet", nil, tls, nil)
		require.NoError(t, first.Body.Close())
		require.Len(t, first.Cookies(), 1)
		before := first.Cookies()[0]
		require.True(t, before.HttpOnly)
		require.Equal(t, http.SameSiteLaxMode, before.SameSite)
		require.Equal(t, tls, before.Secure)
		require.Equal(t, tls, strings.HasPrefix(before.Name, "__Host-"))
		require.Positive(t, before.MaxAge)

		inBody := new(bytes.Buffer)
		page := ask("127.0.0.1:7575", "/wallet", []*http.Cookie{before}, tls, nil)
		_, err := inBody.ReadFrom(page.Body)
		require.NoError(t, err)
		require.NoError(t, page.Body.Close())
		_, rest, _ := strings.Cut(inBody.String(), `name="form" value="`)
		form, _, _ := strings.Cut(rest, `"`)
		signed := ask("127.0.0.1:7575", "/wallet/sign-in", []*http.Cookie{before}, tls, url.Values{
			"form": {form}, "user": {"alice"},
		})
		require.NoError(t, signed.Body.Close())
		require.Equal(t, http.StatusSeeOther, signed.StatusCode)
		session := signed.Cookies()[0]
		require.NotEqual(t, before.Value, session.Value)

		isIn := func(host string, cookie http.Cookie) bool {
			answer := ask(host, "/wallet/coins", []*http.Cookie{&cookie}, tls, nil)
			require.NoError(t, answer.Body.Close())
			return answer.StatusCode == http.StatusOK
		}
		require.True(t, isIn("127.0.0.1:7575", *session))
		require.False(t, isIn("127.0.0.1:7576", *session), "another port")
		require.False(t, isIn("localhost:7575", *session), "another name")
		there := ask("127.0.0.1:7576", "/wallet", nil, tls, nil)
		require.NoError(t, there.Body.Close())
		moved := *session
		moved.Name = there.Cookies()[0].Name
		require.False(t, isIn("127.0.0.1:7576", moved), "under the name of another port")
		for i := 0; i < len(session.Value); i += 5 {
			changed := *session
			char := "A"
			if session.Value[i] == 'A' {
				char = "B"
			}
			changed.Value = session.Value[:i] + char + session.Value[i+1:]
			if i < len(session.Value)-1 { // of the last, not all bits count
				require.False(t, isIn("127.0.0.1:7575", changed), i)
			}
		}
		// A form of the session before sign-in is invalid after it.
		old := ask("127.0.0.1:7575", "/wallet/tap", []*http.Cookie{session}, tls, url.Values{
			"form": {form}, "once": {"x"}, "amount": {"1"},
		})
		require.NoError(t, old.Body.Close())
		require.Equal(t, http.StatusForbidden, old.StatusCode)
	}
}

func TestForm_RefusesForeignForms(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice := window(t, server).as("alice")
	path, form := alice.form("/wallet/tap")
	for name, spoil := range map[string]func(*http.Request, url.Values){
		"no token":          func(_ *http.Request, form url.Values) { form.Del("form") },
		"another's token":   func(_ *http.Request, form url.Values) { form.Set("form", strings.Repeat("A", 43)) },
		"a page of another": func(r *http.Request, _ url.Values) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"another's origin": func(r *http.Request, _ url.Values) {
			r.Header.Del("Sec-Fetch-Site")
			r.Header.Set("Origin", "https://evil.example")
		},
		"another's name": func(r *http.Request, _ url.Values) { r.Host = "evil.example" },
	} {
		spoiled := url.Values{}
		maps.Copy(spoiled, form)
		request := alice.request(http.MethodPost, path, nil)
		spoil(request, spoiled)
		request.Body = http.NoBody
		again := alice.request(http.MethodPost, path, spoiled)
		again.Header, again.Host = request.Header, request.Host
		require.Contains(t, []int{http.StatusForbidden, http.StatusMisdirectedRequest}, alice.load(again).status, name)
	}
	alice.open("/wallet").shows("Balance 0 CC")
}

func TestToken_AbsentFromPagesAndLogs(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	api.Onboard("alice")
	var lines bytes.Buffer
	of := options(t, api.Handler)
	of.Log = slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug}))
	server := serve(t, of)
	alice := window(t, server)
	mine := token(t, "alice")
	alice.open("/wallet").press("/wallet/sign-in", "user", "", "token", mine)
	signature := mine[strings.LastIndex(mine, ".")+1:]
	for _, path := range []string{
		"/wallet", "/wallet/send", "/wallet/inbox", "/wallet/receive", "/wallet/history", "/wallet/coins", "/wallet/x",
	} {
		alice.open(path)
		require.NotContains(t, alice.text, signature)
		require.NotContains(t, alice.path, signature)
		for name, values := range alice.header {
			require.NotContains(t, strings.Join(values, " "), signature, name)
		}
		require.Contains(t, alice.header.Get("Content-Security-Policy"), "script-src 'self';")
		require.NotContains(t, alice.header.Get("Content-Security-Policy"), "unsafe")
	}
	server.Close()
	require.NotContains(t, lines.String(), signature)
	require.Contains(t, lines.String(), "/wallet/coins")
}

func TestSignIn_RefusesTooLongToken(t *testing.T) {
	t.Parallel()
	api := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"user":{"id":"alice"},"party_id":"alice::1220"}`))
	})
	of := options(t, api)
	of.Development = nil
	alice := window(t, serve(t, of))
	alice.open("/wallet").press("/wallet/sign-in", "token", strings.Repeat("x", 4000)).shows("too long for a session")
	alice.open("/wallet").press("/wallet/sign-in").shows("No token was given.")
	require.NotContains(t, alice.words(), "Your name", "a name is not enough here")
	path, form := alice.form("/wallet/sign-in")
	form.Set("user", "alice")
	alice.load(alice.request(http.MethodPost, path, form)).shows("No token was given.")
}

// The page writes the notice after the coin has moved, so it must fit.
func TestSession_LongestTokenLeavesRoomForNotice(t *testing.T) {
	t.Parallel()
	party, receiver := "", strings.Repeat("r", 185)+"::1220"+strings.Repeat("a", 64)
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v0/register" {
			party = strings.Repeat("p", 185) + "::1220" + strings.Repeat("a", 64)
		}
		_, _ = w.Write([]byte(`{"user":{"id":"alice"},"status":{"party_id":"` + party + `"},"would_succeed":true}`))
	})
	of := options(t, api)
	of.Development = nil
	server := serve(t, of)
	signsIn := func(length int) *browser {
		party = ""
		b := window(t, server)
		b.open("/wallet").press("/wallet/sign-in", "token", strings.Repeat("x", length))
		return b
	}
	length := 4000
	for signsIn(length).status != http.StatusOK { // the longest that signs in
		length--
		require.Greater(t, length, 2700)
	}
	signsIn(length + 1).shows("too long for a session")
	alice := signsIn(length).press("/wallet/open")
	require.Equal(t, http.StatusOK, alice.status, alice.text)
	alice.shows("Your wallet is open.", "Balance")
	alice.open("/wallet/send").press("/wallet/send/preview", "to", receiver, "amount", "5").press("/wallet/send")
	require.Equal(t, http.StatusOK, alice.status, alice.text)
	require.Equal(t, "/wallet", alice.path)
	// Notices that are still too long are dropped.
	alice.press("/wallet/tap", "amount", strings.Repeat("9", 4000))
	require.Equal(t, http.StatusOK, alice.status, alice.text)
	require.NotContains(t, alice.words(), "You minted")
	alice.press("/wallet/tap", "amount", "1").shows("You minted coin worth 1 USD.")
}

// One tab signs out while another waits for an answer with a notice.
func TestSession_LateAnswerRestoresNothing(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice := window(t, server).as("alice")
	path, form := alice.form("/wallet/tap")
	slow := *alice.client
	slow.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	late := []*http.Request{alice.request(http.MethodPost, path, form), alice.request(http.MethodGet, "/wallet", nil)}
	for _, request := range late {
		answer, err := slow.Do(request)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		for _, cookie := range answer.Cookies() {
			require.True(t, strings.HasSuffix(cookie.Name, "-notice"), "%s sends %s", request.URL, cookie.Name)
		}
	}
	alice.open("/wallet").press("/wallet/sign-out").shows("Open a wallet")
}

// The next user who signs in does not see it either.
func TestNotice_ShownOnlyInItsSession(t *testing.T) {
	t.Parallel()
	server := node(t)
	alice := window(t, server).as("alice")
	path, form := alice.form("/wallet/tap")
	alice.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	leave, signOut := alice.form("/wallet/sign-out")
	alice.load(alice.request(http.MethodPost, path, form))
	alice.load(alice.request(http.MethodPost, leave, signOut))
	require.Equal(t, http.StatusSeeOther, alice.status)
	alice.client.CheckRedirect = nil
	answer := alice.open("/wallet")
	require.NotContains(t, answer.words(), "You minted")
	answer.as("bob")
	require.NotContains(t, answer.words(), "You minted")
}

// An administrator removes a wallet.
func TestWallet_RemovalShowsAtOnce(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	gone := false
	server := serve(t, options(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if gone && r.URL.Path == "/v0/wallet/overview" {
			_, _ = w.Write([]byte(`{"status":{"party_id":"","user_onboarded":false,"user_wallet_installed":false}}`))
			return
		}
		api.Handler.ServeHTTP(w, r)
	})))
	alice := window(t, server).as("alice")
	alice.open("/wallet/receive").shows("alice::1220")
	gone = true
	alice.open("/wallet").shows("You have no wallet yet")
	require.NotContains(t, alice.words(), "alice::1220")
}

// All processes behind a balancer start to use the new secret.
func TestSession_EndsWhenSecretChanges(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	of := options(t, api.Handler)
	now, text := time.Now(), secret
	var failure error
	of.Now = func() time.Time { return now }
	of.Secret = func(context.Context) ([]byte, error) { return []byte(text), failure }
	server := serve(t, of)
	alice := window(t, server).as("alice")
	now, failure = now.Add(time.Minute), errors.New("the record cannot be read")
	alice.open("/wallet").shows("Balance", "0 CC")
	now, text, failure = now.Add(time.Minute), strings.Repeat("another secret ", 3), nil
	alice.open("/wallet").shows("Open a wallet")
	alice.as("alice")
}
