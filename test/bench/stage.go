package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

const (
	// warmUpDuration is the time to open connections, fill caches and adapt the size of batches.
	warmUpDuration = time.Second
	// warmUpHoldings limits the holdings that a warm-up spends, in all wallets together.
	warmUpHoldings = 400
	// headroom is the factor of prepared holdings to those at the rate of the warm-up, for a load that gets faster.
	headroom = 1.5
)

// stage measures the highest rate with its costs, and then the latencies at a part of that rate.
func (r *run) stage(ctx context.Context, s *Stage) error {
	label := fmt.Sprintf("%d clients: %s, %s", s.Concurrency, s.Scenario, s.Mode)
	prefix := fmt.Sprintf("%d-%s-%s", s.Concurrency, s.Scenario, s.Mode)
	wallets := r.wallets[:s.Concurrency]
	if s.Scenario == ScenarioWalletTap {
		if err := r.onboard(ctx, wallets); err != nil {
			return err
		}
	}
	r.options.Progress(label + ": warm up")
	warm := bound{duration: min(warmUpDuration, r.options.Duration), operations: r.options.Count}
	warmed, err := r.submit(ctx, s, prefix+"-warm", wallets, warmUpHoldings, warm)
	if err != nil {
		return err
	}
	expected := min(int(headroom*warmed.load.perSecond()*r.options.Duration.Seconds())+1, r.options.Count)
	r.options.Progress(label + ": highest rate")
	if err := r.highestRate(ctx, s, prefix+"-rate", wallets, expected); err != nil {
		return err
	}
	if s.PerSecond == 0 {
		return fmt.Errorf("the node accepted no submission: %s", s.Refusal)
	}
	r.options.Progress(fmt.Sprintf("%s: %.0f per second; next: latencies at %.0f %% of it", label, s.PerSecond,
		r.options.Load*percent))
	if err := r.latencies(ctx, s, prefix+"-latency", wallets); err != nil {
		return err
	}
	s.Memory = r.meter.memory()
	return nil
}

// highestRate submits in a closed loop, and measures the costs.
func (r *run) highestRate(ctx context.Context, s *Stage, prefix string, wallets []*wallet, expected int) error {
	if err := r.provide(ctx, s.Scenario, wallets, expected); err != nil {
		return err
	}
	users := r.users
	if s.Scenario == ScenarioWalletTap {
		users = ownersOf(wallets)
	}
	workflows, err := r.workflows(ctx, users)
	if err != nil {
		return err
	}
	before := r.meter.read(ctx)
	d, err := r.submit(ctx, s, prefix, wallets, expected,
		bound{duration: r.options.Duration, operations: r.options.Count})
	if err != nil {
		return err
	}
	s.CPU = perSubmission(before, r.meter.read(ctx), d.accepted+d.refused)
	s.Accepted, s.Refused, s.Refusal = d.accepted, d.refused, d.refusal
	s.Seconds, s.LoadAverage = d.elapsed.Seconds(), loadAverage(procDir)
	s.PerSecond = float64(d.accepted) / s.Seconds
	after, err := r.workflows(ctx, users)
	if err == nil && after > workflows {
		share := float64(d.accepted+d.refused) / float64(after-workflows)
		s.PerWorkflow = &share
	}
	return err
}

// loadResult is the result of a load with the completions of acknowledged submissions.
type loadResult struct {
	load     load
	accepted int
	refused  int
	refusal  string
	elapsed  time.Duration // until the last completion
}

// submit runs the scenario in a closed loop and waits until everything has completed.
func (r *run) submit(
	ctx context.Context, s *Stage, prefix string, wallets []*wallet, submissions int, until bound,
) (loadResult, error) {
	if err := r.provide(ctx, s.Scenario, wallets, submissions); err != nil {
		return loadResult{}, err
	}
	do, err := r.operation(prefix, s.Scenario, s.Mode, wallets)
	if err != nil {
		return loadResult{}, err
	}
	collector, err := r.collect(ctx, prefix, wallets)
	if err != nil {
		return loadResult{}, err
	}
	started := time.Now()
	var d loadResult
	if s.Mode == ModeAsync {
		d, err = r.driveAcknowledged(ctx, collector, len(wallets), until, do)
	} else {
		d.load, err = closedLoop(ctx, len(wallets), until, do)
		d.accepted, d.elapsed = d.load.done, d.load.elapsed
	}
	if err != nil {
		return loadResult{}, err
	}
	if s.Mode == ModeAsync {
		d.elapsed = max(d.load.elapsed, collector.last.Sub(started)-completionIdle)
	}
	d.refused += d.load.refused
	if d.load.refusal != nil {
		d.refusal = d.load.refusal.Error()
	}
	return d, nil
}

// driveAcknowledged reads the completions in parallel, and waits for the last one.
func (r *run) driveAcknowledged(
	ctx context.Context, c *collector, workers int, until bound, do operation,
) (loadResult, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	acknowledged, collected := make(chan int, 1), make(chan error, 1)
	go func() { collected <- c.follow(ctx, acknowledged) }()
	l, err := closedLoop(ctx, workers, until, do)
	if err != nil {
		cancel()
		return loadResult{}, errors.Join(err, <-collected)
	}
	acknowledged <- l.done
	if err := <-collected; err != nil {
		return loadResult{}, err
	}
	return loadResult{load: l, accepted: c.accepted, refused: c.refused, refusal: c.refusal}, nil
}

// collect makes a collector of the completions after now.
func (r *run) collect(ctx context.Context, prefix string, wallets []*wallet) (*collector, error) {
	end, err := r.client.LedgerEnd(ctx)
	if err != nil {
		return nil, err
	}
	c := &collector{prefix: r.name + "-" + prefix + "-", last: time.Now()}
	for shared := range slices.Chunk(wallets, clientsOfUser) {
		reader := completionReader{client: shared[0].client, offset: end}
		for _, w := range shared {
			reader.parties = append(reader.parties, w.receiver) // it acts in taps and in transfers
		}
		c.readers = append(c.readers, &reader)
	}
	return c, nil
}

// workflows is the number of the users' workflows until now; -1 if it is unknown.
func (r *run) workflows(ctx context.Context, users []string) (int64, error) {
	if r.temporal == nil {
		return -1, nil
	}
	return r.temporal.workflowsOf(ctx, users)
}

func ownersOf(wallets []*wallet) []string {
	users := make([]string, len(wallets))
	for i, w := range wallets {
		users[i] = w.owner.user
	}
	return users
}

// latencies submits in an open loop.
func (r *run) latencies(ctx context.Context, s *Stage, prefix string, wallets []*wallet) error {
	s.OfferedPerSecond = s.PerSecond * r.options.Load
	submissions := min(int(s.OfferedPerSecond*r.options.Duration.Seconds())+1, r.options.Count)
	if err := r.provide(ctx, s.Scenario, wallets, submissions); err != nil {
		return err
	}
	do, err := r.operation(prefix, s.Scenario, s.Mode, wallets)
	if err != nil {
		return err
	}
	timed, err := openLoop(ctx, len(wallets), s.OfferedPerSecond, submissions, do)
	s.Latency = spread(timed.latencies)
	return err
}
