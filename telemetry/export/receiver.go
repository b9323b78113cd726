package export

import (
	"context"
	"log/slog"
	"sync"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// receiver knows whether spans or metrics arrive. It logs when they begin to fail and when they arrive again, not each
// batch.
type receiver struct {
	// of says what it receives: spans or metrics.
	of  string
	log *slog.Logger

	mu  sync.Mutex
	err error
}

func (r *receiver) note(ctx context.Context, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err != nil && r.err == nil:
		r.log.WarnContext(ctx, "telemetry: cannot send "+r.of, "error", err) //nolint:sloglint // spans or metrics
	case err == nil && r.err != nil:
		r.log.InfoContext(ctx, "telemetry: "+r.of+" arrive again") //nolint:sloglint // spans or metrics
	}
	r.err = err
}

func (r *receiver) fails() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err != nil
}

// spanExporter tells the receiver how each batch went. The SDK need not know: it would log it again.
type spanExporter struct {
	sdktrace.SpanExporter

	to *receiver
}

// ExportSpans implements [sdktrace.SpanExporter].
func (e spanExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	e.to.note(ctx, e.SpanExporter.ExportSpans(ctx, spans))
	return nil
}

// metricExporter is the same for metrics.
type metricExporter struct {
	sdkmetric.Exporter

	to *receiver
}

// Export implements [sdkmetric.Exporter].
func (e metricExporter) Export(ctx context.Context, metrics *metricdata.ResourceMetrics) error {
	e.to.note(ctx, e.Exporter.Export(ctx, metrics))
	return nil
}
