package web_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/internal/hosts"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
	"github.com/florinledger/florin/web"
)

// secret is the shared secret of all processes of the test's ledger.
const secret = "a secret of thirty-two bytes, ok"

// secretOf always reads the same secret.
func secretOf(text string) func(context.Context) ([]byte, error) {
	return func(context.Context) ([]byte, error) { return []byte(text), nil }
}

// options are those of a development node with an API.
func options(t *testing.T, api http.Handler) web.Options {
	t.Helper()
	names, err := hosts.Parse(nil, "127.0.0.1:0")
	require.NoError(t, err)
	var builtIn []string
	for _, pkg := range builtin.Packages() {
		builtIn = append(builtIn, append(ledger.Strings(pkg.OtherIDs), string(pkg.ID))...)
	}
	return web.Options{
		API: api, Secret: secretOf(secret), Hosts: names, HostsFlag: "--hosts",
		Participant: "participant::1220247136781190caa1cebb2562a63effa0e79e4bbffc9a55a61f9bbe2650000685",
		BuiltIn:     builtIn, Synchronizer: "global-domain::" + apitest.Namespace, Taps: true, Now: time.Now,
		Log: slog.New(slog.DiscardHandler),
		Development: &web.Development{
			Admin: apitest.LedgerUser, CountFor: endpoint.CountFor,
			Token: func(user string) (string, error) { return apitest.Token(t, user), nil },
		},
	}
}

// serve serves the page.
func serve(t *testing.T, options web.Options) *httptest.Server {
	t.Helper()
	handler, err := web.New(options)
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// node is a development node with the coin, and its page.
func node(t *testing.T) *httptest.Server {
	t.Helper()
	return serve(t, options(t, coinAPI(t).Handler))
}

// coinAPI is the API of a node with the coin, whose operator has some.
func coinAPI(t *testing.T) *apitest.Server {
	t.Helper()
	api := apitest.NewWithCoin(t, apitest.Options{Once: true})
	operator := api.OperatorWallet()
	api.Call(operator.User, http.MethodPost, "/v0/wallet/tap", map[string]string{"amount": "1000"}).OK(nil)
	return api
}

// token is a token of a user.
func token(t *testing.T, user string) string {
	t.Helper()
	return apitest.Token(t, user)
}

// browser is a browser window with its own cookies.
type browser struct {
	t      *testing.T
	base   string
	client *http.Client
	// The current page.
	status int
	path   string
	text   string
	header http.Header
	root   *html.Node
	// headers are those that htmx sends from the last whole page.
	headers map[string]string
}

func window(t *testing.T, server *httptest.Server) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &browser{t: t, base: server.URL, client: &http.Client{Jar: jar}}
}

func (b *browser) load(request *http.Request) *browser {
	b.t.Helper()
	answer, err := b.client.Do(request)
	require.NoError(b.t, err)
	defer func() { require.NoError(b.t, answer.Body.Close()) }()
	require.False(b.t, answer.Uncompressed && !strings.HasPrefix(answer.Request.URL.Path, "/docs"),
		"%s: a page with form tokens must not be compressed", request.URL)
	var text strings.Builder
	b.root, err = html.Parse(teeReader{answer.Body, &text})
	require.NoError(b.t, err)
	b.status, b.path, b.text, b.header = answer.StatusCode, answer.Request.URL.RequestURI(), text.String(), answer.Header
	for _, headers := range links(b, "hx-headers") {
		b.headers = nil
		require.NoError(b.t, json.Unmarshal([]byte(headers), &b.headers))
	}
	return b
}

func (b *browser) request(method, path string, form url.Values) *http.Request {
	b.t.Helper()
	request, err := http.NewRequestWithContext(b.t.Context(), method, b.base+path, strings.NewReader(form.Encode()))
	require.NoError(b.t, err)
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	return request
}

// open loads a page.
func (b *browser) open(path string) *browser {
	b.t.Helper()
	return b.load(b.request(http.MethodGet, path, nil))
}

// press submits the form whose action, or whose button's action, ends with the text, with typed values.
func (b *browser) press(action string, typed ...string) *browser {
	b.t.Helper()
	path, form := b.form(action)
	for i := 0; i < len(typed); i += 2 {
		form.Set(typed[i], typed[i+1])
	}
	return b.load(b.request(http.MethodPost, path, form))
}

// form finds a form of the page and its values.
func (b *browser) form(action string) (path string, values url.Values) {
	b.t.Helper()
	values = url.Values{}
	for form := range b.root.Descendants() {
		if form.Data != "form" {
			continue
		}
		path = ""
		if strings.HasSuffix(attribute(form, "action"), action) {
			path = attribute(form, "action")
		}
		for part := range form.Descendants() {
			if place := attribute(part, "formaction"); part.Data == "button" && strings.HasSuffix(place, action) {
				path = place
			}
		}
		if path == "" {
			continue
		}
		for part := range form.Descendants() {
			if part.Data == "input" {
				values.Set(attribute(part, "name"), attribute(part, "value"))
			}
			if _, selected := has(part, "selected"); part.Data == "option" && selected {
				values.Set("hours", attribute(part, "value"))
			}
		}
		return path, values
	}
	require.Fail(b.t, "the page lacks the form", "%s in\n%s", action, b.text)
	return "", nil
}

// shows requires texts on the page.
func (b *browser) shows(texts ...string) *browser {
	b.t.Helper()
	seen := b.words()
	for _, text := range texts {
		require.Contains(b.t, seen, text)
	}
	return b
}

// words is the text of the page, separated by spaces.
func (b *browser) words() string {
	var all strings.Builder
	for part := range b.root.Descendants() {
		if part.Type == html.TextNode {
			all.WriteString(part.Data + " ")
		}
	}
	return strings.Join(strings.Fields(all.String()), " ")
}

// as signs in by name.
func (b *browser) as(name string) *browser {
	b.t.Helper()
	b.open("/wallet").press("/wallet/sign-in", "user", name)
	require.Equal(b.t, http.StatusOK, b.status, b.text)
	require.Equal(b.t, "/wallet", b.path)
	return b
}

func attribute(node *html.Node, name string) string {
	value, _ := has(node, name)
	return value
}

func has(node *html.Node, name string) (string, bool) {
	for _, one := range node.Attr {
		if one.Key == name {
			return one.Val, true
		}
	}
	return "", false
}
