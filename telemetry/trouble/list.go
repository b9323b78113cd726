package trouble

import "slices"

// list is ordered by urgency: what stops the node, then what breaks the record, then what slows or refuses work.
var list = slices.Concat(stops, delays, refuses)

// stops are the troubles that keep submissions from their completions.
var stops = []Trouble{
	{
		Part: "down", Severity: Critical, Expr: `up{job="florin"} == 0`, For: "1m",
		Summary: "A Florin process does not answer.",
		Means:   "Prometheus gets no metrics. The process has ended, hangs, or cannot be reached.",
		Look:    "`florin status`, `florin logs` or the log of your supervisor; `GET /livez`.",
		Do: "Start the process again. It continues acknowledged work. Nothing is lost, and nobody has to send anything " +
			"again.",
	},
	{
		Part: "database", Severity: Critical, Expr: `florin_ready{part="database"} == 0`, For: "1m",
		Summary: "PostgreSQL does not answer, or its schema has another version.",
		Means:   "The node cannot read or commit. Submissions in Temporal wait.",
		Look:    "`GET /readyz?verbose` has PostgreSQL's error. Then PostgreSQL's log, disk and connections.",
		Do: "Start PostgreSQL again. After an upgrade, run `florin migrate`. Processes reconnect by " +
			"themselves.",
	},
	{
		Part: "temporal", Severity: Critical, Expr: `florin_ready{part="temporal"} == 0`, For: "1m",
		Summary: "Temporal does not answer, or the namespace is gone.",
		Means:   "Reads work; submissions get 503.",
		Look:    "`GET /readyz?verbose` has Temporal's error and the namespace; Temporal's own log.",
		Do: "Start Temporal again. If the namespace was deleted, register it again (`temporal operator namespace create`), " +
			"and start the lost workflows with `florin repair`. Temporal takes up to a minute to know the namespace; until " +
			"then submissions get 503.",
	},
	{
		Part: "worker", Severity: Critical, Expr: `florin_ready{part="worker"} == 0`, For: "1m",
		Summary: "No worker takes submissions.",
		Means: "No worker runs, or none reaches Temporal. Submissions are acknowledged and wait. /readyz says so ten " +
			"seconds after the last worker died.",
		Look: "The processes of `florin worker` or `florin serve`, and their logs.",
		Do:   "Start a worker. It takes the oldest submissions first.",
	},
	{
		Part: "commits", Severity: Critical, Expr: `florin_ready{part="commits"} == 0`, For: "1m",
		Summary: "An acknowledged submission waits too long for its completion.",
		Means:   "A commit hangs, or an activity fails repeatedly.",
		Look: "/readyz says what fails, or which session of PostgreSQL holds the head: its number and its program. " +
			"`SELECT * FROM pg_stat_activity WHERE pid = NUMBER` has the rest. `florin_commit_step_seconds` shows the slow " +
			"step of commits that ended: `write` means PostgreSQL's disk. The log names the failing activity.",
		Do: "Remove the cause; then the waiting submissions commit. End the session of another program with " +
			"`SELECT pg_terminate_backend(NUMBER)`. If a process of Florin hangs inside a commit, other processes end its " +
			"sessions. What waits may raise FlorinLoad, FlorinConnections and FlorinSubmissions as well.",
	},
	{
		Part: "audit", Severity: Critical, Expr: "florin_audit_failed == 1", For: "0m",
		Summary: "The record breaks a rule.",
		Means: "Somebody changed the database without the node, or Florin has a defect: coin without a mint, a changed " +
			"or missing row.",
		Look: "`florin audit` has all of it: each rule, place and offset, and what was changed. `GET /v0/admin/audit` has what " +
			"the workers found. PostgreSQL's own log says who wrote, if `log_statement` was on.",
		Do: "Stop transfers of coin. Compare with a [backup](../reliability.md#backup). Do not repair rows by hand " +
			"before you know the cause. After a repair, `florin audit --forget-findings` clears the findings.",
	},
	{
		Part: "forged", Severity: Critical, Expr: "increase(florin_forged_submissions_total[10m]) > 0", For: "0m",
		Summary: "A worker got a submission without a seal of this ledger.",
		Means:   "Somebody starts workflows in Temporal without the node. The worker committed nothing of them.",
		Look: "The worker's log line \"something was forged\" has kind, user and command. In Temporal, the workflow's " +
			"identity shows who started it.",
		Do: "Close Temporal to others: [seals](../seals.md).",
	},
}

