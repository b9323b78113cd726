// Package export sends spans by OTLP where the standard variables of OpenTelemetry say so: see docs/guides/tracing.md.
package export

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/florinledger/florin/telemetry/tracing"
)

// Exporter has the tracer of a process. Close sends the waiting spans.
type Exporter struct {
	// Tracer makes spans; nil if no variable turns them on.
	Tracer   *tracing.Tracer
	provider *sdktrace.TracerProvider
}

// closeTimeout limits how long a stopping process waits for its last spans to be sent.
const closeTimeout = 5 * time.Second

// New reads the variables with getenv. The errors name the variable. Later errors only go to the log, because no span
// is worth a failed request.
func New(ctx context.Context, getenv func(string) string, version string, log *slog.Logger) (*Exporter, error) {
	config, err := read(getenv)
	if err != nil || !config.on {
		return &Exporter{}, err
	}
	client := otlptracehttp.NewClient()
	if config.protocol == protocolGRPC {
		client = otlptracegrpc.NewClient()
	}
	exporter, err := otlptrace.New(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("cannot export spans: %w", err)
	}
	about, err := resource.New(ctx, resource.WithAttributes(
		attribute.String("service.name", "florin"), attribute.String("service.version", version),
	), resource.WithTelemetrySDK(), resource.WithHost(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES cannot be read: %w", err)
	}
	otel.SetErrorHandler(&errorLogger{log: log})
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	return &Exporter{Tracer: tracing.New(provider), provider: provider}, nil
}

// Close sends the waiting spans, and ends.
func (e *Exporter) Close(ctx context.Context) error {
	if e == nil || e.provider == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, closeTimeout)
	defer cancel()
	return e.provider.Shutdown(ctx)
}

const (
	protocolGRPC = "grpc"
	protocolHTTP = "http/protobuf"
)

type exportConfig struct {
	on       bool
	protocol string
}

// read reads the variables that the SDK does not read itself, and refuses values that the SDK would only warn about.
func read(getenv func(string) string) (exportConfig, error) {
	first := func(names ...string) (name, value string) {
		for _, name := range names {
			if value := strings.TrimSpace(getenv(name)); value != "" {
				return name, value
			}
		}
		return names[0], ""
	}
	_, endpoint := first("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
	_, exporter := first("OTEL_TRACES_EXPORTER")
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") || exporter == "none" || exporter == "" && endpoint == "" {
		return exportConfig{}, nil
	}
	if exporter != "" && exporter != "otlp" {
		return exportConfig{}, fmt.Errorf("OTEL_TRACES_EXPORTER is %q: use otlp, or none", exporter)
	}
	name, protocol := first("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
	switch protocol {
	case "":
		protocol = protocolHTTP
	case protocolGRPC, protocolHTTP:
	default:
		return exportConfig{}, fmt.Errorf("%s is %q: use %s or %s", name, protocol, protocolGRPC, protocolHTTP)
	}
	samplers := []string{
		"always_on", "always_off", "traceidratio",
		"parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio",
	}
	if name, sampler := first("OTEL_TRACES_SAMPLER"); sampler != "" && !slices.Contains(samplers, sampler) {
		return exportConfig{}, fmt.Errorf("%s is %q: use one of %s", name, sampler, strings.Join(samplers, ", "))
	}
	return exportConfig{on: true, protocol: protocol}, nil
}

// errorLogger logs the errors of the SDK, at most once a minute: each batch that cannot be sent is another error.
type errorLogger struct {
	log *slog.Logger

	mu   sync.Mutex
	last time.Time
}

// Handle implements [otel.ErrorHandler].
func (c *errorLogger) Handle(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.last) >= time.Minute { //nolint:forbidigo // of the log, not of the ledger
		c.last = now
		c.log.Warn("tracing: cannot send spans", "error", err)
	}
}
