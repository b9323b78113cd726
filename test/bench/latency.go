package main

import (
	"math"
	"slices"
	"time"
)

// Latency is the spread of latencies, in milliseconds. All are kept and sorted, so the quantiles are exact.
type Latency struct {
	Count int     `json:"count"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

func spread(latencies []time.Duration) Latency {
	if len(latencies) == 0 {
		return Latency{}
	}
	sorted := slices.Sorted(slices.Values(latencies))
	return Latency{
		Count: len(sorted), P50: quantile(sorted, 0.50), P90: quantile(sorted, 0.90), P99: quantile(sorted, 0.99),
		Max: quantile(sorted, 1),
	}
}

// quantile is the smallest latency that at least the part q of all does not exceed.
func quantile(sorted []time.Duration, q float64) float64 {
	rank := int(math.Ceil(q * float64(len(sorted))))
	return milliseconds(sorted[max(rank, 1)-1])
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