// delays are the troubles that slow work or keep some of it from being done.
var delays = []Trouble{
	{
		Part: "clock", Severity: Warning, Expr: "florin_record_time_ahead_seconds > 10", For: "5m",
		Summary: "The clock of this machine is behind the record.",
		Means:   "The last record time is later than the clock. New record times continue from the last one.",
		Look:    "`timedatectl` or `chronyc tracking` on each machine with a worker.",
		Do:      "Repair the wrong clock. Do not change the record.",
	},
	{
		Part: "submissions", Severity: Warning, Expr: "max(florin_oldest_submission_seconds) > 30", For: "1m",
		Summary: "Submissions wait long for their completions.",
		Means:   "The oldest acknowledged submission has waited half a minute.",
		Look: "As for [FlorinCommits](#florincommits). The dashboard of submissions shows the cause: the queue (many " +
			"submissions, large batches), the head lock or the disk.",
		Do: "First remove what makes commits slow, if something does. More workers do not help against a busy head: see " +
			"[performance](../performance.md). If commits are quick, find the busiest user (`FlorinUser` in Temporal's UI), " +
			"and limit it with `--max-user-in-flight`.",
	},
	{
		Part: "disk", Severity: Warning, For: "2m",
		Expr: `sum(rate(florin_commit_step_seconds_sum{step="write"}[5m])) / ` +
			`sum(rate(florin_commit_step_seconds_count{step="write"}[5m])) > 0.25`,
		Summary: "PostgreSQL writes commits slowly.",
		Means: "The last step of a commit, the writes and PostgreSQL's `fsync`, takes more than a quarter of a second on " +
			"average. Each commit holds the head lock meanwhile, so all submissions wait.",
		Look: "The step `write` of `florin_commit_step_seconds`; the dashboard of PostgreSQL; `iostat -x` and the free " +
			"space on PostgreSQL's machine; `pg_stat_activity` for waits of the kind IO.",
		Do: "Stop what else uses the disk, lift a limit of its writes (of a container, or of a cloud's volume), or give " +
			"PostgreSQL's log (`pg_wal`) a faster disk. Keep `synchronous_commit` on.",
	},
	{
		Part: "lock", Severity: Warning, For: "2m",
		Expr:    `max(florin_warning{part="lock"}) == 1`,
		Summary: "Commits wait for the head lock.",
		Means: "A session of PostgreSQL has held the head lock for seconds, or commits wait more than half a second for other " +
			"commits, on average.",
		Look: "/readyz names the session that holds the lock, if it is one. Otherwise the steps `decide` and `write` of " +
			"`florin_commit_step_seconds` show the work of the other commits. " +
			"`florin_code_cost_ratio` shows the cost of code of uploaded packages.",
		Do: "End the session of another program, as for [FlorinCommits](#florincommits): " +
			"`SELECT pg_terminate_backend(NUMBER)`. Otherwise find slow code or a slow disk. [Performance](../performance.md) " +
			"has the rates of one head.",
	},
	{
		Part: "lifecycles", Severity: Warning, For: "5m",
		Expr:    "max(florin_oldest_lifecycle_seconds) > 600 or max(florin_stuck_lifecycles) > 0",
		Summary: "Lifecycles are stuck.",
		Means: "A step of an offer, a preapproval or another contract with a lifecycle is due and does not run, or cannot " +
			"be decided, or Temporal refuses its workflow.",
		Look: "The log names one workflow and its reason (`lifecycles are stuck`). In Temporal's UI, its query `Lifecycle`, and workflows of " +
			"`FlorinKind = \"lifecycle\"` with their errors; [FlorinActivities](#florinactivities).",
		Do: "Remove the cause; then the lifecycle continues, and the update `nudge` of its workflow makes it check now. " +
			"`florin repair` starts a workflow that somebody ended by hand.",
	},
	{
		Part: "automation", Severity: Warning, Expr: "max(florin_oldest_automation_seconds) > 600", For: "5m",
		Summary: "Automation is overdue.",
		Means:   "A task of automation (merging, sweeping, expiring, buying traffic) is due and does not run.",
		Look:    "`GET /v0/admin/automation` shows the kind, whether it is paused or fails, and why.",
		Do:      "Unpause its Schedule, or remove the cause of the failure.",
	},
	{
		Part: "activities", Severity: Warning, Expr: "max(florin_failing_activities) > 0", For: "5m",
		Summary: "An activity fails again and again.",
		Means:   "An activity failed and has not succeeded since.",
		Look:    "The log at WARN names the activity and the error; `florin_activity_failures_total` counts by activity.",
		Do:      "Remove the cause. Temporal retries the activity; a second run is safe.",
	},
	{
		Part: "auditor", Severity: Warning, Expr: "florin_audit_lag_offsets > 100000", For: "30m",
		Summary: "The audit is far behind the ledger.",
		Means:   "Recent commits are not audited yet.",
		Look:    "The log of the auditing process (only that process has `florin_audit_offset`); the load of PostgreSQL.",
		Do:      "Give the database more resources, or run `florin audit` once.",
	},
	{
		Part: "certificate", Severity: Warning, For: "0m",
		Expr:    "florin_certificate_end_seconds - time() < 14 * 86400",
		Summary: "The certificate of the API ends soon, or has ended.",
		Means:   "Less than two weeks are left. After the end, clients refuse HTTPS and gRPC.",
		Look:    "`florin doctor` and `/readyz` have the end.",
		Do:      "Renew the files of `--tls-cert` and `--tls-key`, then send the process SIGHUP; `florin doctor` shows the new end.",
	},
	{
		Part: "telemetry", Severity: Warning, Expr: `florin_warning{part="telemetry"} == 1`, For: "5m",
		Summary: "The receiver of spans or metrics does not take them.",
		Means:   "Spans or metrics that the node sends by OTLP are lost. Submissions do not wait for them.",
		Look: "/readyz says whether spans, metrics or both are lost. The line `telemetry: cannot send` of the log has the error and " +
			"the endpoint.",
		Do: "Repair the receiver, or correct the [variables](tracing.md). The node sends again by itself.",
	},
	{
		Part: "webhooks", Severity: Warning, Expr: `max(florin_warning{part="webhooks"}) == 1`, For: "5m",
		Summary: "A webhook does not get its messages.",
		Means: "Its receiver answers with errors, is slow, redirects, or has a private address now. The node tries again " +
			"for a day, and later messages wait; then the message is a dead letter. Submissions do not wait.",
		Look: "`/readyz` and `florin doctor` name the webhook that has failed longest, `florin doctor` and the log also its " +
			"owner and the host of its receiver. `florin webhook log ID` has each attempt.",
		Do: "Tell the owner to repair the receiver. Then `florin webhook test ID` sends what waits, and " +
			"`florin webhook resend ID --all` the dead letters. `florin webhook pause ID` ends the attempts and the alarm.",
	},
}
