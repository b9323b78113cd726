package node

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/lifecycle"
	"github.com/florinledger/florin/worker"
	"github.com/florinledger/florin/workflows"
)

// startWorker starts the worker and the callers of workflows, if the process has a worker.
func (n *Node) startWorker(ctx, background context.Context) error {
	if !n.options.Roles.Worker {
		return nil
	}
	lifecycles, err := lifecycle.NewRegistry(n.packages)
	if err != nil {
		return err
	}
	automations, err := n.automations()
	if err != nil {
		return err
	}
	acts := &activities.Activities{
		DB: n.Database, Packages: n.packages, Catalog: n.catalog, Node: n.Identity, Clock: n.clock.Now,
		Lifecycles: lifecycles, Automations: automations, Outcomes: n.outcomes,
		Log: n.options.Log, Payloads: ledger.NewPayloads(), Traffic: n.trafficRules(),
		Measure: func() activities.Measurement { return n.metrics.Commit(time.Now) },
		Forged:  n.metrics.Forged, Share: n.code,
		Webhooks: deliveries{n.webhooks},
	}
	n.worker = worker.New(worker.Options{
		Client: n.temporal, Ledger: n.ledger, Activities: acts, Failures: n.failures,
		OnFatalError: func(err error) { n.fail(fmt.Errorf("the Temporal worker stopped: %w", err)) },
	})
	n.callers.begin(background)
	call := n.callLifecycles(acts)
	if err := n.worker.Start(); err != nil {
		return err
	}
	n.callers.run(call)
	n.callers.run(n.callWebhooks())
	n.metrics.Works(func() int {
		_, count := n.failures.Longest()
		return count
	})
	return n.runAutomation(ctx, acts)
}

// startClient starts the client that submits through workflows, and the measurement of overdue work.
func (n *Node) startClient(ctx, background context.Context) error {
	pause := time.Duration(0)
	if n.options.Roles.Worker {
		pause = followPause
	}
	n.client = workflows.NewClient(workflows.ClientOptions{
		Temporal: n.temporal, Ledger: n.ledger, Namespace: n.options.Settings.TemporalNamespace,
		Record: record{DB: n.Database, Watcher: n.watcher}, Outcomes: n.outcomes,
		DSO: n.Identity.DSO, SynchronizerID: n.Identity.SynchronizerID, MaxBatch: n.options.Settings.MaxBatch,
		AttributeBytes: n.options.AttributeBytes, ForeignPackage: n.foreignPackage,
		MaxInFlight: n.options.Settings.MaxInFlight, MaxUserInFlight: n.options.Settings.MaxUserInFlight,
		FollowPause: pause, Clock: time.Now,
		StartTimeout: min(startTimeout, n.options.Settings.RequestTimeout/2), Workers: n.workers,
		Log: n.options.Log,
	})
	if n.options.Roles.API {
		n.shares.join(n.client)
		n.metrics.Accepts(n.client.OldestWait, n.shares.count)
	}
	n.recent = newRecent(n.metrics.Totals, func() float64 { return n.Database.Pool().Waited.Seconds() })
	go n.recent.run(background)
	n.overdue = newOverdue(n)
	go n.overdue.run(background)
	n.watched = api.WatchReadiness(n.readiness, n.options.Log)
	go func() {
		if err := n.client.Run(background); err != nil {
			n.fail(err)
		}
	}()
	if n.options.Roles.Worker {
		return n.presence.workerStarted(ctx) // its heartbeat uses the client
	}
	return nil
}

// foreignPackage is the name of a package that is not built in, or its id before the node has read it; "" for built-in
// packages.
func (n *Node) foreignPackage(id lf.PackageID) string {
	if n.packages.PackageName(id) != "" {
		return ""
	}
	return cmp.Or(n.catalog.Snapshot().PackageName(id), string(id))
}

// record is the part of the record that the workflow client reads.
type record struct {
	*db.DB
	*db.Watcher
}

// callLifecycles makes the caller of the lifecycle workflows, and returns its loop.
func (n *Node) callLifecycles(acts *activities.Activities) func(context.Context) {
	caller := workflows.NewCaller(workflows.CallerOptions{
		Temporal: n.temporal, Ledger: n.ledger, Record: activities.NewLifecycleCalls(n.Database, acts.Lifecycles, time.Now),
		LedgerTime: n.clock.Now, Log: n.options.Log,
	})
	n.watcher.OnLifecyclesDue(caller.Changed)
	n.watcher.OnClockChange(func(db.ClockState) { caller.Advanced() })
	acts.Looked = caller.Changed
	return caller.Run
}

// callers are the background loops that start workflows.
type callers struct {
	context context.Context //nolint:containedctx // the life of the loops
	cancel  context.CancelFunc
	running sync.WaitGroup
}

func (c *callers) begin(background context.Context) {
	c.context, c.cancel = context.WithCancel(background)
}

func (c *callers) run(caller func(context.Context)) {
	c.running.Go(func() { caller(c.context) })
}

// stop ends the callers and waits for them.
func (c *callers) stop() {
	if c.cancel != nil {
		c.cancel()
		c.running.Wait()
	}
}

// stopWorker takes no more tasks and waits, for a limited time, for those that run.
func (n *Node) stopWorker(ctx context.Context) {
	n.presence.workerStopping(ctx)
	n.callers.stop()
	if n.worker != nil {
		n.worker.Stop()
	}
}

// trafficRules are the conditions of the node's synchronizer.
func (n *Node) trafficRules() ledger.TrafficRules {
	return coin.TrafficRulesOf(coin.MemberOf(n.Identity.ParticipantID), n.Identity.SynchronizerID)
}
