//go:build long

package e2e_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/internal/wait"
)

const (
	// flatSamples is the number of samples.
	flatSamples = 60
	// flatRestart is the number of samples between restarts of an API and a worker.
	flatRestart = 5
	// flatThink is the pause of a client between two submissions, so that the machine is not busy.
	flatThink = time.Second
	// flatGrowth limits the growth from the second quarter to the last one.
	flatGrowth = 1.5
)

// processUsage is the resource usage of a process.
type processUsage struct {
	memory, heap, goroutines, descriptors, cpu float64
}

var metricLine = regexp.MustCompile(`(?m)^(\w+) (\S+)$`)

// measure reads the resource usage from a process's metrics.
func measure(t *testing.T, n *servedNode) processUsage {
	t.Helper()
	_, text := page(t, n.endpoint, "/metrics")
	values := map[string]float64{}
	for _, found := range metricLine.FindAllStringSubmatch(text, -1) {
		value, err := strconv.ParseFloat(found[2], 64)
		require.NoError(t, err, found[0])
		values[found[1]] = value
	}
	read := func(name string) float64 {
		require.Contains(t, values, name)
		return values[name]
	}
	return processUsage{
		memory: read("process_resident_memory_bytes"), heap: read("go_memstats_heap_alloc_bytes"),
		goroutines: read("go_goroutines"), descriptors: read("process_open_fds"), cpu: read("process_cpu_seconds_total"),
	}
}

// sample is the usage of all processes that are not restarted, at one moment, with the number of acknowledged
// submissions and of database connections.
type sample struct {
	of           []processUsage
	acknowledged float64
	connections  float64
	// lifecycles are the running ones: a worker keeps a goroutine for each.
	lifecycles float64
}

// requireFlat lets clients submit, and others open and drop streams, for the whole run, while the last API and the last
// worker restart sometimes. The usage of the others must not grow after the first quarter: memory, goroutines,
// descriptors, connections, and the CPU time of a submission. CPU time, unlike rates, does not depend on other
// programs.
func (c *cluster) requireFlat(t *testing.T, l *crashLoad) {
	t.Helper()
	passing, leave := context.WithCancel(t.Context())
	defer leave()
	var streams atomic.Int64
	var passers sync.WaitGroup
	for range clusterSize {
		passers.Go(func() {
			for passing.Err() == nil {
				if l.passBy(passing, c.front) == nil {
					streams.Add(1)
				}
				_ = wait.For(passing, flatThink)
			}
		})
	}
	living := slices.Concat(c.apis[:clusterSize-1], c.workers[:clusterSize-1])
	ticks := time.NewTicker(*lasting / flatSamples)
	defer ticks.Stop()
	samples := []sample{c.look(t, l, living)}
	for len(samples) <= flatSamples {
		<-ticks.C
		samples = append(samples, c.look(t, l, living))
		if len(samples)%flatRestart == 0 {
			c.restart(t, clusterSize-1)
		}
	}
	leave()
	passers.Wait()
	t.Logf("%d streams were opened and left, %.0f submissions acknowledged", streams.Load(),
		samples[len(samples)-1].acknowledged)
	assert.Positive(t, streams.Load())
	const quarter = flatSamples / 4
	early, late := samples[quarter:2*quarter+1], samples[len(samples)-quarter-1:]
	for i, n := range living {
		name := fmt.Sprintf("%s %d", n.what, i%(clusterSize-1))
		of := func(value func(processUsage) float64) func(sample) float64 {
			return func(s sample) float64 { return value(s.of[i]) }
		}
		const megabyte = 1e6
		assertFlat(t, name+", MB of memory", early, late, 16, of(func(s processUsage) float64 { return s.memory / megabyte }))
		assertFlat(t, name+", MB of heap", early, late, 16, of(func(s processUsage) float64 { return s.heap / megabyte }))
		more := late[quarter].lifecycles - early[0].lifecycles
		assertFlat(t, name+", goroutines", early, late, 20+more, of(func(s processUsage) float64 { return s.goroutines }))
		assertFlat(t, name+", descriptors", early, late, 10, of(func(s processUsage) float64 { return s.descriptors }))
		perSubmission := func(part []sample) float64 {
			last := len(part) - 1
			return 1000 * (part[last].of[i].cpu - part[0].of[i].cpu) / (part[last].acknowledged - part[0].acknowledged)
		}
		assertGrown(t, name+", ms of CPU time for each submission", perSubmission(early), perSubmission(late), 2)
	}
	assertFlat(t, "connections of the database", early, late, 10, func(s sample) float64 { return s.connections })
}

// look takes a sample, and logs it, so that an aborted run has some results.
func (c *cluster) look(t *testing.T, l *crashLoad, living []*servedNode) sample {
	t.Helper()
	taken := sample{acknowledged: float64(l.acknowledged.Load())}
	for _, n := range living {
		taken.of = append(taken.of, measure(t, n))
	}
	conn, err := pgx.Connect(t.Context(), c.databaseURL)
	require.NoError(t, err)
	require.NoError(t, conn.QueryRow(t.Context(),
		"SELECT count(*)::float8 FROM pg_stat_activity WHERE datname = current_database()").Scan(&taken.connections))
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(*)::float8 FROM lifecycles").Scan(&taken.lifecycles))
	require.NoError(t, conn.Close(t.Context()))
	t.Logf("%.0f submissions, %.0f connections, %.0f lifecycles, [memory heap goroutines descriptors cpu]: %.1f",
		taken.acknowledged, taken.connections, taken.lifecycles, taken.of)
	return taken
}

// assertFlat compares the medians of a value. A difference up to few is no growth.
func assertFlat(t *testing.T, what string, early, late []sample, few float64, value func(sample) float64) {
	t.Helper()
	median := func(part []sample) float64 {
		part = slices.SortedFunc(slices.Values(part), func(a, b sample) int { return cmp.Compare(value(a), value(b)) })
		return value(part[len(part)/2])
	}
	assertGrown(t, what, median(early), median(late), few)
}

func assertGrown(t *testing.T, what string, early, late, few float64) {
	t.Helper()
	t.Logf("%s: %.1f, then %.1f", what, early, late)
	assert.LessOrEqual(t, late, max(early*flatGrowth, early+few), "%s: %.1f became more", what, early)
}

// passBy opens a stream, reads a few completions, and drops the connection.
func (l *crashLoad) passBy(ctx context.Context, at endpoint) error {
	end, err := at.admin().LedgerEnd(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, at.url+"/v2/commands/completions", &websocket.DialOptions{Subprotocols: []string{
		"jwt.token." + client.Token(secret, audience, l.account.user), "daml.ws.auth",
	}})
	if err != nil {
		return err
	}
	err = conn.Write(ctx, websocket.MessageText, fmt.Appendf(nil, `{"parties":[%q],"beginExclusive":%d}`,
		l.account.parties[0], end))
	for range 3 {
		if err == nil {
			_, _, err = conn.Read(ctx)
		}
	}
	return errors.Join(err, conn.CloseNow())
}
