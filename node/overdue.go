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
	// overdueInterval is between two looks at what is due.
	overdueInterval = 5 * time.Second
	// overdueTimeout bounds one look.
	overdueTimeout = 10 * time.Second
)

// overdue knows for how long lifecycles and automation have been due.
type overdue struct {
	node *Node

	mu sync.Mutex
	// moved is when the ledger's clock was moved last, as far as this process knows, in real time.
	moved                 time.Time
	lifecycle, automation db.Oldest
}

func newOverdue(n *Node) *overdue {
	o := &overdue{node: n}
	n.watcher.OnClockChange(func(db.ClockState) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.moved = time.Now()
	})
	return o
}

// run looks from time to time until ctx ends.
func (o *overdue) run(ctx context.Context) {
	trouble := wait.Trouble{Log: o.node.options.Log, What: "what is due could not be looked at"}
	trouble.Every(ctx, overdueInterval, func(ctx context.Context) error {
		err := o.look(ctx)
		if err != nil {
			o.forget()
		}
		return err
	})
}

func (o *overdue) look(ctx context.Context) error {
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
	o.node.metrics.Overdue(lifecycle.All, automation.All)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lifecycle, o.automation = lifecycle, automation
	return nil
}

// forget drops what was seen last, which may have changed since.
func (o *overdue) forget() {
	o.node.metrics.OverdueUnknown()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lifecycle, o.automation = db.Oldest{}, db.Oldest{}
}

// check warns when lifecycles or automation do not get on, though commits do. All nodes see the same, and requests
// work, so no node says that it is not ready. A backlog of one account does not count. The limit is doubled, so that
// slow commits, on which these depend, are reported first.
func (o *overdue) check(limit time.Duration) []api.Part {
	o.mu.Lock()
	defer o.mu.Unlock()
	limit *= 2
	return []api.Part{
		{Name: "lifecycles", Warning: tooLong("a lifecycle was called and has not looked for %s", o.lifecycle.Stuck, limit)},
		{Name: "automation", Warning: tooLong("automation was due for %s and looks at nothing", o.automation.Stuck, limit)},
	}
}

func tooLong(what string, lasts, limit time.Duration) string {
	if lasts <= limit {
		return ""
	}
	return fmt.Sprintf(what, lasts.Round(time.Second))
}
