package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"
)

func newCounter(name string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: metricNamed(name).Help})
}

func newCounters(name string) *prometheus.CounterVec {
	about := metricNamed(name)
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: about.Help}, about.Labels)
}

func newGauges(name string) *prometheus.GaugeVec {
	about := metricNamed(name)
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: about.Help}, about.Labels)
}

// newGaugeFunc is a gauge that calls ask for each read.
func newGaugeFunc(name string, ask func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: metricNamed(name).Help}, ask)
}

func newHistogram(name string, first float64, count int) prometheus.Histogram {
	return prometheus.NewHistogram(histogram(name, first, count))
}

func newHistograms(name string, first float64, count int) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(histogram(name, first, count), metricNamed(name).Labels)
}

// The buckets of durations go from a millisecond to sixteen seconds.
const (
	shortest  = 0.001
	durations = 15
)

func histogram(name string, first float64, count int) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{
		Name: name, Help: metricNamed(name).Help, Buckets: prometheus.ExponentialBuckets(first, 2, count),
	}
}

// readings are gauges and counters whose values come from one call for each read.
type readings struct {
	descs map[string]*prometheus.Desc
	read  func(tell func(name string, value float64, labels ...string))
}

func newReadings(read func(tell func(name string, value float64, labels ...string)), names ...string) *readings {
	r := &readings{descs: make(map[string]*prometheus.Desc, len(names)), read: read}
	for _, name := range names {
		about := metricNamed(name)
		r.descs[name] = prometheus.NewDesc(name, about.Help, about.Labels, nil)
	}
	return r
}

// Describe implements [prometheus.Collector].
func (r *readings) Describe(descriptions chan<- *prometheus.Desc) {
	for _, desc := range r.descs {
		descriptions <- desc
	}
}

// Collect implements [prometheus.Collector].
func (r *readings) Collect(metrics chan<- prometheus.Metric) {
	r.read(func(name string, value float64, labels ...string) {
		kind := prometheus.GaugeValue
		if metricNamed(name).Kind == Counter {
			kind = prometheus.CounterValue
		}
		metrics <- prometheus.MustNewConstMetric(r.descs[name], kind, value, labels...)
	})
}
