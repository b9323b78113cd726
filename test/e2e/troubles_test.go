//go:build long

package e2e_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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
// once in the log, and by doctor, under the name of the alarm, beside a worker that is gone.
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
			"--stop-delay", "0s"), what: what}
	}
	api, worker := launched("api"), launched("worker")
	worker.awaitReady(t)
	api.awaitReady(t)
	dso := findDSO(t, api.endpoint)
	alice := newAccount(t, api.endpoint, dso, "alice", "alice")
	coin, err := api.admin().FindCoin(t.Context(), dso)
	require.NoError(t, err)
	for _, id := range []string{"one", "two", "three"} {
		_, err = alice.SubmitAndWait(t.Context(), alice.tap(coin, id, 1))
		require.NoError(t, err)
	}
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
