package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/florinledger/florin/internal/wait"
)

// A process that waits for another migration asks once a second, and gives up after an hour.
const (
	lockPeriodSeconds = 1
	lockAttempts      = 3600
)

const (
	// stepLockTimeout is how long a step waits for a lock. Others that need the same table wait behind it. It is far less
	// than deadlock_timeout, so that the step gives way before the server ends a transaction of a node.
	stepLockTimeout = 300 * time.Millisecond
	// stepLockPause lets others go on before the step tries again, and stepLockTries limits the tries.
	stepLockPause, stepLockTries = 2 * time.Second, 150
)

// MigrateOptions say how far to go.
type MigrateOptions struct {
	// Contract also removes what only older versions of the program need, and refuses while one of them runs.
	Contract bool
	// Progress gets a line for each applied step; nil discards it.
	Progress func(string)
	// Applied gets each applied step; nil discards it.
	Applied func(Step)

	// files replace the steps of [Schema] in tests.
	files fs.FS
}

// Migrate brings the schema of the database to the version of this program. It leaves out the steps that remove tables
// or columns that older versions need, and returns them. In an empty database it leaves out none. Several processes may
// call it at the same time.
func Migrate(ctx context.Context, url string, options MigrateOptions) (remaining []Step, err error) {
	files := options.files
	if files == nil {
		if files, err = Schema(); err != nil {
			return nil, fmt.Errorf("reading the migrations: %w", err)
		}
	}
	steps, err := stepsOfFiles(files)
	if err != nil {
		return nil, err
	}
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the database URL is not usable: %w", err)
	}
	nameConnection(config)
	sqlDB := stdlib.OpenDB(*config)
	defer sqlDB.Close()
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(lockPeriodSeconds, lockAttempts))
	if err != nil {
		return nil, fmt.Errorf("preparing the migration lock: %w", err)
	}
	conn, err := sqlDB.Conn(ctx)
	if err != nil {
		return nil, unreachable(err)
	}
	defer conn.Close()
	if err := locker.SessionLock(ctx, conn); err != nil {
		return nil, fmt.Errorf("waiting for another migration: %w", err)
	}
	hastyConfig := config.Copy() // the first pool reads config at each new connection
	hastyConfig.RuntimeParams["lock_timeout"] = strconv.FormatInt(stepLockTimeout.Milliseconds(), 10)
	hasty := stdlib.OpenDB(*hastyConfig)
	defer hasty.Close()
	m := &migration{files: files, steps: steps, database: sqlDB, hasty: hasty, conn: conn, options: options}
	remaining, err = m.run(ctx)
	return remaining, errors.Join(err, locker.SessionUnlock(context.WithoutCancel(ctx), conn))
}

// migration is one run of [Migrate].
type migration struct {
	files    fs.FS
	steps    []Step
	database *sql.DB
	// hasty gives up a lock after stepLockTimeout.
	hasty *sql.DB
	// conn holds the locks.
	conn    *sql.Conn
	options MigrateOptions
}

func (m *migration) run(ctx context.Context) (remaining []Step, err error) {
	var applied map[int64]bool
	err = m.conn.Raw(func(driver any) error {
		if applied, err = appliedSteps(ctx, pgxConn(driver)); err != nil {
			return failed("reading the version of the schema", err)
		}
		return refuseNewer(ctx, pgxConn(driver), m.steps)
	})
	if err != nil {
		return nil, err
	}
	now, remaining := plan(m.steps, applied, m.options.Contract)
	if taking := slices.IndexFunc(now, func(s Step) bool { return s.Contracts }); taking >= 0 && len(applied) > 0 {
		release, err := m.holdStarts(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
		if err := m.requireUnneeded(ctx, now); err != nil {
			return nil, err
		}
	}
	if err := m.apply(ctx, now); err != nil {
		return nil, err
	}
	return remaining, nil
}

// plan says which steps to apply now, and which are left. Steps are applied in their order: a step needs each
// contracting step before it, unless it is marked with anytimeMark.
func plan(steps []Step, applied map[int64]bool, contract bool) (now, remaining []Step) {
	now = slices.DeleteFunc(slices.Clone(steps), func(s Step) bool { return applied[s.Version] })
	if contract || len(applied) == 0 {
		return now, nil
	}
	needed := 0 // all before the last step that may need them
	for i, step := range now {
		if !step.Contracts && !step.Anytime {
			needed = i
		}
	}
	isLeft := func(s Step) bool { return s.Contracts }
	for _, step := range now[needed:] {
		if isLeft(step) {
			remaining = append(remaining, step)
		}
	}
	return append(now[:needed:needed], slices.DeleteFunc(now[needed:], isLeft)...), remaining
}

// holdStarts makes starting processes wait until release is called.
func (m *migration) holdStarts(ctx context.Context) (release func(), err error) {
	if _, err := m.conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", int64(schemaLock)); err != nil {
		return nil, failed("keeping processes from starting", err)
	}
	return func() {
		// When it fails, the lock ends with the connection.
		_, _ = m.conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(schemaLock))
	}, nil
}

