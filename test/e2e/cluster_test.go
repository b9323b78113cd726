//go:build long

package e2e_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/client"
)

// pair is two nodes on one database, with a user of both.
type pair struct {
	installation
	first, second *servedNode
	dso           string
	coin          client.Coin
	// alice is the user at the first node.
	alice account
}

// newPair starts two nodes at once on an empty database.
func newPair(t *testing.T, flags ...string) *pair {
	t.Helper()
	p := &pair{installation: install(t)}
	p.first, p.second = launch(t, "serve", p.installation, flags...), launch(t, "serve", p.installation, flags...)
	p.first.awaitReady(t)
	p.second.awaitReady(t)
	p.dso = findDSO(t, p.first.endpoint)
	require.Equal(t, p.dso, findDSO(t, p.second.endpoint), "both are one participant")
	p.alice = newAccount(t, p.first.endpoint, p.dso, "alice", "alice")
	var err error
	p.coin, err = p.second.admin().FindCoin(t.Context(), p.dso)
	require.NoError(t, err)
	return p
}

func TestCluster_ChangesOnce(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	nodes := []account{p.alice, p.alice.on(p.second.endpoint)}

	// Both at once.
	const changes = 12
	group, ctx := errgroup.WithContext(t.Context())
	for change := range changes {
		for i, node := range nodes {
			commands := node.tap(p.coin, fmt.Sprintf("race-%d", change), 1)
			commands.SubmissionID = fmt.Sprintf("race-%d-at-%d", change, i)
			group.Go(func() error { return node.Submit(ctx, commands) })
		}
	}
	require.NoError(t, group.Wait(), "each node accepts its submission")
	var completions []client.Completion
	await(t, "all completions", func() (err error) {
		if completions, err = nodes[1].completionsFrom(t.Context(), 0); err == nil && len(completions) < 2*changes {
			err = fmt.Errorf("%d of %d", len(completions), 2*changes)
		}
		return err
	})
	outcomes := map[string][]int32{}
	for _, completion := range completions {
		outcomes[completion.CommandID] = append(outcomes[completion.CommandID], completion.Status.Code)
	}
	require.Len(t, outcomes, changes)
	for change, codes := range outcomes {
		require.Equal(t, []int32{0, codeDuplicate}, codes, "%s: the first in the record is accepted", change)
	}

	// One after the other.
	accepted, err := nodes[0].SubmitAndWait(t.Context(), nodes[0].tap(p.coin, "later", 1))
	require.NoError(t, err)
	_, err = nodes[1].SubmitAndWait(t.Context(), nodes[1].tap(p.coin, "later", 1))
	require.Equal(t, "DUPLICATE_COMMAND", client.Code(err))
	var refused *client.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, strconv.FormatInt(accepted.CompletionOffset, 10), refused.Context["completion_offset"])
}

func TestCluster_WakesReadersOfOtherNodes(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	elsewhere := p.alice.on(p.second.endpoint)

	// A waiting reader at one node gets the commits of the other long before its timeout.
	end, err := p.alice.LedgerEnd(t.Context())
	require.NoError(t, err)
	const idle = 15 * time.Second
	woken := make(chan error, 1)
	go func() {
		found, _, err := elsewhere.Completions(t.Context(), client.CompletionsRequest{
			Parties: elsewhere.parties, BeginExclusive: end, Limit: 1, Idle: idle,
		})
		if err == nil && (len(found) != 1 || found[0].CommandID != "wake") {
			err = fmt.Errorf("found %+v", found)
		}
		woken <- err
	}()
	began := time.Now()
	_, err = p.alice.SubmitAndWait(t.Context(), p.alice.tap(p.coin, "wake", 1))
	require.NoError(t, err)
	require.NoError(t, <-woken)
	require.Less(t, time.Since(began), idle)

	// Readers at both nodes see every offset in order while both nodes commit.
	const each = 40
	loading, stop := context.WithCancel(t.Context())
	defer stop()
	var readers sync.WaitGroup
	seen := make([][]int64, 4)
	failures := make([]error, len(seen))
	for i := range seen {
		reader := []account{p.alice, elsewhere}[i%2]
		readers.Go(func() { seen[i], failures[i] = reader.follow(t.Context(), loading, end) })
	}
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(8)
	for i := range each {
		for node, at := range []account{p.alice, elsewhere} {
			group.Go(func() error {
				return at.Submit(ctx, at.tap(p.coin, fmt.Sprintf("follow-%d-at-%d", i, node), 1))
			})
		}
	}
	require.NoError(t, group.Wait())
	const total = 1 + 2*each
	var all []int64
	await(t, "everything is committed", func() error {
		completions, err := p.alice.completionsFrom(t.Context(), end)
		if err == nil && len(completions) != total {
			err = fmt.Errorf("%d of %d", len(completions), total)
		}
		all = nil
		for _, completion := range completions {
			all = append(all, completion.Offset)
		}
		return err
	})
	stop()
	readers.Wait()
	for i := range seen {
		require.NoError(t, failures[i])
		require.Equal(t, all, seen[i], "reader %d: every offset once, in order, none left out", i)
	}
}

