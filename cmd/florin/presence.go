package main

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/wait"
)

const (
	// beatPause is between two beats: several fit into the silence after which a process counts as gone.
	beatPause = 2 * time.Second
	// beatTimeout bounds a beat.
	beatTimeout = 3 * time.Second
)

// presence tells the other processes of the ledger that this one runs, and whether it has a worker.
type presence struct {
	node *node
	self db.Process
	// works is true while the worker of this process takes tasks.
	works atomic.Bool
	// silent is set while the database does not take that this process runs, and so probably of none.
	silent  atomic.Bool
	stop    context.CancelFunc
	stopped chan struct{}
}

// enterLedger notes that this process runs, and from then on that it still does.
func (n *node) enterLedger(ctx, background context.Context) error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	p := &presence{
		node: n, self: db.Process{Role: n.options.roles.String(), Host: host, Version: version},
		stopped: make(chan struct{}),
	}
	if err := n.database.Enter(ctx, p.self); err != nil {
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

// run says so from time to time until ctx ends.
func (p *presence) run(ctx context.Context) {
	defer close(p.stopped)
	for wait.For(ctx, beatPause) == nil {
		err := p.beat(ctx)
		if before := p.silent.Swap(err != nil); err != nil && !before && ctx.Err() == nil {
			p.node.options.log.WarnContext(ctx, "others cannot be told that this process runs", "error", err)
		}
	}
}

// beat says that this process runs; that it works, if its worker reaches Temporal.
func (p *presence) beat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, beatTimeout)
	defer cancel()
	self := p.self
	self.Works = p.works.Load() && p.node.client.Ping(ctx) == nil
	return errors.Join(p.node.database.Beat(ctx, self), p.node.countAPIs(ctx))
}

// begins notes that the worker of this process takes tasks, and says so at once.
func (p *presence) begins(ctx context.Context) error {
	p.works.Store(true)
	return p.beat(ctx)
}

// ends says that the worker takes no more tasks. Others find out by themselves if it cannot be said.
func (p *presence) ends(ctx context.Context) {
	if p == nil || !p.works.Swap(false) {
		return
	}
	_ = p.beat(ctx) // see above
}

// leave says that this process ends.
func (p *presence) leave(ctx context.Context) {
	if p == nil {
		return
	}
	p.stop()
	<-p.stopped
	ctx, cancel := context.WithTimeout(ctx, beatTimeout)
	defer cancel()
	if err := p.node.database.Leave(ctx); err != nil {
		p.node.options.log.WarnContext(ctx, "others cannot be told that this process ends", "error", err)
	}
}

// workers are the names of the processes whose workers run, as far as they have said so. The process itself knows.
func (n *node) workers(ctx context.Context) ([]string, error) {
	if n.presence.silent.Load() {
		return nil, errors.New("the record takes no word of who runs")
	}
	names, err := n.database.Workers(ctx)
	if n.presence.works.Load() {
		names = append(names, n.database.Name())
	}
	return names, err
}
