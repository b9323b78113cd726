package lifecycles_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/florinledger/florin/activities"
	"github.com/florinledger/florin/api/devapi"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/devnet/testenv"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/workflowid"
	"github.com/florinledger/florin/node/bootstrap"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/wallet/lifecycle"
	"github.com/florinledger/florin/worker"
	"github.com/florinledger/florin/workflows"
)

// patience limits the wait for something that should happen at once, on a busy machine. The ledger's clock runs
// meanwhile.
const patience = 2 * time.Minute

// node is a ledger with the coin on a simulated clock, and the worker of a node with everything that calls workflows.
type node struct {
	t testing.TB
	// databaseURL is for statements of the test itself.
	databaseURL string
	db          *db.DB
	identity    ledger.Node
	packages    *ledger.Packages
	lifecycles  *lifecycle.Registry
	traffic     ledger.TrafficRules
	// automations are empty by default.
	automations *automation.Registry
	schedules   *workflows.Schedules
	commits     *activities.Activities
	// temporal is the client of the worker's namespace, with the ledger's names; stop stops worker and caller.
	temporal client.Client
	ledger   workflowid.Ledger
	stop     func()
	// forged counts the inputs that activities refused as forged.
	forged atomic.Int64
}

// newNode makes a node on which rounds never advance.
func newNode(tb testing.TB) *node {
	tb.Helper()
	return newNodeWith(tb, 10*365*day, func(*node) []automation.Automation { return nil })
}

// newNodeWith makes a node with automation. Its first round closes after roundZero.
func newNodeWith(tb testing.TB, roundZero time.Duration, kinds func(*node) []automation.Automation) *node {
	tb.Helper()
	return newNodeOf(tb, nodeOptions{roundZero: roundZero, tick: tick, kinds: kinds})
}

// nodeOptions are the options of a node.
type nodeOptions struct {
	// roundZero is the life of the first round, tick half the life of the others.
	roundZero, tick time.Duration
	// static makes the clock static.
	static bool
	kinds  func(*node) []automation.Automation
	// maxInputs is the maximum number of inputs of a transfer; 0 for the default.
	maxInputs int64
	// enforcesTraffic: the node refuses submissions that its traffic does not cover.
	enforcesTraffic bool
}

func newNodeOf(tb testing.TB, options nodeOptions) *node {
	tb.Helper()
	n := &node{t: tb, databaseURL: dbtest.URL(tb)}
	if options.enforcesTraffic {
		n.traffic = coin.TrafficRulesOf(coin.MemberOf("participant"), "synchronizer")
	}
	n.db = dbtest.Open(tb, n.databaseURL)
	ctx := tb.Context()
	var err error
	n.packages, err = ledger.NewPackages(builtin.Packages()...)
	require.NoError(tb, err)
	n.lifecycles, err = lifecycle.NewRegistry(n.packages)
	require.NoError(tb, err)
	n.automations, err = automation.NewRegistry(n.packages, options.kinds(n)...)
	require.NoError(tb, err)
	if options.static {
		require.NoError(tb, n.db.StopClock(ctx, time.Now()))
	} else {
		require.NoError(tb, n.db.SetClockMode(ctx, true))
	}
	settings := ledger.DefaultSettings()
	settings.CoinPrice = decimal.MustParse("0.01") // of all rounds but the first
	settings.MaxDeduplication = day
	settings.EnforceTraffic = options.enforcesTraffic
	_, err = n.db.FoundLedgerSettings(ctx, settings, nil)
	require.NoError(tb, err)
	n.identity, err = bootstrap.Identity(ctx, n.db, settings)
	require.NoError(tb, err)
	database, err := n.db.DatabaseID(ctx)
	require.NoError(tb, err)
	n.ledger = workflowid.LedgerOf(n.identity.ParticipantID, database)
	require.NoError(tb, bootstrap.Parties(ctx, n.db, n.identity, time.Now()))
	n.commits = n.activities(n.watch())
	config := coin.DefaultConfig(n.identity.SynchronizerID)
	config.TickDuration = lf.RelTimeOf(options.tick)
	config.TransferPreapprovalBaseDuration = &lf.RelTime{} // no day of a preapproval is free
	if options.maxInputs > 0 {
		config.TransferConfig.MaxNumInputs = options.maxInputs
	}
	genesis, err := coin.GenesisCommands(n.packages, coin.Genesis{
		DSO: n.identity.DSO, Config: config, AmuletPrice: decimal.MustParse("0.005"), RoundZeroDuration: options.roundZero,
	})
	require.NoError(tb, err)
	n.submit([]ledger.Party{n.identity.DSO}, genesis...)
	n.start(namespace(tb))
	return n
}

