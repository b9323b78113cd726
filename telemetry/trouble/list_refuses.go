package trouble

// refuses are the troubles that users see as refusals.
var refuses = []Trouble{
	{
		Part: "errors", Severity: Warning, For: "5m",
		Expr:    `sum by (route) (rate(florin_http_requests_total{status=~"5..",status!="503"}[5m])) > 0`,
		Summary: "Requests get 5xx.",
		Means:   "A defect, or a database that refuses valid work.",
		Look:    "The log at ERROR has the route and the error.",
		Do:      "Report a defect with that line. Clients may repeat requests that have a command id or an `Idempotency-Key`.",
	},
	{
		Part: "load", Severity: Warning, For: "10m",
		Expr:    `sum(rate(florin_http_requests_total{status=~"429|503"}[5m])) / sum(rate(florin_http_requests_total[5m])) > 0.05`,
		Summary: "One of twenty requests is refused for load.",
		Means: "A [limit](../security.md#limits) is reached, of all users or of one: a client floods the node, or commits are " +
			"slow and requests pile up.",
		Look: "First the warnings above this one: slow commits refuse requests as well. Every ten seconds the log has a line " +
			"`requests above a limit were refused`, with the limit and the user of the last one; what a full queue refuses " +
			"(PARTICIPANT_BACKPRESSURE) has a line `request` each, with its user. `florin_http_requests_total` " +
			"has the endpoints; `florin_limit_in_use` has the limits of all users together, not those of one.",
		Do: "If one user floods the node, let it ask less: `--user-rate` (requests a second), `--max-user-requests` (at the " +
			"same time) or `--max-user-in-flight` (submissions). If all users need more, raise the limit or add API processes.",
	},
	{
		Part: "limits", Severity: Warning, Expr: "florin_limit_in_use / florin_limit_max > 0.9", For: "10m",
		Summary: "A limit is nearly reached.",
		Means:   "Nine tenths of a limit are in use: of the queue of submissions, of open requests, of streams, or of bytes.",
		Look:    "/readyz and the label `limit` name it; [settings](../settings.md) has its flag.",
		Do: "As for [FlorinLoad](#florinload). A full queue of `submissions` means that they come faster than they commit: " +
			"[FlorinCommits](#florincommits), [FlorinLock](#florinlock) and [FlorinDisk](#florindisk) say why.",
	},
	{
		Part: "connections", Severity: Warning, Expr: "rate(florin_database_wait_seconds_total[5m]) > 1", For: "10m",
		Summary: "Requests wait for database connections.",
		Means: "Requests wait more than a second for connections in each second. The pool is too small, or PostgreSQL is " +
			"slow.",
		Look: "First [FlorinLock](#florinlock) and [FlorinDisk](#florindisk): commits that wait keep their connections. Then " +
			"`florin_database_connections`, `florin_commit_step_seconds`, and PostgreSQL's `pg_stat_activity`.",
		Do: "Remove what makes commits wait. If commits are quick and PostgreSQL has capacity, raise " +
			"`--database-connections`.",
	},
	{
		Part: "code", Severity: Warning, For: "0m",
		Expr: `sum(increase(florin_code_cost_ratio_count[15m])) - ` +
			`sum(increase(florin_code_cost_ratio_bucket{le="0.5"}[15m])) > 0`,
		Summary: "Code of uploaded packages uses much of its budget.",
		Means: "Submissions that run code of uploaded packages use more than half of its budget. A submission above its " +
			"budget is refused with INTERPRETATION_TIME_EXCEEDED.",
		Look: "The log (`INTERPRETATION_TIME_EXCEEDED`) and the memo of the workflows name user, template and choice; " +
			"`florin dar list` names the package. Refusals by code in `florin_submissions_total`.",
		Do: "Ask the package's authors to look at the choice (`florin test` shows the cost of scripts), or unvet the " +
			"package (Packages on the page, or `POST /v2/package-vetting`). Unvetting stops its own templates and interfaces; unvet also the packages that use its functions.",
	},
	{
		Part: "traffic", Severity: Warning, For: "0m",
		Expr:    `sum(increase(florin_submissions_total{outcome="SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT"}[15m])) > 0`,
		Summary: "Submissions are refused because no traffic is left.",
		Means: "Submissions were refused with SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT: the ledger's setting `enforce-traffic` is " +
			"on, and what was bought and what is free is used up.",
		Look: "Wallet > Traffic on the page; `florin_traffic_bytes_total` for the rate. `florin config list` has the setting, " +
			"and `florin audit log --kind setting` says who turned it on, and when. `GET /v0/admin/automation` shows whether the " +
			"node buys traffic by itself.",
		Do: "Buy traffic, and let the node [buy it by itself](../automation.md). If nobody meant to enforce traffic, turn it " +
			"off: `florin config set enforce-traffic false`. A user sends a refused submission again with a new command id.",
	},
	{
		Part: "rights", Severity: Warning, For: "10m",
		Expr:    `sum by (route) (increase(florin_http_requests_total{status="403"}[10m])) > 4`,
		Summary: "Requests of users are refused for missing rights.",
		Means:   "Users with a valid token ask for what their rights do not allow: a right was taken, or is not given yet.",
		Look:    "The log has each refusal with its user, party and route; the metric's label `route` has the endpoint.",
		Do: "Compare the user's rights with what it wants (Users on the page, or `GET /v2/users/ID/rights`); " +
			"`florin audit log --user ID` shows who took a right. Grant it if it is due.",
	},
}
