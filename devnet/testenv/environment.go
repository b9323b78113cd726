package testenv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/florinledger/florin/devnet/datadir"
	"github.com/florinledger/florin/devnet/postgres"
	"github.com/florinledger/florin/devnet/temporalchild"
)

const (
	// DatabaseVariable is the environment variable with the URL of a PostgreSQL server for tests, with a role that may
	// create databases.
	DatabaseVariable = "FLORIN_TEST_DATABASE_URL"
	// TemporalVariable is the environment variable with the address of a Temporal server for tests.
	TemporalVariable = "FLORIN_TEST_TEMPORAL_ADDRESS"
	// BinaryVariable is the environment variable with the path of a florin binary, which runs the Temporal server.
	BinaryVariable = "FLORIN_TEST_BINARY"

	versionFile = "florin-version"

	// namespaceRefresh is short, because tests use new namespaces at once.
	namespaceRefresh = 200 * time.Millisecond
)

// Options configure an environment.
type Options struct {
	// Executable is a florin binary, which runs the Temporal server; empty means the running program.
	Executable string
	// SearchAttributes are those of Temporal's default namespace: name to type.
	SearchAttributes map[string]string
	// Log receives the logs of both servers; nil discards them.
	Log io.Writer
	// Progress gets one line about each slow step; nil discards it.
	Progress func(string)
}

// Environment is a running PostgreSQL and, if started, a Temporal server.
type Environment struct {
	directory *datadir.Directory
	database  *postgres.Server
	temporal  *temporalchild.Child
}

// Start starts both servers.
func Start(ctx context.Context, options Options) (*Environment, error) {
	e, err := startPostgres(ctx, options)
	if err != nil {
		return nil, err
	}
	if err := e.startTemporal(ctx, options); err != nil {
		return nil, errors.Join(err, e.Stop(context.WithoutCancel(ctx)))
	}
	return e, nil
}

// Variables returns the environment variables for tests, as NAME=value.
func (e *Environment) Variables() []string {
	return []string{
		DatabaseVariable + "=" + e.database.URL("postgres"),
		TemporalVariable + "=" + e.temporal.Frontend(),
	}
}

// Stop stops the servers and deletes their data.
func (e *Environment) Stop(ctx context.Context) error {
	var failures []error
	if e.temporal != nil {
		failures = append(failures, e.temporal.Stop(ctx))
	}
	if e.database != nil {
		failures = append(failures, e.database.Stop(ctx))
	}
	return errors.Join(append(failures, remove(ctx, e.directory))...)
}

func startPostgres(ctx context.Context, options Options) (*Environment, error) {
	parent, err := parentDirectory()
	if err != nil {
		return nil, err
	}
	if err := sweep(ctx, parent); err != nil {
		return nil, err
	}
	path, err := os.MkdirTemp(parent, "")
	if err != nil {
		return nil, err
	}
	// For root, the server runs as another account.
	if err := os.Chmod(path, 0o711); err != nil { //nolint:gosec // it may be entered and not listed
		return nil, err
	}
	e := &Environment{}
	if e.directory, err = datadir.Lock(path); err != nil {
		return nil, err
	}
	e.database, err = postgres.Start(ctx, postgres.Options{
		Dir: path, Ephemeral: true, Log: options.Log, Progress: options.Progress,
	})
	if err != nil {
		return nil, errors.Join(err, remove(context.WithoutCancel(ctx), e.directory))
	}
	return e, nil
}

func (e *Environment) startTemporal(ctx context.Context, options Options) (err error) {
	e.temporal, err = temporalchild.Start(ctx, temporalchild.Options{
		Config: temporalchild.Config{
			DatabaseURL: e.database.SocketURL("postgres"), SearchAttributes: options.SearchAttributes,
			NamespaceRefresh: namespaceRefresh,
		},
		Executable: options.Executable, Log: options.Log, Progress: options.Progress,
	})
	return err
}

// parentDirectory holds the directories of all environments of this user. Its path is short for the Unix sockets below
// it, and everybody may enter it, because root's server runs as another account.
func parentDirectory() (string, error) {
	path := filepath.Join("/tmp", "florin-test-"+strconv.Itoa(os.Geteuid()))
	if err := os.MkdirAll(path, 0o711); err != nil { //nolint:gosec // it may be entered and not listed
		return "", err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || !info.IsDir() || int(stat.Uid) != os.Geteuid() {
		return "", fmt.Errorf("%s belongs to another user: delete it", path)
	}
	return path, nil
}

// sweep deletes the directories of processes that ended without stopping their servers: their locks are free. It skips
// a directory without a version file, which another process is creating.
func sweep(ctx context.Context, parent string) error {
	versions, err := filepath.Glob(filepath.Join(parent, "*", versionFile))
	if err != nil {
		return err
	}
	for _, version := range versions {
		directory, err := datadir.Lock(filepath.Dir(version))
		if err != nil {
			continue // in use
		}
		if err := remove(ctx, directory); err != nil {
			return fmt.Errorf("delete the directory of an earlier test: %w", err)
		}
	}
	return nil
}

func remove(ctx context.Context, directory *datadir.Directory) error {
	return errors.Join(
		postgres.Destroy(ctx, directory.Path()),
		os.RemoveAll(directory.Path()),
		directory.Unlock(),
	)
}
