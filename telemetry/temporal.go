package telemetry

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.temporal.io/sdk/client"
)

// The buckets of the SDK's durations go from a millisecond to sixteen seconds, in few steps: there are many operations.
const (
	sdkBuckets      = 8
	sdkBucketFactor = 4
)

// sdkTags are the tags of the SDK that are labels. Others would add a series for each namespace, or each workflow.
const sdkTags = 7

// sdkHandler takes the SDK's metrics that temporalList names, and drops the rest at once: an operation of a submission
// costs a look into a map.
type sdkHandler struct {
	metrics *sdkMetrics
	tags    [sdkTags]string
}

type sdkMetrics struct {
	counters map[string]sdkVector[*prometheus.CounterVec]
	gauges   map[string]sdkVector[*prometheus.GaugeVec]
	timers   map[string]sdkVector[*prometheus.HistogramVec]
}

// sdkVector is a metric and the places of its labels among the tags.
type sdkVector[V any] struct {
	vector V
	labels []int
}

var sdkTagNames = [sdkTags]string{
	"operation", "status_code", "task_queue", "poller_type", "worker_type", "workflow_type", "activity_type",
}

// Temporal adds the metrics of Temporal's SDK, and returns the handler that gets them. Call it once.
func (m *Metrics) Temporal() client.MetricsHandler {
	sdk := &sdkMetrics{
		counters: map[string]sdkVector[*prometheus.CounterVec]{}, gauges: map[string]sdkVector[*prometheus.GaugeVec]{},
		timers: map[string]sdkVector[*prometheus.HistogramVec]{},
	}
	for _, metric := range temporalList {
		labels := make([]int, len(metric.Labels))
		for i, name := range metric.Labels {
			labels[i] = placeOfTag(name)
		}
		switch metric.Kind {
		case Counter:
			vector := newCounters(metric.Name)
			m.registry.MustRegister(vector)
			sdk.counters[strings.TrimSuffix(metric.Name, "_total")] = sdkVector[*prometheus.CounterVec]{vector, labels}
		case Gauge:
			vector := newGauges(metric.Name)
			m.registry.MustRegister(vector)
			sdk.gauges[metric.Name] = sdkVector[*prometheus.GaugeVec]{vector, labels}
		case Histogram:
			vector := prometheus.NewHistogramVec(prometheus.HistogramOpts{
				Name: metric.Name, Help: metric.Help,
				Buckets: prometheus.ExponentialBuckets(shortest, sdkBucketFactor, sdkBuckets),
			}, metric.Labels)
			m.registry.MustRegister(vector)
			sdk.timers[strings.TrimSuffix(metric.Name, "_seconds")] = sdkVector[*prometheus.HistogramVec]{vector, labels}
		}
	}
	return &sdkHandler{metrics: sdk}
}

// placeOfTag is the place of a tag; -1 for one that is no label.
func placeOfTag(name string) int {
	for i, known := range sdkTagNames {
		if known == name {
			return i
		}
	}
	return -1
}

// WithTags implements [client.MetricsHandler].
func (h *sdkHandler) WithTags(tags map[string]string) client.MetricsHandler {
	with := *h
	for name, value := range tags {
		place := placeOfTag(name)
		if place < 0 {
			continue
		}
		if name == "task_queue" { // its name on the ledger, as workflowid.Ledger.Name makes it
			_, value, _ = strings.Cut(value, ":")
		}
		with.tags[place] = value
	}
	return &with
}

func (h *sdkHandler) values(labels []int) []string {
	values := make([]string, len(labels))
	for i, place := range labels {
		values[i] = h.tags[place]
	}
	return values
}

// Counter implements [client.MetricsHandler].
func (h *sdkHandler) Counter(name string) client.MetricsCounter {
	if known, is := h.metrics.counters[name]; is {
		return sdkCounter{known.vector.WithLabelValues(h.values(known.labels)...)}
	}
	return client.MetricsNopHandler.Counter(name)
}

// Gauge implements [client.MetricsHandler].
func (h *sdkHandler) Gauge(name string) client.MetricsGauge {
	if known, is := h.metrics.gauges[name]; is {
		return sdkGauge{known.vector.WithLabelValues(h.values(known.labels)...)}
	}
	return client.MetricsNopHandler.Gauge(name)
}

// Timer implements [client.MetricsHandler].
func (h *sdkHandler) Timer(name string) client.MetricsTimer {
	if known, is := h.metrics.timers[name]; is {
		return sdkTimer{known.vector.WithLabelValues(h.values(known.labels)...)}
	}
	return client.MetricsNopHandler.Timer(name)
}

type sdkCounter struct{ prometheus.Counter }

// Inc implements [client.MetricsCounter].
func (c sdkCounter) Inc(by int64) { c.Add(float64(by)) }

type sdkGauge struct{ prometheus.Gauge }

// Update implements [client.MetricsGauge].
func (g sdkGauge) Update(value float64) { g.Set(value) }

type sdkTimer struct{ prometheus.Observer }

// Record implements [client.MetricsTimer].
func (t sdkTimer) Record(took time.Duration) { t.Observe(took.Seconds()) }