func (n *node) watch() *db.Watcher {
	n.t.Helper()
	watcher, err := n.db.Watch(context.WithoutCancel(n.t.Context()), db.WatcherOptions{})
	require.NoError(n.t, err)
	n.t.Cleanup(watcher.Close)
	return watcher
}

func (n *node) activities(watcher *db.Watcher) *activities.Activities {
	return &activities.Activities{
		DB: n.db, Packages: n.packages, Node: n.identity, Clock: watcher.Clock(time.Now).Now, Lifecycles: n.lifecycles,
		Automations: n.automations, Traffic: n.traffic, Log: slog.New(slog.DiscardHandler),
		Forged: func() { n.forged.Add(1) },
	}
}

// start runs a worker on a namespace, like another process.
func (n *node) start(namespace string) {
	n.t.Helper()
	var err error
	n.temporal, err = client.DialContext(n.t.Context(), client.Options{
		HostPort: testenv.Temporal(n.t, workflows.SearchAttributes()), Namespace: namespace,
		Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(n.t, err)
	require.NoError(n.t, workflows.EnsureSearchAttributes(n.t.Context(), n.temporal, namespace))
	watcher := n.watch()
	acts := n.activities(watcher)
	caller := workflows.NewCaller(workflows.CallerOptions{
		Temporal: n.temporal, Ledger: n.ledger, Record: activities.NewLifecycleCalls(n.db, n.lifecycles, time.Now),
		LedgerTime: acts.Clock, Log: slog.New(slog.DiscardHandler),
	})
	acts.Looked = caller.Changed
	running := worker.New(worker.Options{Client: n.temporal, Ledger: n.ledger, Activities: acts})
	require.NoError(n.t, running.Start())
	watcher.OnLifecyclesDue(caller.Changed)
	watcher.OnClockChange(func(db.ClockState) { caller.Advanced() })
	require.NoError(n.t, activities.EnterAutomations(n.t.Context(), n.db, n.automations))
	n.schedules = workflows.NewSchedules(n.temporal, n.ledger, n.automations)
	require.NoError(n.t, n.schedules.Ensure(n.t.Context()))
	automatic := workflows.NewAutomationCaller(workflows.AutomationCallerOptions{
		Schedules: n.schedules, Record: activities.NewAutomationCalls(acts),
		LedgerTime: acts.Clock, RealTime: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	watcher.OnLifecyclesDue(automatic.Changed)
	watcher.OnClockChange(func(db.ClockState) { automatic.Changed() })
	ctx, cancel := context.WithCancel(context.WithoutCancel(n.t.Context()))
	var ended sync.WaitGroup
	ended.Go(func() { caller.Run(ctx) })
	ended.Go(func() { automatic.Run(ctx) })
	connected := n.temporal
	stopped := false
	n.stop = func() {
		if !stopped {
			stopped = true
			cancel()
			ended.Wait()
			running.Stop()
			connected.Close()
		}
	}
	n.t.Cleanup(n.stop)
}

// namespace makes a new namespace of Temporal.
func namespace(tb testing.TB) string {
	tb.Helper()
	name := "lifecycle-" + strings.ToLower(rand.Text()[:12])
	namespaces, err := client.NewNamespaceClient(client.Options{
		HostPort: testenv.Temporal(tb, workflows.SearchAttributes()), Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(tb, err)
	defer namespaces.Close()
	require.NoError(tb, namespaces.Register(tb.Context(), &workflowservice.RegisterNamespaceRequest{
		Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
	}))
	return name
}

// commit commits a submission and returns the error of a refusal.
func (n *node) commit(submission ledger.Submission) error {
	n.t.Helper()
	submission, err := n.commits.Seal(n.t.Context(), submission)
	require.NoError(n.t, err)
	_, err = n.commits.CommitSubmissions(n.t.Context(), activities.CommitSubmissionsInput{
		Submissions: []ledger.Submission{submission},
	})
	require.NoError(n.t, err)
	completion, ok, err := n.db.CompletionBySubmissionKey(n.t.Context(), submission.Key)
	require.NoError(n.t, err)
	require.True(n.t, ok)
	if completion.Refusal != nil {
		return completion.Refusal
	}
	return nil
}

// submit commits commands of parties, and reads as the DSO.
func (n *node) submit(actAs []ledger.Party, commands ...ledger.Command) {
	n.t.Helper()
	require.NoError(n.t, n.try(actAs, commands...))
}

func (n *node) try(actAs []ledger.Party, commands ...ledger.Command) error {
	n.t.Helper()
	prepared, refusal := n.packages.PrepareCommands(commands, nil)
	if refusal != nil {
		return refusal
	}
	key := uuid.NewString()
	return n.commit(ledger.Submission{
		Key: key, Identity: ledger.DefaultUser("tester"), CommandID: key, SubmissionID: key,
		ActAs:  ledger.SortedParties(actAs),
		ReadAs: []ledger.Party{n.identity.DSO}, Commands: prepared, Kind: ledger.KindCommand,
	})
}

// party allocates a local party.
func (n *node) party(hint string) ledger.Party {
	n.t.Helper()
	party := n.identity.LocalParty(hint)
	_, err := n.db.AllocateParty(n.t.Context(), ledger.PartyDetails{Party: party, IsLocal: true}, "")
	require.NoError(n.t, err)
	return party
}

func (n *node) operator() ledger.Party { return n.identity.Operator }

// advance moves the ledger's clock and stops at each deadline on the way.
func (n *node) advance(by time.Duration) {
	n.t.Helper()
	clock := devapi.New(devapi.Options{Clock: n.db, Development: true, Now: time.Now})
	_, err := clock.Advance(n.t.Context(), devapi.AdvanceClockRequest{AdvanceBy: by.String()})
	require.NoError(n.t, err)
}

// jump moves the ledger's clock at once.
func (n *node) jump(by time.Duration) {
	n.t.Helper()
	_, err := n.db.AdvanceClock(n.t.Context(), func(state db.ClockState) db.ClockState {
		state.Ahead += by
		return state
	})
	require.NoError(n.t, err)
}

func (n *node) now() time.Time { return n.commits.Clock() }

// exercise is a command on a contract.
func exercise[T, A any](n *node, id ledger.ContractID, choice string, argument A) ledger.Command {
	n.t.Helper()
	name, err := ledger.TemplateName[T](n.packages)
	require.NoError(n.t, err)
	encoded, err := ledger.Encode(n.packages, argument)
	require.NoError(n.t, err)
	return ledger.Command{Exercise: &ledger.ExerciseCommand{
		Template: name, Contract: id, Choice: choice, Argument: encoded,
	}}
}

// create is a command that creates a contract.
func create[T any](n *node, payload T) ledger.Command {
	n.t.Helper()
	name, err := ledger.TemplateName[T](n.packages)
	require.NoError(n.t, err)
	encoded, err := ledger.Encode(n.packages, payload)
	require.NoError(n.t, err)
	return ledger.Command{Create: &ledger.CreateCommand{Template: name, Argument: encoded}}
}

// contractOf is an active contract.
type contractOf[T any] struct {
	ID      ledger.ContractID
	Payload T
}

// active lists the active contracts of a template.
func active[T any](n *node) []contractOf[T] {
	n.t.Helper()
	name, err := ledger.TemplateName[T](n.packages)
	require.NoError(n.t, err)
	head, err := n.db.Head(n.t.Context())
	require.NoError(n.t, err)
	// With the network as DSO, or without a field for the DSO.
	found, err := n.db.ActiveContracts(n.t.Context(), db.ActiveQuery{
		Templates: []string{name.String()}, At: head.Offset, Limit: 5000,
	})
	require.NoError(n.t, err)
	contracts := make([]contractOf[T], len(found))
	for i, stored := range found {
		payload, err := ledger.DecodePayload[T](n.packages, stored.Contract)
		require.NoError(n.t, err)
		contracts[i] = contractOf[T]{stored.ID, payload}
	}
	return contracts
}

// eventually waits until a condition holds.
func (n *node) eventually(what string, holds func() bool) {
	n.t.Helper()
	require.Eventually(n.t, holds, patience, 20*time.Millisecond, what)
}

// tap mints coin.
func (n *node) tap(receiver ledger.Party, amount string) {
	n.t.Helper()
	n.submit([]ledger.Party{receiver}, exercise[coin.AmuletRules](n, n.rules(), "AmuletRules_DevNet_Tap",
		coin.AmuletRulesDevNetTap{Receiver: receiver, Amount: decimal.MustParse(amount), OpenRound: n.round()}))
}

func (n *node) rules() ledger.ContractID { return active[coin.AmuletRules](n)[0].ID }

// round is the newest open round.
func (n *node) round() lf.CID[coin.OpenMiningRound] {
	n.t.Helper()
	var newest contractOf[coin.OpenMiningRound]
	for _, round := range active[coin.OpenMiningRound](n) {
		if !round.Payload.OpensAt.Time().After(n.now()) && round.Payload.Round.Number >= newest.Payload.Round.Number {
			newest = round
		}
	}
	return lf.CID[coin.OpenMiningRound](newest.ID)
}

func (n *node) payment() coin.PaymentTransferContext {
	return coin.PaymentTransferContext{
		AmuletRules: lf.CID[coin.AmuletRules](n.rules()), Context: coin.TransferContext{OpenMiningRound: n.round()},
	}
}

// coins are a party's holdings as transfer inputs.
func (n *node) coins(owner ledger.Party) []coin.TransferInput {
	var inputs []coin.TransferInput
	for _, holding := range active[coin.Amulet](n) {
		if holding.Payload.Owner == owner {
			inputs = append(inputs, coin.InputAmulet(lf.CID[coin.Amulet](holding.ID)))
		}
	}
	return inputs
}

// status asks a workflow what it waits for; false without an answer.
func (n *node) status(workflowID string) (status workflows.LifecycleStatus, ok bool) {
	n.t.Helper()
	value, err := n.temporal.QueryWorkflow(n.t.Context(), n.ledger.Name(workflowID), "", workflows.LifecycleQuery)
	if err != nil {
		return status, false
	}
	require.NoError(n.t, value.Get(&status))
	return status, true
}

// waits waits until the status of a workflow names what.
func (n *node) waits(workflowID, what string) workflows.LifecycleStatus {
	n.t.Helper()
	var last workflows.LifecycleStatus
	n.eventually(workflowID+" waits for "+what, func() bool {
		status, ok := n.status(workflowID)
		last = status
		return ok && !status.Over && !status.LookedAt.IsZero() && strings.Contains(status.WaitsFor, what)
	})
	return last
}

// ended waits until a workflow has completed.
func (n *node) ended(workflowID string) {
	n.t.Helper()
	n.eventually("the lifecycle of "+workflowID+" is over", func() bool {
		_, ok, err := n.db.Lifecycle(n.t.Context(), workflowID)
		return err == nil && !ok
	})
	ctx, cancel := context.WithTimeout(n.t.Context(), patience)
	defer cancel()
	require.NoError(n.t, n.temporal.GetWorkflow(ctx, n.ledger.Name(workflowID), "").Get(ctx, nil))
}
