package node

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"google.golang.org/grpc"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/walletapi"
	"github.com/florinledger/florin/api/webhookapi"
	"github.com/florinledger/florin/audit"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/workflowid"
	"github.com/florinledger/florin/node/bootstrap"
	"github.com/florinledger/florin/packages/catalog"
	"github.com/florinledger/florin/telemetry"
	"github.com/florinledger/florin/telemetry/export"
	"github.com/florinledger/florin/webhook"
	"github.com/florinledger/florin/worker"
	"github.com/florinledger/florin/workflows"
)

const (
	// connectTimeout bounds how long a starting node waits for Temporal and for its own first commit.
	connectTimeout = time.Minute
	// startTimeout bounds how long one start of a workflow waits for Temporal. startClient takes at most half of the
	// request timeout, so that the answer can say what is wrong.
	startTimeout = 10 * time.Second
	// followPause is the time between two queries for completions of other processes, if this process has a worker.
	followPause = time.Second
)

// RelaxCollector lets the heap grow to five times the live memory before a collection: the node keeps little and
// allocates much, and the collector took a fifth of its CPU. Beyond twice --max-memory it collects as often as it must.
// The environment variables GOGC and GOMEMLIMIT replace the two.
func (s *Settings) RelaxCollector() {
	const percent = 400
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(2 * s.MaxMemory)
	}
}

// Roles are the parts of a node that a process runs.
type Roles struct{ API, Worker bool }

// Options are the roles and settings of a process.
type Options struct {
	// Version is the version of the program.
	Version     string
	Settings    Settings
	Roles       Roles
	DatabaseURL string
	// DatabaseURLFile is the file of the URL; "" if a flag or variable sets the URL itself.
	DatabaseURLFile string
	Temporal        TemporalSettings
	Serving         ServingSettings
	// Level is the level of Log.
	Level  *slog.LevelVar
	Listen string
	// GRPCListen is the address of the gRPC Ledger API; "" for none.
	GRPCListen string
	// TemporalUI is the address of Temporal's UI; "" if this process does not know it.
	TemporalUI string
	// StopDelay is how long the node serves requests after the stop signal.
	StopDelay      time.Duration
	AttributeBytes int
	// Development nodes set the mode of the ledger's clock, and can advance a clock that is not real.
	Development bool
	// Clock is a value of --clock.
	Clock    string
	Log      *slog.Logger
	Progress func(string)
	// SettingsByFlag are the settings of this process by their flags, without secrets.
	SettingsByFlag map[string]string
	// RereadSettings reads the settings that the process would have if it started now; nil if SIGHUP changes none.
	RereadSettings func() (now *Settings, given map[string]string, err error)
	// NonDefaultSettings are the settings in SettingsByFlag that are not the default.
	NonDefaultSettings map[string]string
}

// Node is a running API, worker or both.
type Node struct {
	options  Options
	Identity ledger.Node
	// Settings are the settings of the ledger when this process started.
	Settings ledger.Settings
	// packages are the built-in ones; catalog has the uploaded ones too.
	packages *ledger.Packages
	catalog  *catalog.Catalog

	Database *db.DB
	// ledger is the prefix of this ledger's names in Temporal.
	ledger  workflowid.Ledger
	watcher *db.Watcher
	// clock is the ledger's; real time is time.Now.
	clock      *db.Clock
	recordTime recordTime
	// SIGHUP may change temporalAccess, hs256 and certificate; nil without one.
	temporalAccess *temporalAccess
	hs256          *auth.HS256
	certificate    *keyPair
	temporal       client.Client
	worker         *worker.Worker
	outcomes       *activities.Outcomes
	metrics        *telemetry.Metrics
	exporter       *export.Exporter
	failures       *worker.Failures
	auditor        *audit.Auditor
	client         *workflows.Client
	Wallets        *walletapi.API
	overdue        *overdue
	recent         *recent
	// watched are the parts of /readyz, for all who ask; changes are logged.
	watched    api.Readiness
	audited    atomic.Pointer[audited]
	webhooks   *webhook.Sender
	webhookAPI *webhookapi.API
	presence   *presence

	Listener, CallListener net.Listener
	// api are the parts of the API; calls serves them over gRPC, nil without an address for it.
	api     api.Options
	calls   *grpc.Server
	server  *http.Server
	streams *endpoint.Streams
	limits  *admission.Limits
	// code lets long code of uploaded packages take turns.
	code *turns.Share
	// shares divides the limits for users among the processes.
	shares shares
	// stopping is true after the stop signal.
	stopping   atomic.Bool
	background context.CancelFunc
	// callers start workflows for due work.
	callers callers
	Failed  chan error
}

// Start starts the parts in order; each part needs those before it. If one fails, Start stops those before it.
func Start(ctx context.Context, options Options) (*Node, error) {
	n := &Node{
		options: options, outcomes: activities.NewOutcomes(), metrics: telemetry.New(), code: newCodeShare(),
		Failed: make(chan error, 4),
	}
	n.failures = worker.NewFailures(time.Now, n.metrics.ActivityFailed)
	n.metrics.Built(options.Version)
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	n.background = cancel
	n.logStart(ctx)
	for _, step := range n.startSteps() {
		options.Progress(step.what)
		if err := n.take(ctx, background, step); err != nil {
			if ctx.Err() != nil { // the step failed because of a stop signal
				n.Stop(context.WithoutCancel(ctx), nil)
				return nil, ctx.Err()
			}
			n.Stop(context.WithoutCancel(ctx), err)
			return nil, fmt.Errorf("%s: %w", step.what, err)
		}
	}
	n.metrics.Ready(n.parts(background))
	n.logStarted(ctx)
	return n, nil
}

