package db

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

const (
	// baseline is the step that makes the schema of release 1, which every program has to know.
	baseline = 1
	// contractMark follows the number in the file names of contracting steps, which remove something.
	contractMark = "contract_"
	// aloneMark is in the files of steps that run outside of a transaction.
	aloneMark = "-- +goose NO TRANSACTION"
	// anytimeMark is in the files of steps that do not need the contracting steps before them.
	anytimeMark = "-- Needs nothing of steps that contract."
	// stepsOfAll is the table of the steps that every program has to know, because they may remove what others need.
	stepsOfAll = "goose_db_version"
	// stepsThatExpand is the table of the others. Programs that do not know them work with them.
	stepsThatExpand = "schema_expansions"
)

// StepTables are the tables that say which steps were applied. A database without steps after the baseline lacks the
// second.
func StepTables() []string { return []string{stepsOfAll, stepsThatExpand} }

// Step is one step of the schema.
type Step struct {
	Version int64
	// Name is that of its file.
	Name string
	// Contracts reports whether it removes what programs need that do not know it. All other steps expand the schema:
	// every program works as before.
	Contracts bool
	// Anytime reports whether it expands the schema and does not need the contracting steps before it.
	Anytime bool
	// Alone reports whether it runs outside of a transaction, to build an index beside the writes.
	Alone bool
}

// table notes that the step was applied.
func (s Step) table() string {
	if s.Contracts || s.Version == baseline {
		return stepsOfAll
	}
	return stepsThatExpand
}

// Schema returns the migrations: one SQL file for each step, named with its version.
func Schema() (fs.FS, error) { return fs.Sub(schemaFiles, "schema") }

// schemaSteps are all steps that this program knows, in order.
func schemaSteps() ([]Step, error) {
	files, err := Schema()
	if err != nil {
		return nil, fmt.Errorf("reading the migrations: %w", err)
	}
	return stepsOfFiles(files)
}

func stepsOfFiles(files fs.FS) ([]Step, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("reading the migrations: %w", err)
	}
	var steps []Step
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return nil, fmt.Errorf("reading the migrations: %w", err)
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("reading the migrations: %w", err)
		}
		_, rest, _ := strings.Cut(name, "_")
		steps = append(steps, Step{
			Version: version, Name: name, Contracts: strings.HasPrefix(rest, contractMark),
			Alone: strings.Contains(string(content), aloneMark), Anytime: strings.Contains(string(content), anytimeMark),
		})
	}
	slices.SortFunc(steps, func(a, b Step) int { return cmp.Compare(a.Version, b.Version) })
	return steps, nil
}

// newestStep is the version of the last step that this program knows.
func newestStep() (int64, error) {
	steps, err := schemaSteps()
	if err != nil {
		return 0, err
	}
	return steps[len(steps)-1].Version, nil
}

// querier is a connection or a pool of them.
type querier interface {
	Query(ctx context.Context, sql string, arguments ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, arguments ...any) pgx.Row
}

// appliedSteps are the versions of the steps that were applied to a database.
func appliedSteps(ctx context.Context, database querier) (map[int64]bool, error) {
	applied := map[int64]bool{}
	for _, table := range StepTables() {
		versions, err := stepsIn(ctx, database, table)
		if err != nil {
			return nil, err
		}
		for _, version := range versions {
			applied[version] = true
		}
	}
	return applied, nil
}

// stepsIn are the versions that a table of steps has; none where there is no such table.
func stepsIn(ctx context.Context, database querier, table string) ([]int64, error) {
	var exists bool
	if err := database.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", table).Scan(&exists); err != nil || !exists {
		return nil, err
	}
	rows, err := database.Query(ctx, "SELECT version_id FROM "+table+" WHERE version_id > 0 AND is_applied")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// refuseNewer refuses a schema if a newer program has removed tables or columns that this program needs.
func refuseNewer(ctx context.Context, database querier, known []Step) error {
	ofAll, err := stepsIn(ctx, database, stepsOfAll)
	if err != nil {
		return failed("checking the schema", err)
	}
	if newest := known[len(known)-1].Version; len(ofAll) > 0 && slices.Max(ofAll) > newest {
		return fmt.Errorf("the database schema is at version %d, newer than the %d that this program knows: "+
			"run a newer florin", slices.Max(ofAll), newest)
	}
	return nil
}

// CheckSchema refuses a schema that this program does not work with; the error names the next step. It changes nothing.
// Steps that this program does not know do no harm, unless they remove something.
func (d *DB) CheckSchema(ctx context.Context) error { return checkSchema(ctx, d.pool) }

func checkSchema(ctx context.Context, database querier) error {
	steps, err := schemaSteps()
	if err != nil {
		return err
	}
	applied, err := appliedSteps(ctx, database)
	if err != nil {
		return failed("checking the schema", err)
	}
	if err := refuseNewer(ctx, database, steps); err != nil {
		return err
	}
	for _, step := range steps {
		if step.Contracts || applied[step.Version] {
			continue
		}
		var reached int64
		if len(applied) > 0 {
			reached = slices.Max(slices.Collect(maps.Keys(applied)))
		}
		return fmt.Errorf("the database schema is at version %d and lacks step %s, which this program needs: "+
			"run `florin migrate`", reached, step.Name)
	}
	return nil
}