// requireUnneeded refuses steps that remove tables or columns that a running process needs.
func (m *migration) requireUnneeded(ctx context.Context, now []Step) error {
	var running []RunningProcess
	err := m.conn.Raw(func(driver any) (err error) {
		running, err = runningProcesses(ctx, pgxConn(driver))
		return err
	})
	if err != nil {
		return failed("looking for processes that run", err)
	}
	for _, step := range slices.Backward(now) {
		if !step.Contracts {
			continue
		}
		needing := slices.DeleteFunc(running, func(p RunningProcess) bool { return p.SchemaVersion >= step.Version })
		if len(needing) > 0 {
			return &NeededError{Step: step, Processes: needing}
		}
		return nil // a process that knows the last one knows those before it
	}
	return nil
}

func pgxConn(driver any) *pgx.Conn {
	// It is what package stdlib opens.
	return driver.(*stdlib.Conn).Conn()
}

func (m *migration) apply(ctx context.Context, steps []Step) error {
	type kind struct {
		table    string
		database *sql.DB
	}
	providers := map[kind]*goose.Provider{}
	for _, step := range steps {
		of := kind{step.table(), m.hasty}
		if step.Alone { // it waits for long transactions, and lets others pass
			of.database = m.database
		}
		provider := providers[of]
		if provider == nil {
			var err error
			if provider, err = newProvider(m.files, of.database, of.table); err != nil {
				return err
			}
			providers[of] = provider
		}
		took, err := m.applyStep(ctx, provider, step)
		if err != nil {
			return fmt.Errorf("migrating the database: %w; nothing of the failed step was kept", err)
		}
		m.say("applied %s in %s", step.Name, took.Round(time.Millisecond))
		if m.options.Applied != nil {
			m.options.Applied(step)
		}
	}
	return nil
}

func (m *migration) applyStep(
	ctx context.Context, provider *goose.Provider, step Step,
) (took time.Duration, err error) {
	for try := 1; ; try++ {
		result, err := provider.ApplyVersion(ctx, step.Version, true)
		switch {
		case err == nil:
			return result.Duration, nil
		case !gaveWay(err):
			return 0, err
		case try == stepLockTries:
			return 0, fmt.Errorf("%w. It gave way to other sessions %d times: look in pg_stat_activity for one whose "+
				"transaction does not end, and call this again", err, try)
		case try == 1:
			m.say("%s gives way to sessions that use its tables, and tries again", step.Name)
		}
		if err := wait.For(ctx, stepLockPause); err != nil {
			return 0, err
		}
	}
}

// gaveWay reports whether a step failed because it did not get a lock, and may run again.
func gaveWay(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pgErr.Code == pgerrcode.LockNotAvailable || pgErr.Code == pgerrcode.DeadlockDetected)
}

func (m *migration) say(format string, args ...any) {
	if m.options.Progress != nil {
		m.options.Progress(fmt.Sprintf(format, args...))
	}
}

func newProvider(files fs.FS, database *sql.DB, table string) (*goose.Provider, error) {
	provider, err := goose.NewProvider(goose.DialectPostgres, database, files, goose.WithTableName(table))
	if err != nil {
		return nil, fmt.Errorf("reading the migrations: %w", err)
	}
	return provider, nil
}
