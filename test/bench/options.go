package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/devnet/runfile"
)

// The scenarios.
const (
	ScenarioTap       = "tap"        // each submission mints coin: two contracts read, one created
	ScenarioWalletTap = "wallet-tap" // the same by the wallet's own route; each client is a user with a wallet
	ScenarioTransfer  = "transfer"   // each submission turns one holding into two
	ScenarioMixed     = "mixed"      // taps and transfers in turn
	// Contracts of a package that bench uploads.
	ScenarioUploadedCreate   = "uploaded-create"   // each submission creates a contract
	ScenarioUploadedExercise = "uploaded-exercise" // each submission archives a contract and creates one
	ScenarioUploadedDvP      = "uploaded-dvp"      // each submission swaps two contracts by a third
)

var scenarios = []string{
	ScenarioTap, ScenarioWalletTap, ScenarioTransfer, ScenarioMixed, ScenarioUploadedCreate, ScenarioUploadedExercise,
	ScenarioUploadedDvP,
}

// The modes.
const (
	ModeAsync = "async" // a submission is done when the node acknowledged it; its completion is checked later
	ModeWait  = "wait"  // a submission is done when the node answered with its completion
	ModeGRPC  = "grpc"  // the same over gRPC
)

// adminUser is the user that LocalNet's tools administer a node with.
const adminUser = "ledger-api-user"

// Options are the flags.
type Options struct {
	DataDir         string `default:".florin" env:"FLORIN_DATA_DIR" help:"Data directory of a node started by florin up; its addresses are read from there, unless --url names a node." placeholder:"DIR" type:"path"`
	URL             string `env:"FLORIN_URL" help:"Base URL of another node's API." name:"url" placeholder:"URL"`
	GRPCAddress     string `env:"FLORIN_GRPC_ADDRESS" help:"The node's gRPC API, for --mode grpc." name:"grpc-address" placeholder:"HOST:PORT"`
	TemporalAddress string `env:"FLORIN_TEMPORAL_ADDRESS" help:"The node's Temporal, to measure Temporal alone too." placeholder:"HOST:PORT"`
	Namespace       string `default:"default" env:"FLORIN_TEMPORAL_NAMESPACE" help:"Temporal namespace." placeholder:"NAME"`
	Audience        string `env:"FLORIN_AUTH_AUDIENCE" help:"Audience of development tokens." placeholder:"TEXT"`
	DSO             string `help:"DSO party. Default: bench asks the node." name:"dso" placeholder:"PARTY"`

	Scenarios   []string      `default:"tap,wallet-tap,transfer,mixed" enum:"tap,wallet-tap,transfer,mixed,uploaded-create,uploaded-exercise,uploaded-dvp" help:"What to submit; wallet-tap is measured only in mode wait, uploaded-… use contracts of a package that bench uploads." name:"scenario"`
	Modes       []string      `default:"async,wait" enum:"async,wait,grpc" help:"Whether to wait for acknowledgements or for completions; grpc waits for completions over gRPC." name:"mode"`
	Concurrency []int         `default:"1,16,64" help:"Numbers of concurrent clients."`
	Duration    time.Duration `default:"5s" help:"Maximum duration of each measurement."`
	Count       int           `default:"8000" help:"Maximum number of submissions of each measurement."`
	Load        float64       `default:"0.7" help:"Fraction of the highest rate at which latencies are measured."`
	Contention  bool          `help:"Let two clients spend each holding at the same time, so that half of the transfers fail."`
	Overload    bool          `help:"Send far more than the node can do and measure what it completes; measure nothing else."`
	Neighbour   bool          `help:"Measure how much a busy user slows down the requests of another; measure nothing else."`
	Hostile     bool          `help:"Measure taps beside accounts whose uploaded code never ends; measure nothing else."`
	Disk        bool          `help:"Make --count taps at --disk-rate and measure how much disk each takes; measure nothing else."`
	Peer        string        `help:"Compare with Formance Ledger, from this checkout of it, on the node's PostgreSQL server; measure nothing else." placeholder:"DIR" type:"path"`
	Smoke       bool          `help:"Only check that everything works, in a few seconds; the figures mean nothing."`
	JSON        string        `help:"Also write the results to this file." name:"json" placeholder:"FILE" type:"path"`

	OverloadFactor  float64 `default:"10" help:"Rate of --overload, as a multiple of the highest rate."`
	OverloadClients int     `default:"1000" help:"Number of connections of --overload."`

	HostileURL string `help:"Base URL of another process of the node, for the hostile accounts of --hostile." name:"hostile-url" placeholder:"URL"`

	DiskRate float64 `default:"13" help:"Taps per second of --disk."`

	DatabaseURL string `env:"FLORIN_DATABASE_URL" help:"The node's database, to measure PostgreSQL alone too." placeholder:"URL"`
	Secret      string `env:"FLORIN_AUTH_SECRET" help:"Secret of development tokens (florin up: unsafe)." name:"auth-secret" placeholder:"TEXT"`

	// Version is the version of the source tree.
	Version string `kong:"-"`
	// Progress gets a line before each measurement; nil discards it.
	Progress func(string) `kong:"-"`
}

