package main

import (
	"context"
	"fmt"
	"time"

	"github.com/florinledger/florin/internal/wait"
)

const (
	// idleRounds is the number of repetitions on the idle node, idlePause the pause between two.
	idleRounds = 100
	idlePause  = 40 * time.Millisecond
	idleSmoke  = 5
)

// restDuration is the time for which the node at rest is measured.
const restDuration = 20 * time.Second

// Rest is the usage of a node while nobody asks it.
type Rest struct {
	Seconds float64 `json:"seconds"`
	// CPU is in percent of one core.
	CPU    CPU    `json:"cpuPercent"`
	Memory Memory `json:"memoryMb"`
}

// cpu is the percent of one core that all parts of the node take; nil if one is unknown.
func (r *Rest) cpu() *float64 { return sum(r.CPU.Node, r.CPU.Temporal, r.CPU.Postgres) }

// rest measures the node at rest. It comes before any connection of the bench.
func (r *run) rest(ctx context.Context) error {
	if r.meter.pids.Node <= 0 {
		return nil
	}
	duration := restDuration
	if r.options.Smoke {
		duration = smokeDuration
	}
	r.options.Progress(fmt.Sprintf("the node at rest, for %s", duration))
	before := r.meter.read(ctx)
	if err := wait.For(ctx, duration); err != nil {
		return err
	}
	const percentTime = 100 * time.Millisecond // milliseconds in this time are percent
	r.report.Rest = &Rest{
		Seconds: duration.Seconds(), CPU: perSubmission(before, r.meter.read(ctx), int(duration/percentTime)),
		Memory: r.meter.memory(),
	}
	return nil
}

// idle measures a bare workflow, an acknowledged and an awaited submission in turn, so that a disturbance of the
// machine affects all of them.
func (r *run) idle(ctx context.Context) error {
	if r.temporal == nil {
		return nil
	}
	r.options.Progress("one at a time on the idle node")
	if err := r.temporal.startWorker(); err != nil {
		return err
	}
	defer r.temporal.stopWorker()
	rounds := idleRounds
	if r.options.Smoke {
		rounds = idleSmoke
	}
	var starts, results, acknowledgements, completions []time.Duration
	for range rounds {
		began := time.Now()
		started, err := r.temporal.start(ctx)
		starts = append(starts, time.Since(began))
		if err != nil {
			return err
		}
		if err := started.Get(ctx, nil); err != nil {
			return err
		}
		results = append(results, time.Since(began))
		if err := wait.For(ctx, idlePause); err != nil {
			return err
		}
		began = time.Now()
		if err := r.client.Submit(ctx, r.tap("idle", r.wallets[0])); err != nil {
			return err
		}
		acknowledgements = append(acknowledgements, time.Since(began))
		if err := wait.For(ctx, idlePause); err != nil {
			return err
		}
		began = time.Now()
		if _, err := r.client.SubmitAndWait(ctx, r.tap("idle", r.wallets[0])); err != nil {
			return err
		}
		completions = append(completions, time.Since(began))
		if err := wait.For(ctx, idlePause); err != nil {
			return err
		}
	}
	const warm = 2 // the first rounds open connections
	r.report.Idle = &Idle{
		BareStart: spread(starts[warm:]), BareResult: spread(results[warm:]),
		Acknowledgement: spread(acknowledgements[warm:]), Completion: spread(completions[warm:]),
	}
	return nil
}
