package e2e_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledgerclient"
)

// What the processes of a ledger know, by the names of their metrics.
var (
	ofHTTP = []string{
		"florin_http_request_duration_seconds", "florin_http_requests_total", "florin_http_unreadable_total",
		"florin_tls_handshakes_alone_total",
	}
	ofTheClock = []string{"florin_record_time_ahead_seconds"}
	ofDue      = []string{"florin_oldest_automation_seconds", "florin_oldest_lifecycle_seconds"}
	ofAPIs     = []string{"florin_api_processes", "florin_oldest_submission_seconds"}
	ofWorkers  = []string{
		"florin_audit_coin", "florin_audit_failed", "florin_audit_findings", "florin_audit_lag_offsets",
		"florin_audit_offset", "florin_commit_duration_seconds", "florin_commit_submissions", "florin_failing_activities",
		"florin_forged_submissions_total", "florin_ledger_offset", "florin_submissions_total",
	}
)

// requireMetrics requires that a process shows these metrics, in the end, and no other.
func requireMetrics(t *testing.T, e endpoint, groups ...[]string) {
	t.Helper()
	expected := slices.Concat(groups...)
	slices.Sort(expected)
	await(t, "the process knows what it has to", func() error {
		_, text := page(t, e, "/metrics")
		var found []string
		for _, match := range regexp.MustCompile(`(?m)^# TYPE (florin_\S+) `).FindAllStringSubmatch(text, -1) {
			found = append(found, match[1])
		}
		found = slices.DeleteFunc(found, func(name string) bool { return name == "florin_activity_failures_total" })
		slices.Sort(found)
		if !slices.Equal(expected, found) {
			return fmt.Errorf("%v instead of %v", found, expected)
		}
		return nil
	})
}

// TestEachProcessTellsWhatItKnows asks an API, a worker and both together for all of their metrics: what a process does
// not know is absent, so that nobody takes it for good.
func TestEachProcessTellsWhatItKnows(t *testing.T) {
	t.Parallel()
	p := newParted(t)
	_, err := p.alice.SubmitAndWait(t.Context(), p.alice.tap(p.coin, "known", 1))
	require.NoError(t, err)
	requireMetrics(t, p.api.endpoint, ofHTTP, ofTheClock, ofDue, ofAPIs)
	requireMetrics(t, p.worker.endpoint, ofHTTP, ofTheClock, ofDue, ofWorkers)
	both := serve(t, "serve", p.installation)
	p.worker.interrupt(t)
	_, err = p.alice.on(both.endpoint).SubmitAndWait(t.Context(), p.alice.tap(p.coin, "both", 1))
	require.NoError(t, err)
	requireMetrics(t, both.endpoint, ofHTTP, ofTheClock, ofDue, ofAPIs, ofWorkers)
}

// parted is an API and a worker.
type parted struct {
	installation
	api, worker *servedNode
	alice       account
	coin        ledgerclient.Coin
}

func newParted(t *testing.T) *parted {
	t.Helper()
	p := &parted{installation: install(t)}
	p.api, p.worker = launch(t, "api", p.installation), launch(t, "worker", p.installation)
	p.worker.awaitReady(t)
	p.api.awaitReady(t)
	dso := findDSO(t, p.api.endpoint)
	p.alice = newAccount(t, p.api.endpoint, dso, "alice", "alice")
	var err error
	p.coin, err = p.api.admin().FindCoin(t.Context(), dso)
	require.NoError(t, err)
	return p
}

// awaitReadyz waits until a process is ready, or says that something is not.
func awaitReadyz(t *testing.T, e endpoint, status int, says string) {
	t.Helper()
	await(t, "/readyz: "+says, func() error {
		found, text := page(t, e, "/readyz")
		if found != status || !strings.Contains(text, says) {
			return fmt.Errorf("%d: %s", found, text)
		}
		return nil
	})
}

func TestALostWorkerIsSeenWithinSeconds(t *testing.T) {
	t.Parallel()
	p := newParted(t)
	const missing = "[-] worker failed"
	awaitReadyz(t, p.api.endpoint, http.StatusOK, "passed")
	for _, path := range []string{"/livez", "/readyz"} {
		status, text := page(t, p.worker.endpoint, path)
		require.Equal(t, http.StatusOK, status, text)
	}
	status, _ := page(t, p.worker.endpoint, "/v2/version")
	require.Equal(t, http.StatusNotFound, status, "a worker tells how it is, and nothing else")

	p.worker.kill(t)
	died := time.Now()
	awaitReadyz(t, p.api.endpoint, http.StatusServiceUnavailable, missing)
	require.Less(t, time.Since(died), time.Minute, "long before Temporal forgets it")
	p.worker = serve(t, "worker", p.installation)
	awaitReadyz(t, p.api.endpoint, http.StatusOK, "passed")

	p.worker.interrupt(t)
	awaitReadyz(t, p.api.endpoint, http.StatusServiceUnavailable, missing)
}
