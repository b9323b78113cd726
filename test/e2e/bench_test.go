//go:build long

package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/devnet/testenv"
)

type benchReport struct {
	Ceilings []struct {
		Of        string   `json:"of"`
		PerSecond float64  `json:"perSecond"`
		After     *float64 `json:"after"`
	} `json:"ceilings"`
	Stages []struct {
		Scenario    string   `json:"scenario"`
		Mode        string   `json:"mode"`
		Accepted    int      `json:"accepted"`
		Refused     int      `json:"refused"`
		PerSecond   float64  `json:"perSecond"`
		PerWorkflow *float64 `json:"perWorkflow"`
		OfTemporal  *float64 `json:"ofTemporal"`
		Latency     struct {
			P50 float64 `json:"p50"`
			P99 float64 `json:"p99"`
		} `json:"latencyMs"`
		CPU struct {
			Node     *float64 `json:"node"`
			Temporal *float64 `json:"temporal"`
			Postgres *float64 `json:"postgres"`
		} `json:"cpuMs"`
	} `json:"stages"`
	Rest struct {
		Memory struct {
			Node float64 `json:"nodeRss"`
		} `json:"memoryMb"`
	} `json:"rest"`
	Goals []struct {
		Name   string `json:"name"`
		Met    *bool  `json:"met"`
		Figure string `json:"figure"`
	} `json:"goals"`
}

// runBench runs the benchmark to its end.
func runBench(t *testing.T, arguments ...string) *program {
	t.Helper()
	executable, err := testenv.BenchBinary(t.Context())
	require.NoError(t, err, "build the benchmark")
	p := startExecutable(t, executable, nil, arguments...)
	p.waitEnd(t)
	return p
}

func TestBench_MeasuresARunningNode(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t), "--max-batch", "1")
	file := filepath.Join(t.TempDir(), "bench.json")
	bench := runBench(t, "--smoke", "--mode", "async,wait,grpc", "--data-dir", n.dir, "--json", file)
	require.Equal(t, 0, bench.exitCode(t), "it said: %s", bench.stderr)

	printed := bench.stdout.String()
	for _, expected := range []string{
		"Ceilings: each part alone", "Temporal, empty workflow", "PostgreSQL, rows of transfer", "The node: highest rate",
		"Cost of one", "The node at rest", "One at a time on an idle node", "Goals",
	} {
		require.Contains(t, printed, expected)
	}
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var report benchReport
	require.NoError(t, json.Unmarshal(content, &report))
	requireStages(t, report)
	require.Positive(t, report.Rest.Memory.Node)
	require.Len(t, report.Ceilings, 5, "HTTP, Temporal, and PostgreSQL with the rows of three scenarios")
	for _, ceiling := range report.Ceilings {
		require.Positive(t, ceiling.PerSecond, ceiling.Of)
		require.NotNil(t, ceiling.After, ceiling.Of)
	}
	judged := 0
	for _, goal := range report.Goals {
		if goal.Met == nil {
			require.Contains(t, goal.Figure, "not measured: needs ", goal.Name)
			continue
		}
		judged++
	}
	require.Equal(t, 4, judged, "the wallet's taps, an idle acknowledgement, memory and processor at rest")
	requireNoScratch(t, n.info.DatabaseURL)
}

func requireStages(t *testing.T, report benchReport) {
	t.Helper()
	require.Len(t, report.Stages, 10, "three scenarios in three modes, and the wallet's in one")
	for _, stage := range report.Stages {
		name := stage.Scenario + ", " + stage.Mode
		require.Positive(t, stage.Accepted, name)
		require.Zero(t, stage.Refused, name)
		require.Positive(t, stage.PerSecond, name)
		require.NotNil(t, stage.OfTemporal, name)
		require.NotNil(t, stage.PerWorkflow, name)
		require.InDelta(t, 1, *stage.PerWorkflow, 1e-9, "%s: batches are switched off", name)
		require.Positive(t, stage.Latency.P50, name)
		require.GreaterOrEqual(t, stage.Latency.P99, stage.Latency.P50, name)
		require.NotNil(t, stage.CPU.Node, name)
		require.NotNil(t, stage.CPU.Temporal, name)
		require.NotNil(t, stage.CPU.Postgres, name)
	}
}

