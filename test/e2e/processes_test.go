//go:build long

package e2e_test

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/telemetry"
)

// requireMetrics waits until a process shows exactly the metrics of these knowers.
func requireMetrics(t *testing.T, e endpoint, who ...telemetry.Knower) {
	t.Helper()
	var expected []string
	for _, metric := range telemetry.List() {
		if slices.Contains(who, metric.Of) && strings.HasPrefix(metric.Name, "florin_") &&
			metric.Name != "florin_activity_failures_total" { // absent without a failure
			expected = append(expected, metric.Name)
		}
	}
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
		if !strings.Contains(text, "florin_ready{part=\"database\"} 1") {
			return errors.New("the database does not work")
		}
		return nil
	})
}

// TestMetrics_ArePresentWhereTheyAreKnown reads the metrics of an API, of a worker and of both in one process: a metric
// that a process does not know is absent, so that it does not look like 0.
func TestMetrics_ArePresentWhereTheyAreKnown(t *testing.T) {
	t.Parallel()
	p := newParted(t)
	_, err := p.alice.SubmitAndWait(t.Context(), p.alice.tap(p.coin, "known", 1))
	require.NoError(t, err)
	requireMetrics(t, p.api.endpoint, telemetry.Everyone, telemetry.APIs)
	requireMetrics(t, p.worker.endpoint, telemetry.Everyone, telemetry.Workers, telemetry.Auditors)
	both := serve(t, "serve", p.installation)
	p.worker.interrupt(t)
	_, err = p.alice.on(both.endpoint).SubmitAndWait(t.Context(), p.alice.tap(p.coin, "both", 1))
	require.NoError(t, err)
	requireMetrics(t, both.endpoint, telemetry.Everyone, telemetry.APIs, telemetry.Workers, telemetry.Auditors)
}

// splitNode is an API and a worker.
type splitNode struct {
	installation
	api, worker *servedNode
	alice       account
	coin        client.Coin
}

func newParted(t *testing.T) *splitNode {
	t.Helper()
	p := &splitNode{installation: install(t)}
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

// awaitReadyz waits for a status and a text of /readyz.
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

func TestReadiness_SeesALostWorker(t *testing.T) {
	t.Parallel()
	p := newParted(t)
	const missing = "[-] worker failed"
	awaitReadyz(t, p.api.endpoint, http.StatusOK, "passed")
	for _, path := range []string{"/livez", "/readyz"} {
		status, text := page(t, p.worker.endpoint, path)
		require.Equal(t, http.StatusOK, status, text)
	}
	status, _ := page(t, p.worker.endpoint, "/v2/version")
	require.Equal(t, http.StatusNotFound, status, "a worker only serves its state")

	p.worker.kill(t)
	died := time.Now()
	awaitReadyz(t, p.api.endpoint, http.StatusServiceUnavailable, missing)
	require.Less(t, time.Since(died), time.Minute, "before Temporal forgets it")
	p.worker = serve(t, "worker", p.installation)
	awaitReadyz(t, p.api.endpoint, http.StatusOK, "passed")

	p.worker.interrupt(t)
	awaitReadyz(t, p.api.endpoint, http.StatusServiceUnavailable, missing)
}
