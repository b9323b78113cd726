package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/workflows"
)

const (
	// namespaceInterval is between two looks whose the namespace is.
	namespaceInterval = 5 * time.Second
	// namespaceTimeout bounds one look.
	namespaceTimeout = 10 * time.Second
	// takeOverPatience is how long a worker of another ledger has to show that it runs, before its namespace is taken: it
	// takes a task in milliseconds.
	takeOverPatience = 10 * time.Second
	// followPatience is how long processes of this ledger have to find out that the namespace was made anew, before one
	// that starts takes them for processes in another Temporal. They look at the [namespaceInterval].
	followPatience = 20 * time.Second
	followInterval = 500 * time.Millisecond
)

// checkNamespace refuses a namespace in which this process may not work, before anything is stored: a fresh ledger
// keeps for good what its first process is given.
func (n *Node) checkNamespace(ctx, _ context.Context) error {
	deadline, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	var err error
	if n.databaseID, err = n.Database.DatabaseID(deadline); err != nil {
		return err
	}
	settings := n.options.Settings
	n.namespace = &namespaceWatch{node: n, claim: workflows.NamespaceClaim{
		Namespace: settings.TemporalNamespace, Owner: workflows.NamespaceOwner{Database: n.databaseID},
		TakeFrom: settings.TakeNamespaceFrom, Running: n.Database.ProcessesOn, Own: n.Database.Workers,
		Patience: takeOverPatience, Waits: n.logWaitForWorkers, Now: time.Now,
	}}
	if n.namespace.works, err = n.namespace.found(deadline); err != nil {
		return err
	}
	if err := n.namespace.await(deadline); err != nil {
		return err
	}
	return workflows.CheckNamespace(deadline, n.temporal, n.namespace.claim)
}

// ownNamespace notes in the namespace whose it is, and in the record that the ledger works there.
func (n *Node) ownNamespace(ctx, _ context.Context) error {
	deadline, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	n.namespace.claim.Owner.Ledger = n.Identity.ParticipantID
	taken, noted, err := workflows.OwnNamespace(deadline, n.temporal, n.namespace.claim)
	if err != nil {
		return err
	}
	n.logNamespace(ctx, n.namespace.claim.Owner, taken, noted)
	return n.namespace.enter(deadline)
}

// namespaceWatch sees to it that the Temporal namespace stays this ledger's while the process runs.
type namespaceWatch struct {
	node  *Node
	claim workflows.NamespaceClaim
	// works is where this process works, as it was found last.
	works db.TemporalNamespace
	// lost says whose it is now; nil while it is this ledger's, as far as this process knows.
	lost atomic.Pointer[workflows.OtherOwnerError]
	// apart says where the ledger works while this process works elsewhere; nil while it works there. It was so at the
	// last two looks: processes do not follow a namespace that was made anew at the same moment.
	apart atomic.Pointer[db.OtherNamespaceError]
	// strayed: it was so at the last look.
	strayed bool
}

// found is the namespace of this process as Temporal has it now.
func (w *namespaceWatch) found(ctx context.Context) (db.TemporalNamespace, error) {
	found := db.TemporalNamespace{Name: w.claim.Namespace, Database: w.node.databaseID}
	var err error
	if found.ID, err = workflows.NamespaceID(ctx, w.node.temporal, w.claim.Namespace); err != nil {
		return found, err
	}
	if !w.node.options.Development { // whose Temporal is that of its data directory, whatever became of that
		found.Server, err = workflows.ServerID(ctx, w.node.temporal)
	}
	return found, err
}

// await returns when no process of this ledger works in another namespace. Where it was made anew under processes that
// run, these follow soon. Where the ledger works in one of another name, or of another Temporal in which none of its
// processes runs, there is nothing to wait for.
func (w *namespaceWatch) await(ctx context.Context) error {
	patient, cancel := context.WithTimeout(ctx, followPatience)
	defer cancel()
	for waits := false; ; waits = true {
		err := w.node.Database.CheckTemporalNamespace(ctx, w.works)
		other, isOther := errors.AsType[*db.OtherNamespaceError](err)
		if !isOther || len(other.Processes) == 0 {
			return err
		}
		if !waits {
			w.node.logWaitForOthers(ctx, other)
		}
		if wait.For(patient, followInterval) != nil {
			return fmt.Errorf("%w; they had %s to follow a namespace that was made anew, and did not", err, followPatience)
		}
	}
}

// enter notes in the record that this process starts to work in the namespace.
func (w *namespaceWatch) enter(ctx context.Context) error {
	before, err := w.node.Database.EnterTemporalNamespace(ctx, w.works)
	if err == nil {
		w.node.logOtherNamespace(ctx, w.works, before)
	}
	return err
}

// follow notes in the record that the namespace of this process was made anew, if it was.
func (w *namespaceWatch) follow(ctx context.Context) error {
	now, err := w.found(ctx)
	if err != nil || now == w.works {
		return err
	}
	before, err := w.node.Database.FollowTemporalNamespace(ctx, now)
	if err != nil {
		return err
	}
	w.works = now
	w.node.logOtherNamespace(ctx, now, before)
	return nil
}

// compare finds out whether this process works where the ledger does: an address may lead different processes to
// different Temporals.
func (w *namespaceWatch) compare(ctx context.Context) {
	err := w.node.Database.CheckTemporalNamespace(ctx, w.works)
	other, isOther := errors.AsType[*db.OtherNamespaceError](err)
	if err != nil && !isOther {
		return // it is not known: readiness asks the database itself
	}
	again := w.strayed && isOther
	if w.strayed = isOther; !again {
		other = nil
	}
	before := w.apart.Swap(other)
	switch {
	case before == nil && other != nil:
		w.node.options.Log.ErrorContext(ctx, "this process works in another Temporal than the ledger: what is submitted "+
			"here is done by workers there alone", "error", other)
	case before != nil && other == nil:
		w.node.options.Log.InfoContext(ctx, "this process works in the ledger's Temporal again")
	}
}

// err is nil while the namespace is this ledger's.
func (w *namespaceWatch) err() error {
	if lost := w.lost.Load(); lost != nil {
		return lost
	}
	return nil
}

// place is an error while this process works in another Temporal than the ledger.
func (w *namespaceWatch) place() error {
	if apart := w.apart.Load(); apart != nil {
		return apart
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
		if before != nil && w.lost.Load() == nil && w.node.options.Roles.Worker {
			w.node.fail(errWorkerEnded)
			return
		}
	}
}

func (w *namespaceWatch) look(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, namespaceTimeout)
	defer cancel()
	noted, err := workflows.KeepNamespace(limited, w.node.temporal, w.claim)
	log := w.node.options.Log.With("namespace", w.claim.Namespace)
	if noted {
		log.WarnContext(ctx, "nothing said any more whose the Temporal namespace is: it was noted again",
			"ledger", w.claim.Owner.Ledger, "database", w.claim.Owner.Database)
	}
	if err == nil {
		if err := w.follow(limited); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "the record was not told of the Temporal namespace that was made anew", "error", err)
		}
		w.compare(limited)
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
func (n *Node) stopWorker(ctx context.Context) {
	n.presence.workerStopping(ctx)
	n.callers.stop()
	if n.worker != nil {
		n.worker.Stop()
	}
}

// checkTemporal says whether Temporal answers, and the namespace is this ledger's.
func (n *Node) checkTemporal(ctx context.Context) error {
	if err := cmp.Or(n.namespace.err(), n.namespace.place()); err != nil {
		return err
	}
	return n.client.Ping(ctx)
}
