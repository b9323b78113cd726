package node

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/wait"
)

const (
	// heartbeatInterval is the time between two heartbeats. Several fit into [db.ProcessSilence].
	heartbeatInterval = 2 * time.Second
	// heartbeatTimeout bounds a heartbeat.
	heartbeatTimeout = 3 * time.Second
)

// presence tells the other processes of the ledger that this one runs, and whether it has a worker.
type presence struct {
	node *Node
	self db.Process
	// hasWorker is true while the worker of this process takes tasks.
	hasWorker atomic.Bool
	// lastFailure is the time of the last failed heartbeat; nil if none failed.
	lastFailure atomic.Pointer[time.Time]
	stop        context.CancelFunc
	stopped     chan struct{}
}

// enterLedger records that this process runs, and starts its heartbeats.
func (n *Node) enterLedger(ctx, background context.Context) error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	p := &presence{
		node: n, self: db.Process{Role: n.options.Roles.String(), Host: host, Version: n.options.Version},
		stopped: make(chan struct{}),
	}
	if err := n.Database.Enter(ctx, p.self); err != nil {
		return err
	}
	if err := n.countAPIs(ctx); err != nil {
		return err
	}
	var lifetime context.Context
	lifetime, p.stop = context.WithCancel(background)
	n.presence = p
	go p.run(lifetime)
	return nil
}

func (p *presence) run(ctx context.Context) {
	defer close(p.stopped)
	trouble := wait.Trouble{Log: p.node.options.Log, What: "the database does not take the heartbeat of this process"}
	trouble.Every(ctx, heartbeatInterval, func(ctx context.Context) error {
		err := p.heartbeat(ctx)
		if err != nil {
			p.noteFailure(time.Now())
		}
		return err
	})
}

// heartbeat records that this process runs, and whether its worker reaches Temporal.
func (p *presence) heartbeat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, heartbeatTimeout)
	defer cancel()
	self := p.self
	self.Works = p.hasWorker.Load() && p.node.client.Ping(ctx) == nil
	return errors.Join(p.node.Database.Beat(ctx, self), p.node.countAPIs(ctx))
}

func (p *presence) noteFailure(now time.Time) { p.lastFailure.Store(&now) }

// hearsOthers reports whether a process without heartbeats is gone. After an outage of the database this is not known
// until the others have had time for a heartbeat.
func (p *presence) hearsOthers(now time.Time) bool {
	failure := p.lastFailure.Load()
	return failure == nil || now.Sub(*failure) > db.ProcessSilence
}

// workerStarted records at once that the worker of this process takes tasks.
func (p *presence) workerStarted(ctx context.Context) error {
	p.hasWorker.Store(true)
	return p.heartbeat(ctx)
}

// workerStopping records that the worker takes no more tasks. If that fails, others find out by themselves.
func (p *presence) workerStopping(ctx context.Context) {
	if p == nil || !p.hasWorker.Swap(false) {
		return
	}
	_ = p.heartbeat(ctx) // see above
}

// leave records that this process ends.
func (p *presence) leave(ctx context.Context) {
	if p == nil {
		return
	}
	p.stop()
	<-p.stopped
	ctx, cancel := context.WithTimeout(ctx, heartbeatTimeout)
	defer cancel()
	if err := p.node.Database.Leave(ctx); err != nil {
		p.node.options.Log.WarnContext(ctx,
			"the database does not take the end of this process; others will notice it by missing heartbeats", "error", err)
	}
}

// workers returns the names of the processes with a running worker, by their heartbeats. For its own worker it needs no
// heartbeat.
func (n *Node) workers(ctx context.Context) ([]string, error) {
	if !n.presence.hearsOthers(time.Now()) {
		return nil, errors.New("a heartbeat failed a moment ago, so it is not known which workers run")
	}
	names, err := n.Database.Workers(ctx)
	if n.presence.hasWorker.Load() {
		names = append(names, n.Database.Name())
	}
	return names, err
}