// follow reads completions until loading ends and none are left, and returns their offsets in order.
func (a account) follow(ctx, loading context.Context, after int64) ([]int64, error) {
	var offsets []int64
	for {
		last := loading.Err() != nil
		found, reached, err := a.Completions(ctx, client.CompletionsRequest{
			Parties: a.parties, BeginExclusive: after, Limit: 7, Idle: 50 * time.Millisecond,
		})
		if err != nil || last && len(found) == 0 {
			return offsets, err
		}
		for _, completion := range found {
			offsets = append(offsets, completion.Offset)
		}
		after = reached
	}
}

func TestCluster_RunsAPIAndWorkerApart(t *testing.T) {
	t.Parallel()
	i := install(t)
	front := launch(t, "api", i) // it needs a worker before it can be ready
	back := serve(t, "worker", i)
	front.awaitReady(t)
	dso := findDSO(t, front.endpoint)
	alice := newAccount(t, front.endpoint, dso, "alice", "alice")
	coin, err := front.admin().FindCoin(t.Context(), dso)
	require.NoError(t, err)
	transaction, err := alice.SubmitAndWaitForTransaction(t.Context(), alice.tap(coin, "waiting", 5))
	require.NoError(t, err)
	require.Len(t, transaction.Created(client.AmuletEntity), 1)

	// While no worker runs, submissions are taken; the next one completes them.
	back.interrupt(t)
	commands := []string{"kept-1", "kept-2", "kept-3"}
	for _, commandID := range commands {
		require.NoError(t, alice.Submit(t.Context(), alice.tap(coin, commandID, 1)))
	}
	completions, err := alice.completionsFrom(t.Context(), transaction.Offset)
	require.NoError(t, err)
	require.Empty(t, completions)
	serve(t, "worker", i)
	for _, commandID := range commands {
		require.Zero(t, alice.awaitCompletion(t, commandID).Status.Code)
	}
}

func TestCluster_ServesWhileANodeRestarts(t *testing.T) {
	t.Parallel()
	flags := []string{"--list-limit", "1000000"}
	p := newPair(t, flags...)
	seed, random := newRandom(t)
	moving := newTarget(p.second.endpoint)
	l := newCrashLoad(t, p.dso, seed, newTarget(p.first.endpoint), moving)
	stop := l.start()
	t.Cleanup(stop)
	restarted := p.second
	for _, politely := range []bool{true, false} {
		l.awaitProgress(t, 20+random.IntN(20))
		if politely {
			restarted.interrupt(t)
		} else {
			restarted.kill(t)
		}
		l.awaitProgress(t, 10) // the other node works alone
		restarted = serve(t, "serve", p.installation, flags...)
		moving.Store(&restarted.endpoint)
	}
	l.awaitProgress(t, 2*crashClients)
	stop()
	// Both nodes give the same answers.
	temporal := temporalClient(t, p.temporalAddress, p.namespace)
	l.prove(t, p.first.endpoint, temporal)
	l.prove(t, restarted.endpoint, temporal)
}
