package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/florinledger/florin/ledger"
)

// String is the role or roles, as the log has them.
func (r roles) String() string {
	var names []string
	if r.api {
		names = append(names, "api")
	}
	if r.worker {
		names = append(names, "worker")
	}
	return strings.Join(names, " and ")
}

// logStart notes what is about to start, with the settings of the process.
func (n *node) logStart(ctx context.Context) {
	n.options.log.InfoContext(ctx, "starting", "version", version, "role", n.options.roles.String(), "pid", os.Getpid(),
		"settings", n.options.given)
}

// logStarted notes that the process does its work now, on which ledger, and with which settings of the ledger.
func (n *node) logStarted(ctx context.Context) {
	shown := map[string]string{}
	for _, setting := range ledger.AllSettings() {
		if !setting.Secret {
			shown[setting.Name] = setting.Show(n.settings)
		}
	}
	listens := ""
	if n.listener != nil {
		listens = n.url()
	}
	n.options.log.InfoContext(ctx, "started", "url", listens, "participant", n.identity.ParticipantID,
		"database", n.databaseID, "namespace", n.options.settings.TemporalNamespace, "offset", int64(n.watcher.Head()),
		"ledger_settings", shown)
}

// logStop notes that the process stops, and why.
func (n *node) logStop(ctx context.Context, reason error) {
	if reason == nil {
		reason = errors.New("it was told to")
	}
	n.options.log.InfoContext(ctx, "stopping", "reason", reason)
}
