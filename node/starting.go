package node

import (
	"context"
	"time"

	"github.com/florinledger/florin/internal/wait"
)

const (
	// slowStep is how long a step may take before the log says what it waits for; slowAgain is the time between two such
	// lines.
	slowStep  = 5 * time.Second
	slowAgain = time.Minute
)

// The parts outside of this process that steps wait for.
const (
	awaitsDatabase = "the database"
	awaitsTemporal = "Temporal"
	awaitsWorker   = "a worker that takes the first submission"
)

type startStep struct {
	// awaits is the part outside of this process that the step waits for; "" for none.
	what, awaits string
	// within is the time limit of the step; 0 for none.
	within time.Duration
	run    func(ctx, background context.Context) error
}

// startSteps are the steps of the start; each needs those before it. Checks of this process alone come first, because a
// fresh ledger keeps the settings of its first process for ever.
func (n *Node) startSteps() []startStep {
	return []startStep{
		{"load the built-in contracts", "", 0, n.loadPackages},
		{"read the settings of OpenTelemetry", "", 0, n.readTracing},
		{"check the addresses to listen on", "", 0, n.checkListening},
		{"open the database", awaitsDatabase, 0, n.openDatabase},
		{"record that this process runs", awaitsDatabase, 0, n.enterLedger},
		{"connect to Temporal", awaitsTemporal, connectTimeout, n.connectTemporal},
		{"read the node's identity", awaitsDatabase, 0, n.identify},
		{"read the uploaded packages", awaitsDatabase, 0, n.readPackages},
		{"prepare webhooks", "", 0, n.prepareWebhooks},
		{"read the settings of the automations", awaitsTemporal, connectTimeout, n.configureAutomation},
		{"start the worker", awaitsTemporal, 0, n.startWorker},
		{"start the client of the workflows", "", 0, n.startClient},
		{"compare the record with the clock", "", 0, func(ctx, background context.Context) error {
			return n.recordTime.watch(ctx, background, n)
		}},
		{"create the coin", awaitsWorker, connectTimeout, n.createCoin},
		{"give the operator coin", awaitsWorker, connectTimeout, n.fundOperator},
		{"open the operator's wallet", awaitsWorker, connectTimeout, n.openWallets},
		{"watch for alarms", "", 0, n.watchAlarms},
		{"start the audit", awaitsDatabase, 0, n.startAudit},
		{"serve profiles", "", 0, n.serveProfiles},
		{"start to serve HTTP", "", 0, n.startHTTP},
		{"start to serve gRPC", "", 0, n.startCalls},
	}
}

// take runs one step. If the step is slow, it logs the reason for the wait.
func (n *Node) take(ctx, background context.Context, step startStep) error {
	logCtx, end := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		n.logWaits(logCtx, step, time.Now())
	}()
	err := step.run(ctx, background)
	end()
	<-ended
	return err
}

// logWaits logs at intervals the reason why a step waits, until ctx ends.
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

// checkListening fails early if an address is taken, or the certificate is not usable. Another program can still take
// the address before the node listens on it.
func (n *Node) checkListening(ctx, _ context.Context) (err error) {
	if n.certificate, err = n.options.Serving.open(); err != nil {
		return err
	}
	if n.certificate != nil {
		n.metrics.Certificate(n.certificate.end)
	}
	if err := RequireFree(ctx, n.options.Listen, "--listen"); err != nil {
		return err
	}
	if n.options.GRPCListen != "" {
		if err := RequireFree(ctx, n.options.GRPCListen, "--grpc-listen"); err != nil {
			return err
		}
	}
	if n.options.Settings.ProfileListen == "" {
		return nil
	}
	return RequireFree(ctx, n.options.Settings.ProfileListen, "--profile-listen")
}
