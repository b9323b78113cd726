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
	// configVariable passes the configuration to the child: the command line would show the password in it to everybody on
	// the machine.
	configVariable = "FLORIN_TEMPORAL_DEV"
	// reportFD is the file descriptor of the child's report: the first one after standard error.
	reportFD = 3
)

// AttributeBytes limits the values of one search attribute together, for a workflow on this server. Other servers allow
// 2 KB by default.
const AttributeBytes = 32_000

// Config configures the server.
type Config struct {
	// DatabaseURL is a connection URL of the PostgreSQL server, with a role that may create databases. The server uses the
	// databases temporal and temporal_visibility there, whatever database the URL names.
	DatabaseURL string `json:"databaseUrl"`
	// Frontend is the loopback address of the gRPC service; port 0 chooses a free one. Empty means 127.0.0.1:0.
	Frontend string `json:"frontend"`
	// UI is the address of the Web UI; port 0 chooses a free one. Empty means no UI.
	UI string `json:"ui"`
	// UIHosts are host names of the Web UI, besides the loopback names of this machine.
	UIHosts []string `json:"uiHosts"`
	// Namespace is registered if it is missing. Empty means "default".
	Namespace string `json:"namespace"`
	// Retention keeps the history of a closed workflow. 0 means 72 hours; the least is one hour.
	Retention time.Duration `json:"retention"`
	// SearchAttributes are the custom search attributes of the namespace, from name to type: Keyword, KeywordList, Text,
	// Int, Double, Bool or Datetime.
	SearchAttributes map[string]string `json:"searchAttributes"`
	// HistoryShards is fixed when the databases are created; the server ignores later values. 0 means 1: on one machine
	// more shards only cost memory.
	HistoryShards int32 `json:"historyShards"`
	// NamespaceRefresh is the delay with which the server sees changed namespaces. 0 means a minute, which suits
	// namespaces that rarely change.
	NamespaceRefresh time.Duration `json:"namespaceRefresh"`
	// LogLevel is debug, info, warn or error. Empty means warn.
	LogLevel string `json:"logLevel"`
}

// WithDefaults sets the empty fields.
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
		c.NamespaceRefresh = time.Minute
	}
	if c.LogLevel == "" {
		c.LogLevel = "warn"
	}
	return c
}

// Report is the one line that the child writes: its addresses, or the error of its start.
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

// Inherited is the child's input from its parent.
type Inherited struct {
	Config Config
	Report *os.File // for the report; the child closes it afterwards
}

// FromParent reads the parent's input in the child.
func FromParent() (Inherited, error) {
	text := os.Getenv(configVariable)
	if text == "" {
		return Inherited{}, fmt.Errorf("%s is not set: do not run `%s` yourself, `florin up` starts it",
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

// ParentGone is closed when the parent has died: the parent holds the other end of standard input. Linux ends the child
// by itself; other systems need this.
func ParentGone() <-chan struct{} {
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(gone)
	}()
	return gone
}