// prepare checks the options and sets derived ones.
func (o *Options) prepare() error {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if o.Peer != "" {
		o.Concurrency = []int{1, 8, goalClients}
	}
	if o.Smoke {
		o.Duration, o.Count, o.Concurrency = min(o.Duration, smokeDuration), min(o.Count, smokeCount), []int{smokeClients}
	}
	switch {
	case len(o.stages(1)) == 0 || len(o.Concurrency) == 0:
		return errors.New("nothing to measure: name at least one --scenario, --mode and --concurrency; " +
			"wallet-tap needs --mode wait")
	case o.Duration <= 0:
		return fmt.Errorf("--duration is %s: it must be above 0", o.Duration)
	case o.Count <= 0:
		return fmt.Errorf("--count is %d: it must be at least 1", o.Count)
	case o.Overload && (o.OverloadFactor <= 0 || o.OverloadClients < 1):
		return fmt.Errorf("--overload-factor is %g and --overload-clients %d: both must be above 0",
			o.OverloadFactor, o.OverloadClients)
	case o.Disk && o.DiskRate <= 0:
		return fmt.Errorf("--disk-rate is %g: it must be above 0", o.DiskRate)
	case o.special() > 1:
		return errors.New("use only one of --disk, --overload, --neighbour, --hostile and --peer")
	case o.Load <= 0 || o.Load > 1:
		return fmt.Errorf("--load is %g: it must be above 0 and at most 1", o.Load)
	}
	for _, concurrency := range o.Concurrency {
		if concurrency < 1 || concurrency > maxConcurrency {
			return fmt.Errorf("--concurrency %d is not from 1 to %d", concurrency, maxConcurrency)
		}
	}
	for _, scenario := range o.Scenarios {
		if !slices.Contains(scenarios, scenario) {
			return fmt.Errorf("there is no scenario %q: choose one of %s", scenario, strings.Join(scenarios, ", "))
		}
	}
	for _, mode := range o.Modes {
		if !slices.Contains([]string{ModeAsync, ModeWait, ModeGRPC}, mode) {
			return fmt.Errorf("there is no mode %q: choose async, wait or grpc", mode)
		}
	}
	return nil
}

// special counts the flags that measure nothing else.
func (o *Options) special() int {
	count := 0
	for _, given := range []bool{o.Disk, o.Overload, o.Neighbour, o.Hostile, o.Peer != ""} {
		if given {
			count++
		}
	}
	return count
}

// stages are the scenarios in each mode, at a number of clients. The wallet answers a tap with its coin, so a client
// cannot but wait.
func (o *Options) stages(concurrency int) []Stage {
	var stages []Stage
	for _, scenario := range o.Scenarios {
		for _, mode := range o.Modes {
			if scenario != ScenarioWalletTap || mode == ModeWait {
				stages = append(stages, Stage{Scenario: scenario, Mode: mode, Concurrency: concurrency})
			}
		}
	}
	return stages
}

// The sizes of a smoke test, which runs each measurement shortly.
const (
	smokeDuration = 200 * time.Millisecond
	smokeCount    = 30
	smokeClients  = 3
)

const (
	// maxConcurrency is less than half of a node's default limit for requests.
	maxConcurrency = 450
	// clientsOfUser is the number of clients of a user. It is below a node's limit for one user, which several
	// processes share, and one client reads completions.
	clientsOfUser = 80
)

// target finds the node: in the run file of `florin up`, unless the options name another.
func (o *Options) target() (runfile.Info, error) {
	target := runfile.Info{Secret: "unsafe", Audience: "https://canton.network.global"}
	if o.URL == "" {
		found, err := runfile.Read(o.DataDir)
		if err != nil {
			return runfile.Info{}, fmt.Errorf("%w; to use another node, name it with --url", err)
		}
		target = found
	}
	target.URL = cmp.Or(o.URL, target.URL)
	target.GRPCAddress = cmp.Or(o.GRPCAddress, target.GRPCAddress)
	target.DatabaseURL = cmp.Or(o.DatabaseURL, target.DatabaseURL)
	target.TemporalAddress = cmp.Or(o.TemporalAddress, target.TemporalAddress)
	if target.GRPCAddress == "" && slices.Contains(o.Modes, ModeGRPC) {
		return runfile.Info{}, errors.New("--mode grpc needs the node's gRPC API: name it with --grpc-address, or start " +
			"the node with --grpc-listen")
	}
	target.Secret = cmp.Or(o.Secret, target.Secret)
	target.Audience = cmp.Or(o.Audience, target.Audience)
	target.DSO = cmp.Or(o.DSO, target.DSO)
	return target, nil
}

// findDSO asks the node for the DSO party.
func findDSO(ctx context.Context, admin *client.Client) (string, error) {
	parties, err := admin.Parties(ctx, "DSO::")
	if err != nil {
		return "", err
	}
	if len(parties) != 1 {
		return "", fmt.Errorf("the node knows %d parties DSO::…: name the right one with --dso", len(parties))
	}
	return parties[0], nil
}
