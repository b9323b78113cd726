package telemetry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/telemetry"
)

// A known 0 is a value; an unknown value is absent.
func TestMetrics_OmitUnknownValues(t *testing.T) {
	t.Parallel()
	for line, tell := range map[string]func(*telemetry.Metrics){
		"florin_audit_failed 0":                func(m *telemetry.Metrics) { m.Audited(audit.State{}, 3) },
		"florin_audit_lag_offsets 3":           func(m *telemetry.Metrics) { m.Audited(audit.State{}, 3) },
		"florin_oldest_lifecycle_seconds 0":    func(m *telemetry.Metrics) { m.Overdue(0, time.Second, 0) },
		"florin_oldest_automation_seconds 1":   func(m *telemetry.Metrics) { m.Overdue(0, time.Second, 0) },
		"florin_failing_activities 0":          func(m *telemetry.Metrics) { m.Works(func() int { return 0 }) },
		"florin_forged_submissions_total 0":    func(m *telemetry.Metrics) { m.Works(func() int { return 0 }) },
		"florin_commit_duration_seconds_sum 0": func(m *telemetry.Metrics) { m.Works(func() int { return 0 }) },
		"florin_oldest_submission_seconds 2": func(m *telemetry.Metrics) {
			m.Accepts(func() time.Duration { return 2 * time.Second }, func() int { return 3 })
		},
		"florin_api_processes 3": func(m *telemetry.Metrics) {
			m.Accepts(func() time.Duration { return 2 * time.Second }, func() int { return 3 })
		},
		"florin_ledger_offset 7": func(m *telemetry.Metrics) {
			m.Commit(time.Now).Committed([]ledger.Completion{{Offset: 7}})
		},
	} {
		m := telemetry.New()
		require.NotContains(t, text(t, m), line)
		tell(m)
		require.Contains(t, text(t, m), "\n"+line+"\n")
	}
	m := telemetry.New()
	m.Overdue(time.Second, time.Second, 0)
	m.OverdueUnknown()
	require.NotContains(t, text(t, m), "florin_oldest_lifecycle_seconds")
}

func text(t *testing.T, m *telemetry.Metrics) string {
	t.Helper()
	found, err := m.Text()
	require.NoError(t, err)
	return string(found)
}
