// Package telemetry counts and measures what the node does, for Prometheus. No label holds a party, a contract or a
// command id: their number would grow with the ledger, and metrics are for everybody to see.
package telemetry

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/decimal"
	"github.com/florinledger/florin/ledger"
)

// Metrics are the metrics of one process of a node. Make them with [New]. What a process does not know is absent.
type Metrics struct {
	registry *prometheus.Registry

	requests        *prometheus.CounterVec
	requestDuration *prometheus.HistogramVec
	unreadable      prometheus.Counter
	handshakesAlone prometheus.Counter
	submissions     *prometheus.CounterVec
	forged          prometheus.Counter
	commitDuration  prometheus.Histogram
	commitSize      prometheus.Histogram
	offset          *gauge
	failures        *prometheus.CounterVec
	audit           auditMetrics
	overdue         struct{ lifecycle, automation *gauge }
}

type auditMetrics struct {
	offset, lag, findings, failed *gauge
	supply                        *prometheus.GaugeVec
}

// New makes the metrics, with those of the Go runtime and of the process.
func New() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "florin_http_requests_total", Help: "Requests that were answered, by method, route and status.",
		}, []string{"method", "route", "status"}),
		requestDuration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "florin_http_request_duration_seconds", Help: "How long requests took, by method and route.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 15),
		}, []string{"method", "route"}),
		unreadable: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "florin_http_unreadable_total",
			Help: "Connections that ended with what is no request: such are answered without a route, or not at all.",
		}),
		handshakesAlone: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "florin_tls_handshakes_alone_total",
			Help: "TLS connections that ended before a request: a handshake, whole or not, and nothing behind it.",
		}),
		submissions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "florin_submissions_total", Help: "Submissions that were recorded: accepted, or the code of the refusal.",
		}, []string{"outcome"}),
		forged: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "florin_forged_submissions_total",
			Help: "Submissions and contributions to onboardings that reached a worker without this ledger's seal.",
		}),
		commitDuration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "florin_commit_duration_seconds", Help: "How long commits took, each of one or more submissions.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 15),
		}),
		commitSize: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "florin_commit_submissions", Help: "How many submissions were committed together.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 10),
		}),
		offset: newGauge("florin_ledger_offset", "The last offset that this process has committed."),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "florin_activity_failures_total", Help: "Tries of activities that failed, by activity. They are repeated.",
		}, []string{"activity"}),
		audit: auditMetrics{
			offset:   newGauge("florin_audit_offset", "The last offset that was audited."),
			lag:      newGauge("florin_audit_lag_offsets", "How many offsets are still to be audited."),
			findings: newGauge("florin_audit_findings", "How many places break a rule; anything but 0 needs attention."),
			failed:   newGauge("florin_audit_failed", "1 when the audit has found something, else 0."),
			supply: prometheus.NewGaugeVec(prometheus.GaugeOpts{
				Name: "florin_audit_coin", Help: "Coin as the audit counts it, rounded to a float: minted, burned, held.",
			}, []string{"kind"}),
		},
	}
	m.overdue.lifecycle = newGauge("florin_oldest_lifecycle_seconds",
		"For how long the lifecycle has been due that is due longest; 0 for none.")
	m.overdue.automation = newGauge("florin_oldest_automation_seconds",
		"For how long the task of automation has been due that is due longest; 0 for none.")
	m.registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.requests, m.requestDuration, m.unreadable, m.handshakesAlone, m.submissions, m.offset, m.failures,
		m.audit.offset, m.audit.lag, m.audit.findings, m.audit.failed, m.audit.supply,
		m.overdue.lifecycle, m.overdue.automation,
	)
	return m
}

// Works adds what a process with a worker knows: its commits, what reached it that is not this ledger's, and how many
// activities have failed and were not done since. It is called once.
func (m *Metrics) Works(failing func() int) {
	m.registry.MustRegister(m.forged, m.commitDuration, m.commitSize, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "florin_failing_activities", Help: "How many activities have failed and were not done since.",
	}, func() float64 { return float64(failing()) }))
}

