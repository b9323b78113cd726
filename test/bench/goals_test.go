package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fast is a stage of a node with batches.
func fast(scenario, mode string, clients int, perSecond, ofTemporal float64) Stage {
	return Stage{
		Scenario: scenario, Mode: mode, Concurrency: clients, PerSecond: perSecond, PerWorkflow: new(20.0),
		OfTemporal: new(ofTemporal), OfPostgres: new(ofTemporal / 20), CPUOfTemporal: new(1 / ofTemporal),
		Latency: Latency{P99: 45},
	}
}

func single(mode string, clients int, ofTemporal float64) Stage {
	return Stage{
		Scenario: ScenarioMixed, Mode: mode, Concurrency: clients, PerSecond: 100, PerWorkflow: new(1.0),
		OfTemporal: new(ofTemporal),
	}
}

func TestGoals_AreJudgedByTheirWorstFigure(t *testing.T) {
	t.Parallel()
	r := &Report{
		Settings: Settings{Load: 0.7},
		Stages: []Stage{
			single(ModeWait, 1, 0.5), single(ModeAsync, 16, 0.95), single(ModeWait, 64, 0.91),
			fast(ScenarioTap, ModeAsync, 64, 1300, 13), fast(ScenarioTap, ModeWait, 64, 1000, 9),
			fast(ScenarioTransfer, ModeAsync, 64, 900, 8), fast(ScenarioTransfer, ModeWait, 64, 700, 12.5),
			fast(ScenarioTap, ModeAsync, 256, 1600, 16), fast(ScenarioTransfer, ModeAsync, 256, 800, 8),
			fast(ScenarioWalletTap, ModeWait, 64, 850, 8.5), fast(ScenarioWalletTap, ModeWait, 8, 850, 8.5),
		},
		Idle: &Idle{
			Acknowledgement: Latency{P50: 6}, BareStart: Latency{P50: 4}, Completion: Latency{P50: 10},
		},
		Rest: &Rest{
			CPU:    CPU{Node: new(0.5), Temporal: new(0.25), Postgres: new(0.25), Bench: new(3.0)},
			Memory: Memory{NodeRSS: new(80.0), TemporalRSS: new(100.0), PostgresPSS: new(80.0)},
		},
	}
	r.judge()
	require.Len(t, r.Goals, len(goals()))
	for name, expected := range map[string]string{
		"without batches, 16 and 64 clients":       "met: 0.91 at worst (mixed, wait, 64 clients)",
		"taps, 64 clients":                         "met: 13 (tap, async, 64 clients)",
		"transfers, 64 clients":                    "met: 8 (transfer, async, 64 clients)",
		"taps, 256 clients":                        "met: 16 (tap, async, 256 clients)",
		"transfers, 256 clients":                   "missed: 8 (transfer, async, 256 clients)",
		"taps waited for, 64 clients":              "missed: 9 (tap, wait, 64 clients)",
		"transfers waited for":                     "met: 12.5 (transfer, wait, 64 clients)",
		"taps by the wallet's route":               "missed: 0.85 (wallet-tap, wait, 64 clients)",
		"waited for, 64 clients, of PostgreSQL":    "missed: 0.425 at worst (wallet-tap, wait, 64 clients)",
		"waited for, 64 clients, of Formance":      "not measured: needs make bench/peers PEER=DIR",
		"CPU of a tap":                             "met: 0.0625 (tap, async, 256 clients)",
		"CPU of a transfer":                        "missed: 0.125 (transfer, async, 64 clients)",
		"99 % at 70 % of the highest rate":         "missed: 7.5 at worst (tap, async, 64 clients)",
		"acknowledged by an idle node":             "met: 1.5 (6.0 ms against 4.0 ms)",
		"MiB of memory of a node at rest":          "missed: 260 (node 80, Temporal 100, PostgreSQL 80)",
		"% of a core for a node at rest":           "met: 1 (node 0.50, Temporal 0.25, PostgreSQL 0.25)",
		"completed under overload":                 "not measured: needs --overload",
		"a request beside a busy user":             "not measured: needs --neighbour",
		"bytes of disk for a submission, at most ": "not measured: needs --disk",
	} {
		var found []string
		for _, goal := range r.Goals {
			if strings.HasPrefix(goal.Name, name) {
				found = append(found, verdictOf(goal))
			}
		}
		require.Equal(t, []string{expected}, found, name)
	}
}

