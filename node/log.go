package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"golang.org/x/term"
	"gopkg.in/natefinch/lumberjack.v2"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// logSettings are the settings of the log.
type logSettings struct {
	LogLevel  string `help:"debug, info, warn or error. florin log level changes it while the node runs." default:"info" enum:"debug,info,warn,error" env:"FLORIN_LOG_LEVEL" common:""`
	LogFormat string `help:"Format of the log: text, json, or auto (text on a terminal, else json)." default:"auto" enum:"auto,text,json" env:"FLORIN_LOG_FORMAT"`
}

// The formats of the log.
const (
	logText = "text"
	logAuto = "auto"
)

// Level returns the log level. kong has checked its name.
func (s *logSettings) Level() slog.Level {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.LogLevel))
	return level
}

// Logger makes the log of a process in the format of the settings. No text in it is longer than 4 KiB.
func (s *logSettings) Logger(to io.Writer, level slog.Leveler) *slog.Logger {
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: shorten}
	if s.LogFormat == logText || s.LogFormat == logAuto && isTerminal(to) {
		return slog.New(slog.NewTextHandler(to, options))
	}
	return slog.New(slog.NewJSONHandler(to, options))
}

func isTerminal(to io.Writer) bool {
	file, isFile := to.(*os.File)
	return isFile && term.IsTerminal(int(file.Fd()))
}

// maxLoggedBytes limits a text in a log line, because clients choose parts of many texts.
const maxLoggedBytes = 4096

// shorten cuts long texts. Errors include the causes that clients do not see.
func shorten(_ []string, fact slog.Attr) slog.Attr {
	text, isText := fact.Value.Any().(string)
	if err, isError := fact.Value.Any().(error); isError {
		text, isText = fault.Full(err), true
	}
	if !isText {
		return fact
	}
	if len(text) <= maxLoggedBytes {
		return slog.String(fact.Key, text)
	}
	return slog.String(fact.Key, fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(text[:maxLoggedBytes], ""), len(text)))
}

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
