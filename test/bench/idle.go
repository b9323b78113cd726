package main

import (
	"context"
	"time"

	"github.com/florinledger/florin/internal/wait"
)

const (
	// idleRounds is the number of repetitions on the idle node, idlePause the pause between two.
	idleRounds = 100
	idlePause  = 40 * time.Millisecond
	idleSmoke  = 5
)

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
