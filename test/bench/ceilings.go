package main

import (
	"context"
	"fmt"
	"time"

	"github.com/florinledger/florin/client"
)

// takeFootprints submits one tap and one transfer and keeps the rows that they wrote.
func (r *run) takeFootprints(ctx context.Context) error {
	if r.postgres == nil {
		return nil
	}
	w := r.wallets[0]
	if err := r.fund(ctx, []*wallet{w}, 1); err != nil {
		return err
	}
	transfer, err := r.transfer("footprint", w)
	if err != nil {
		return err
	}
	for scenario, submission := range map[string]client.Commands{
		ScenarioTap: r.tap("footprint", w), ScenarioTransfer: transfer,
	} {
		outcome, err := r.client.SubmitAndWait(ctx, submission)
		if err != nil {
			return fmt.Errorf("submit one %s: %w", scenario, err)
		}
		written, err := r.postgres.footprintOf(ctx, outcome.CompletionOffset)
		if err != nil {
			return err
		}
		r.footprints[scenario] = []footprint{written}
	}
	r.footprints[ScenarioMixed] = []footprint{r.footprints[ScenarioTransfer][0], r.footprints[ScenarioTap][0]}
	return nil
}

// ceilings measures every part alone, at a number of clients. The second time it adds to the first.
func (r *run) ceilings(ctx context.Context, concurrency int) error {
	r.options.Progress(fmt.Sprintf("%d clients: HTTP alone", concurrency))
	readOffset := func(ctx context.Context, worker int) error {
		_, err := r.wallets[worker].client.LedgerEnd(ctx)
		return err
	}
	if err := r.ceiling(ctx, Ceiling{Of: CeilingHTTP, Concurrency: concurrency}, concurrency, readOffset); err != nil {
		return err
	}
	if r.temporal != nil {
		if err := r.temporalCeiling(ctx, concurrency); err != nil {
			return err
		}
	}
	if r.postgres == nil {
		return nil
	}
	for _, scenario := range r.options.Scenarios {
		if r.footprints[scenario] == nil {
			continue // the wallet's route: its goal compares it with taps
		}
		r.options.Progress(fmt.Sprintf("%d clients: PostgreSQL alone, rows of %s", concurrency, scenario))
		if err := r.postgresCeiling(ctx, scenario, concurrency); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) temporalCeiling(ctx context.Context, concurrency int) error {
	r.options.Progress(fmt.Sprintf("%d clients: Temporal alone", concurrency))
	if err := r.temporal.startWorker(); err != nil {
		return fmt.Errorf("start a worker for empty workflows: %w", err)
	}
	defer r.temporal.stopWorker()
	return r.ceiling(ctx, Ceiling{Of: CeilingTemporal, Concurrency: concurrency}, concurrency, r.temporal.startToResult)
}

// postgresCeiling commits the submissions of all clients together, one commit after the other: a record has one
// sequence of commits, and the largest commit holds all waiting submissions.
func (r *run) postgresCeiling(ctx context.Context, scenario string, concurrency int) error {
	group := make([]footprint, concurrency)
	turn := 0
	commit := func(ctx context.Context, _ int) error {
		written := r.footprints[scenario]
		for i := range group {
			group[i] = written[turn%len(written)]
			turn++
		}
		return r.postgres.commit(ctx, group)
	}
	measured := Ceiling{Of: CeilingPostgres, Scenario: scenario, Concurrency: concurrency}
	return r.ceiling(ctx, measured, 1, commit)
}

// ceiling measures an operation. Each counts as one submission for each client of its worker.
func (r *run) ceiling(ctx context.Context, c Ceiling, workers int, do operation) error {
	warmUp := bound{duration: min(r.options.Duration, warmUpDuration) / 2, operations: r.options.Count}
	if _, err := closedLoop(ctx, workers, warmUp, do); err != nil {
		return fmt.Errorf("measure %s alone: %w", c.Of, err)
	}
	// Only time limits requests that read, because they need no preparation.
	until := bound{duration: r.options.Duration, operations: int(time.Hour.Milliseconds())}
	before := r.meter.read(ctx)
	measured, err := closedLoop(ctx, workers, until, do)
	if err != nil {
		return fmt.Errorf("measure %s alone: %w", c.Of, err)
	}
	if measured.done == 0 {
		return fmt.Errorf("measure %s alone: every operation failed: %w", c.Of, measured.refusal)
	}
	submissions := measured.done * c.Concurrency / workers
	c.CPU = perSubmission(before, r.meter.read(ctx), submissions)
	perSecond := float64(submissions) / measured.elapsed.Seconds()
	if known := r.report.ceiling(c.Of, c.Scenario, c.Concurrency); known != nil {
		known.After = &perSecond
		known.CPU = known.CPU.mean(c.CPU)
		return nil
	}
	c.Before, c.Latency = perSecond, spread(measured.latencies)
	r.report.Ceilings = append(r.report.Ceilings, c)
	return nil
}
