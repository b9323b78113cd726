package telemetry_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/telemetry"
)

// fullMetrics returns metrics with all values known.
func fullMetrics(t *testing.T) *telemetry.Metrics {
	t.Helper()
	m := telemetry.New()
	m.Built("1.2.3")
	m.Works(func() int { return 0 })
	m.Accepts(func() time.Duration { return 0 }, func() int { return 1 })
	m.Limits(func() []telemetry.Use { return []telemetry.Use{{Limit: "requests", InUse: 2, Max: 5}} })
	m.Database(func() telemetry.Connections {
		return telemetry.Connections{Idle: 1, InUse: 2, Max: 4, Waits: 3, Waited: time.Second}
	})
	m.Packages(func() (int, int, int64) { return 30, 2, 1000 })
	m.Ready(func() []telemetry.Part { return []telemetry.Part{{Name: "clock", Ready: true}} })
	m.RecordTimeAhead(func() time.Duration { return 0 })
	m.Audited(audit.State{}, 1)
	m.Certificate(func() time.Time { return time.Unix(0, 0) })
	m.Overdue(0, 0, 0)
	feedTemporal(m.Temporal())
	m.Request("GET", "/v2/version", 200, time.Second)
	m.ActivityFailed("commit")
	m.WebhookAttempt("sent")
	now := time.Unix(0, 0)
	commit := m.Commit(func() time.Time {
		now = now.Add(time.Second)
		return now
	})
	commit.Did("lock")
	commit.Committed([]ledger.Completion{
		{Offset: 7, PaidTrafficCost: 12, CodeCost: ledger.MaxCommitCost / 2},
		{Offset: 8, Refusal: fault.ContractNotFound.New("none")},
	})
	return m
}

func TestList_HasAllMetrics(t *testing.T) {
	t.Parallel()
	families := map[string]telemetry.Metric{}
	labels := regexp.MustCompile(`(\w+)="`)
	kinds := map[string]telemetry.Kind{}
	for line := range strings.Lines(text(t, fullMetrics(t))) {
		words := strings.Fields(line)
		switch {
		case !strings.Contains(line, "florin_") && !strings.Contains(line, "temporal_"):
		case words[1] == "HELP":
			families[words[2]] = telemetry.Metric{Name: words[2], Help: strings.Join(words[3:], " ")}
		case words[1] == "TYPE":
			kinds[words[2]] = telemetry.Kind(words[3])
		default:
			name, _, _ := strings.Cut(words[0], "{")
			for _, part := range []string{"_bucket", "_sum", "_count"} {
				if whole := strings.TrimSuffix(name, part); kinds[whole] == telemetry.Histogram {
					name = whole
				}
			}
			metric := families[name]
			metric.Kind, metric.Labels = kinds[name], nil
			for _, label := range labels.FindAllStringSubmatch(words[0], -1) {
				if label[1] != "le" {
					metric.Labels = append(metric.Labels, label[1])
				}
			}
			families[name] = metric
		}
	}
	for _, metric := range telemetry.List() {
		exposed := families[metric.Name]
		require.Equal(t, metric.Help, exposed.Help, metric.Name)
		require.Equal(t, metric.Kind, exposed.Kind, metric.Name)
		require.ElementsMatch(t, metric.Labels, exposed.Labels, metric.Name)
		require.NotEmpty(t, metric.Of, metric.Name)
		delete(families, metric.Name)
	}
	require.Empty(t, families, "metrics that the list lacks")
}

func TestList_IsSorted(t *testing.T) {
	t.Parallel()
	var before string
	for _, metric := range telemetry.List() {
		require.Less(t, before, metric.Name)
		before = metric.Name
	}
}

func TestMetrics_CountACommit(t *testing.T) {
	t.Parallel()
	exposed := text(t, fullMetrics(t))
	for _, line := range []string{
		`florin_submissions_total{outcome="accepted"} 1`, `florin_submissions_total{outcome="CONTRACT_NOT_FOUND"} 1`,
		"florin_traffic_bytes_total 12", "florin_code_cost_ratio_sum 0.5", "florin_code_cost_ratio_count 1",
		`florin_commit_step_seconds_sum{step="lock"} 1`, "florin_commit_duration_seconds_sum 2",
		`florin_limit_in_use{limit="requests"} 2`, `florin_limit_max{limit="requests"} 5`,
		`florin_database_connections{state="in_use"} 2`, "florin_database_wait_seconds_total 1",
		`florin_packages{from="uploaded"} 2`, `florin_ready{part="clock"} 1`, `florin_warning{part="clock"} 0`,
	} {
		require.Contains(t, exposed, "\n"+line+"\n")
	}
}
