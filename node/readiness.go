package node

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/florinledger/florin/api"
)

// readinessTimeout bounds the check of a part.
const readinessTimeout = 2 * time.Second

// readiness checks the parts of the node, all at once: a slow part must not make others look slow. A part whose check
// needs a broken one is unknown, so that the answer names causes, and all of them.
func (n *Node) readiness(ctx context.Context) []api.Part {
	if n.stopping.Load() {
		return stopping()
	}
	stalled := n.watcher.Stalled(0)
	parts := append(n.checkStops(ctx, stalled), n.recordTime.part())
	parts = append(parts, n.overdue.check(n.options.Settings.MaxCommitWait)...)
	return append(parts, n.warnings(stalled)...)
}

// checkStops checks the parts that a request needs. stalled says what commits wait for now; queries may wait with them.
func (n *Node) checkStops(ctx context.Context, stalled error) []api.Part {
	ctx, cancel := context.WithTimeout(ctx, readinessTimeout)
	defer cancel()
	database, temporal := api.Part{Name: "database"}, api.Part{Name: "temporal"}
	worker, commits := api.Part{Name: "worker"}, api.Part{Name: "commits"}
	commits.Err = n.watcher.Stalled(n.options.Settings.MaxCommitWait)
	var checks sync.WaitGroup
	checks.Go(func() { database.Err = n.Database.Ping(ctx) })
	checks.Go(func() { temporal.Err = n.client.Ping(ctx) })
	checks.Go(func() { worker.Err = n.client.CheckWorker(ctx) })
	checks.Wait()
	if stalled != nil && database.Err != nil {
		database.Err, database.Unknown = nil, "its queries wait behind the commits"
	}
	if worker.Err != nil && (stalled != nil || database.Err != nil || temporal.Err != nil) {
		worker.Err, worker.Unknown = nil, "its check needs the database and Temporal"
	}
	switch {
	case commits.Err != nil:
	case database.Err != nil || temporal.Err != nil || worker.Err != nil:
		commits.Unknown = "they wait for the failed part"
	default:
		commits.Err = n.checkCommits(time.Now())
	}
	return []api.Part{database, temporal, worker, commits}
}

// checkCommits fails if no commit succeeds although all parts seem to work.
func (n *Node) checkCommits(now time.Time) error {
	limit := n.options.Settings.MaxCommitWait
	if delay := n.client.Stalled(); delay > limit {
		return fmt.Errorf("submissions wait, and none has completed for %s", delay.Round(time.Second))
	}
	longest, count := n.failures.Longest()
	if duration := now.Sub(longest.Since); count > 0 && duration > limit {
		return fmt.Errorf("%s has failed %d times in %s; the log says why",
			longest.Activity, longest.Tries, duration.Round(time.Second))
	}
	return nil
}
