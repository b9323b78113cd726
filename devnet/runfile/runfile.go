// Package runfile is the file that `florin up` keeps in its data directory while it runs: its addresses and processes.
// Tools of the same user find the node by it.
package runfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Name of the file in the data directory.
const Name = "run.json"

// Info describes a running node.
type Info struct {
	// PID is the process that serves the API.
	PID int `json:"pid"`
	// URL of the API, such as http://127.0.0.1:2975.
	URL string `json:"url"`
	// Page means that the node serves the web page.
	Page bool `json:"page"`
	// GRPCAddress is host:port of the gRPC Ledger API; "" without it.
	GRPCAddress string `json:"grpcAddress"`
	// DatabaseURL is the URL of the node's database; it has the password.
	DatabaseURL string `json:"databaseUrl"`
	// TemporalAddress is host:port of Temporal's frontend.
	TemporalAddress string `json:"temporalAddress"`
	// TemporalUI is the URL of Temporal's web page; "" without one.
	TemporalUI string `json:"temporalUi"`
	PIDs       PIDs   `json:"pids"`
	// Secret and Audience make development tokens.
	Secret   string `json:"secret"`
	Audience string `json:"audience"`
	// DSO and Operator are party ids.
	DSO      string `json:"dso"`
	Operator string `json:"operator"`
	// Stopped means that the node is stopped while PostgreSQL and Temporal run.
	Stopped bool `json:"stopped"`
}

// PIDs are the processes of a node; 0 for a server that the node did not start.
type PIDs struct {
	Node     int `json:"node"`
	Temporal int `json:"temporal"`
	// Postgres is the server's first process, the parent of the others.
	Postgres int `json:"postgres"`
}

// Write writes the file atomically, readable only for its owner.
func Write(dataDir string, info Info) error {
	content, err := json.MarshalIndent(info, "", "  ") //nolint:gosec // it holds secrets, for the owner alone
	if err != nil {
		return fmt.Errorf("describe the running node: %w", err)
	}
	path := filepath.Join(dataDir, Name)
	temporary, err := os.CreateTemp(dataDir, Name+".*") // its mode is 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = temporary.Write(append(content, '\n'))
	err = errors.Join(err, temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(temporary.Name()))
	}
	return nil
}

// Read finds the node of a data directory. If none runs, the error has the next step.
func Read(dataDir string) (Info, error) {
	path := filepath.Join(dataDir, Name)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Info{}, fmt.Errorf("no node runs on data directory %s (there is no %s): start one with `florin up`, or name "+
			"another directory with --data-dir", dataDir, Name)
	}
	if err != nil {
		return Info{}, fmt.Errorf("read where the node runs: %w", err)
	}
	var info Info
	if err := json.Unmarshal(content, &info); err != nil {
		return Info{}, fmt.Errorf("%s is not what `florin up` writes: %w; stop the node and start it again", path, err)
	}
	if err := syscall.Kill(info.PID, 0); info.PID <= 0 || errors.Is(err, syscall.ESRCH) {
		return Info{}, fmt.Errorf("the node on data directory %s (pid %d) has crashed: start it again with "+
			"`florin up`", dataDir, info.PID)
	}
	return info, nil
}

// Remove deletes the file and the rests of interrupted writes. It returns no error if there is none.
func Remove(dataDir string) error {
	entries, err := os.ReadDir(dataDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, entry := range entries {
		if entry.Name() == Name || strings.HasPrefix(entry.Name(), Name+".") {
			errs = append(errs, os.Remove(filepath.Join(dataDir, entry.Name())))
		}
	}
	return errors.Join(errs...)
}
