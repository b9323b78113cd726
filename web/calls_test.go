package web_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/test/apitest"
)

// callCounter passes on the calls of a page, and counts them.
type callCounter struct {
	api http.Handler

	mu    sync.Mutex
	calls []string
}

// ServeHTTP implements [http.Handler].
func (c *callCounter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.calls = append(c.calls, r.Method+" "+r.URL.RequestURI())
	c.mu.Unlock()
	c.api.ServeHTTP(w, r)
}

// during returns the calls while something is done.
func (c *callCounter) during(do func()) []string {
	c.mu.Lock()
	c.calls = nil
	c.mu.Unlock()
	do()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls
}

// maxCalls is the maximum number of API calls of a view.
const maxCalls = 3

func TestViews_MakeAtMostThreeCalls(t *testing.T) {
	t.Parallel()
	api := coinAPI(t)
	counter := &callCounter{api: api.Handler}
	of := options(t, counter)
	for _, pkg := range api.Packages.List() {
		of.BuiltIn = append(of.BuiltIn, string(pkg.ID)) // also the packages of tests
	}
	server := serve(t, of)
	alice, bob := window(t, server).as("alice"), window(t, server).as("bob")
	alice.press("/wallet/tap", "amount", "10")
	for range 3 {
		alice.open("/wallet/send").press("/wallet/send/preview", "to", "bob", "amount", "5").press("/wallet/send")
	}
	bob.open("/wallet/inbox").press("/accept")
	admin := window(t, server).as(apitest.LedgerUser)

	for _, view := range []struct {
		visitor *browser
		paths   []string
	}{
		{alice, []string{
			"/wallet", "/wallet/send", "/wallet/names", "/wallet/inbox", "/wallet/waiting", "/wallet/receive",
			"/wallet/history", "/wallet/coins", "/wallet/tokens", "/wallet/payments", "/wallet/allocations",
			"/wallet/traffic", "/wallet/external", "/explorer", "/explorer/contracts", "/explorer/packages",
			"/explorer/parties",
		}},
		{admin, []string{
			"/admin", "/admin/automation", "/admin/parties", "/admin/providers", "/admin/packages",
			"/admin/users", "/admin/users?as=alice", "/admin/users/alice", "/admin/history", "/admin/settings", "/admin/clock", "/admin/audit", "/admin/ledger-time",
		}},
	} {
		for _, path := range view.paths {
			calls := counter.during(func() { view.visitor.open(path) })
			require.Equal(t, http.StatusOK, view.visitor.status, "%s: %s", path, view.visitor.text)
			require.LessOrEqual(t, len(calls), maxCalls, "%s:\n%s", path, strings.Join(calls, "\n"))
		}
	}
}
