package web_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/telemetry/trouble"
	"github.com/florinledger/florin/test/apitest"
)

// fragment loads a live part of a page.
func (b *browser) fragment(path string) *browser {
	b.t.Helper()
	request := b.request(http.MethodGet, path, nil)
	request.Header.Set("Hx-Request", "true")
	for name, value := range b.headers {
		request.Header.Set(name, value)
	}
	return b.load(request)
}

// live is the address of the next answer of the page's live part.
func (b *browser) live(prefix string) string {
	b.t.Helper()
	for _, link := range links(b, "hx-get") {
		if strings.HasPrefix(link, prefix) {
			return link
		}
	}
	require.Fail(b.t, "the page has no such live part", prefix)
	return ""
}

func TestHealth_SaysWhatIsNotWell(t *testing.T) {
	t.Parallel()
	var isWell atomic.Bool
	node := apitest.NewWithCoin(t, apitest.Options{Once: true, Readiness: func(context.Context) []api.Part {
		if isWell.Load() {
			return []api.Part{{Name: "database"}, {Name: "worker"}, {Name: "automation"}}
		}
		return []api.Part{
			{Name: "database"},
			{Name: "worker", Err: errors.New("no worker polls <b>the queue</b>")},
			{Name: "commits", Unknown: "they wait for the failed part"},
			{Name: "automation", Warning: "automation has been due for 20m0s"},
			{Name: "audit", Warning: "the audit has 1 findings up to offset 7"},
		}
	}})
	node.OperatorWallet()
	server := serve(t, options(t, node.Handler))
	stranger := window(t, server).open("/").shows("These parts are not well: worker, commits, automation, audit.", "Sign in")
	alice := window(t, server).as("alice")
	alice.open("/").shows("These parts are not well: worker, commits, automation, audit.")

	alice.open("/admin").shows("These parts are not well: worker, commits, automation, audit.", "database ok", "worker fails",
		"automation warns", "commits unknown", "they wait for the failed part", "the audit has 1 findings up to offset 7",
		"no worker polls <b>the queue</b>", "automation has been due for 20m0s")
	for _, part := range []string{"worker", "automation", "audit"} {
		alarm, known := trouble.Of(part)
		require.True(t, known)
		for _, text := range []string{alarm.Name(), alarm.Summary, alarm.Means, alarm.Do} {
			words := strings.ReplaceAll(strings.ReplaceAll(alice.words(), " ", ""), "`", "")
			require.Contains(t, words, strings.ReplaceAll(strings.ReplaceAll(text, " ", ""), "`", ""))
		}
	}
	require.NotContains(t, alice.words(), "FlorinDatabase", "the database is well")
	require.NotContains(t, alice.text, "<b>the queue")

	isWell.Store(true)
	live := alice.live("/admin?since=")
	alice.fragment(live).shows("All parts are well.", "worker ok")
	require.NotContains(t, alice.text, "<html", "a live part is a part of a page")
	stranger.open("/").shows("All parts are well.")
}

func TestHealth_FrontPageWorksWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	server := serve(t, options(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no", http.StatusBadGateway)
	})))
	b := window(t, server).open("/").shows("A Florin node", "The node does not say whether it is well.")
	require.Equal(t, http.StatusOK, b.status)
}

func TestHealth_ShowsFiguresOfTwoMoments(t *testing.T) {
	t.Parallel()
	node := coinAPI(t)
	of := options(t, node.Handler)
	now := time.Now()
	of.Now = func() time.Time { return now }
	alice := window(t, serve(t, of)).as("alice")
	alice.open("/admin").shows("This process commits nothing, so it counts no submissions.")

	node.Metrics.Works(func() int { return 0 })
	node.Metrics.Accepts(func() time.Duration { return 3 * time.Second }, func() int { return 1 })
	commit := func(completions ...ledger.Completion) {
		clock := now
		one := node.Metrics.Commit(func() time.Time { return clock })
		clock = clock.Add(20 * time.Millisecond)
		one.Committed(completions)
	}
	refused := ledger.Completion{Refusal: fault.ContractNotFound.New("no")}
	commit(refused)
	alice.open("/admin").shows("averages since this process began", "CONTRACT_NOT_FOUND 1", "The oldest has waited 3 s")
	require.NotContains(t, alice.text, "data-figure", "an average of a long time is no point of a chart")

	live := alice.live("/admin?since=")
	for range 40 {
		commit(ledger.Completion{PaidTrafficCost: 100}, refused)
	}
	now = now.Add(20 * time.Second)
	alice.fragment(live).shows("Submissions 4 a second", "Refusals 2 a second", "Traffic 200 bytes a second",
		"Rates and times are of the last 20 seconds.", "CONTRACT_NOT_FOUND 41")
	for _, mark := range []string{`data-figure="rate"`, `data-value="4"`, `data-figure="slow"`} {
		require.Contains(t, alice.text, mark)
	}
	// 20 ms is in the bucket from 16 ms to 32 ms, and half of its commits are in its first half.
	alice.shows("Half of the commits end within 24 ms")

	for _, since := range []string{"x", "bm90IGpzb24", strings.Repeat("A", 1000)} {
		alice.open("/admin?since=" + since).shows("averages since this process began")
	}
}
