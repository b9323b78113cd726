//go:build long

package e2e_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/telemetry/trouble"
)

// afterEvents are metrics that a process shows after an event, which a test of package telemetry makes: a failure, a
// certificate, a workflow task that came by a poll and not with the answer before it.
var afterEvents = []string{
	"florin_activity_failures_total", "florin_certificate_end_seconds", "temporal_request_failure_total",
	"temporal_workflow_failed_total", "temporal_workflow_task_execution_failed_total",
	"temporal_local_activity_execution_failed_total", "temporal_workflow_task_schedule_to_start_latency_seconds_bucket",
}

// Each metric that a dashboard or an alarm names is one of a running node. Those of other programs have other names.
func TestDashboards_NameMetricsOfANode(t *testing.T) {
	t.Parallel()
	n := serve(t, "serve", install(t))
	dso := findDSO(t, n.endpoint)
	alice := newAccount(t, n.endpoint, dso, "alice", "alice")
	coin, err := n.admin().FindCoin(t.Context(), dso)
	require.NoError(t, err)
	_, err = alice.SubmitAndWait(t.Context(), alice.tap(coin, "seen", 1))
	require.NoError(t, err)

	files, err := filepath.Glob(filepath.Join("..", "..", "deploy", "grafana", "*.json"))
	require.NoError(t, err)
	files = append(files, filepath.Join("..", "..", "deploy", "prometheus", "florin.rules.yaml"))
	named := map[string]string{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, name := range regexp.MustCompile(`\b(?:florin|temporal)_[a-z_]+`).FindAllString(string(content), -1) {
			named[name] = file
		}
	}
	require.Greater(t, len(named), 30)
	await(t, "the node shows what dashboards need", func() error {
		_, text := page(t, n.endpoint, "/metrics")
		for name, file := range named {
			whole := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
			if !strings.Contains(text, "# TYPE "+name+" ") && !strings.Contains(text, "# TYPE "+whole+" ") &&
				!slices.Contains(afterEvents, name) {
				return fmt.Errorf("%s needs %s", file, name)
			}
		}
		return nil
	})
}

type doctorFinding struct {
	What, State, Found, Means, Advice, Runbook string
}

// examine asks florin doctor about a node.
func examine(t *testing.T, url string) (code int, found map[string]doctorFinding) {
	t.Helper()
	ended := run(t, nil, "doctor", "--json", "--url", url)
	var answer struct{ Findings []doctorFinding }
	require.NoError(t, json.Unmarshal([]byte(ended.stdout.String()), &answer), "%s", ended.stderr)
	found = map[string]doctorFinding{}
	for _, one := range answer.Findings {
		found[one.What] = one
	}
	return ended.exitCode(t), found
}