// requireNoScratch checks that the bench has removed its copies of the node's tables.
func requireNoScratch(t *testing.T, databaseURL string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	var schemas int
	query := "SELECT count(*) FROM pg_namespace WHERE nspname = 'florin_bench'"
	require.NoError(t, conn.QueryRow(t.Context(), query).Scan(&schemas))
	require.Zero(t, schemas)
}

func TestBench_ReportsAMissingNode(t *testing.T) {
	t.Parallel()
	bench := runBench(t, "--data-dir", t.TempDir())
	require.Equal(t, 1, bench.exitCode(t))
	require.Contains(t, bench.stderr.String(), "start one with `florin up`")
}

// The node's limit for one user is below the number of clients, so the clients must use several users.
func TestBench_SpreadsClientsOverUsers(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t), "--max-user-requests", "96")
	file := filepath.Join(t.TempDir(), "bench.json")
	arguments := []string{"--concurrency", "120", "--scenario", "tap", "--count", "300", "--duration", "500ms"}
	bench := runBench(t, append(arguments, "--data-dir", n.dir, "--json", file)...)
	require.Equal(t, 0, bench.exitCode(t), "it said: %s", bench.stderr)
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var report benchReport
	require.NoError(t, json.Unmarshal(content, &report))
	require.Len(t, report.Stages, 2, "two modes")
	for _, stage := range report.Stages {
		require.Positive(t, stage.Accepted, stage.Mode)
		require.Zero(t, stage.Refused, stage.Mode)
	}
}

func TestBench_MeasuresTheDisk(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t))
	file := filepath.Join(t.TempDir(), "bench.json")
	arguments := []string{"--disk", "--count", "40", "--disk-rate", "20", "--concurrency", "4"}
	bench := runBench(t, append(arguments, "--data-dir", n.dir, "--json", file)...)
	require.Equal(t, 0, bench.exitCode(t), "it said: %s", bench.stderr)
	require.Contains(t, bench.stdout.String(), "Disk: 40 taps at ")
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var report struct {
		Disk struct {
			Submissions int     `json:"submissions"`
			Written     float64 `json:"logWritten"`
		} `json:"disk"`
		Goals []struct{ Name string } `json:"goals"`
	}
	require.NoError(t, json.Unmarshal(content, &report))
	require.Equal(t, 40, report.Disk.Submissions)
	require.Greater(t, report.Disk.Written, 1000.0, "a tap is in the log at least")
	require.Len(t, report.Goals, 1)
	wrong := runBench(t, "--disk", "--overload", "--data-dir", n.dir)
	require.Contains(t, wrong.stderr.String(), "use only one of --disk, --overload, --neighbour, --hostile and --peer")
}

func TestBench_MeasuresOneUserBesideAnother(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t))
	file := filepath.Join(t.TempDir(), "bench.json")
	bench := runBench(t, "--neighbour", "--duration", "300ms", "--data-dir", n.dir, "--json", file)
	require.Equal(t, 0, bench.exitCode(t), "it said: %s", bench.stderr)
	require.Contains(t, bench.stdout.String(), "One user beside another")
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	type median struct{ P50 float64 }
	var report struct {
		Neighbour struct {
			Requests []struct{ AloneMs, BesideListsMs, BesideTapsMs median }
		}
	}
	require.NoError(t, json.Unmarshal(content, &report))
	require.Len(t, report.Neighbour.Requests, 5)
	for _, request := range report.Neighbour.Requests {
		require.Positive(t, request.AloneMs.P50)
		require.Positive(t, request.BesideListsMs.P50)
		require.Positive(t, request.BesideTapsMs.P50)
	}
}