func verdictOf(goal Goal) string {
	if goal.Met == nil {
		return goal.Figure
	}
	return map[bool]string{true: "met: ", false: "missed: "}[*goal.Met] + goal.Figure
}

func TestGoals_AreOpenWhenNothingTells(t *testing.T) {
	t.Parallel()
	r := &Report{Stages: []Stage{{Concurrency: 64, PerSecond: 100}}, Rest: &Rest{}, Idle: &Idle{}}
	r.judge()
	require.Len(t, r.Goals, len(goals()))
	for _, goal := range r.Goals {
		require.Nil(t, goal.Met)
		require.Contains(t, goal.Figure, "not measured")
	}
}

func TestGoals_AreThoseOfASpecialRun(t *testing.T) {
	t.Parallel()
	latency := func(ms float64) Latency { return Latency{P50: ms} }
	for _, test := range []struct {
		report   Report
		expected string
	}{
		{Report{Disk: &Disk{Submissions: 9, Record: 9000, Temporal: 7000, Written: 1}}, "missed: 16000 (9 taps)"},
		{
			Report{Neighbour: &Neighbour{Requests: []NeighbourRequest{
				{Name: "balance", Alone: latency(1), BesideLists: latency(5), BesideTaps: latency(3)},
				{Name: "tap", Alone: latency(10), BesideLists: latency(20), BesideTaps: latency(29)},
			}}},
			"met: 2.9 at worst (tap beside taps)",
		},
		{
			Report{Peers: &Peers{Rates: []PeerRates{
				{Concurrency: 8, WalletTap: []float64{10}, Tap: []float64{10}, Peer: []float64{10}},
				{Concurrency: 64, WalletTap: []float64{1000, 2000}, Tap: []float64{1800}, Peer: []float64{90, 110}},
			}}},
			"met: 15 at worst (taps by the wallet's route)",
		},
	} {
		test.report.judge()
		require.Len(t, test.report.Goals, 1)
		require.Equal(t, test.expected, verdictOf(test.report.Goals[0]))
	}
}

func TestGoals_BesideHostileCodeAreMediansOfRounds(t *testing.T) {
	t.Parallel()
	r := &Report{Hostile: &Hostile{}}
	for _, rates := range [][2]float64{{0, 100}, {1, 95}, {0, 100}, {1, 40}, {0, 100}, {1, 93}, {0, 100}} {
		r.Hostile.Phases = append(r.Hostile.Phases, HostilePhase{
			Accounts: int(rates[0]), Taps: rates[1], Latency: Latency{P99: 10 * rates[1]},
			CPU: CPU{Node: new(rates[1]), Temporal: new(0.0), Postgres: new(0.0), Bench: new(0.0)},
		})
	}
	r.judge()
	for name, expected := range map[string]string{
		"taps beside hostile code":             "met: 0.93 (1 hostile accounts)",
		"all CPU for a tap beside hostile":     "met: 0.93 (1 hostile accounts)",
		"99 % of taps beside hostile code, of": "met: 0.93 (1 hostile accounts)",
	} {
		at := slices.IndexFunc(r.Goals, func(g Goal) bool { return strings.HasPrefix(g.Name, name) })
		require.GreaterOrEqual(t, at, 0, name)
		require.Equal(t, expected, verdictOf(r.Goals[at]), name)
	}
}

func TestMachine_IsQuietWhenItsProcessorsRest(t *testing.T) {
	t.Parallel()
	proc := t.TempDir()
	write := func(line string) {
		require.NoError(t, os.WriteFile(filepath.Join(proc, "stat"), []byte(line+"\ncpu0 1 2 3 4\n"), 0o600))
	}
	write("cpu  100 0 50 800 50 0 0 0 0 0")
	rested, all, ok := processorTimes(proc)
	require.True(t, ok)
	require.InDelta(t, 850, rested, 0)
	require.InDelta(t, 1000, all, 0)
	require.NoError(t, awaitQuiet(t.Context(), t.TempDir()))
}
