package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/devnet/freeport"
	"github.com/florinledger/florin/devnet/process"
	"github.com/florinledger/florin/internal/wait"
)

const (
	// formanceDatabase is a database of its own, so that dropping it removes everything.
	formanceDatabase = "florin_bench_peer"
	// formanceConnections is the number of connections, also of idle ones. With the default of 20, 64 clients bring
	// the program to a standstill. By default it keeps no idle connection, and connects anew for each transaction.
	formanceConnections = "80"
	formanceReady       = time.Minute // it has to migrate its database
	formanceStop        = 10 * time.Second
	tailLines           = 20
)

// formance is a running Formance Ledger.
type formance struct {
	version string
	pool    *pgxpool.Pool
	folder  string // of the program
	process *process.Process
	output  *process.Tail
	client  *client.Client
}

// startFormance builds the checkout and starts the program on the server of the database URL.
func startFormance(ctx context.Context, checkout string, pool *pgxpool.Pool, databaseURL string) (*formance, error) {
	folder, err := os.MkdirTemp("", "florin-bench")
	if err != nil {
		return nil, err
	}
	f := &formance{folder: folder, output: process.NewTail(nil, tailLines), version: unknown}
	if err := f.build(ctx, checkout); err != nil {
		return nil, errors.Join(err, f.stop(ctx))
	}
	f.pool = pool
	if err := f.start(ctx, databaseURL); err != nil {
		return nil, errors.Join(err, f.stop(ctx))
	}
	return f, nil
}

func (f *formance) program() string { return filepath.Join(f.folder, "ledger") }

func (f *formance) build(ctx context.Context, checkout string) error {
	module, err := os.ReadFile(filepath.Join(checkout, "go.mod"))
	if err != nil || !regexp.MustCompile(`(?m)^module github\.com/formancehq/ledger$`).Match(module) {
		return fmt.Errorf("there is no Formance Ledger in %s: its go.mod would name module github.com/formancehq/ledger; "+
			"name a checkout of it with --peer", checkout)
	}
	//nolint:gosec // the caller names the checkout
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", f.program(), ".")
	build.Dir = checkout
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build Formance Ledger in %s: %w\n%s", checkout, err, output)
	}
	describe := exec.CommandContext(ctx, "git", "-C", checkout, "describe", "--tags", "--always")
	if output, err := describe.Output(); err == nil {
		f.version = strings.TrimSpace(string(output))
	}
	return nil
}

func (f *formance) start(ctx context.Context, databaseURL string) error {
	database, err := url.Parse(databaseURL)
	if err != nil {
		return fmt.Errorf("invalid database URL: %w", err)
	}
	database.Path = "/" + formanceDatabase
	for _, statement := range []string{dropFormance, "CREATE DATABASE " + formanceDatabase} {
		if _, err := f.pool.Exec(ctx, statement); err != nil {
			return fmt.Errorf("make a database for Formance Ledger: %s: %w", statement, err)
		}
	}
	const host = "127.0.0.1"
	port, err := freeport.Find(ctx, host)
	if err != nil {
		return err
	}
	address := host + ":" + strconv.Itoa(port)
	f.client = client.New("http://"+address, goalClients)
	//nolint:gosec // the caller names the checkout
	command := exec.CommandContext(ctx, f.program(), "serve", "--auto-upgrade", "--bind", address,
		"--postgres-max-open-conns", formanceConnections, "--postgres-max-idle-conns", formanceConnections)
	command.Env = append(os.Environ(), "POSTGRES_URI="+database.String())
	command.Stdout, command.Stderr = f.output, f.output
	if f.process, err = process.Start(command, syscall.SIGTERM); err != nil {
		return fmt.Errorf("start Formance Ledger: %w", err)
	}
	if err := f.ready(ctx); err != nil {
		return err
	}
	return f.client.Call(ctx, http.MethodPost, "/v2/bench", nil, nil)
}

// ready waits until the program answers.
func (f *formance) ready(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, formanceReady)
	defer cancel()
	for {
		err := f.client.Get(waiting, "/_healthcheck", nil)
		if err == nil {
			return nil
		}
		select {
		case <-f.process.Done():
			return fmt.Errorf("start Formance Ledger: it has ended: %w\n%s", errors.Join(f.process.Err(), err), f.output)
		default:
		}
		if wait.For(waiting, settlePause) != nil {
			return fmt.Errorf("start Formance Ledger: it was not ready within %s: %w\n%s", formanceReady, err, f.output)
		}
	}
}

// transact is the [operation] of one client: each pays into an account of its own.
func (f *formance) transact(ctx context.Context, worker int) error {
	posting := map[string]any{
		"source": "world", "destination": fmt.Sprintf("clients:%d", worker), "amount": 100, "asset": "USD/2",
	}
	return f.client.Post(ctx, "/v2/bench/transactions", map[string]any{"postings": []any{posting}}, nil)
}

// stop ends the program and removes its files and its database.
func (f *formance) stop(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	err := os.RemoveAll(f.folder)
	if f.process != nil {
		f.client.Close()
		err = errors.Join(err, f.process.Stop(ctx, syscall.SIGTERM, syscall.SIGKILL, formanceStop))
	}
	if f.pool != nil {
		_, dropped := f.pool.Exec(ctx, dropFormance)
		err = errors.Join(err, dropped)
	}
	return err
}

const dropFormance = "DROP DATABASE IF EXISTS " + formanceDatabase + " WITH (FORCE)"