func (n *Node) loadPackages(context.Context, context.Context) (err error) {
	n.packages, err = ledger.NewPackages(builtin.Packages()...)
	return err
}

// readPackages reads the uploaded packages, now and after each change.
func (n *Node) readPackages(ctx, background context.Context) (err error) {
	n.catalog, err = catalog.New(ctx, catalog.Options{
		Node: n.Identity, BuiltIn: n.packages, Record: n.Database, Now: n.clock.Now, Log: n.options.Log,
	})
	if err == nil {
		n.watcher.OnPackagesChange(n.catalog.Changed)
		n.catalog.Changed() // an upload may have come in between
		n.metrics.Packages(n.catalog.Count)
		go n.catalog.Follow(background)
	}
	return err
}

func (n *Node) openDatabase(ctx, background context.Context) (err error) {
	options := db.Options{MaxConns: n.options.Settings.DatabaseConnections}
	if n.exporter.Tracer != nil {
		options.Tracer = db.QueryTracer{}
	}
	n.Database, err = db.Open(ctx, n.options.DatabaseURL, options)
	if err != nil {
		return err
	}
	n.metrics.Database(func() telemetry.Connections { return telemetry.Connections(n.Database.Pool()) })
	if err := n.Database.CheckSchema(ctx); err != nil {
		return err
	}
	if n.options.Development { // other processes do not set the clock
		if err := n.setClock(ctx); err != nil {
			return err
		}
	}
	n.watcher, err = n.Database.Watch(background, db.WatcherOptions{Log: n.options.Log})
	if err == nil {
		n.clock = n.watcher.Clock(time.Now)
		go n.noteWork(background)
	}
	return err
}

func (n *Node) setClock(ctx context.Context) error {
	if n.options.Clock == clockStatic {
		return n.Database.StopClock(ctx, time.Now())
	}
	return n.Database.SetClockMode(ctx, n.options.Clock == clockSimulated)
}

func (n *Node) connectTemporal(ctx, _ context.Context) error {
	deadline, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	var err error
	if n.temporalAccess, err = n.options.Temporal.access(); err != nil {
		return err
	}
	options := client.Options{
		HostPort: n.options.Temporal.TemporalAddress, Namespace: n.options.Settings.TemporalNamespace,
		Logger: temporalLog{sdklog.NewStructuredLogger(n.options.Log)}, Identity: n.Database.Name(), MetricsHandler: n.metrics.Temporal(),
		// Compressing payloads of a few kilobytes costs a sixth of the CPU of a small workflow and gains nothing nearby.
		ConnectionOptions: client.ConnectionOptions{GrpcCompression: &client.GrpcCompressionNone{}},
	}
	if err := n.temporalAccess.apply(&options); err != nil {
		return err
	}
	if options.Interceptors, err = workflows.Traced(n.exporter.Tracer); err != nil {
		return err
	}
	if n.temporal, err = client.DialContext(deadline, options); err != nil {
		return explainTemporal(n.options.Temporal.TemporalAddress, err)
	}
	return workflows.EnsureSearchAttributes(deadline, n.temporal, n.options.Settings.TemporalNamespace)
}

func (n *Node) identify(ctx, _ context.Context) error {
	err := n.foundLedger(ctx)
	if err != nil {
		return err
	}
	if n.Identity, err = bootstrap.Identity(ctx, n.Database, n.Settings); err != nil {
		return err
	}
	database, err := n.Database.DatabaseID(ctx)
	if err != nil {
		return err
	}
	n.ledger = workflowid.LedgerOf(n.Identity.ParticipantID, database)
	if err := n.checkSecret(ctx); err != nil {
		return err
	}
	if _, err := n.Database.SealKeys(ctx); err != nil { // makes the first key
		return err
	}
	if err := bootstrap.Parties(ctx, n.Database, n.Identity, n.clock.Now()); err != nil {
		return err
	}
	return bootstrap.Users(ctx, n.Database, n.Identity, n.Settings)
}

func (n *Node) fail(err error) {
	select {
	case n.Failed <- err:
	default: // one reason is enough
	}
}

// Wait waits until ctx ends, or returns the error that stops the node.
func (n *Node) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-n.Failed:
		return err
	}
}

// Stop stops the parts in reverse order: first requests, then the callers of workflows, then the worker, which finishes
// its tasks. If the reason is a failure, Stop cuts requests off.
func (n *Node) Stop(ctx context.Context, reason error) {
	began := time.Now()
	n.logStop(ctx, reason)
	defer func() { n.options.Log.InfoContext(ctx, "stopped", "took", time.Since(began).String()) }()
	n.drain(ctx, reason)
	n.stopWorker(ctx)
	n.presence.leave(ctx)
	n.background()
	if n.watcher != nil {
		n.watcher.Close()
	}
	if n.temporal != nil {
		n.temporal.Close()
	}
	if n.Database != nil {
		n.Database.Close()
	}
	if err := n.exporter.Close(ctx); err != nil {
		n.options.Log.WarnContext(ctx, "the node could not send the last spans and metrics", "error", err)
	}
}

// readTracing makes the exporter of spans and metrics, if the environment configures one.
func (n *Node) readTracing(ctx, _ context.Context) (err error) {
	n.exporter, err = export.New(context.WithoutCancel(ctx), os.Getenv, n.options.Version, n.metrics, n.options.Log)
	return err
}

// URL returns the address of the API.
func (n *Node) URL() string {
	scheme := "http://"
	if n.certificate != nil {
		scheme = "https://"
	}
	return scheme + n.Listener.Addr().String()
}
