package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/florinledger/florin/wait"
	"github.com/florinledger/florin/workflows"
)

const (
	// namespaceInterval is between two looks whose the namespace is.
	namespaceInterval = 5 * time.Second
	// namespaceTimeout bounds one look.
	namespaceTimeout = 10 * time.Second
)

// namespaceWatch sees to it that the Temporal namespace stays this ledger's while the process runs.
type namespaceWatch struct {
	node  *node
	claim workflows.NamespaceClaim
	// lost says whose it is now; nil while it is this ledger's, as far as this process knows.
	lost atomic.Pointer[workflows.OtherOwnerError]
}

// err is nil while the namespace is this ledger's.
func (w *namespaceWatch) err() error {
	if lost := w.lost.Load(); lost != nil {
		return lost
	}
	return nil
}

// errWorkerEnded ends a process whose worker had stopped, once there is work for it again.
var errWorkerEnded = errors.New("the Temporal namespace is this ledger's again, and the worker of this process had " +
	"stopped when it was not: this process ends, so that its supervisor starts it again")

// run looks from time to time until ctx ends. A worker that has stopped begins again with its process, which ends for
// that when the namespace is its own again. Until then it serves what it can.
func (w *namespaceWatch) run(ctx context.Context) {
	for wait.For(ctx, namespaceInterval) == nil {
		before := w.lost.Load()
		w.look(ctx)
		if before != nil && w.lost.Load() == nil && w.node.options.roles.worker {
			w.node.fail(errWorkerEnded)
			return
		}
	}
}

func (w *namespaceWatch) look(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, namespaceTimeout)
	defer cancel()
	noted, err := workflows.KeepNamespace(limited, w.node.temporal, w.claim)
	log := w.node.options.log.With("namespace", w.claim.Namespace)
	if noted {
		log.WarnContext(ctx, "nothing said any more whose the Temporal namespace is: it was noted again",
			"ledger", w.claim.Owner.Ledger, "database", w.claim.Owner.Database)
	}
	other, isOther := errors.AsType[*workflows.OtherOwnerError](err)
	switch {
	case isOther && w.lost.Swap(other) == nil:
		log.ErrorContext(ctx, "the Temporal namespace is another ledger's now: this process takes no work from it and "+
			"submits nothing to it", "error", other)
		w.node.stopWorker(ctx)
	case err == nil && w.lost.Swap(nil) != nil:
		log.InfoContext(ctx, "the Temporal namespace is this ledger's again")
	}
}

// stopWorker takes no more tasks, and returns when those that run are done, or have taken too long.
func (n *node) stopWorker(ctx context.Context) {
	n.presence.workerStopping(ctx)
	n.callers.stop()
	if n.worker != nil {
		n.worker.Stop()
	}
}

// checkTemporal says whether Temporal answers, and the namespace is this ledger's.
func (n *node) checkTemporal(ctx context.Context) error {
	if err := n.namespace.err(); err != nil {
		return err
	}
	return n.client.Ping(ctx)
}
