package node

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/florinledger/florin/api"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/wait"
)

const (
	// overdueInterval is the time between two measurements.
	overdueInterval = 5 * time.Second
	// overdueTimeout bounds one measurement.
	overdueTimeout = 10 * time.Second
)

// overdue measures how long lifecycles and automation have been due, and which webhooks fail.
type overdue struct {
	node *Node

	mu sync.Mutex
	// moved is the real time at which somebody last moved the ledger's clock, as far as this process knows.
	moved                 time.Time
	lifecycle, automation db.Oldest
	stuck                 db.StuckLifecycles
	webhooks              db.FailingWebhook
	// lost is true after a measurement that failed.
	lost bool

	logStuck wait.Trouble
}

func newOverdue(n *Node) *overdue {
	o := &overdue{node: n, logStuck: wait.Trouble{Log: n.options.Log, What: "lifecycles are stuck"}}
	n.watcher.OnClockChange(func(db.ClockState) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.moved = time.Now()
	})
	return o
}

// run measures until ctx ends.
func (o *overdue) run(ctx context.Context) {
	trouble := wait.Trouble{Log: o.node.options.Log, What: "the node cannot measure how long work is overdue"}
	trouble.Every(ctx, overdueInterval, func(ctx context.Context) error {
		err := o.measure(ctx)
		if err != nil {
			o.forget()
		}
		return err
	})
}

func (o *overdue) measure(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, overdueTimeout)
	defer cancel()
	o.mu.Lock()
	moved := o.moved
	o.mu.Unlock()
	query := db.OldestQuery{
		LedgerTime: o.node.clock.Now(), Moved: time.Since(moved), Idle: o.node.options.Settings.MaxCommitWait,
	}
	lifecycle, err := o.node.Database.OldestLifecycle(ctx, query)
	if err != nil {
		return err
	}
	automation, err := o.node.Database.OldestTask(ctx, query)
	if err != nil {
		return err
	}
	stuck, err := o.node.Database.StuckLifecycles(ctx)
	if err != nil {
		return err
	}
	webhooks, err := o.node.Database.FailingWebhook(ctx, failingTries, webhooksPart)
	if err != nil {
		return err
	}
	var why error
	if stuck.Count > 0 { // /readyz is public, so only the log names a workflow
		why = fmt.Errorf("%d cannot go on; one of them is %s: %s", stuck.Count, stuck.WorkflowID, stuck.Reason)
	}
	o.logStuck.Note(ctx, why)
	o.node.metrics.Overdue(lifecycle.All, automation.All, stuck.Count)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lifecycle, o.automation, o.stuck, o.webhooks, o.lost = lifecycle, automation, stuck, webhooks, false
	return nil
}

// forget drops the last measurement, which may be out of date.
func (o *overdue) forget() {
	o.node.metrics.OverdueUnknown()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lost = true
}

// isEcho reports whether webhooks fail with nothing but alarms about webhooks.
func (o *overdue) isEcho() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.webhooks.OnlyAlarms
}

// check warns if lifecycles or automation make no progress although commits do, or if webhooks fail. The node stays ready:
// all nodes see the same, and requests work. A backlog of one account does not count. The limit is doubled, so that slow commits, which
// slow these down too, are reported first.
func (o *overdue) check(limit time.Duration) []api.Part {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lost {
		const why = "its check needs the database"
		return []api.Part{
			{Name: "lifecycles", Unknown: why}, {Name: "automation", Unknown: why}, {Name: webhooksPart, Unknown: why},
		}
	}
	limit *= 2
	lifecycles := tooLong("a lifecycle has been due for %s and does not run", o.lifecycle.Stuck, limit)
	if o.stuck.Count > 0 {
		lifecycles = fmt.Sprintf("%d cannot go on; `florin logs` names one with its reason: lifecycles are stuck", o.stuck.Count)
	}
	return []api.Part{
		{Name: "lifecycles", Warning: lifecycles},
		{Name: "automation", Warning: tooLong("automation has been due for %s and does not run", o.automation.Stuck, limit)},
		{Name: webhooksPart, Warning: failingWebhook(o.webhooks)},
	}
}

func tooLong(format string, delay, limit time.Duration) string {
	if delay <= limit {
		return ""
	}
	return fmt.Sprintf(format, delay.Round(time.Second))
}
