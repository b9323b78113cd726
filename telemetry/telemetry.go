// Package telemetry has the node's metrics for Prometheus. No label has a party, a contract or a command id: their
// number would grow with the ledger, and metrics are public.
package telemetry

import (
	"bytes"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

// Metrics are the metrics of one process of a node. Make them with [New]. Metrics that the process does not know are
// absent.
type Metrics struct {
	registry *prometheus.Registry

	requests        *prometheus.CounterVec
	requestDuration *prometheus.HistogramVec
	submissions     *prometheus.CounterVec
	forged          prometheus.Counter
	webhooks        *prometheus.CounterVec
	commitDuration  prometheus.Histogram
	commitSteps     *prometheus.HistogramVec
	commitSize      prometheus.Histogram
	codeCost        prometheus.Histogram
	traffic         prometheus.Counter
	offset          *gauge
	failures        *prometheus.CounterVec
	audit           auditMetrics
	overdue         struct{ lifecycle, automation, stuck *gauge }
}

type auditMetrics struct {
	offset, lag, findings, failed *gauge
	supply                        *prometheus.GaugeVec
}

// New makes the metrics, with those of the Go runtime and of the process.
func New() *Metrics {
	m := &Metrics{
		registry:        prometheus.NewRegistry(),
		requests:        newCounters("florin_http_requests_total"),
		requestDuration: newHistograms("florin_http_request_duration_seconds", shortest, durations),
		submissions:     newCounters("florin_submissions_total"),
		forged:          newCounter("florin_forged_submissions_total"),
		webhooks:        newCounters("florin_webhook_attempts_total"),
		traffic:         newCounter("florin_traffic_bytes_total"),
		commitDuration:  newHistogram("florin_commit_duration_seconds", shortest, durations),
		commitSteps:     newHistograms("florin_commit_step_seconds", shortest, durations),
		commitSize:      newHistogram("florin_commit_submissions", 1, 10),
		codeCost:        newHistogram("florin_code_cost_ratio", 1.0/1024, 11),
		offset:          newGauge("florin_ledger_offset"),
		failures:        newCounters("florin_activity_failures_total"),
		audit: auditMetrics{
			offset: newGauge("florin_audit_offset"), lag: newGauge("florin_audit_lag_offsets"),
			findings: newGauge("florin_audit_findings"), failed: newGauge("florin_audit_failed"),
			supply: newGauges("florin_audit_coin"),
		},
	}
	m.overdue.lifecycle = newGauge("florin_oldest_lifecycle_seconds")
	m.overdue.automation = newGauge("florin_oldest_automation_seconds")
	m.overdue.stuck = newGauge("florin_stuck_lifecycles")
	for _, state := range []string{"sent", "failed", "unreachable", "unknown"} { // a rate needs the 0 before the first
		m.webhooks.WithLabelValues(state)
	}
	m.registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.requests, m.requestDuration, m.submissions, m.offset, m.failures, m.webhooks,
		m.audit.offset, m.audit.lag, m.audit.findings, m.audit.failed, m.audit.supply,
		m.overdue.lifecycle, m.overdue.automation, m.overdue.stuck,
	)
	return m
}

// Built sets the version of the program. Call it once.
func (m *Metrics) Built(version string) {
	info := newGauges("florin_build_info")
	info.WithLabelValues(version, runtime.Version()).Set(1)
	m.registry.MustRegister(info)
}

// Works adds the metrics of a process with a worker: its commits, forged submissions, and failing activities. Call it
// once.
func (m *Metrics) Works(failing func() int) {
	m.registry.MustRegister(m.forged, m.traffic, m.commitDuration, m.commitSteps, m.commitSize, m.codeCost,
		newGaugeFunc("florin_failing_activities", func() float64 { return float64(failing()) }))
}

// Accepts adds the metrics of a process with an API: the age of the oldest open submission, and the number of processes
// with an API. Call it once.
func (m *Metrics) Accepts(oldest func() time.Duration, processes func() int) {
	m.registry.MustRegister(
		newGaugeFunc("florin_api_processes", func() float64 { return float64(processes()) }),
		newGaugeFunc("florin_oldest_submission_seconds", func() float64 { return oldest().Seconds() }))
}

