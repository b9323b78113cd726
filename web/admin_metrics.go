package web

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// metrics are the samples of a process by the name of their metric.
type metrics map[string]model.Vector

// metricsOf reads the text format of Prometheus.
func metricsOf(text string) (metrics, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read the metrics of the node: %w", err)
	}
	samples, err := expfmt.ExtractSamples(&expfmt.DecodeOptions{}, slices.Collect(maps.Values(families))...)
	if err != nil {
		return nil, fmt.Errorf("read the metrics of the node: %w", err)
	}
	all := metrics{}
	for _, sample := range samples {
		name := string(sample.Metric[model.MetricNameLabel])
		all[name] = append(all[name], sample)
	}
	return all, nil
}

// metrics reads the metrics of the process that serves the page.
func (v *visit) metrics() (metrics, error) {
	text, err := v.api.Text(v.ctx(), "/metrics")
	if err != nil {
		return nil, err
	}
	return metricsOf(text)
}

// value is the value of a metric without labels; false if the process does not have it.
func (m metrics) value(name string) (float64, bool) {
	if samples := m[name]; len(samples) > 0 {
		return float64(samples[0].Value), true
	}
	return 0, false
}

// labelled is the value of a metric with a label; false if the process does not have it.
func (m metrics) labelled(name string, label model.LabelName, value model.LabelValue) (float64, bool) {
	for _, sample := range m[name] {
		if sample.Metric[label] == value {
			return float64(sample.Value), true
		}
	}
	return 0, false
}

// commitBucket is a bucket of a histogram: the number of commits of at most so many seconds.
type commitBucket struct{ most, count float64 }

const commitBuckets = "florin_commit_duration_seconds_bucket"

// buckets are the buckets of commits, the smallest first, without the last, which has no upper end.
func (m metrics) buckets() (all []commitBucket) {
	for _, sample := range m[commitBuckets] {
		most, err := strconv.ParseFloat(string(sample.Metric[model.BucketLabel]), 64)
		if err == nil && !math.IsInf(most, 0) {
			all = append(all, commitBucket{most, float64(sample.Value)})
		}
	}
	slices.SortFunc(all, func(a, b commitBucket) int { return cmp.Compare(a.most, b.most) })
	return all
}

// nodeCounters are what the process has counted up to a time. The page stores nothing: the address of the next answer has
// them, so that its figures are those of the time between both.
type nodeCounters struct {
	At time.Time `json:"t"`
	// Began is when the process began to count.
	Began time.Time `json:"b"`
	// Outcomes are the submissions by outcome; nil if the process commits none.
	Outcomes map[string]float64 `json:"o"`
	Traffic  float64            `json:"x"`
	// Commits are the commits, and Within those of at most the time of each bucket.
	Commits float64   `json:"c"`
	Within  []float64 `json:"w"`
}

const accepted = "accepted"

func countersOf(from metrics, now time.Time) nodeCounters {
	counted := nodeCounters{At: now.UTC().Truncate(time.Millisecond)}
	if began, known := from.value("process_start_time_seconds"); known {
		counted.Began = time.Unix(0, int64(began*float64(time.Second))).UTC()
	}
	var works bool
	if counted.Commits, works = from.value("florin_commit_duration_seconds_count"); works {
		counted.Outcomes = map[string]float64{}
	}
	for _, sample := range from["florin_submissions_total"] {
		if works {
			counted.Outcomes[string(sample.Metric["outcome"])] = float64(sample.Value)
		}
	}
	counted.Traffic, _ = from.value("florin_traffic_bytes_total")
	for _, bucket := range from.buckets() {
		counted.Within = append(counted.Within, bucket.count)
	}
	return counted
}

// String is the form of counters in an address.
func (c nodeCounters) String() string {
	text, err := json.Marshal(c)
	if err != nil { // numbers and times always have a form
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// parseCounters reads [nodeCounters.String]; a text that is none gives the counters of a process that has counted nothing.
func parseCounters(text string) (read nodeCounters) {
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(decoded, &read) != nil {
		return nodeCounters{}
	}
	return read
}

// since is what the process has counted after a time. It counts from its start if the earlier counters are of another
// process, or are none.
func (c nodeCounters) since(before nodeCounters) nodeCounters {
	if !before.Began.Equal(c.Began) || !before.At.Before(c.At) || before.At.Before(c.Began) ||
		len(before.Within) != len(c.Within) {
		before = nodeCounters{At: c.Began, Within: make([]float64, len(c.Within))}
	}
	after := nodeCounters{
		At: c.At, Began: before.At, Traffic: max(0, c.Traffic-before.Traffic),
		Commits: max(0, c.Commits-before.Commits), Within: make([]float64, len(c.Within)),
	}
	if c.Outcomes != nil {
		after.Outcomes = map[string]float64{}
	}
	for outcome, count := range c.Outcomes {
		after.Outcomes[outcome] = max(0, count-before.Outcomes[outcome])
	}
	for i := range c.Within {
		after.Within[i] = max(0, c.Within[i]-before.Within[i])
	}
	return after
}

// seconds is the length of the time that was counted; 0 if it is unknown.
func (c nodeCounters) seconds() float64 {
	if c.Began.IsZero() {
		return 0
	}
	return c.At.Sub(c.Began).Seconds()
}

// quantile is the time in seconds within which a share of the commits ended, as Prometheus reads a histogram: evenly
// between the ends of a bucket. It is false without commits.
func quantile(share float64, buckets []commitBucket, within []float64, commits float64) (float64, bool) {
	if commits <= 0 || len(buckets) == 0 || len(buckets) != len(within) {
		return 0, false
	}
	rank, least, below := share*commits, 0.0, 0.0
	for i, bucket := range buckets {
		if within[i] >= rank && within[i] > below {
			return least + (bucket.most-least)*(rank-below)/(within[i]-below), true
		}
		least, below = bucket.most, within[i]
	}
	return least, true // longer than the longest bucket
}