// Accepts adds what a process with an API knows: how long the oldest submission waits for its completion, and how many
// processes serve users together. It is called once.
func (m *Metrics) Accepts(oldest func() time.Duration, processes func() int) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "florin_api_processes",
		Help: "How many processes have an API: each gives a user its part of what one user may have.",
	}, func() float64 { return float64(processes()) }))
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "florin_oldest_submission_seconds",
		Help: "How long the oldest submission that this process has taken waits for its completion; 0 for none.",
	}, func() float64 { return oldest().Seconds() }))
}

// Overdue shows for how long lifecycles and automation have been due.
func (m *Metrics) Overdue(lifecycle, automation time.Duration) {
	m.overdue.lifecycle.set(lifecycle.Seconds())
	m.overdue.automation.set(automation.Seconds())
}

// OverdueUnknown says that nobody can tell at the moment for how long they have been due.
func (m *Metrics) OverdueUnknown() {
	m.overdue.lifecycle.forget()
	m.overdue.automation.forget()
}

// TextType is the Content-Type of [Metrics.Text].
const TextType = "text/plain; version=0.0.4; charset=utf-8"

// Text is what there is to tell now, in the text format of Prometheus.
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

// known keeps invented methods from becoming labels.
func known(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	default:
		return "other"
	}
}

// Commit begins to measure a commit by this clock. What it returns counts the submissions that were committed.
func (m *Metrics) Commit(now func() time.Time) func(completions []ledger.Completion) {
	started := now()
	return func(completions []ledger.Completion) {
		for _, completion := range completions {
			outcome := "accepted"
			if completion.Refusal != nil {
				outcome = completion.Refusal.Code
			}
			m.submissions.WithLabelValues(outcome).Inc()
			m.offset.set(float64(completion.Offset))
		}
		m.commitDuration.Observe(now().Sub(started).Seconds())
		m.commitSize.Observe(float64(len(completions)))
	}
}

// ActivityFailed counts a try of an activity that failed.
func (m *Metrics) ActivityFailed(activity string) { m.failures.WithLabelValues(activity).Inc() }

// RecordTimeAhead shows how far the last record time is ahead of the ledger's clock. It is called once.
func (m *Metrics) RecordTimeAhead(ahead func() time.Duration) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "florin_record_time_ahead_seconds",
		Help: "How far the last record time is ahead of the ledger's clock on this machine; 0 when it is not.",
	}, func() float64 { return ahead().Seconds() }))
}

// Unreadable counts a connection that ended with what is no request.
func (m *Metrics) Unreadable() { m.unreadable.Inc() }

// HandshakeAlone counts a TLS connection that ended before a request.
func (m *Metrics) HandshakeAlone() { m.handshakesAlone.Inc() }

// Forged counts something that came through Temporal and is not this ledger's.
func (m *Metrics) Forged() { m.forged.Inc() }

// Audited shows how far the audit has come and what it found.
func (m *Metrics) Audited(state audit.State, end ledger.Offset) {
	m.audit.offset.set(float64(state.Offset))
	m.audit.lag.set(float64(end - state.Offset))
	m.audit.findings.set(float64(state.FindingCount))
	failed := 0.0
	if !state.Clean() {
		failed = 1
	}
	m.audit.failed.set(failed)
	for kind, amount := range map[string]decimal.Decimal{
		"minted": state.Minted, "burned": state.Burned, "held": state.Held,
	} {
		m.audit.supply.WithLabelValues(kind).Set(rounded(amount))
	}
}

// rounded is an amount as metrics can have it: they are floats.
func rounded(amount decimal.Decimal) float64 {
	value, err := strconv.ParseFloat(amount.String(), 64)
	if err != nil { // a decimal always reads as a float
		return 0
	}
	return value
}
