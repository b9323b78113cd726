// Alarmsdoc writes the rules for Prometheus and their guide from the list of package trouble. Run it in the root of the
// repository: `go run ./docs/alarmsdoc`, or `make generate`.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/florinledger/florin/telemetry/trouble"
)

const (
	guidePath = "docs/guides/alarms.md"
	rulesPath = "deploy/prometheus/florin.rules.yaml"
	// width is the longest line of the guide.
	width = 120
)

const guideHead = `<!-- Written by "make generate" from package telemetry/trouble: change it there. -->
# Alarms

[Rules for Prometheus](../../deploy/prometheus/florin.rules.yaml) raise these alarms. Each trouble has one name:
Prometheus, ` + "`/readyz`, `florin doctor`" + `, the log and the page's view of health use it. [Metrics](../metrics.md) describes
the metrics, [dashboards](../../deploy/grafana) show them.

` + "```yaml" + `
# prometheus.yml
rule_files: [florin.rules.yaml]
scrape_configs:
  - job_name: florin
    static_configs: [{ targets: ["127.0.0.1:7575"] }] # each API, and each worker at its --listen address
` + "```" + `

Each alarm links to its section here (` + "`runbook_url`" + `). If your copy of this page has another address, replace it in
the rules before Prometheus loads them:

` + "```" + `
sed 's|` + trouble.Runbook + `|https://wiki.example.com/florin/alarms|' florin.rules.yaml
` + "```" + `

` + "`/readyz`" + ` and ` + "`florin doctor`" + ` tell what one process knows of its last minutes: an API does not know the commits of a
worker elsewhere. Ask each process, or ask Prometheus.
`

const rulesHead = `# Written by "make generate" from package telemetry/trouble: change it there.
# Alarms for Prometheus: load this file with rule_files. The job of the scrape configuration is florin.
# docs/guides/alarms.md says what each means and what to do.
groups:
  - name: florin
    rules:
`

func main() {
	for path, text := range map[string]string{guidePath: guide(), rulesPath: rules()} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, "alarmsdoc: "+err.Error())
			os.Exit(1)
		}
	}
}

// guide is the guide as it should be.
func guide() string {
	var out strings.Builder
	out.WriteString(guideHead)
	for _, one := range trouble.List() {
		fmt.Fprintf(&out, "\n## %s\n\n%s\n\n", one.Name(), wrap(one.Summary, ""))
		for _, point := range [][2]string{{"It means", one.Means}, {"Look", one.Look}, {"Do", one.Do}} {
			fmt.Fprintln(&out, wrap("- **"+point[0]+"**: "+point[1], "  "))
		}
	}
	return out.String()
}

// rules are the rules as they should be.
func rules() string {
	var out strings.Builder
	out.WriteString(rulesHead)
	for _, one := range trouble.List() {
		fmt.Fprintf(&out, `      - alert: %s
        expr: %s
        for: %s
        labels: { severity: %s }
        annotations:
          summary: %s
          runbook_url: %s
`, one.Name(), quote(one.Expr), one.For, one.Severity, quote(one.Summary), one.Runbook())
	}
	return out.String()
}

// quote makes a string of YAML.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// wrap breaks a text into lines, each but the first with an indent.
func wrap(text, indent string) string {
	var out strings.Builder
	length := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case length+1+len(word) > width:
			out.WriteString("\n" + indent)
			length = len(indent)
		default:
			out.WriteString(" ")
			length++
		}
		out.WriteString(word)
		length += len(word)
	}
	return out.String()
}
