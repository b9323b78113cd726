package export_test

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/telemetry"
	"github.com/florinledger/florin/telemetry/export"
)

// The receiver gets the same metrics under the same names as Prometheus.
func TestExport_SendsMetrics(t *testing.T) {
	received := make(chan map[string]bool, 8)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		request := &collector.ExportMetricsServiceRequest{}
		if err != nil || proto.Unmarshal(body, request) != nil || r.URL.Path != "/v1/metrics" {
			return
		}
		names := map[string]bool{}
		for _, scope := range request.GetResourceMetrics()[0].GetScopeMetrics() {
			for _, metric := range scope.GetMetrics() {
				names[metric.GetName()] = true
			}
		}
		received <- names
	}))
	defer server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", server.URL+"/v1/metrics")
	metrics := telemetry.New()
	metrics.Built("1")
	metrics.Request(http.MethodGet, "/livez", http.StatusOK, time.Second)
	exporter, err := export.New(t.Context(), getenv(map[string]string{
		"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": server.URL,
	}), "1", metrics, quiet())
	require.NoError(t, err)
	require.True(t, exporter.On())
	require.Nil(t, exporter.Tracer, "no variable turns spans on")
	require.NoError(t, exporter.Close(t.Context()))
	names := <-received
	families, err := metrics.Gather()
	require.NoError(t, err)
	for _, family := range families {
		require.True(t, names[family.GetName()], family.GetName())
	}
}

// syncBuffer is a log that a test reads while others write.
type syncBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *syncBuffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(text)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// A receiver that takes requests and never answers delays neither a request of the node nor its stop, and is named once.
func TestExport_SurvivesAReceiverThatHangs(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0") // its backlog takes connections
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	endpoint := "http://" + listener.Addr().String()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "200")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "20")
	t.Setenv("OTEL_BSP_EXPORT_TIMEOUT", "300")
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "16")
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "8")
	t.Setenv("OTEL_METRIC_EXPORT_INTERVAL", "50")
	t.Setenv("OTEL_METRIC_EXPORT_TIMEOUT", "300")
	log := &syncBuffer{}
	exporter, err := export.New(t.Context(), getenv(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}), "1",
		telemetry.New(), slog.New(slog.NewTextHandler(log, nil)))
	require.NoError(t, err)
	began := time.Now()
	for range 10_000 { // many times the queue
		_, span, _ := exporter.Tracer.Serve(t.Context(), ledger.TraceContext{}, "GET")
		span.End()
	}
	require.Less(t, time.Since(began), 5*time.Second, "spans of a full queue are dropped")
	require.Eventually(t, func() bool {
		return strings.Contains(log.String(), "cannot send spans") && strings.Contains(log.String(), "cannot send metrics")
	}, 20*time.Second, 10*time.Millisecond)
	require.Contains(t, exporter.Trouble(), "spans and metrics do not arrive; the line `telemetry: cannot send`")
	require.NotContains(t, exporter.Trouble(), endpoint, "/readyz is public")

	began = time.Now()
	_ = exporter.Close(t.Context()) // it may say that the last spans are lost
	require.Less(t, time.Since(began), 7*time.Second)
	require.Equal(t, 1, strings.Count(log.String(), "cannot send spans"), log.String())
	require.Equal(t, 1, strings.Count(log.String(), "cannot send metrics"), log.String())
	require.Contains(t, log.String(), "alarm=FlorinTelemetry endpoint="+endpoint+"/v1/traces")
}

// The trouble ends when the receiver takes spans again.
func TestExport_SaysWhenSpansArriveAgain(t *testing.T) {
	var mu sync.Mutex
	status := http.StatusNotFound
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		w.WriteHeader(status)
	}))
	defer server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", server.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "20")
	log := &syncBuffer{}
	exporter, err := export.New(t.Context(), getenv(map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": server.URL}), "1",
		telemetry.New(), slog.New(slog.NewTextHandler(log, nil)))
	require.NoError(t, err)
	send := func() {
		_, span, _ := exporter.Tracer.Serve(t.Context(), ledger.TraceContext{}, "GET")
		span.End()
	}
	require.Eventually(t, func() bool { send(); return exporter.Trouble() != "" }, 20*time.Second, 10*time.Millisecond)
	require.True(t, strings.HasPrefix(exporter.Trouble(), "spans do not arrive; "), exporter.Trouble())
	mu.Lock()
	status = http.StatusOK
	mu.Unlock()
	require.Eventually(t, func() bool { send(); return exporter.Trouble() == "" }, 20*time.Second, 10*time.Millisecond)
	require.Contains(t, log.String(), "spans arrive again")
	require.NoError(t, exporter.Close(t.Context()))
}
