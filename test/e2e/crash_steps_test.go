//go:build long

package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/internal/failpoint"
)

// strike kills parts at a point, or at any moment for the point "".
type strike struct {
	point   string
	victims []part
}

func (s strike) String() string {
	names := make([]string, len(s.victims))
	for i, victim := range s.victims {
		names[i] = victim.String()
	}
	when := s.point
	if when == "" {
		when = "any moment"
	}
	return strings.Join(names, ", ") + " at " + when
}

// strikes kills the process of each step at that step, the database or Temporal next to a write, and every part at any
// moment.
func strikes() []strike {
	return []strike{
		{failpoint.BeforeStart, []part{theAPI}},
		{failpoint.BeforeCommit, []part{theWorker}},
		{failpoint.AfterStart, []part{theAPI}},
		{failpoint.AfterDecision, []part{theWorker}},
		{failpoint.AfterAppend, []part{theWorker}},
		{failpoint.AfterCommit, []part{theWorker}},
		{failpoint.AfterPublish, []part{theWorker}},
		{"", []part{theAPI}},
		{"", []part{theWorker}},
		{failpoint.BeforeStart, []part{theTemporal}},
		{failpoint.AfterAppend, []part{theDatabase}},
		{failpoint.AfterPublish, []part{theTemporal}},
		{failpoint.AfterCommit, []part{theWorker, theDatabase}},
		{failpoint.AfterStart, []part{theAPI, theTemporal}},
		{"", []part{theTemporal}},
		{"", []part{theDatabase}},
		{failpoint.AfterDecision, []part{theDatabase}},
		{"", []part{theAPI, theWorker, theTemporal, theDatabase}},
	}
}

// TestCrash_KeepsSubmissionsAtEachStep runs API and worker apart, and kills each part of the installation at each step
// of the write path and at other moments while clients submit. Every acknowledged submission must have exactly one
// completion, no contract may be consumed twice, and no coin created or lost.
func TestCrash_KeepsSubmissionsAtEachStep(t *testing.T) {
	t.Parallel()
	chosen, random := newRandom(t)
	p := newParts(t, "--list-limit", "100000000", "--request-timeout", "1m")
	l := newCrashLoad(t, findDSO(t, p.api.endpoint), chosen, p.front)
	stop := l.start()
	t.Cleanup(stop)
	all := strikes()
	rounds := 0
	f := &figures{kills: map[string]int{}, points: map[string]int{}}
	began := time.Now()
	for rounds < len(all) || rounds < *kills && !isOver(began) {
		what := all[rounds%len(all)]
		if rounds >= len(all) { // every kind once, then at random
			what = later(all, random)
		}
		p.strike(l, what, random, f)
		if rounds++; rounds%100 == 0 {
			t.Logf("after %s: %d rounds, %d acknowledgements", time.Since(began).Round(time.Second), rounds,
				l.acknowledged.Load())
		}
	}
	l.awaitProgress(t, crashClients)
	stop()
	t.Logf("%d rounds in %s; %s", rounds, time.Since(began).Round(time.Second), f)
	l.prove(t, p.api.endpoint, temporalClient(t, p.temporalAddress, p.namespace))
	p.audit()
	require.Empty(t, p.armed(), "every point was reached")
}

// figures are numbers of a run.
type figures struct {
	kills, points map[string]int
	// outage is the longest time from a kill to the next acknowledgement, with its strike.
	outage time.Duration
	worst  strike
}

func (f *figures) count(what strike, outage time.Duration) {
	for _, victim := range what.victims {
		f.kills[victim.String()]++
	}
	if what.point != "" {
		f.points[what.point]++
	}
	if outage > f.outage {
		f.outage, f.worst = outage, what
	}
}

func (f *figures) String() string {
	sum := 0
	for _, n := range f.kills {
		sum += n
	}
	return fmt.Sprintf("%d kills: %v; at points: %v; longest from a kill to the next acknowledgement: %.1f s (%s)",
		sum, f.kills, f.points, f.outage.Seconds(), f.worst)
}

// later chooses a strike: mostly of an API or a worker, which start fastest.
func later(all []strike, random *rand.Rand) strike {
	quick := slices.DeleteFunc(slices.Clone(all), func(s strike) bool {
		return len(s.victims) > 1 || s.victims[0] != theAPI && s.victims[0] != theWorker
	})
	if random.IntN(5) > 0 {
		all = quick
	}
	return all[random.IntN(len(all))]
}

// strike kills parts, starts them again, and waits until the node serves clients.
func (p *parts) strike(l *crashLoad, what strike, random *rand.Rand, f *figures) {
	p.t.Helper()
	l.awaitProgress(p.t, 1+random.IntN(10))
	began := time.Now()
	if what.point == "" {
		p.kill(what.victims...)
	} else {
		p.killAt(what.point, what.victims...)
	}
	p.revive(what.victims...)
	l.awaitProgress(p.t, 1)
	f.count(what, time.Since(began))
}
