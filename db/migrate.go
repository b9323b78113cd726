package db

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"github.com/pressly/goose/v3/lock"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// The process that waits for another one to migrate asks once a second, and gives up after an hour.
const (
	lockPeriodSeconds = 1
	lockAttempts      = 3600
)

// Schema returns the migrations: one SQL file for each step, named with its version.
func Schema() (fs.FS, error) { return fs.Sub(schemaFiles, "schema") }

// Migrate brings the schema of the database to the newest version. Progress is told each step that was applied; nil
// discards it. Several processes may call it at the same time.
func Migrate(ctx context.Context, url string, progress func(string)) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("the database URL is not usable: %w", err)
	}
	nameConnection(config)
	sqlDB := stdlib.OpenDB(*config)
	defer sqlDB.Close()
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(lockPeriodSeconds, lockAttempts))
	if err != nil {
		return fmt.Errorf("preparing the migration lock: %w", err)
	}
	files, err := Schema()
	if err != nil {
		return fmt.Errorf("reading the migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, sqlDB, files, goose.WithSessionLocker(locker))
	if err != nil {
		return fmt.Errorf("reading the migrations: %w", err)
	}
	applied, err := provider.Up(ctx)
	if err != nil {
		return fmt.Errorf("migrating the database: %w; nothing of the failed step was kept", err)
	}
	for _, step := range applied {
		if progress != nil {
			progress(fmt.Sprintf("applied %s in %s", step.Source.Path, step.Duration.Round(time.Millisecond)))
		}
	}
	return nil
}

// CheckSchema tells whether the schema is the one that this program works with, and what to do if not. It changes
// nothing.
func (d *DB) CheckSchema(ctx context.Context) error {
	wanted, err := newestVersion()
	if err != nil {
		return err
	}
	store, err := database.NewStore(goose.DialectPostgres, goose.DefaultTablename)
	if err != nil {
		return fmt.Errorf("preparing the check of the schema: %w", err)
	}
	sqlDB := stdlib.OpenDBFromPool(d.pool)
	defer sqlDB.Close()
	version, err := store.GetLatestVersion(ctx, sqlDB)
	var pgErr *pgconn.PgError
	if errors.Is(err, database.ErrVersionNotFound) ||
		errors.As(err, &pgErr) && pgErr.Code == pgerrcode.UndefinedTable {
		version, err = 0, nil
	}
	switch {
	case err != nil:
		return failed("checking the schema", err)
	case version < wanted:
		return fmt.Errorf("the database schema is at version %d, this program needs %d: run `florin migrate`",
			version, wanted)
	case version > wanted:
		return fmt.Errorf("the database schema is at version %d, newer than the %d that this program knows: "+
			"run a newer florin", version, wanted)
	default:
		return nil
	}
}

func newestVersion() (int64, error) {
	names, err := fs.Glob(schemaFiles, "schema/*.sql")
	if err != nil {
		return 0, fmt.Errorf("reading the migrations: %w", err)
	}
	version, err := goose.NumericComponent(names[len(names)-1])
	if err != nil {
		return 0, fmt.Errorf("reading the migrations: %w", err)
	}
	return version, nil
}
