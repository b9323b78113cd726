package node

import (
	"context"
	"time"

	"github.com/florinledger/florin/internal/wait"
)

const (
	// slowStep is how long a step of the start may take before the log says what it waits for, and slowAgain is between
	// two lines that say so.
	slowStep  = 5 * time.Second
	slowAgain = time.Minute
)

// What steps of the start wait for.
const (
	awaitsDatabase = "the database"
	awaitsTemporal = "Temporal"
	awaitsWorker   = "a worker that takes the first submission"
)

// startStep is a part of the start of a node.
type startStep struct {
	// what it does, and what it awaits that is no part of this process; "" for nothing.
	what, awaits string
	// within is how long it waits; 0 where nothing of its own ends it.
	within time.Duration
	run    func(ctx, background context.Context) error
}

// startSteps are those of the start, each on what stands before it. What can be wrong with the process alone comes
// first: a fresh ledger keeps for good what its first process gives it.
func (n *Node) startSteps() []startStep {
	return []startStep{
		{"load the built-in contracts", "", 0, n.loadPackages},
		{"look where spans go", "", 0, n.readTracing},
		{"look where to listen", "", 0, n.lookWhereToListen},
		{"open the database", awaitsDatabase, 0, n.openDatabase},
		{"tell others that this process runs", awaitsDatabase, 0, n.enterLedger},
		{"connect to Temporal", awaitsTemporal, connectTimeout, n.connectTemporal},
		{"read the node's identity", awaitsDatabase, 0, n.identify},
		{"read the uploaded packages", awaitsDatabase, 0, n.readPackages},
		{"read the settings of the automations", awaitsTemporal, connectTimeout, n.configureAutomation},
		{"start the worker", awaitsTemporal, 0, n.startWorker},
		{"take submissions", "", 0, n.startClient},
		{"compare the record with the clock", "", 0, func(ctx, background context.Context) error {
			return n.recordTime.watch(ctx, background, n)
		}},
		{"create the coin", awaitsWorker, connectTimeout, n.createCoin},
		{"give the operator coin", awaitsWorker, connectTimeout, n.fundOperator},
		{"open the operator's wallet", awaitsWorker, connectTimeout, n.openWallets},
		{"start the audit", awaitsDatabase, 0, n.startAudit},
		{"serve profiles", "", 0, n.serveProfiles},
		{"start to serve HTTP", "", 0, n.startHTTP},
	}
}

// take takes one step, and says in the log what it waits for when it takes long.
func (n *Node) take(ctx, background context.Context, step startStep) error {
	watching, end := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		n.logWaits(watching, step, time.Now())
	}()
	err := step.run(ctx, background)
	end()
	<-ended
	return err
}

// logWaits says from time to time what a step of the start waits for, until ctx ends.
func (n *Node) logWaits(ctx context.Context, step startStep, since time.Time) {
	for pause := slowStep; wait.For(ctx, pause) == nil; pause = slowAgain {
		log := n.options.Log.With("step", step.what, "since", since)
		if step.awaits != "" {
			log = log.With("awaits", step.awaits)
		}
		if step.within != 0 {
			log = log.With("until", since.Add(step.within))
		}
		log.WarnContext(ctx, "this process is still starting", "took", time.Since(since).Round(time.Second).String())
	}
}

// lookWhereToListen finds out early that an address is taken, or the certificate cannot be used. Who takes the address
// meanwhile is found when it is listened on.
func (n *Node) lookWhereToListen(ctx, _ context.Context) (err error) {
	if n.certificate, err = n.options.Serving.open(); err != nil {
		return err
	}
	if err := RequireFree(ctx, n.options.Listen, "--listen"); err != nil {
		return err
	}
	if n.options.Settings.ProfileListen == "" {
		return nil
	}
	return RequireFree(ctx, n.options.Settings.ProfileListen, "--profile-listen")
}