// Use is the amount of a limit in use.
type Use struct {
	// Limit names it.
	Limit string
	// InUse of Max are taken.
	InUse, Max int64
}

// Limits adds the use of the limits of a process with an API. Call it once.
func (m *Metrics) Limits(uses func() []Use) {
	m.registry.MustRegister(newReadings(func(tell func(string, float64, ...string)) {
		for _, use := range uses() {
			tell("florin_limit_in_use", float64(use.InUse), use.Limit)
			tell("florin_limit_max", float64(use.Max), use.Limit)
		}
	}, "florin_limit_in_use", "florin_limit_max"))
}

// Connections is the state of a pool of connections to the database.
type Connections struct {
	Idle, InUse, Max int32
	// Waits is the number of waits for a connection, and Waited their total time.
	Waits  int64
	Waited time.Duration
}

// Database adds the state of the pool of connections. Call it once.
func (m *Metrics) Database(pool func() Connections) {
	m.registry.MustRegister(newReadings(func(tell func(string, float64, ...string)) {
		now := pool()
		tell("florin_database_connections", float64(now.Idle), "idle")
		tell("florin_database_connections", float64(now.InUse), "in_use")
		tell("florin_database_connections_max", float64(now.Max))
		tell("florin_database_waits_total", float64(now.Waits))
		tell("florin_database_wait_seconds_total", now.Waited.Seconds())
	}, "florin_database_connections", "florin_database_connections_max", "florin_database_waits_total",
		"florin_database_wait_seconds_total"))
}

// Packages adds the number of packages that the process knows, and the size of the uploaded ones. Call it once.
func (m *Metrics) Packages(count func() (builtIn, uploaded int, bytes int64)) {
	m.registry.MustRegister(newReadings(func(tell func(string, float64, ...string)) {
		builtIn, uploaded, bytes := count()
		tell("florin_packages", float64(builtIn), "built_in")
		tell("florin_packages", float64(uploaded), "uploaded")
		tell("florin_uploaded_packages_bytes", float64(bytes))
	}, "florin_packages", "florin_uploaded_packages_bytes"))
}

// Certificate adds the end of the certificate of the API. Call it once.
func (m *Metrics) Certificate(end func() time.Time) {
	m.registry.MustRegister(newGaugeFunc("florin_certificate_end_seconds", func() float64 { return float64(end().Unix()) }))
}

// Part is a part of a node that requests depend on, as /readyz names it.
type Part struct {
	Name          string
	Ready, Warned bool
}

// Ready adds the parts of /readyz. Call it once.
func (m *Metrics) Ready(ask func() []Part) {
	m.registry.MustRegister(newReadings(func(tell func(string, float64, ...string)) {
		for _, part := range ask() {
			tell("florin_ready", number(part.Ready), part.Name)
			tell("florin_warning", number(part.Warned), part.Name)
		}
	}, "florin_ready", "florin_warning"))
}

func number(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// Overdue sets how long the oldest due lifecycle and automation task have been due, and how many lifecycles are stuck.
func (m *Metrics) Overdue(lifecycle, automation time.Duration, stuck int64) {
	m.overdue.stuck.set(float64(stuck))
	m.overdue.lifecycle.set(lifecycle.Seconds())
	m.overdue.automation.set(automation.Seconds())
}

// OverdueUnknown removes the values of [Metrics.Overdue], for a process that cannot read them.
func (m *Metrics) OverdueUnknown() {
	m.overdue.lifecycle.forget()
	m.overdue.automation.forget()
	m.overdue.stuck.forget()
}

// TextType is the Content-Type of [Metrics.Text].
const TextType = "text/plain; version=0.0.4; charset=utf-8"

// Gather implements [prometheus.Gatherer], for exporters.
func (m *Metrics) Gather() ([]*dto.MetricFamily, error) { return m.registry.Gather() }

// Text is all metrics in the text format of Prometheus.
func (m *Metrics) Text() ([]byte, error) {
	families, err := m.registry.Gather()
	if err != nil {
		return nil, fmt.Errorf("gather the metrics: %w", err)
	}
	var text bytes.Buffer
	encoder := expfmt.NewEncoder(&text, expfmt.NewFormat(expfmt.TypeTextPlain))
	for _, family := range families {
		if err := encoder.Encode(family); err != nil {
			return nil, fmt.Errorf("write the metrics: %w", err)
		}
	}
	return text.Bytes(), nil
}

// Request counts an answered request. The route is a pattern such as /v2/users/{user-id}, "" for a path that does not
// exist.
func (m *Metrics) Request(method, route string, status int, took time.Duration) {
	if route == "" {
		route = "none"
	}
	m.requests.WithLabelValues(known(method), route, strconv.Itoa(status)).Inc()
	m.requestDuration.WithLabelValues(known(method), route).Observe(took.Seconds())
}

// callMethod is the method of calls of the gRPC API.
const callMethod = "gRPC"

// known maps unknown methods to one label, so that clients cannot create labels.
func known(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions, callMethod:
		return method
	default:
		return "other"
	}
}

