package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"gopkg.in/natefinch/lumberjack.v2"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/workflows"
)

const (
	// LogMegabytes is how large a log of florin up may become before it is set aside, and logsAside how many such logs of
	// one name are kept.
	LogMegabytes = 64
	logsAside    = 3
)

// BoundedLog is a log in a file that takes so much of the disk, whoever has how much written to it: the disk is that of
// the database. What earlier runs wrote stays. The error says that it cannot be opened.
func BoundedLog(path string, megabytes int) (*lumberjack.Logger, error) {
	log := &lumberjack.Logger{Filename: path, MaxSize: megabytes, MaxBackups: logsAside}
	if _, err := log.Write(nil); err != nil { // otherwise the first line would open it, and be lost
		return nil, fmt.Errorf("open the log %s: %w", path, err)
	}
	return log, nil
}

// String is the role or roles, as the log has them.
func (r Roles) String() string {
	var names []string
	if r.API {
		names = append(names, "api")
	}
	if r.Worker {
		names = append(names, "worker")
	}
	return strings.Join(names, " and ")
}

// logStart notes what is about to start, with the settings of the process that are not the default; at level debug,
// all.
func (n *Node) logStart(ctx context.Context) {
	n.options.Log.InfoContext(ctx, "starting", "version", n.options.Version, "role", n.options.Roles.String(), "pid", os.Getpid(),
		"settings", n.options.Chosen)
	n.options.Log.DebugContext(ctx, "all settings", "settings", n.options.Given)
}

// logStarted notes that the process does its work now, on which ledger, and with which settings of the ledger.
func (n *Node) logStarted(ctx context.Context) {
	shown := map[string]string{}
	for _, setting := range ledger.AllSettings() {
		if !setting.Secret {
			shown[setting.Name] = setting.Show(n.Settings)
		}
	}
	listens := ""
	if n.Listener != nil {
		listens = n.URL()
	}
	n.options.Log.InfoContext(ctx, "started", "url", listens, "participant", n.Identity.ParticipantID,
		"database", n.databaseID, "namespace", n.options.Settings.TemporalNamespace, "offset", int64(n.watcher.Head()),
		"ledger_settings", shown)
}

// logNamespace notes what was taken from whom, or from nobody, and that a process was told to take what it need not.
func (n *Node) logNamespace(
	ctx context.Context, owner workflows.NamespaceOwner, taken *workflows.NamespaceOwner, noted bool,
) {
	settings := n.options.Settings
	log := n.options.Log.With("namespace", settings.TemporalNamespace, "ledger", owner.Ledger, "database", owner.Database)
	switch {
	case taken != nil:
		log.WarnContext(ctx, "the Temporal namespace was taken over: nodes of the database before must never run again",
			"from_ledger", taken.Ledger, "from_database", taken.Database)
	case noted:
		log.InfoContext(ctx, "nothing said whose the Temporal namespace is, and nobody works in it: it was taken for "+
			"this ledger")
	case settings.TakeNamespaceFrom != "":
		log.WarnContext(ctx, "nothing was taken, the Temporal namespace is this ledger's: leave --take-namespace-from out",
			"take_namespace_from", settings.TakeNamespaceFrom)
	}
}

// logOtherNamespace notes that the ledger works in another Temporal namespace than before.
func (n *Node) logOtherNamespace(ctx context.Context, now, before db.TemporalNamespace) {
	if before.ID == "" || now.ID == before.ID && now.Database == before.Database {
		return
	}
	n.options.Log.WarnContext(ctx, "the ledger works in another Temporal namespace than before: it was made anew, or "+
		"Temporal or the database is another one; `florin repair` has the workflows of contracts started anew",
		"namespace", now.Name, "namespace_id", now.ID, "temporal", now.Server, "database", now.Database,
		"namespace_before", before.Name, "namespace_id_before", before.ID, "temporal_before", before.Server,
		"database_before", before.Database)
}

// logWaitForOthers notes that the start waits for processes in another Temporal namespace of the same name.
func (n *Node) logWaitForOthers(ctx context.Context, other *db.OtherNamespaceError) {
	names := make([]string, len(other.Processes))
	for i, process := range other.Processes {
		names[i] = process.String()
	}
	since := time.Now()
	n.awaits.Store(&awaited{awaitsOthers, followPatience})
	n.options.Log.WarnContext(ctx, "this start waits for processes of the ledger that run in another Temporal namespace "+
		"of the same name: they follow one that was made anew, or are gone", "namespace", other.Given.Name,
		"namespace_id", other.Given.ID, "namespace_id_of_the_others", other.Ledgers.ID, "processes", names,
		"since", since, "until", since.Add(followPatience))
}

// logWaitForWorkers notes that the start waits for workers of another ledger.
func (n *Node) logWaitForWorkers(ctx context.Context, since, until time.Time) {
	n.awaits.Store(&awaited{awaitsForeign, until.Sub(since)})
	n.options.Log.WarnContext(ctx, "this start waits whether a worker of another ledger, or of another database of this "+
		"one, takes a task from the Temporal namespace: one has asked for tasks lately",
		"namespace", n.options.Settings.TemporalNamespace, "since", since, "until", until)
}

// logStop notes that the process stops, and why.
func (n *Node) logStop(ctx context.Context, reason error) {
	if reason == nil || errors.Is(reason, context.Canceled) {
		reason = errors.New("it was told to")
	}
	n.options.Log.InfoContext(ctx, "stopping", "reason", reason)
}
