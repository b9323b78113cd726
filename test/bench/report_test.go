package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// measured is a report of a node with batches.
func measured() *Report {
	r := &Report{
		StartedAt: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC),
		Machine:   Machine{Florin: "v1", Cores: 2, CPU: "Abacus", MemoryMB: 100},
		Settings:  Settings{Load: 0.7},
		Ceilings: []Ceiling{
			{Of: CeilingHTTP, Concurrency: 1, Before: 2000},
			{Of: CeilingTemporal, Concurrency: 1, Before: 80, After: new(120.0)},
			{Of: CeilingTemporal, Concurrency: 64, Before: 100, After: new(100.0)},
			{Of: CeilingPostgres, Scenario: ScenarioTap, Concurrency: 64, Before: 8000},
		},
		Stages: []Stage{
			{Scenario: ScenarioTap, Mode: ModeWait, Concurrency: 1, PerSecond: 70, PerWorkflow: new(1.0)},
			{Scenario: ScenarioTap, Mode: ModeWait, Concurrency: 64, PerSecond: 1200, PerWorkflow: new(20.0), Accepted: 9},
		},
		Idle: &Idle{Acknowledgement: Latency{P50: 9}, BareStart: Latency{P50: 6}, Completion: Latency{P50: 10}},
		Rest: &Rest{
			Seconds: 20, CPU: CPU{Node: new(0.5), Temporal: new(0.75), Postgres: new(0.25)},
			Memory: Memory{NodeRSS: new(80.0), TemporalRSS: new(100.0), PostgresPSS: new(60.0)},
		},
	}
	r.relate()
	r.judge()
	return r
}

func TestReport_ComputesAndPrintsFigures(t *testing.T) {
	t.Parallel()

	t.Run("ratios are to the mean of a ceiling", func(t *testing.T) {
		t.Parallel()
		r := measured()
		require.InDelta(t, 0.7, *r.Stages[0].OfTemporal, 1e-9)
		require.InDelta(t, 0.035, *r.Stages[0].OfHTTP, 1e-9)
		require.Nil(t, r.Stages[0].OfPostgres, "there is no such ceiling")
		require.InDelta(t, 12, *r.Stages[1].OfTemporal, 1e-9)
		require.InDelta(t, 0.15, *r.Stages[1].OfPostgres, 1e-9)
	})

	t.Run("the table shows all", func(t *testing.T) {
		t.Parallel()
		var out bytes.Buffer
		require.NoError(t, measured().print(&out))
		for _, expected := range []string{
			"2 cores of Abacus, 100 MB memory", "Temporal, empty workflow        1   100      80    120",
			"?     without batches, 16 and 64 clients, of bare Temporal, at least 0.9: not measured",
			"met     taps waited for, 64 clients, of bare Temporal, at least 10: 12 (tap, wait, 64 clients)",
			"MISSED  waited for, 64 clients, of PostgreSQL alone, at least 0.6: 0.15 (tap, wait, 64 clients)",
			"latencies at 70 % of it", "–", "node at rest before the measurements, for 20 s",
		} {
			require.Contains(t, out.String(), expected)
		}
		require.NotContains(t, out.String(), "%!", "a format that does not fit")
		for line := range strings.Lines(out.String()) {
			require.LessOrEqual(t, len([]rune(line)), 150, "a line too long for a terminal")
		}
	})

	t.Run("the file holds all", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "bench.json")
		r := measured()
		require.NoError(t, r.save(path))
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		var read Report
		require.NoError(t, json.Unmarshal(content, &read))
		require.Equal(t, *r, read)
		require.ErrorContains(t, r.save(filepath.Join(path, "no")), "write the results")
	})
}

func TestOptions_RefuseInvalidValues(t *testing.T) {
	t.Parallel()
	valid := func() Options {
		return Options{
			Scenarios: []string{ScenarioTap}, Modes: []string{ModeWait}, Concurrency: []int{1}, Duration: time.Second,
			Count: 1, Load: 0.5,
		}
	}
	tests := []struct {
		name   string
		spoil  func(*Options)
		expect string
	}{
		{"no scenario", func(o *Options) { o.Scenarios = nil }, "nothing to measure"},
		{"no mode of the wallet's taps", func(o *Options) {
			o.Scenarios, o.Modes = []string{ScenarioWalletTap}, []string{ModeAsync}
		}, "wallet-tap needs --mode wait"},
		{"two measurements", func(o *Options) { o.Neighbour, o.Peer = true, "dir" }, "use only one of --disk, --overload"},
		{"unknown scenario", func(o *Options) { o.Scenarios = []string{"x"} }, `no scenario "x"`},
		{"unknown mode", func(o *Options) { o.Modes = []string{"x"} }, `no mode "x"`},
		{"no duration", func(o *Options) { o.Duration = 0 }, "--duration is 0s"},
		{"no count", func(o *Options) { o.Count = 0 }, "--count is 0"},
		{"too high a load", func(o *Options) { o.Load = 1.1 }, "--load is 1.1"},
		{"no clients", func(o *Options) { o.Concurrency = []int{0} }, "--concurrency 0"},
		{"too many clients", func(o *Options) { o.Concurrency = []int{451} }, "--concurrency 451"},
	}
	for _, test := range tests {
		t.Run(test.name+" is refused", func(t *testing.T) {
			t.Parallel()
			options := valid()
			require.NoError(t, options.prepare())
			test.spoil(&options)
			require.ErrorContains(t, options.prepare(), test.expect)
		})
	}

	t.Run("another node needs no data directory", func(t *testing.T) {
		t.Parallel()
		options := valid()
		options.URL, options.DataDir, options.DSO = "http://127.0.0.1:1", t.TempDir(), "DSO::1220"
		target, err := options.target()
		require.NoError(t, err)
		require.Equal(t, "http://127.0.0.1:1", target.URL)
		require.Equal(t, "DSO::1220", target.DSO)
		require.Equal(t, "unsafe", target.Secret)
	})

	t.Run("without a node the message says how to get one", func(t *testing.T) {
		t.Parallel()
		options := valid()
		options.DataDir = t.TempDir()
		err := Run(t.Context(), options, &bytes.Buffer{})
		require.ErrorContains(t, err, "florin up")
		require.ErrorContains(t, err, "--url")
	})
}

func TestWallet_HandsOutEachHoldingOnce(t *testing.T) {
	t.Parallel()

	t.Run("hands out each holding once", func(t *testing.T) {
		t.Parallel()
		w := &wallet{spends: 1}
		w.put([]string{"a", "b"})
		require.Equal(t, 3, w.missing(5))
		first, _ := w.take()
		second, _ := w.take()
		require.Equal(t, "ab", first+second)
		_, ok := w.take()
		require.False(t, ok)
	})

	t.Run("hands out each holding twice under contention", func(t *testing.T) {
		t.Parallel()
		w := &wallet{spends: 2}
		w.put([]string{"a", "b"})
		var taken []string
		for holding, ok := w.take(); ok; holding, ok = w.take() {
			taken = append(taken, holding)
		}
		require.Equal(t, []string{"a", "a", "b", "b"}, taken)
	})
}