// A receiver of spans and metrics that hangs slows no submission and does not keep the node from stopping. It is named
// once in the log, and by doctor, under the name of the alarm, beside a webhook that fails and a worker that is gone.
func TestDoctor_NamesEachTroubleOfANode(t *testing.T) {
	t.Parallel()
	hangs, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0") // its backlog takes connections
	require.NoError(t, err)
	defer func() { require.NoError(t, hangs.Close()) }()
	at := install(t)
	environment := append(at.environment(), "OTEL_EXPORTER_OTLP_ENDPOINT=http://"+hangs.Addr().String(),
		"OTEL_EXPORTER_OTLP_TIMEOUT=1000", "OTEL_BSP_SCHEDULE_DELAY=50", "OTEL_BSP_EXPORT_TIMEOUT=2000",
		"OTEL_METRIC_EXPORT_INTERVAL=500", "OTEL_METRIC_EXPORT_TIMEOUT=2000")
	launched := func(what string) *servedNode {
		return &servedNode{program: start(t, environment, what, "--listen", "127.0.0.1:0", "--log-level", "warn",
			"--stop-delay", "0s", "--webhook-private-addresses"), what: what}
	}
	api, worker := launched("api"), launched("worker")
	worker.awaitReady(t)
	api.awaitReady(t)
	dso := findDSO(t, api.endpoint)
	alice := newAccount(t, api.endpoint, dso, "alice", "alice")
	works := failingWebhook(t, alice)
	coin, err := api.admin().FindCoin(t.Context(), dso)
	require.NoError(t, err)
	for _, id := range []string{"one", "two", "three"} {
		_, err = alice.SubmitAndWait(t.Context(), alice.tap(coin, id, 1))
		require.NoError(t, err)
	}
	// Nobody has asked for the parts since the spans could not be sent.
	require.Equal(t, "FlorinTelemetry", api.awaitLogged(t, "a part of /readyz warns")["alarm"])
	await(t, "doctor names the receiver", func() error {
		code, found := examine(t, api.url)
		if _, is := found["FlorinTelemetry"]; !is {
			return fmt.Errorf("%v", found)
		}
		require.Equal(t, 0, code, "a warning is no failure")
		require.Equal(t, "ok", found["worker"].State)
		return nil
	})
	require.Len(t, logged(t, api.stderr.String(), "telemetry: cannot send spans"), 1)
	works(api)

	began := time.Now()
	worker.interrupt(t)
	require.Less(t, time.Since(began), 15*time.Second)
	await(t, "doctor names the worker", func() error {
		code, found := examine(t, api.url)
		if code != 1 || found["FlorinWorker"].State != "fails" {
			return fmt.Errorf("%d: %v", code, found)
		}
		about, known := trouble.Of("worker")
		require.True(t, known)
		require.Equal(t, about.Runbook(), found["FlorinWorker"].Runbook)
		require.Contains(t, found["FlorinWorker"].Means, about.Summary)
		require.Contains(t, found["FlorinWorker"].Advice, "Start a worker.")
		require.Equal(t, "ok", found["database"].State)
		require.Equal(t, "unknown", found["commits"].State)
		require.Equal(t, "warns", found["FlorinTelemetry"].State, "one trouble does not hide another")
		return nil
	})
	_, text := page(t, api.endpoint, "/readyz")
	require.Contains(t, text, " [FlorinWorker]\n")
	require.Contains(t, text, " [FlorinTelemetry]\n")
}

// failingWebhook subscribes to the completions of a user with a receiver that answers 500. The function that it returns
// requires that the node names the webhook, repairs the receiver, and requires that the node names it no more.
func failingWebhook(t *testing.T, owner account) (works func(*servedNode)) {
	t.Helper()
	var isRepaired atomic.Bool
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !isRepaired.Load() {
			http.Error(w, "no disk left", http.StatusInternalServerError)
		}
	}))
	t.Cleanup(receiver.Close)
	hook, _, err := owner.CreateWebhook(t.Context(), receiver.URL+"/token", []string{"completion"}, owner.party())
	require.NoError(t, err)
	host := receiver.Listener.Addr().String()
	return func(n *servedNode) {
		await(t, "doctor names the webhook", func() error {
			code, found := examine(t, n.url)
			one := found["FlorinWebhooks"]
			if code != 0 || one.State != "warns" {
				return fmt.Errorf("%d: %v", code, found)
			}
			about, known := trouble.Of("webhooks")
			require.True(t, known)
			require.Equal(t, about.Runbook(), one.Runbook)
			require.Regexp(t, `^webhooks: `+hook.ID+` fails since 20\d\d-\d\d-\d\dT[\d:]+Z, its message was tried \d+ times, `+
				`last answer: 500 Internal Server Error; see florin webhook show `+hook.ID, one.Found)
			require.Contains(t, one.Found, "It belongs to the user "+owner.user+" and posts to "+host+
				"; its last failure: 500 Internal Server Error no disk left")
			require.NotContains(t, one.Found, "/token", "an address may have a secret")
			require.Contains(t, one.Advice, "florin webhook test ID")
			return nil
		})
		status, text := page(t, n.endpoint, "/readyz")
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, text, "[!] webhooks: "+hook.ID)
		require.Contains(t, text, " [FlorinWebhooks]\n")
		for _, secret := range []string{owner.user, host, "no disk left"} {
			require.NotContains(t, text, secret, "/readyz is public")
		}
		_, metrics := page(t, n.endpoint, "/metrics")
		require.Contains(t, metrics, `florin_warning{part="webhooks"} 1`)
		isRepaired.Store(true)
		ended := run(t, nil, "webhook", "test", hook.ID, "--url", n.url)
		require.Equal(t, 0, ended.exitCode(t), "%s", ended.stderr)
		await(t, "doctor names the webhook no more", func() error {
			if _, found := examine(t, n.url); found["webhooks"].State != "ok" {
				return fmt.Errorf("%v", found)
			}
			return nil
		})
	}
}
