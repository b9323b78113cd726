package telemetry

import "slices"

// Kind is what a metric is to Prometheus.
type Kind string

// The kinds of metrics.
const (
	Counter   Kind = "counter"
	Gauge     Kind = "gauge"
	Histogram Kind = "histogram"
)

// Knower is the kind of processes that have a metric. In others it is absent, because 0 would be wrong.
type Knower string

// Who knows a metric.
const (
	Everyone Knower = "every process"
	APIs     Knower = "processes with an API"
	Workers  Knower = "processes with a worker"
	Auditors Knower = "the process that audits"
	Servers  Knower = "processes that serve TLS"
)

// Metric describes a metric for its readers. Its name has the unit, as in the conventions of Prometheus.
type Metric struct {
	Name string
	Kind Kind
	// Help is a sentence.
	Help   string
	Labels []string
	Of     Knower
}

// List is all metrics of Florin and those of Temporal's SDK, in the order of their names. Each process also has those of
// the Go runtime (go_…) and of the process (process_…).
func List() []Metric { return slices.Clone(list) }

var list = slices.Concat(florinList, temporalList)

var florinList = []Metric{
	{
		"florin_activity_failures_total", Counter, "Failed attempts of activities, by activity. Temporal retries them.",
		[]string{"activity"},
		Everyone,
	},
	{
		"florin_api_processes", Gauge,
		"Number of processes with an API. They share the limits of a user equally.", nil, APIs,
	},
	{
		"florin_audit_coin", Gauge, "Coin that the audit counted, rounded to a float: minted, burned, held.",
		[]string{"kind"},
		Auditors,
	},
	{"florin_audit_failed", Gauge, "1 when the audit has findings, else 0.", nil, Auditors},
	{
		"florin_audit_findings", Gauge,
		"Number of places in the record that break a rule. Any value above 0 needs attention.", nil, Auditors,
	},
	{"florin_audit_lag_offsets", Gauge, "Number of offsets that the audit has not reached.", nil, Auditors},
	{"florin_audit_offset", Gauge, "The last offset that the audit checked.", nil, Auditors},
	{
		"florin_build_info", Gauge, "Always 1; the labels have the versions of the program and of Go.",
		[]string{"version", "go_version"},
		Everyone,
	},
	{
		"florin_certificate_end_seconds", Gauge, "End of the certificate of the API, as Unix time; absent without one.", nil,
		Servers,
	},
	{
		"florin_code_cost_ratio", Histogram,
		"Cost of code of uploaded packages as a part of its limit, one sample for each submission that ran some.", nil, Workers,
	},
	{"florin_commit_duration_seconds", Histogram, "Duration of commits, each of one or more submissions.", nil, Workers},
	{"florin_commit_step_seconds", Histogram, "Duration of the steps of a commit: lock (the wait for the head " +
		"lock), load, decide, write (until the transaction ends).", []string{"step"}, Workers},
	{"florin_commit_submissions", Histogram, "Number of submissions in a commit.", nil, Workers},
	{
		"florin_database_connections", Gauge, "Connections of the database pool, by state: idle, in_use.",
		[]string{"state"},
		Everyone,
	},
	{"florin_database_connections_max", Gauge, "Maximum number of connections of the database pool.", nil, Everyone},
	{
		"florin_database_wait_seconds_total", Counter, "Total time of waits for a connection of the pool.", nil,
		Everyone,
	},
	{
		"florin_database_waits_total", Counter, "Number of waits for a connection because the whole pool was in use.",
		nil, Everyone,
	},
	{"florin_failing_activities", Gauge, "Number of activities whose last attempt failed.", nil, Workers},
	{
		"florin_forged_submissions_total", Counter,
		"Submissions and onboarding contributions that a worker received without a valid seal of this ledger.", nil, Workers,
	},
	{
		"florin_http_request_duration_seconds", Histogram, "Duration of HTTP requests and gRPC calls, by method and route.",
		[]string{"method", "route"},
		Everyone,
	},
	{
		"florin_http_requests_total", Counter, "Answered HTTP requests and gRPC calls (method gRPC), by method, route and HTTP status.",
		[]string{"method", "route", "status"},
		Everyone,
	},
	{"florin_ledger_offset", Gauge, "The last offset that this process committed.", nil, Workers},
	{"florin_limit_in_use", Gauge, "Amount in use of each limit: open requests, streams and submissions, " +
		"and bytes of requests and answers.", []string{"limit"}, APIs},
	{"florin_limit_max", Gauge, "Maximum of each limit.", []string{"limit"}, APIs},
	{
		"florin_oldest_automation_seconds", Gauge,
		"How long the oldest due automation task has been due; 0 for none.", nil, Everyone,
	},
	{
		"florin_oldest_lifecycle_seconds", Gauge,
		"How long the oldest due lifecycle has been due; 0 for none.", nil, Everyone,
	},
	{
		"florin_oldest_submission_seconds", Gauge,
		"How long the oldest open submission of this process has waited for its completion; 0 for none.", nil, APIs,
	},
	{
		"florin_packages", Gauge, "Packages that this process knows, by origin: built_in, uploaded.",
		[]string{"from"},
		Everyone,
	},
	{
		"florin_ready", Gauge, "1 for each part of /readyz that works, 0 for a part that makes the node not ready.",
		[]string{"part"},
		Everyone,
	},
	{
		"florin_record_time_ahead_seconds", Gauge,
		"How far the last record time is ahead of the ledger's clock on this machine; 0 if it is not ahead.", nil, Everyone,
	},
	{
		"florin_stuck_lifecycles", Gauge,
		"Lifecycles that cannot go on: no decision was possible, or Temporal refuses the workflow.", nil, Everyone,
	},
	{
		"florin_submissions_total", Counter, "Recorded submissions, by outcome: accepted, or the code of the refusal.",
		[]string{"outcome"},
		Workers,
	},
	{"florin_traffic_bytes_total", Counter, "Bytes of traffic that the ledger charged for submissions.", nil, Workers},
	{"florin_uploaded_packages_bytes", Gauge, "Size of the uploaded packages that this process knows.", nil, Everyone},
	{"florin_warning", Gauge, "1 for each part of /readyz that works and warns, else 0.", []string{"part"}, Everyone},
	{
		"florin_webhook_attempts_total", Counter,
		"Attempts to send messages of webhooks, by result: sent, failed (the receiver answered with an error), " +
			"unreachable (nothing was sent), unknown (no answer).",
		[]string{"state"},
		Everyone,
	},
}

// metricNamed finds a metric in the list. A test finds metrics that the list lacks.
func metricNamed(name string) Metric {
	if i := slices.IndexFunc(list, func(m Metric) bool { return m.Name == name }); i >= 0 {
		return list[i]
	}
	return Metric{Name: name}
}
