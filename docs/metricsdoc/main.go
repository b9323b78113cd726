// Metricsdoc writes docs/metrics.md from the list of package telemetry. Run it in the root of the repository: `go run
// ./docs/metricsdoc`, or `make generate`.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/florinledger/florin/telemetry"
)

const documentPath = "docs/metrics.md"

const introduction = `<!-- Written by "make generate" from package telemetry: change it there. -->
# Metrics

GET /metrics of each process shows these to Prometheus, in its text format. A worker serves it where --listen says, as
it prints when it is ready. A process shows what it knows; what it does not know is absent, so that nobody takes 0 for
an answer. No label holds a party, a user, a contract or a command: metrics are for everybody to see.

[Dashboards](../deploy/grafana) for Grafana and [rules](../deploy/prometheus/florin.rules.yaml) for Prometheus use
them; [alarms](guides/alarms.md) says what to do at each alarm. Metrics that begin with temporal_ are those of Temporal's
SDK in the process. Beside them each process has those of the program and the process that Prometheus' Go client has
(go_…, process_…). The same metrics go out [by OTLP](guides/tracing.md).

| Metric | Kind | Labels | Known by | Meaning |
|---|---|---|---|---|
`

func main() {
	if err := os.WriteFile(documentPath, []byte(document()), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, "metricsdoc: "+err.Error())
		os.Exit(1)
	}
}

// document is the document as it should be.
func document() string {
	var out strings.Builder
	out.WriteString(introduction)
	for _, metric := range telemetry.List() {
		labels := ""
		if len(metric.Labels) > 0 {
			labels = "`" + strings.Join(metric.Labels, "`, `") + "`"
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s | %s |\n", metric.Name, metric.Kind, labels, metric.Of,
			strings.TrimSuffix(metric.Help, "."))
	}
	return out.String()
}
