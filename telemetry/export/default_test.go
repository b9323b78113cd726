package export_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/telemetry"
	"github.com/florinledger/florin/telemetry/export"
)

// The test needs a machine without a receiver at the default endpoints. The errors show that the client uses no TLS, and
// the log names where it sends.
func TestExport_SendsToTheDefaultEndpointWithoutTLS(t *testing.T) {
	for protocol, endpoints := range map[string][]string{
		"http/protobuf": {"http://localhost:4318/v1/traces", "http://localhost:4318/v1/metrics"},
		"grpc":          {"http://localhost:4317", "http://localhost:4317"},
	} {
		t.Run(protocol, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "500")
			log := &syncBuffer{}
			exporter, err := export.New(t.Context(), getenv(map[string]string{
				"OTEL_TRACES_EXPORTER": "otlp", "OTEL_METRICS_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": protocol,
			}), "1", telemetry.New(), slog.New(slog.NewTextHandler(log, nil)))
			require.NoError(t, err)
			_, span, _ := exporter.Tracer.Serve(t.Context(), ledger.TraceContext{}, "GET")
			span.End()
			_ = exporter.Close(t.Context())
			text := log.String()
			require.NotContains(t, text, "https://")
			for i, of := range []string{"spans", "metrics"} {
				require.Contains(t, text, "telemetry: cannot send "+of)
				require.Contains(t, strings.Split(text, "cannot send "+of)[1], "endpoint="+endpoints[i])
			}
		})
	}
}
