package telemetry_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/florinledger/florin/telemetry"
)

// feedTemporal uses every metric of the SDK once.
func feedTemporal(handler client.MetricsHandler) {
	with := handler.WithTags(map[string]string{
		"operation": "StartWorkflowExecution", "namespace": "default", "task_queue": "0123456789ab:florin",
		"worker_type": "WorkflowWorker", "poller_type": "workflow_task", "workflow_type": "SubmitCommands",
		"activity_type": "CommitSubmissions", "status_code": "UNAVAILABLE", "workflow_id": "tap:alice",
	})
	for _, metric := range telemetry.List() {
		name, is := strings.CutPrefix(metric.Name, "temporal_")
		switch name = "temporal_" + name; {
		case !is:
		case metric.Kind == telemetry.Counter:
			with.Counter(strings.TrimSuffix(name, "_total")).Inc(2)
		case metric.Kind == telemetry.Gauge:
			with.Gauge(name).Update(3)
		default:
			with.Timer(strings.TrimSuffix(name, "_seconds")).Record(time.Second)
		}
	}
}

func TestTemporal_KeepsFewSeries(t *testing.T) {
	t.Parallel()
	m := telemetry.New()
	handler := m.Temporal()
	feedTemporal(handler)
	handler.Counter("temporal_unheard_of").Inc(1)
	handler.Timer("temporal_unheard_of").Record(time.Second)
	handler.Gauge("temporal_unheard_of").Update(1)
	exposed := text(t, m)
	for _, line := range []string{
		`temporal_request_total{operation="StartWorkflowExecution"} 2`,
		`temporal_request_failure_total{operation="StartWorkflowExecution",status_code="UNAVAILABLE"} 2`,
		`temporal_num_pollers{poller_type="workflow_task",task_queue="florin"} 3`,
		`temporal_workflow_task_schedule_to_start_latency_seconds_count{task_queue="florin"} 1`,
		`temporal_sticky_cache_size 3`,
	} {
		require.Contains(t, exposed, line)
	}
	for _, text := range []string{"unheard", "tap:alice", "0123456789ab", "namespace"} {
		require.NotContains(t, exposed, text)
	}
}

// A tap makes some forty of these calls.
func BenchmarkTemporal_Request(b *testing.B) {
	handler := telemetry.New().Temporal()
	b.ReportAllocs()
	for b.Loop() {
		with := handler.WithTags(map[string]string{"operation": "StartWorkflowExecution", "namespace": "default"})
		with.Counter("temporal_request").Inc(1)
		with.Timer("temporal_request_latency").Record(time.Millisecond)
	}
}
