package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"gopkg.in/natefinch/lumberjack.v2"

	"github.com/florinledger/florin/ledger"
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
		"ledger", string(n.ledger), "namespace", n.options.Settings.TemporalNamespace, "offset", int64(n.watcher.Head()),
		"ledger_settings", shown)
}

// logStop notes that the process stops, and why.
func (n *Node) logStop(ctx context.Context, reason error) {
	if reason == nil || errors.Is(reason, context.Canceled) {
		reason = errors.New("it was told to")
	}
	n.options.Log.InfoContext(ctx, "stopping", "reason", reason)
}