// Commit measures one commit. It is for one goroutine.
type Commit struct {
	metrics    *Metrics
	now        func() time.Time
	began, end time.Time
	steps      []step
}

type step struct {
	name string
	took time.Duration
}

// Commit begins to measure a commit by this clock.
func (m *Metrics) Commit(now func() time.Time) *Commit {
	began := now()
	return &Commit{metrics: m, now: now, began: began, end: began}
}

// Did notes the end of a step, which began when the step before it ended.
func (c *Commit) Did(name string) {
	before := c.end
	c.end = c.now()
	c.steps = append(c.steps, step{name, c.end.Sub(before)})
}

// Committed counts the submissions of a commit. Failed commits count nothing.
func (c *Commit) Committed(completions []ledger.Completion) {
	m := c.metrics
	for _, completion := range completions {
		outcome := "accepted"
		if completion.Refusal != nil {
			outcome = completion.Refusal.Code
		}
		m.submissions.WithLabelValues(outcome).Inc()
		m.offset.set(float64(completion.Offset))
		m.traffic.Add(float64(completion.PaidTrafficCost))
		if completion.CodeCost > 0 {
			m.codeCost.Observe(float64(completion.CodeCost) / ledger.MaxCommitCost)
		}
	}
	for _, one := range c.steps {
		m.commitSteps.WithLabelValues(one.name).Observe(one.took.Seconds())
	}
	m.commitDuration.Observe(c.now().Sub(c.began).Seconds())
	m.commitSize.Observe(float64(len(completions)))
}

// ActivityFailed counts a failed try of an activity.
func (m *Metrics) ActivityFailed(activity string) { m.failures.WithLabelValues(activity).Inc() }

// RecordTimeAhead adds how far the last record time is ahead of the ledger's clock. Call it once.
func (m *Metrics) RecordTimeAhead(ahead func() time.Duration) {
	m.registry.MustRegister(newGaugeFunc("florin_record_time_ahead_seconds", func() float64 { return ahead().Seconds() }))
}

// Forged counts a submission or contribution that came through Temporal without this ledger's seal.
func (m *Metrics) Forged() { m.forged.Inc() }

// WebhookAttempt counts an attempt to send a message of a webhook, by what became of it.
func (m *Metrics) WebhookAttempt(state string) { m.webhooks.WithLabelValues(state).Inc() }

// Audited sets the progress and the findings of the audit.
func (m *Metrics) Audited(state audit.State, end ledger.Offset) {
	m.audit.offset.set(float64(state.Offset))
	m.audit.lag.set(float64(end - state.Offset))
	m.audit.findings.set(float64(state.FindingCount))
	m.audit.failed.set(number(!state.Clean()))
	for kind, amount := range map[string]decimal.Decimal{
		"minted": state.Minted, "burned": state.Burned, "held": state.Held,
	} {
		m.audit.supply.WithLabelValues(kind).Set(toFloat(amount))
	}
}

// toFloat rounds an amount: metrics are floats.
func toFloat(amount decimal.Decimal) float64 {
	value, err := strconv.ParseFloat(amount.String(), 64)
	if err != nil { // a decimal always reads as a float
		return 0
	}
	return value
}
