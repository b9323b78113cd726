module go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc

go 1.25.0

require (
	go.opentelemetry.io/otel/sdk/metric v1.43.0
	google.golang.org/grpc v1.80.0
)
