package api_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/internal/hosts"
	"github.com/florinledger/florin/test/apitest"
)

// addresses sends each question twice from an address of its own, which may ask once.
type addresses struct {
	t       *testing.T
	handler http.Handler
	asked   int
}

func (a *addresses) ask(method, target string, change func(*http.Request)) *httptest.ResponseRecorder {
	request := httptest.NewRequestWithContext(a.t.Context(), method, target, nil)
	const byteOf = 256
	request.RemoteAddr = fmt.Sprintf("10.0.%d.%d:1", a.asked/byteOf, a.asked%byteOf)
	if change != nil {
		change(request)
	}
	answer := httptest.NewRecorder()
	a.handler.ServeHTTP(answer, request)
	return answer
}

// areCounted requires that the second of two requests is one too many.
func (a *addresses) areCounted(what, method, target string, change func(*http.Request)) {
	a.t.Helper()
	a.asked++
	first := a.ask(method, target, change)
	require.NotEqual(a.t, http.StatusTooManyRequests, first.Code, "%s: %s %s", what, method, target)
	second := a.ask(method, target, change)
	require.Equal(a.t, http.StatusTooManyRequests, second.Code, "%s: %s %s was answered %d before", what, method, target,
		first.Code)
	require.Equal(a.t, "4", second.Header().Get("Retry-After"), "%s: %s %s", what, method, target)
	require.Contains(a.t, second.Body.String(), "SERVER_OVERLOADED", "%s: %s %s", what, method, target)
}

// TestEveryAnswerIsCounted asks for everything that the node can answer to somebody without a token: what endpoints
// serve and what none does. Whatever it is, it takes the rate of the address. What no endpoint serves fills no log.
func TestEveryAnswerIsCounted(t *testing.T) {
	t.Parallel()
	names, err := hosts.Parse(nil, "127.0.0.1:7575")
	require.NoError(t, err)
	var log bytes.Buffer
	s := apitest.NewWithCoin(t, apitest.Options{
		Hosts: names, Log: &log, Origins: []string{allowedPage}, MaxBodyBytes: 1 << 20,
		Limits: endpoint.NewLimits(endpoint.LimitOptions{AddressRate: 0.25, Now: still}),
	})
	routes, ok := s.Handler.(chi.Routes)
	require.True(t, ok)
	nowhere := []string{"/", "/nope", "/v0/nope", "/v2/nope", "/api/scan/nope"}
	paths := map[string]bool{}
	for _, path := range nowhere {
		paths[path] = true
	}
	require.NoError(t, chi.Walk(routes, func(_, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		paths[fill(route, "alice")] = true
		return nil
	}))
	a := &addresses{t: t, handler: s.Handler}
	here := func(r *http.Request) { r.Host = "localhost" }
	for path := range paths {
		for _, method := range []string{http.MethodGet, http.MethodPost, "PROPFIND"} {
			a.areCounted("a method", method, path, here)
		}
		a.areCounted("an unreadable parameter", http.MethodGet, path+"?limit=x&pageSize=x&offset=x", here)
		a.areCounted("a stream", http.MethodGet, path, func(r *http.Request) {
			here(r)
			r.Header.Set("Upgrade", "websocket")
		})
	}
	for _, path := range append(nowhere, "/v2/users", "/v0/wallet/balance", "/v2/updates", "/livez") {
		for _, method := range []string{
			http.MethodHead, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodConnect,
		} {
			a.areCounted("a method", method, path, here)
		}
		a.areCounted("another name", http.MethodGet, path, func(r *http.Request) { r.Host = "evil.example" })
		a.areCounted("a page", http.MethodOptions, path, preflightOf(allowedPage))
		a.areCounted("a page of others", http.MethodOptions, path, preflightOf("https://evil.example"))
		a.areCounted("a long body", http.MethodPost, path, func(r *http.Request) {
			here(r)
			r.ContentLength = 2 << 20
		})
		a.areCounted("a bad token", http.MethodGet, path, func(r *http.Request) {
			here(r)
			r.Header.Set("Authorization", "Bearer ")
		})
	}
	require.Greater(t, a.asked, 1000)
	require.NotContains(t, log.String(), `"pattern":"","status"`)
	require.Equal(t, 1, strings.Count(log.String(), "requests were answered that no endpoint serves"))
	require.Equal(t, 1, strings.Count(log.String(), "requests were one too many and were refused"))
}

// allowedPage is where pages come from that may call the node.
const allowedPage = "https://wallet.example"

// preflightOf is what a browser asks before it lets a page of the origin call the node.
func preflightOf(origin string) func(*http.Request) {
	return func(r *http.Request) {
		r.Host = "localhost"
		r.Header.Set("Origin", origin)
		r.Header.Set("Access-Control-Request-Method", http.MethodPost)
	}
}

// What no request can be read of, and what is no request to a path, is answered by the server itself: once on a
// connection, or as any other request.
func TestWhatIsNoRequestToAPathIsCountedToo(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	node := apitest.New(t, apitest.Options{
		Log: &log, Limits: endpoint.NewLimits(endpoint.LimitOptions{AddressRate: 0.25, Now: still}),
	})
	s := serve(t, node.Handler, api.ServerOptions{})
	answers := func(request string, times int) string {
		conn := s.dial()
		_, err := io.WriteString(conn, strings.Repeat(request, times)+
			"GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
		require.NoError(t, err)
		answer, _ := io.ReadAll(conn) // the server does not read what follows what it cannot read
		return string(answer)
	}
	all := answers("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 10)
	require.Equal(t, 10, strings.Count(all, "429 Too Many Requests"), all)
	for _, wrong := range []string{
		"nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nExpect: what\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: what\r\n\r\n",
	} {
		require.LessOrEqual(t, strings.Count(answers(wrong, 3), "HTTP/1.1"), 1, "%q ends the connection", wrong)
	}
	require.LessOrEqual(t, strings.Count(log.String(), "\n"), 2, log.String())
}
