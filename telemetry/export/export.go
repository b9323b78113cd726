// Package export sends spans and metrics by OTLP where the standard variables of OpenTelemetry say so: see
// docs/guides/tracing.md.
package export

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/florinledger/florin/telemetry/tracing"
	"github.com/florinledger/florin/telemetry/trouble"
)

// Exporter sends the spans and metrics of a process. A nil one sends nothing.
type Exporter struct {
	// Tracer makes spans; nil if no variable turns them on.
	Tracer *tracing.Tracer
	// ends end the parts that send; receivers know whether they arrive.
	ends      []func(context.Context) error
	receivers []*receiver
}

// closeTimeout limits how long a stopping process waits for its last spans and metrics to be sent.
const closeTimeout = 5 * time.Second

// New reads the variables with getenv. The errors name the variable. Later errors only go to the log and to
// [Exporter.Trouble], because neither a span nor a metric is worth a failed request.
func New(
	ctx context.Context, getenv func(string) string, version string, metrics prometheus.Gatherer, log *slog.Logger,
) (*Exporter, error) {
	spans, err := read(getenv, "TRACES")
	if err != nil {
		return nil, err
	}
	values, err := read(getenv, "METRICS")
	if err != nil || !spans.on && !values.on {
		return &Exporter{}, err
	}
	about, err := resource.New(ctx, resource.WithAttributes(
		attribute.String("service.name", "florin"), attribute.String("service.version", version),
	), resource.WithTelemetrySDK(), resource.WithHost(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES cannot be read: %w", err)
	}
	// What is sent goes through a receiver; this is for the rest, such as a batch that was accepted in part.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		log.DebugContext(ctx, "OpenTelemetry reports an error", "error", err)
	}))
	e := &Exporter{}
	if spans.on {
		err = e.sendSpans(ctx, spans, about, log)
	}
	if err == nil && values.on {
		err = e.sendMetrics(ctx, values, about, metrics, log)
	}
	if err != nil {
		return nil, errors.Join(err, e.Close(ctx))
	}
	return e, nil
}

func (e *Exporter) sendSpans(ctx context.Context, config exportConfig, about *resource.Resource, log *slog.Logger) error {
	var client otlptrace.Client
	switch { // the SDK's own default is https
	case config.protocol == protocolGRPC && config.isDefault:
		client = otlptracegrpc.NewClient(otlptracegrpc.WithInsecure())
	case config.protocol == protocolGRPC:
		client = otlptracegrpc.NewClient()
	case config.isDefault:
		client = otlptracehttp.NewClient(otlptracehttp.WithInsecure())
	default:
		client = otlptracehttp.NewClient()
	}
	exporter, err := otlptrace.New(ctx, client)
	if err != nil {
		return fmt.Errorf("cannot export spans: %w", err)
	}
	to := e.receiver("spans", config, log)
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(spanExporter{exporter, to}), sdktrace.WithResource(about))
	e.Tracer = tracing.New(provider)
	e.ends = append(e.ends, provider.Shutdown)
	return nil
}

func (e *Exporter) sendMetrics(
	ctx context.Context, config exportConfig, about *resource.Resource, from prometheus.Gatherer, log *slog.Logger,
) error {
	var exporter sdkmetric.Exporter
	var err error
	switch { // as for spans
	case config.protocol == protocolGRPC && config.isDefault:
		exporter, err = otlpmetricgrpc.New(ctx, otlpmetricgrpc.WithInsecure())
	case config.protocol == protocolGRPC:
		exporter, err = otlpmetricgrpc.New(ctx)
	case config.isDefault:
		exporter, err = otlpmetrichttp.New(ctx, otlpmetrichttp.WithInsecure())
	default:
		exporter, err = otlpmetrichttp.New(ctx)
	}
	if err != nil {
		return fmt.Errorf("cannot export metrics: %w", err)
	}
	to := e.receiver("metrics", config, log)
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithResource(about), sdkmetric.WithReader(
		sdkmetric.NewPeriodicReader(metricExporter{exporter, to},
			sdkmetric.WithProducer(bridge.NewMetricProducer(bridge.WithGatherer(from)))),
	))
	e.ends = append(e.ends, provider.Shutdown)
	return nil
}

func (e *Exporter) receiver(of string, config exportConfig, log *slog.Logger) *receiver {
	to := &receiver{of: of, log: log.With("alarm", trouble.NameOf("telemetry"), "endpoint", config.endpoint)}
	e.receivers = append(e.receivers, to)
	return to
}

// On reports whether the process sends anything.
func (e *Exporter) On() bool { return e != nil && len(e.receivers) > 0 }

// Trouble says what does not arrive; "" if everything does. It has no error text: /readyz is public, and the text may have
// the address.
func (e *Exporter) Trouble() string {
	if e == nil {
		return ""
	}
	var lost []string
	for _, to := range e.receivers {
		if to.fails() {
			lost = append(lost, to.of)
		}
	}
	if len(lost) == 0 {
		return ""
	}
	return strings.Join(lost, " and ") + " do not arrive; the line `telemetry: cannot send` of the log says why"
}

// Close sends the waiting spans and the last metrics, and ends. A receiver that hangs delays it by closeTimeout at most.
func (e *Exporter) Close(ctx context.Context) error {
	if e == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, closeTimeout)
	defer cancel()
	errs := make(chan error, len(e.ends))
	for _, end := range e.ends {
		go func() { errs <- end(ctx) }()
	}
	var failed error
	for range e.ends {
		select {
		case err := <-errs:
			failed = errors.Join(failed, err)
		case <-ctx.Done():
			return errors.Join(failed, ctx.Err())
		}
	}
	return failed
}
