package export_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/telemetry"
	"github.com/florinledger/florin/telemetry/export"
)

func getenv(variables map[string]string) func(string) string {
	return func(name string) string { return variables[name] }
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestExport_SendsNothingByDefault(t *testing.T) {
	t.Parallel()
	for name, variables := range map[string]map[string]string{
		"none":     {},
		"disabled": {"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"},
		"no exporter": {
			"OTEL_TRACES_EXPORTER": "none", "OTEL_METRICS_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exporter, err := export.New(t.Context(), getenv(variables), "1", telemetry.New(), quiet())
			require.NoError(t, err)
			require.Nil(t, exporter.Tracer)
			require.False(t, exporter.On())
			require.NoError(t, exporter.Close(t.Context()))
		})
	}
}

func TestExport_RefusesUnknownVariables(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"OTEL_TRACES_EXPORTER":                "jaeger",
		"OTEL_METRICS_EXPORTER":               "statsd",
		"OTEL_EXPORTER_OTLP_METRICS_PROTOCOL": "udp",
		"OTEL_EXPORTER_OTLP_PROTOCOL":         "http/json",
		"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL":  "udp",
		"OTEL_TRACES_SAMPLER":                 "sometimes",
		"OTEL_TRACES_SAMPLER_ARG":             "7",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT":  "127.0.0.1:4318",
		"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "localhost:4318",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			variables := map[string]string{
				"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_TRACES_SAMPLER": "traceidratio",
			}
			variables[name] = value
			_, err := export.New(t.Context(), getenv(variables), "1", telemetry.New(), quiet())
			require.ErrorContains(t, err, name)
			require.ErrorContains(t, err, value)
			require.ErrorContains(t, err, "use")
		})
	}
}

// send makes a span with an exporter for a protocol, and closes it.
func send(t *testing.T, protocol string) {
	t.Helper()
	var log bytes.Buffer
	exporter, err := export.New(t.Context(), getenv(map[string]string{
		"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
	}), "1.2.3", telemetry.New(), slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	_, span, _ := exporter.Tracer.Serve(t.Context(), ledger.TraceContext{}, "GET")
	span.End()
	require.NoError(t, exporter.Close(t.Context()), log.String())
	require.Empty(t, log.String())
}

func requireSpan(t *testing.T, request *collector.ExportTraceServiceRequest) {
	t.Helper()
	require.Len(t, request.GetResourceSpans(), 1)
	about := map[string]string{}
	for _, attribute := range request.GetResourceSpans()[0].GetResource().GetAttributes() {
		about[attribute.GetKey()] = attribute.GetValue().GetStringValue()
	}
	require.Equal(t, "ledger-1", about["service.name"], "the environment wins")
	require.Equal(t, "1.2.3", about["service.version"])
	require.Equal(t, "GET", request.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans()[0].GetName())
}

func TestExport_SendsSpansOverHTTP(t *testing.T) {
	received := make(chan *collector.ExportTraceServiceRequest, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		request := &collector.ExportTraceServiceRequest{}
		if err == nil && proto.Unmarshal(body, request) == nil && r.URL.Path == "/v1/traces" {
			received <- request
		}
	}))
	defer server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	t.Setenv("OTEL_SERVICE_NAME", "ledger-1")
	send(t, "http/protobuf")
	requireSpan(t, <-received)
}

// grpcCollector is a collector behind gRPC.
type grpcCollector struct {
	collector.UnimplementedTraceServiceServer

	received chan *collector.ExportTraceServiceRequest
}

func (s grpcCollector) Export(
	_ context.Context, request *collector.ExportTraceServiceRequest,
) (*collector.ExportTraceServiceResponse, error) {
	s.received <- request
	return &collector.ExportTraceServiceResponse{}, nil
}

func TestExport_SendsSpansOverGRPC(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer()
	defer server.Stop()
	service := grpcCollector{received: make(chan *collector.ExportTraceServiceRequest, 1)}
	collector.RegisterTraceServiceServer(server, service)
	go func() { _ = server.Serve(listener) }()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+listener.Addr().String())
	t.Setenv("OTEL_SERVICE_NAME", "ledger-1")
	send(t, "grpc")
	requireSpan(t, <-service.received)
}
