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

// Knower is which processes know a metric. In all others it is absent, so that nobody takes 0 for an answer.
type Knower string

// Who knows a metric.
const (
	Everyone Knower = "every process"
	APIs     Knower = "processes with an API"
	Workers  Knower = "processes with a worker"
	Auditors Knower = "the process that audits"
)

// Metric describes a metric to those who read it. Its name has the unit, as Prometheus' conventions say.
type Metric struct {
	Name string
	Kind Kind
	// Help is a sentence.
	Help   string
	Labels []string
	Of     Knower
}

// List is all metrics of Florin's own, in the order of their names. Beside them each process has those of the Go
// runtime (go_…) and of the process (process_…).
func List() []Metric { return slices.Clone(list) }

var list = []Metric{
	{
		"florin_activity_failures_total", Counter, "Tries of activities that failed, by activity. They are repeated.",
		[]string{"activity"},
		Everyone,
	},
	{
		"florin_api_processes", Gauge,
		"How many processes have an API: each gives a user its part of what one user may have.", nil, APIs,
	},
	{
		"florin_audit_coin", Gauge, "Coin as the audit counts it, rounded to a float: minted, burned, held.",
		[]string{"kind"},
		Auditors,
	},
	{"florin_audit_failed", Gauge, "1 when the audit has found something, else 0.", nil, Auditors},
	{"florin_audit_findings", Gauge, "How many places break a rule; anything but 0 needs attention.", nil, Auditors},
	{"florin_audit_lag_offsets", Gauge, "How many offsets are still to be audited.", nil, Auditors},
	{"florin_audit_offset", Gauge, "The last offset that was audited.", nil, Auditors},
	{
		"florin_build_info", Gauge, "1, with the version of the program and of Go.",
		[]string{"version", "go_version"},
		Everyone,
	},
	{
		"florin_code_cost_ratio", Histogram,
		"Which part of what it may cost code of uploaded packages did, by submission that ran some.", nil, Workers,
	},
	{"florin_commit_duration_seconds", Histogram, "How long commits took, each of one or more submissions.", nil, Workers},
	{"florin_commit_step_seconds", Histogram, "How long the steps of commits took: lock (the wait for the head of the " +
		"ledger), load, decide, write (up to the end of the transaction).", []string{"step"}, Workers},
	{"florin_commit_submissions", Histogram, "How many submissions were committed together.", nil, Workers},
	{
		"florin_database_connections", Gauge, "Connections of the pool, by state: idle, in_use.",
		[]string{"state"},
		Everyone,
	},
	{"florin_database_connections_max", Gauge, "How many connections the pool may have.", nil, Everyone},
	{"florin_database_wait_seconds_total", Counter, "How long was waited for connections of the pool.", nil, Everyone},
	{
		"florin_database_waits_total", Counter, "How often all connections of the pool were taken when one was asked for.",
		nil, Everyone,
	},
	{"florin_failing_activities", Gauge, "How many activities have failed and were not done since.", nil, Workers},
	{
		"florin_forged_submissions_total", Counter,
		"Submissions and contributions to onboardings that reached a worker without this ledger's seal.", nil, Workers,
	},
	{
		"florin_http_request_duration_seconds", Histogram, "How long requests took, by method and route.",
		[]string{"method", "route"},
		Everyone,
	},
	{
		"florin_http_requests_total", Counter, "Requests that were answered, by method, route and status.",
		[]string{"method", "route", "status"},
		Everyone,
	},
	{"florin_ledger_offset", Gauge, "The last offset that this process has committed.", nil, Workers},
	{"florin_limit_in_use", Gauge, "How much of a limit is taken: requests, streams and submissions that are under way, " +
		"and bytes of requests and answers.", []string{"limit"}, APIs},
	{"florin_limit_max", Gauge, "How much of a limit there is.", []string{"limit"}, APIs},
	{
		"florin_oldest_automation_seconds", Gauge,
		"For how long the task of automation has been due that is due longest; 0 for none.", nil, Everyone,
	},
	{
		"florin_oldest_lifecycle_seconds", Gauge,
		"For how long the lifecycle has been due that is due longest; 0 for none.", nil, Everyone,
	},
	{
		"florin_oldest_submission_seconds", Gauge,
		"How long the oldest submission that this process has taken waits for its completion; 0 for none.", nil, APIs,
	},
	{
		"florin_packages", Gauge, "Packages that this process knows, by where they are from: built_in, uploaded.",
		[]string{"from"},
		Everyone,
	},
	{
		"florin_ready", Gauge, "1 for each part of /readyz that works, 0 for one because of which the node is not ready.",
		[]string{"part"},
		Everyone,
	},
	{
		"florin_record_time_ahead_seconds", Gauge,
		"How far the last record time is ahead of the ledger's clock on this machine; 0 when it is not.", nil, Everyone,
	},
	{
		"florin_submissions_total", Counter, "Submissions that were recorded: accepted, or the code of the refusal.",
		[]string{"outcome"},
		Workers,
	},
	{"florin_traffic_bytes_total", Counter, "Bytes of traffic that submissions were charged.", nil, Workers},
	{"florin_uploaded_packages_bytes", Gauge, "The size of the uploaded packages that this process knows.", nil, Everyone},
	{"florin_warning", Gauge, "1 for each part of /readyz that works and warns, else 0.", []string{"part"}, Everyone},
}

// described finds what the list says of a metric. A metric that it does not have has no kind, no help and no labels,
// and a test finds it.
func described(name string) Metric {
	if i := slices.IndexFunc(list, func(m Metric) bool { return m.Name == name }); i >= 0 {
		return list[i]
	}
	return Metric{Name: name}
}
