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
	// LogMegabytes is the size at which florin up rotates a log. maxOldLogs is how many rotated logs of one name it keeps.
	LogMegabytes = 64
	maxOldLogs   = 3
)

// BoundedLog opens a log file of limited size, because the log and the database share a disk. It keeps the lines of
// earlier runs.
func BoundedLog(path string, megabytes int) (*lumberjack.Logger, error) {
	log := &lumberjack.Logger{Filename: path, MaxSize: megabytes, MaxBackups: maxOldLogs}
	if _, err := log.Write(nil); err != nil { // opens the file now; otherwise the first line would be lost with the error
		return nil, fmt.Errorf("open the log %s: %w", path, err)
	}
	return log, nil
}

// String returns the roles as text for the log.
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

// logStart logs the settings of the process that are not the default; at level debug, all.
func (n *Node) logStart(ctx context.Context) {
	n.options.Log.InfoContext(ctx, "starting", "version", n.options.Version, "role", n.options.Roles.String(), "pid", os.Getpid(),
		"settings", n.options.NonDefaultSettings)
	n.options.Log.DebugContext(ctx, "all settings", "settings", n.options.SettingsByFlag)
}

func (n *Node) logStarted(ctx context.Context) {
	settings := map[string]string{}
	for _, setting := range ledger.AllSettings() {
		if !setting.Secret {
			settings[setting.Name] = setting.Show(n.Settings)
		}
	}
	url := ""
	if n.Listener != nil {
		url = n.URL()
	}
	n.options.Log.InfoContext(ctx, "started", "url", url, "participant", n.Identity.ParticipantID,
		"ledger", string(n.ledger), "namespace", n.options.Settings.TemporalNamespace, "offset", int64(n.watcher.Head()),
		"ledger_settings", settings)
}

func (n *Node) logStop(ctx context.Context, reason error) {
	if reason == nil || errors.Is(reason, context.Canceled) {
		reason = errors.New("stop requested")
	}
	n.options.Log.InfoContext(ctx, "stopping", "reason", reason)
}
