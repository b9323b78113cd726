package export

import (
	"fmt"
	"slices"
	"strings"
)

const (
	protocolGRPC = "grpc"
	protocolHTTP = "http/protobuf"
)

type exportConfig struct {
	on                 bool
	protocol, endpoint string
}

// read reads the variables of a signal (TRACES or METRICS) that the SDK does not read itself, and refuses values that
// the SDK would only warn about.
func read(getenv func(string) string, signal string) (exportConfig, error) {
	first := func(names ...string) (name, value string) {
		for _, name := range names {
			if value := strings.TrimSpace(getenv(name)); value != "" {
				return name, value
			}
		}
		return names[0], ""
	}
	_, endpoint := first("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
	name, exporter := first("OTEL_" + signal + "_EXPORTER")
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") || exporter == "none" || exporter == "" && endpoint == "" {
		return exportConfig{}, nil
	}
	if exporter != "" && exporter != "otlp" {
		return exportConfig{}, fmt.Errorf("%s is %q: use otlp, or none", name, exporter)
	}
	name, protocol := first("OTEL_EXPORTER_OTLP_"+signal+"_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
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
	return exportConfig{on: true, protocol: protocol, endpoint: endpoint}, nil
}
