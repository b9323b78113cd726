package telemetry

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// gauge is a value that a process may not know: it is absent until it is set, because 0 would be wrong. It is safe for
// concurrent use.
type gauge struct {
	desc *prometheus.Desc

	mu    sync.Mutex
	known bool
	value float64
}

func newGauge(name string) *gauge {
	return &gauge{desc: prometheus.NewDesc(name, metricNamed(name).Help, nil, nil)}
}

func (g *gauge) set(value float64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.value, g.known = value, true
}

// forget makes the value unknown again.
func (g *gauge) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.known = false
}

// Describe implements [prometheus.Collector].
func (g *gauge) Describe(descriptions chan<- *prometheus.Desc) { descriptions <- g.desc }

// Collect implements [prometheus.Collector].
func (g *gauge) Collect(metrics chan<- prometheus.Metric) {
	g.mu.Lock()
	value, known := g.value, g.known
	g.mu.Unlock()
	if known {
		metrics <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, value)
	}
}
