package dashboards

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// runbooks is the absolute address of the guide: an alarm is read in a chat or a mail.
const runbooks = "https://github.com/florinledger/florin/blob/main/docs/guides/alarms.md#"

func path(parts ...string) string { return filepath.Join(append([]string{"..", ".."}, parts...)...) }

func metrics(t *testing.T) Metrics {
	t.Helper()
	metrics, err := ReadMetrics(path("docs", "metrics.md"))
	if err != nil || len(metrics) < 30 {
		t.Fatalf("docs/metrics.md has %d metrics: %v", len(metrics), err)
	}
	for _, foreign := range programs(t) {
		maps.Copy(metrics, foreign.Metrics)
	}
	return metrics
}

// programs are the programs beside the node whose metrics dashboards show.
func programs(t *testing.T) []Foreign {
	t.Helper()
	var all []Foreign
	for file, program := range map[string]string{
		"postgres_exporter.txt": "postgres_exporter", "temporal_server.txt": "Temporal server",
	} {
		foreign, err := ReadForeign(filepath.Join("testdata", file), program)
		if err != nil || len(foreign.Metrics) == 0 {
			t.Fatalf("%s has %d metrics: %v", file, len(foreign.Metrics), err)
		}
		all = append(all, foreign)
	}
	return all
}

func TestDashboards_AreValid(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(path("deploy", "grafana", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no dashboards: %v", err)
	}
	known, uids := metrics(t), map[string]bool{}
	for _, file := range files {
		board, err := known.ReadDashboard(file)
		if err != nil {
			t.Error(err)
		}
		if uids[board.UID] {
			t.Errorf("%s: another dashboard has the uid %s", file, board.UID)
		}
		uids[board.UID] = true
	}
}

// TestDashboards_NameTheProgramTheyLack: a panel without data names the program that Prometheus does not scrape. Each
// listed metric is shown somewhere, and no alarm needs one.
func TestDashboards_NameTheProgramTheyLack(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(path("deploy", "grafana", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	known, used := metrics(t), map[string]bool{}
	for _, file := range files {
		board, err := known.ReadDashboard(file)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, panel := range board.Panels {
			text += panel.Options.Content
		}
		for _, panel := range board.Panels {
			for _, target := range panel.Targets {
				names, err := Names(target.Expr)
				if err != nil {
					t.Fatal(err)
				}
				for _, foreign := range programs(t) {
					for _, name := range names {
						if _, is := foreign.Metrics[name]; !is {
							continue
						}
						used[name] = true
						if !strings.Contains(panel.FieldConfig.Defaults.NoValue, foreign.Program) {
							t.Errorf("%s: panel %q does not name %s when it has no data", file, panel.Title, foreign.Program)
						}
						if !strings.Contains(text, foreign.Program) {
							t.Errorf("%s: no text says that it needs %s", file, foreign.Program)
						}
					}
				}
			}
		}
	}
	rules, err := known.ReadRules(path("deploy", "prometheus", "florin.rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, foreign := range programs(t) {
		for name := range foreign.Metrics {
			if !used[name] {
				t.Errorf("no dashboard shows %s: remove it from the list", name)
			}
			for _, rule := range rules {
				if strings.Contains(rule.Expr, name) {
					t.Errorf("alarm %s needs %s", rule.Alert, foreign.Program)
				}
			}
		}
	}
}

// TestAlarms_AreInTheGuide compares the rules with the guide.
func TestAlarms_AreInTheGuide(t *testing.T) {
	t.Parallel()
	rules, err := metrics(t).ReadRules(path("deploy", "prometheus", "florin.rules.yaml"))
	if err != nil || len(rules) == 0 {
		t.Fatalf("%d rules: %v", len(rules), err)
	}
	page, err := os.ReadFile(path("docs", "guides", "alarms.md"))
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^## (\w+)$`).FindAllStringSubmatch(string(page), -1) {
		sections[heading[1]] = true
	}
	for _, rule := range rules {
		if !sections[rule.Alert] {
			t.Errorf("alarm %s has no section", rule.Alert)
		}
		delete(sections, rule.Alert)
		if want := runbooks + strings.ToLower(rule.Alert); rule.Annotations["runbook_url"] != want {
			t.Errorf("alarm %s: its page is %s, not %s", rule.Alert, want, rule.Annotations["runbook_url"])
		}
		if rule.Labels["severity"] == "" || rule.Annotations["summary"] == "" {
			t.Errorf("alarm %s needs a severity and a summary", rule.Alert)
		}
	}
	for name := range sections {
		t.Errorf("section %s has no alarm", name)
	}
}

func TestQueries_AreChecked(t *testing.T) {
	t.Parallel()
	known := metrics(t)
	for query, says := range map[string]string{
		"florin_submission_total":                                     "no node has",
		"rate(florin_submissions_total{code=\"x\"}[5m])":              "has no label code",
		"sum by (route) (rate(florin_submissions_total[5m]))":         "has no label route",
		"histogram_quantile(0.9, florin_commit_duration_seconds)":     "no node has",
		"sum(rate(florin_submissions_total[5m])":                      "parse error",
		"sum by (le) (rate(florin_commit_submissions_sum[5m]))":       "has no label le",
		"florin_limit_in_use{limit=\"requests\", user=\"alice\"} > 1": "has no label user",
	} {
		if err := known.Check(query); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", query, err)
		}
	}
	if err := known.Check(`sum by (le, instance) (rate(florin_commit_step_seconds_bucket{step="lock"}[5m]))`); err != nil {
		t.Error(err)
	}
}
