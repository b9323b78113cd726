package dashboards

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func path(parts ...string) string { return filepath.Join(append([]string{"..", ".."}, parts...)...) }

func metrics(t *testing.T) Metrics {
	t.Helper()
	metrics, err := ReadMetrics(path("docs", "metrics.md"))
	if err != nil || len(metrics) < 30 {
		t.Fatalf("docs/metrics.md has %d metrics: %v", len(metrics), err)
	}
	return metrics
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
		if want := "docs/guides/alarms.md#" + strings.ToLower(rule.Alert); rule.Annotations["runbook_url"] != want {
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
