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
	// heartbeatInterval is between two heartbeats: several fit into the silence after which a process counts as gone.
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
	// missedUntil is when it took none last; nil when it has taken all.
	missedUntil atomic.Pointer[time.Time]
	stop        context.CancelFunc
	stopped     chan struct{}
}

// enterLedger notes that this process runs, and from then on that it still does.
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
	var beating context.Context
	beating, p.stop = context.WithCancel(background)
	n.presence = p
	go p.run(beating)
	return nil
}

// run notes that this process runs, again and again, until ctx ends.
func (p *presence) run(ctx context.Context) {
	defer close(p.stopped)
	trouble := wait.Trouble{Log: p.node.options.Log, What: "others cannot be told that this process runs"}
	trouble.Every(ctx, heartbeatInterval, func(ctx context.Context) error {
		err := p.heartbeat(ctx)
		if err != nil {
			p.missed(time.Now())
		}
		return err
	})
}

// heartbeat notes that this process runs, and whether its worker reaches Temporal.
func (p *presence) heartbeat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, heartbeatTimeout)
	defer cancel()
	self := p.self
	self.Works = p.hasWorker.Load() && p.node.client.Ping(ctx) == nil
	return errors.Join(p.node.Database.Beat(ctx, self), p.node.countAPIs(ctx))
}

// missed notes that the database took no heartbeat.
func (p *presence) missed(now time.Time) { p.missedUntil.Store(&now) }

// hearsOthers reports whether a process that has said nothing is gone: the database has taken heartbeats for as long as
// one may be silent. After an outage the others need a moment to say that they run.
func (p *presence) hearsOthers(now time.Time) bool {
	missed := p.missedUntil.Load()
	return missed == nil || now.Sub(*missed) > db.ProcessSilence
}

// workerStarted notes at once that the worker of this process takes tasks.
func (p *presence) workerStarted(ctx context.Context) error {
	p.hasWorker.Store(true)
	return p.heartbeat(ctx)
}

// workerStopping notes that the worker takes no more tasks. Others find out by themselves if it cannot be noted.
func (p *presence) workerStopping(ctx context.Context) {
	if p == nil || !p.hasWorker.Swap(false) {
		return
	}
	_ = p.heartbeat(ctx) // see above
}

// leave notes that this process ends.
func (p *presence) leave(ctx context.Context) {
	if p == nil {
		return
	}
	p.stop()
	<-p.stopped
	ctx, cancel := context.WithTimeout(ctx, heartbeatTimeout)
	defer cancel()
	if err := p.node.Database.Leave(ctx); err != nil {
		p.node.options.Log.WarnContext(ctx, "others cannot be told that this process ends", "error", err)
	}
}

// workers are the names of the processes whose workers run, as far as they have said so. The process itself knows.
func (n *Node) workers(ctx context.Context) ([]string, error) {
	if !n.presence.hearsOthers(time.Now()) {
		return nil, errors.New("the record took no word of who runs a moment ago")
	}
	names, err := n.Database.Workers(ctx)
	if n.presence.hasWorker.Load() {
		names = append(names, n.Database.Name())
	}
	return names, err
}
