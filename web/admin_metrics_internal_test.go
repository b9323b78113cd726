package web

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMetricsOf_ReadsLabelsAndBuckets(t *testing.T) {
	t.Parallel()
	read, err := metricsOf("# HELP florin_ready x\n" +
		`florin_ready{part="a \"b\", c=d",other="}"} 1` + "\n" +
		"florin_forged_submissions_total 2e+03\n" +
		"# TYPE florin_commit_duration_seconds histogram\n" +
		`florin_commit_duration_seconds_bucket{le="0.5"} 4` + "\n" +
		`florin_commit_duration_seconds_bucket{le="0.1"} 3` + "\n" +
		`florin_commit_duration_seconds_bucket{le="+Inf"} 5` + "\n" +
		"florin_commit_duration_seconds_sum 7\nflorin_commit_duration_seconds_count 5\n")
	require.NoError(t, err)
	value, known := read.labelled("florin_ready", "part", `a "b", c=d`)
	require.True(t, known)
	require.InDelta(t, 1, value, 0)
	value, known = read.value("florin_forged_submissions_total")
	require.True(t, known)
	require.InDelta(t, 2000, value, 0)
	_, known = read.value("florin_absent")
	require.False(t, known)
	require.Equal(t, []commitBucket{{0.1, 3}, {0.5, 4}}, read.buckets())
	value, known = read.value("florin_commit_duration_seconds_count")
	require.True(t, known)
	require.InDelta(t, 5, value, 0)
	_, err = metricsOf("florin_ready{part=\"x} 1\n")
	require.ErrorContains(t, err, "read the metrics of the node")
}

func TestCounters_SinceAnotherProcessCountsFromItsStart(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	now := nodeCounters{
		At: began.Add(time.Minute), Began: began, Outcomes: map[string]float64{accepted: 60}, Commits: 30,
		Within: []float64{10, 30}, Traffic: 600,
	}
	before := nodeCounters{
		At: began.Add(50 * time.Second), Began: began, Outcomes: map[string]float64{accepted: 40}, Commits: 20,
		Within: []float64{5, 20}, Traffic: 500,
	}
	passed := now.since(parseCounters(before.String()))
	require.InDelta(t, 10, passed.seconds(), 0)
	require.InDelta(t, 20, passed.Outcomes[accepted], 0)
	require.Equal(t, []float64{5, 10}, passed.Within)
	require.InDelta(t, 100, passed.Traffic, 0)

	restarted, later, other := before, before, before
	restarted.Began = began.Add(-time.Hour)
	later.At = now.At
	other.Within = []float64{1}
	for _, stale := range []nodeCounters{restarted, later, other, {}} {
		passed = now.since(stale)
		require.InDelta(t, 60, passed.seconds(), 0)
		require.InDelta(t, 60, passed.Outcomes[accepted], 0)
	}
}

func TestQuantile_ReadsAsPrometheusDoes(t *testing.T) {
	t.Parallel()
	buckets := []commitBucket{{most: 0.1}, {most: 0.2}, {most: 0.4}}
	for _, test := range []struct {
		share, commits, want float64
		within               []float64
	}{
		{0.5, 10, 0.1, []float64{5, 10, 10}},
		{0.5, 10, 0.15, []float64{0, 10, 10}},
		{0.99, 100, 0.4, []float64{0, 0, 50}}, // longer than the longest bucket
		{0.5, 4, 0.05, []float64{4, 4, 4}},
	} {
		value, known := quantile(test.share, buckets, test.within, test.commits)
		require.True(t, known)
		require.InDelta(t, test.want, value, 1e-9)
	}
	_, known := quantile(0.5, buckets, []float64{0, 0, 0}, 0)
	require.False(t, known)
	_, known = quantile(0.5, buckets, []float64{1}, 1)
	require.False(t, known)
}

func TestReadable_KeepsThreeDigits(t *testing.T) {
	t.Parallel()
	for value, want := range map[float64]string{
		0: "0", 0.0214: "0.021", 4: "4", 12.44: "12.4", 48112.3: "48,112", -0.5: "-0.5",
	} {
		require.Equal(t, want, readable(value))
	}
}

func TestProseOf_MarksCode(t *testing.T) {
	t.Parallel()
	require.Equal(t, []proseWords{{"The part ", false}, {"worker", true}, {" of ", false}, {"/readyz", true}},
		proseOf("The part `worker` of `/readyz`"))
	require.Empty(t, proseOf(""))
}
