package db

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/florinledger/florin/db/dbgen"
)

const (
	// schemaLock is the advisory lock that starting processes share and that contracting steps hold alone.
	schemaLock = 0x736368656d61 // "schema"
	// watcherSuffix is what the name of the connection of a [Watcher] ends with.
	watcherSuffix = " watcher"
	// ProcessSilence is the silence after which a process counts as gone.
	ProcessSilence = 10 * time.Second
)

// Process is the description that a process of the ledger gives of itself.
type Process struct {
	// Role says what it does, Host where, and Version is that of its program.
	Role, Host, Version string
	// Works reports whether it has a worker, which reaches Temporal.
	Works bool
}

// Name is the name of this process and its connections.
func (d *DB) Name() string { return d.pool.Config().ConnConfig.RuntimeParams["application_name"] }

// Enter records that a process runs, if this program works with the schema. From then on no migration removes tables or
// columns that the process needs.
func (d *DB) Enter(ctx context.Context, process Process) error {
	return d.InTx(ctx, func(tx *Tx) error {
		if err := tx.queries.HoldSchema(ctx, schemaLock); err != nil {
			return failed("entering the process", err)
		}
		if err := checkSchema(ctx, tx.tx); err != nil {
			return err
		}
		if err := tx.queries.ForgetSilentProcesses(ctx); err != nil {
			return failed("entering the process", err)
		}
		return d.see(ctx, tx.queries, process)
	})
}

// Beat notes that a process runs on. Others count it as gone [ProcessSilence] after the last beat.
func (d *DB) Beat(ctx context.Context, process Process) error { return d.see(ctx, d.queries, process) }

func (d *DB) see(ctx context.Context, queries *dbgen.Queries, process Process) error {
	newest, err := newestStep()
	if err != nil {
		return err
	}
	return failed("noting that the process runs", queries.SeeProcess(ctx, dbgen.SeeProcessParams{
		Process: d.Name(), Role: process.Role, Host: process.Host, Version: process.Version, SchemaVersion: newest,
		Works: process.Works,
	}))
}

// Leave notes that this process ends.
func (d *DB) Leave(ctx context.Context) error {
	return failed("noting that the process ends", d.queries.ForgetProcess(ctx, d.Name()))
}

// Workers lists the names of the processes that have lately reported a worker that reaches Temporal.
func (d *DB) Workers(ctx context.Context) ([]string, error) {
	names, err := d.queries.ListWorkers(ctx, ProcessSilence.Seconds())
	return names, failed("listing the workers", err)
}

// APIs counts the processes that have lately reported an API.
func (d *DB) APIs(ctx context.Context) (int, error) {
	count, err := d.queries.CountAPIs(ctx, ProcessSilence.Seconds())
	return int(count), failed("counting the APIs", err)
}

// RunningProcess is a process of the ledger that runs.
type RunningProcess struct {
	Name, Role, Host, Version string
	// SchemaVersion is the newest step that its program knows; 0 if the process has not reported it.
	SchemaVersion int64
}

// String says which process it is.
func (p RunningProcess) String() string {
	if p.SchemaVersion == 0 {
		return p.Name + " (connected, but has not reported what it is)"
	}
	return fmt.Sprintf("%s (%s on %s, version %s)", p.Name, p.Role, p.Host, p.Version)
}

// findRunning finds the processes that have lately reported that they run, or whose watcher is connected.
const findRunning = `
WITH connected AS (
	SELECT DISTINCT left(application_name, -length($1)) AS process
	FROM pg_stat_activity
	WHERE datname = current_database() AND application_name ~ ('/[0-9a-z]{12}' || $1 || '$')
)
SELECT
	coalesce(p.process, c.process), coalesce(p.role, ''), coalesce(p.host, ''), coalesce(p.version, ''),
	coalesce(p.schema_version, 0)
FROM processes AS p
FULL JOIN connected AS c ON c.process = p.process
WHERE c.process IS NOT NULL OR p.seen_at > now() - make_interval(secs => $2)
ORDER BY 1`

func namesOf(processes []RunningProcess) string {
	names := make([]string, len(processes))
	for i, process := range processes {
		names[i] = process.String()
	}
	return strings.Join(names, "; ")
}

func runningProcesses(ctx context.Context, conn *pgx.Conn) ([]RunningProcess, error) {
	var known bool
	if err := conn.QueryRow(ctx, "SELECT to_regclass('processes') IS NOT NULL").Scan(&known); err != nil {
		return nil, err
	}
	if !known { // a fresh database
		return nil, nil
	}
	rows, err := conn.Query(ctx, findRunning, watcherSuffix, ProcessSilence.Seconds())
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[RunningProcess])
}

// NeededError refuses a step that removes tables or columns that running processes need.
type NeededError struct {
	Step      Step
	Processes []RunningProcess
}

// Error names the step and the processes.
func (e *NeededError) Error() string {
	return fmt.Sprintf("step %s removes what a running process needs: %s. Nothing has changed: stop the process, or "+
		"restart it with this version, and run this command again", e.Step.Name, namesOf(e.Processes))
}
