//go:build long

package e2e_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	// defaultKills is the number of kills: enough for several kills of each kind.
	defaultKills = 12
	// crashClients is the number of clients.
	crashClients = 6
	// killsVariable names the environment variable with the number of kills.
	killsVariable = "FLORIN_TEST_KILLS"
	// seedVariable names the environment variable that repeats a run's random choices.
	seedVariable = "FLORIN_TEST_SEED"
)

var (
	kills = flag.Int("kills", intVariable(killsVariable, defaultKills), "how often the crash test kills something")
	// lasting limits the time of a long run on a machine of unknown speed.
	lasting = flag.Duration("lasting", 0, "how long the crash tests kill at most; 0: until they have killed often enough")
	seed    = flag.Uint64("seed", uint64(intVariable(seedVariable, 0)), "random choices of the tests; 0 makes new ones")
)

// isOver reports whether the time of a run is over.
func isOver(started time.Time) bool { return *lasting > 0 && time.Since(started) > *lasting }

func intVariable(name string, otherwise int) int {
	value, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		return otherwise
	}
	return value
}

// newRandom makes the random source of a test, and logs its seed.
func newRandom(t *testing.T) (uint64, *rand.Rand) {
	t.Helper()
	chosen := *seed
	if chosen == 0 {
		chosen = rand.Uint64()
	}
	t.Logf("to make the same choices again: %s=%d", seedVariable, chosen)
	return chosen, rand.New(rand.NewPCG(chosen, 0))
}

// victim is the part that a round of the crash test kills.
type victim int

const (
	killNode     victim = iota // the node alone: the kernel tells its children to end
	killAll                    // the node, Temporal and every process of PostgreSQL at once, as a power cut does
	killTemporal               // Temporal: the node starts it again
	killPostgres               // PostgreSQL: the node ends
	killStarting               // the node while it starts after an earlier kill
	victims
)

func (v victim) String() string {
	return [...]string{"node", "everything", "Temporal", "PostgreSQL", "node, twice"}[v]
}

// TestCrash_KeepsAcknowledgedSubmissions kills parts of a node repeatedly while clients submit. Every acknowledged
// submission must have exactly one completion, and no coin may be created or lost.
//
// contract: completions-one
func TestCrash_KeepsAcknowledgedSubmissions(t *testing.T) {
	t.Parallel()
	chosen, random := newRandom(t)

	// Long lists, because some lists have no pages.
	flags := []string{"--list-limit", "1000000", "--log-level", "warn"}
	n := up(t, dataDir(t), flags...)
	node := newTarget(n.endpoint)
	l := newCrashLoad(t, n.info.DSO, chosen, node)
	stop := l.start()
	t.Cleanup(stop)
	started := time.Now()
	for round := range *kills {
		if isOver(started) {
			break
		}
		what := victim(round % int(victims))
		began := time.Now()
		l.awaitProgress(t, random.IntN(40))
		loaded := time.Now()
		n = n.strike(t, what, random, flags)
		node.Store(&n.endpoint)
		t.Logf("kill %d: %s, after %.1f s and %d acknowledgements; back after %.1f s", round+1, what,
			loaded.Sub(began).Seconds(), l.acknowledged.Load(), time.Since(loaded).Seconds())
	}
	l.awaitProgress(t, crashClients)
	stop()
	l.prove(t, n.endpoint, temporalClient(t, n.info.TemporalAddress, "default"))
	n.interrupt(t)
}

// strike kills, and brings the node back.
func (n *upNode) strike(t *testing.T, what victim, random *rand.Rand, flags []string) *upNode {
	t.Helper()
	family := descendants(t, n.PID())
	switch what {
	case killTemporal:
		killProcesses(t, child(t, n.PID(), "temporal-dev"))
		return n
	case killPostgres:
		killProcesses(t, n.info.PIDs.Postgres)
		n.waitEnd(t)
		require.Equal(t, 1, n.exitCode(t))
	case killAll:
		killProcesses(t, family...)
		n.waitEnd(t)
	default:
		n.kill(t)
	}
	if what == killStarting {
		const startTakes = 3 * time.Second
		killAfter(t, n.dir, time.Duration(random.Int64N(int64(startTakes))), flags...)
	}
	return up(t, n.dir, flags...)
}

// killAfter starts a node and kills it a while later, ready or not.
func killAfter(t *testing.T, dir string, delay time.Duration, flags ...string) {
	t.Helper()
	n := start(t, nil, upArguments(dir, flags...)...)
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-n.Done():
		require.NoError(t, n.Err(), "it ended by itself and said: %s", n.stderr)
	}
	n.kill(t)
}

// TestCrash_FirstStartRecovers interrupts the creation of the databases and of the ledger.
func TestCrash_FirstStartRecovers(t *testing.T) {
	t.Parallel()
	_, random := newRandom(t)
	dir := dataDir(t)
	// Each start gets further than the last one, because existing parts take no time.
	const makingTakes = 2500 * time.Millisecond
	for range *kills / 3 {
		delay := time.Duration(random.Int64N(int64(makingTakes)))
		t.Logf("killed after %s", delay)
		killAfter(t, dir, delay)
	}
	n := up(t, dir)
	alice := newAccount(t, n.endpoint, n.info.DSO, "alice", "alice")
	coin, err := n.admin().FindCoin(t.Context(), n.info.DSO)
	require.NoError(t, err)
	outcome, err := alice.SubmitAndWait(t.Context(), alice.tap(coin, "mint", 10))
	require.NoError(t, err)
	geneses := 0
	for _, update := range updatesOf(t, n.admin(), outcome.CompletionOffset, n.info.DSO) {
		if update.CommandID == "genesis" {
			geneses++
		}
	}
	require.Equal(t, 1, geneses)
	n.interrupt(t)
}
