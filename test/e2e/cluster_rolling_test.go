//go:build long

package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	// clusterSize is the number of APIs, and of workers.
	clusterSize = 3
	// clusterThink is the pause of a client between two submissions.
	clusterThink = 250 * time.Millisecond
	// clusterStopDelay is longer than the time until the load balancer sees that a node stops.
	clusterStopDelay = "2s"
	// flatGoroutines limits the goroutines of an API without clients.
	flatGoroutines = 400
)

// cluster are APIs behind a load balancer, and workers, on one database and one Temporal namespace.
type cluster struct {
	installation
	front         endpoint
	addresses     []string
	apis, workers []*servedNode
}

// newCluster starts a cluster behind the load balancer of balance.
func newCluster(t *testing.T, balance func(t *testing.T, nodes ...string) endpoint) *cluster {
	t.Helper()
	c := &cluster{installation: install(t)}
	for i := range clusterSize {
		c.addresses = append(c.addresses, freeAddress(t))
		c.apis = append(c.apis, c.launch(t, "api", i))
		c.workers = append(c.workers, c.launch(t, "worker", i))
	}
	c.front = balance(t, c.addresses...)
	for i := range clusterSize {
		c.workers[i].awaitReady(t)
		c.apis[i].awaitReady(t)
	}
	c.awaitFront(t)
	return c
}

// launch starts a process; an API is always at the address that the load balancer knows.
func (c *cluster) launch(t *testing.T, what string, number int) *servedNode {
	t.Helper()
	// With long lists, so that the proof reads an hour at once.
	flags := []string{
		"--list-limit", "1000000", "--max-memory", "6000000000", "--stop-delay", clusterStopDelay,
	}
	if what == "api" {
		flags = append(flags, "--listen", c.addresses[number])
	}
	return launch(t, what, c.installation, flags...)
}

// awaitFront waits until the load balancer has a ready node.
func (c *cluster) awaitFront(t *testing.T) {
	t.Helper()
	await(t, "the load balancer finds an API", func() error {
		_, err := c.front.admin().LedgerEnd(t.Context())
		return err
	})
}

// restart stops an API and a worker as a supervisor does, and starts them again. No request may fail.
func (c *cluster) restart(t *testing.T, number int) {
	t.Helper()
	var stopped sync.WaitGroup
	for _, old := range []*servedNode{c.apis[number], c.workers[number]} {
		require.NoError(t, old.Signal(syscall.SIGTERM))
		stopped.Go(func() { old.waitEnd(t) })
	}
	stopped.Wait()
	for _, old := range []*servedNode{c.apis[number], c.workers[number]} {
		require.Equal(t, 0, old.exitCode(t), "%s said: %s", old.what, old.stderr)
		require.NotContains(t, old.stderr.String(), "cut off")
	}
	c.begin(t, number)
}

// kill ends an API and a worker as a crash does, and starts them again.
func (c *cluster) kill(t *testing.T, number int) {
	t.Helper()
	c.apis[number].kill(t)
	c.workers[number].kill(t)
	c.begin(t, number)
}

func (c *cluster) begin(t *testing.T, number int) {
	t.Helper()
	c.apis[number], c.workers[number] = c.launch(t, "api", number), c.launch(t, "worker", number)
	c.workers[number].awaitReady(t)
	c.apis[number].awaitReady(t)
	c.awaitReady(t, number)
}

// awaitReady waits until an API is ready for requests.
func (c *cluster) awaitReady(t *testing.T, number int) {
	t.Helper()
	await(t, "the API is ready", func() error {
		if status, text := page(t, c.apis[number].endpoint, "/readyz"); status != http.StatusOK {
			return fmt.Errorf("%d: %s", status, text)
		}
		return nil
	})
}

// goroutines is the number of goroutines of an API.
func (c *cluster) goroutines(t *testing.T, number int) int {
	t.Helper()
	_, text := page(t, c.apis[number].endpoint, "/metrics")
	found := regexp.MustCompile(`(?m)^go_goroutines (\d+)$`).FindStringSubmatch(text)
	require.Len(t, found, 2, text)
	count, err := strconv.Atoi(found[1])
	require.NoError(t, err)
	return count
}

// Restarts of a cluster fail no request; after kills, every acknowledged submission has its completion.
func TestCluster_RollsWithoutErrors(t *testing.T) {
	t.Parallel()
	seed, _ := newRandom(t)
	c := newCluster(t, balance)
	dso := findDSO(t, c.front)
	l := newCrashLoad(t, dso, seed, newTarget(c.front))
	l.think = clusterThink
	if *lasting > 0 {
		l.think = flatThink
	}
	reading, stopReading := context.WithCancel(t.Context())
	defer stopReading()
	var reader sync.WaitGroup
	var offsets []int64
	var readingFailed error
	stop := l.start()
	t.Cleanup(stop)
	if *lasting > 0 {
		c.requireFlat(t, l)
	}
	reader.Go(func() { offsets, readingFailed = l.account.on(c.front).follow(t.Context(), reading, 0) })

	for number := range clusterSize {
		l.awaitProgress(t, crashClients)
		c.restart(t, number)
		require.Empty(t, l.failed(), "planned work fails no request")
	}
	l.awaitProgress(t, crashClients)
	stopReading()
	reader.Wait()
	require.NoError(t, readingFailed, "reads do not fail, either")
	for i, offset := range offsets[1:] {
		require.Greater(t, offset, offsets[i], "a reader sees every offset once, whichever node answers")
	}
	require.Empty(t, l.failed(), "planned work fails no request")
	t.Logf("%d rounds of planned work, %d submissions, %d completions read", clusterSize,
		l.acknowledged.Load(), len(offsets))

	wrong := run(t, c.environment(), "worker", "--coin-price", "9.5")
	require.Equal(t, 1, wrong.exitCode(t))
	require.Contains(t, wrong.stderr.String(), "--coin-price=9.5: the ledger has 0.005")

	for number := range clusterSize {
		c.kill(t, number)
		l.awaitProgress(t, crashClients)
	}
	stop()
	temporal := temporalClient(t, c.temporalAddress, c.namespace)
	l.prove(t, c.apis[0].endpoint, temporal)
	for number := range clusterSize {
		end, err := c.apis[number].admin().LedgerEnd(t.Context())
		require.NoError(t, err)
		require.Positive(t, end)
		await(t, "what the clients took is given back", func() error {
			if count := c.goroutines(t, number); count > flatGoroutines {
				return fmt.Errorf("%d goroutines", count)
			}
			return nil
		})
	}
}
