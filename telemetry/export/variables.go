package export

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const (
	protocolGRPC = "grpc"
	protocolHTTP = "http/protobuf"
)

type exportConfig struct {
	on       bool
	protocol string
	// endpoint is where the signal goes; isDefault says that no variable names it.
	endpoint  string
	isDefault bool
}

// defaultEndpoints are those of OpenTelemetry.
var defaultEndpoints = map[string]string{protocolGRPC: "http://localhost:4317", protocolHTTP: "http://localhost:4318"}

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
	own := "OTEL_EXPORTER_OTLP_" + signal + "_ENDPOINT"
	set, endpoint := first(own, "OTEL_EXPORTER_OTLP_ENDPOINT")
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
	config := exportConfig{on: true, protocol: protocol, isDefault: endpoint == "", endpoint: endpoint}
	if config.isDefault {
		set, config.endpoint = "", defaultEndpoints[protocol]
	} else if address, err := url.Parse(endpoint); err != nil || address.Host == "" ||
		address.Scheme != "http" && address.Scheme != "https" {
		return exportConfig{}, fmt.Errorf("%s is %q: use a URL that begins with http:// or https://", set, endpoint)
	}
	if protocol == protocolHTTP && set != own {
		config.endpoint = strings.TrimSuffix(config.endpoint, "/") + "/v1/" + strings.ToLower(signal)
	}
	return config, checkSampler(first)
}

// checkSampler refuses a sampler or a ratio that the SDK would replace by its default.
func checkSampler(first func(names ...string) (name, value string)) error {
	samplers := []string{
		"always_on", "always_off", "traceidratio",
		"parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio",
	}
	if name, sampler := first("OTEL_TRACES_SAMPLER"); sampler != "" && !slices.Contains(samplers, sampler) {
		return fmt.Errorf("%s is %q: use one of %s", name, sampler, strings.Join(samplers, ", "))
	} else if !strings.HasSuffix(sampler, "traceidratio") {
		return nil
	}
	name, text := first("OTEL_TRACES_SAMPLER_ARG")
	if ratio, err := strconv.ParseFloat(text, 64); text != "" && (err != nil || !(ratio >= 0 && ratio <= 1)) {
		return fmt.Errorf("%s is %q: use a ratio from 0 to 1, such as 0.01", name, text)
	}
	return nil
}
