package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/devnet/runfile"
	"github.com/florinledger/florin/test/calls"
)

// run is one benchmark under way.
type run struct {
	options Options
	target  runfile.Info
	name    string // the beginning of all names in the run
	version string // of the API
	client  *client.Client
	calls   *calls.Client // nil without --mode grpc
	// hostileClient is for the hostile accounts; nil for the client of all.
	hostileClient *client.Client
	coin          client.Coin
	// goods is the beginning of the template ids of the package of goods; "" before its upload.
	goods   string
	wallets []*wallet
	users   []string // that act for the wallets
	meter   meter
	report  *Report

	temporal   *bareTemporal // nil without its address
	postgres   *barePostgres // nil without its URL
	footprints map[string][]footprint
	sequence   atomic.Int64
}

// Run measures a running node and the ceilings under it, and prints a table. It leaves parties, coin and finished
// workflows behind. A missed goal is not an error.
func Run(ctx context.Context, options Options, out io.Writer) (err error) {
	if err := options.prepare(); err != nil {
		return err
	}
	r, err := newRun(options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close(ctx)) }()
	if options.special() == 0 {
		if err := r.rest(ctx); err != nil {
			return err
		}
	}
	if err := r.connect(ctx); err != nil {
		return err
	}
	if err := r.measure(ctx); err != nil {
		return err
	}
	r.report.Machine.LoadAfter = loadAverage(procDir)
	r.report.relate()
	r.report.judge()
	if options.JSON != "" {
		if err := r.report.save(options.JSON); err != nil {
			return err
		}
	}
	return r.report.print(out)
}

func newRun(options Options) (*run, error) {
	target, err := options.target()
	if err != nil {
		return nil, err
	}
	clients := 0
	for _, concurrency := range options.Concurrency {
		clients = max(clients, concurrency)
	}
	r := &run{
		options: options, target: target, name: "bench-" + strings.ToLower(rand.Text()[:8]),
		client:  client.New(target.URL, clients+setupParallel),
		wallets: make([]*wallet, clients), meter: meter{pids: target.PIDs}, footprints: map[string][]footprint{},
		report: &Report{
			StartedAt: time.Now().UTC(), Machine: describeMachine(procDir), Ceilings: []Ceiling{}, Stages: []Stage{},
			Settings: Settings{
				DurationSeconds: options.Duration.Seconds(), Count: options.Count, Load: options.Load,
				Contention: options.Contention, Smoke: options.Smoke,
			},
		},
	}
	if options.HostileURL != "" {
		r.hostileClient = client.New(options.HostileURL, hostileAccounts*hostileClients)
	}
	if slices.Contains(options.Modes, ModeGRPC) {
		if r.calls, err = calls.Dial(target.GRPCAddress); err != nil {
			return nil, err
		}
	}
	spends := 1
	if options.Contention {
		spends = 2
	}
	for i := range r.wallets {
		r.wallets[i] = &wallet{spends: spends}
	}
	return r, nil
}

// connect connects to the known parts under the node.
func (r *run) connect(ctx context.Context) (err error) {
	r.report.Machine.Florin = r.options.Version
	if r.target.TemporalAddress != "" {
		r.temporal, err = dialTemporal(ctx, r.target.TemporalAddress, r.options.Namespace, r.name)
		if err != nil {
			return err
		}
		r.report.Machine.Temporal = r.temporal.version(ctx)
	} else {
		r.options.Progress("Temporal is not measured: --temporal-address is missing")
	}
	if r.target.DatabaseURL == "" {
		r.options.Progress("PostgreSQL is not measured: --database-url is missing")
		return nil
	}
	pool, err := pgxpool.New(ctx, r.target.DatabaseURL)
	if err != nil {
		return fmt.Errorf("invalid database URL: %w", err)
	}
	r.meter.database = pool
	if err := pool.QueryRow(ctx, "SHOW server_version").Scan(&r.report.Machine.Postgres); err != nil {
		return fmt.Errorf("cannot reach the database: %w", err)
	}
	r.postgres, err = openScratch(ctx, pool)
	return err
}

func (r *run) close(ctx context.Context) error {
	var err error
	if r.postgres != nil {
		err = r.postgres.close(ctx)
	}
	if r.meter.database != nil {
		r.meter.database.Close()
	}
	if r.temporal != nil {
		r.temporal.client.Close()
	}
	r.client.Close()
	if r.calls != nil {
		err = errors.Join(err, r.calls.Close())
	}
	return err
}

// measure measures the ceilings, the stages, and the ceilings again for each number of clients.
func (r *run) measure(ctx context.Context) error {
	if err := r.setUp(ctx); err != nil {
		return err
	}
	r.report.Machine.API = r.version
	if r.options.Overload {
		return r.overload(ctx)
	}
	if r.options.Neighbour {
		return r.neighbour(ctx)
	}
	if r.options.Hostile {
		return r.hostile(ctx)
	}
	if r.options.Disk {
		return r.disk(ctx)
	}
	if r.options.Peer != "" {
		return r.peers(ctx)
	}
	if err := r.takeFootprints(ctx); err != nil {
		return err
	}
	if err := r.idle(ctx); err != nil {
		return fmt.Errorf("measure the idle node: %w", err)
	}
	for _, concurrency := range r.options.Concurrency {
		if err := r.ceilings(ctx, concurrency); err != nil {
			return err
		}
		for _, stage := range r.options.stages(concurrency) {
			if err := r.stage(ctx, &stage); err != nil {
				return fmt.Errorf("measure %s, %s, %d clients: %w", stage.Scenario, stage.Mode, concurrency, err)
			}
			r.report.Stages = append(r.report.Stages, stage)
		}
		if err := r.ceilings(ctx, concurrency); err != nil {
			return err
		}
	}
	return nil
}
