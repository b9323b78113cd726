package temporalchild

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

const (
	// Command is the hidden command that runs the server in the child.
	Command = "temporal-dev"
	// configVariable carries the configuration to the child. The environment and not the command line, because that
	// is readable for everybody on the machine and the configuration holds a password.
	configVariable = "FLORIN_TEMPORAL_DEV"
	// reportFD is the file descriptor on which the child reports: the first one after standard error.
	reportFD = 3
)

// AttributeBytes is how large the values of one search attribute may be together, for a workflow on this server. Other
// servers allow 2 KB by default.
const AttributeBytes = 32_000

// Config says what server to run.
type Config struct {
	// DatabaseURL is a connection URL of the PostgreSQL server, as a role that may create databases. The server uses
	// the databases temporal and temporal_visibility in it, whatever database the URL names.
	DatabaseURL string `json:"databaseUrl"`
	// Frontend is where the server listens for gRPC, on a loopback address; port 0 chooses a free one. Empty means
	// 127.0.0.1:0.
	Frontend string `json:"frontend"`
	// UI is where the Web UI listens; port 0 chooses a free one. Empty means no UI.
	UI string `json:"ui"`
	// UIHosts are host names under which the Web UI is served, beside those of this machine to itself.
	UIHosts []string `json:"uiHosts"`
	// Namespace is registered when it is missing. Empty means "default".
	Namespace string `json:"namespace"`
	// Retention is how long the history of a closed workflow is kept. 0 means 72 hours; the least is one hour.
	Retention time.Duration `json:"retention"`
	// SearchAttributes are the custom search attributes of the namespace: name to type, which is one of Keyword,
	// KeywordList, Text, Int, Double, Bool and Datetime.
	SearchAttributes map[string]string `json:"searchAttributes"`
	// HistoryShards is fixed when the databases are made; later values are ignored. 0 means 1: on one
	// machine more of them cost memory and gain nothing.
	HistoryShards int32 `json:"historyShards"`
	// NamespaceRefresh is how soon the server learns of namespaces that are made while it runs. 0 means 10 seconds, which
	// suits namespaces that hardly ever change.
	NamespaceRefresh time.Duration `json:"namespaceRefresh"`
	// LogLevel is debug, info, warn or error. Empty means warn.
	LogLevel string `json:"logLevel"`
}

// WithDefaults fills what is empty.
func (c Config) WithDefaults() Config {
	if c.Frontend == "" {
		c.Frontend = "127.0.0.1:0"
	}
	if c.Namespace == "" {
		c.Namespace = "default"
	}
	if c.Retention == 0 {
		c.Retention = 72 * time.Hour
	}
	if c.HistoryShards == 0 {
		c.HistoryShards = 1
	}
	if c.NamespaceRefresh == 0 {
		c.NamespaceRefresh = 10 * time.Second
	}
	if c.LogLevel == "" {
		c.LogLevel = "warn"
	}
	return c
}

// Report is the one line that the child writes: where it listens, or why it cannot run.
type Report struct {
	Frontend string `json:"frontend,omitempty"` // "127.0.0.1:7233"
	UI       string `json:"ui,omitempty"`       // "http://127.0.0.1:8233"; empty without a UI
	PID      int    `json:"pid"`
	Error    string `json:"error,omitempty"`
}

// Write writes the report as one line of JSON.
func (r Report) Write(w io.Writer) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// Inherited is what a child gets from its parent.
type Inherited struct {
	Config Config
	Report *os.File // where the report goes; the child closes it afterwards
}

// FromParent reads in the child what the parent handed over.
func FromParent() (Inherited, error) {
	text := os.Getenv(configVariable)
	if text == "" {
		return Inherited{}, fmt.Errorf("%s is not set: `%s` is not for typing, `florin up` starts it",
			configVariable, Command)
	}
	var config Config
	if err := json.Unmarshal([]byte(text), &config); err != nil {
		return Inherited{}, fmt.Errorf("%s: %w", configVariable, err)
	}
	report := os.NewFile(reportFD, "report")
	if report == nil {
		return Inherited{}, errors.New("file descriptor 3 is missing: start the server with `florin up`")
	}
	return Inherited{Config: config.WithDefaults(), Report: report}, nil
}

// ParentGone is closed when the parent has died: it holds the other end of the child's standard input. Linux ends the
// child by itself; this is for every other system.
func ParentGone() <-chan struct{} {
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(gone)
	}()
	return gone
}
