package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	// stagingSchema is beside the record's.
	stagingSchema = "florin_restore"
	// stagingLock is the advisory lock of the one process that restores.
	stagingLock = 0x726573746f72 // "restor"
)

// Staging is a schema beside the record in which a restore builds and checks another record. Only rows come from
// elsewhere: this program's migrations make the tables, functions and constraints. It replaces the record as a whole,
// or is dropped.
type Staging struct {
	conn *pgx.Conn
	url  string
	// columns of each table, in order, without those that the database computes.
	columns   map[string][]string
	functions []string
	// tables are the quoted names of all tables.
	tables []string
	// references are the foreign keys. [Staging.Finish] adds them, because rows come in any order.
	references []reference
}

// reference is a foreign key.
type reference struct{ Table, Name, Definition string }

// Stage makes an empty staging schema in a database. Call [Staging.Close] in the end.
func Stage(ctx context.Context, databaseURL string) (*Staging, error) {
	parsed, err := url.Parse(databaseURL)
	if err != nil {
		return nil, errors.New("the database URL must have the form postgres://user:password@host:port/database")
	}
	query := parsed.Query()
	query.Set("search_path", stagingSchema)
	query.Set("application_name", "restore") // not the name of a node
	parsed.RawQuery = query.Encode()
	s := &Staging{url: parsed.String(), columns: map[string][]string{}}
	config, err := s.config()
	if err != nil {
		return nil, err
	}
	if s.conn, err = pgx.ConnectConfig(ctx, config); err != nil {
		return nil, unreachable(err)
	}
	if err := s.begin(ctx); err != nil {
		return nil, errors.Join(err, s.conn.Close(context.WithoutCancel(ctx)))
	}
	return s, nil
}

func (s *Staging) config() (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(s.url)
	if err != nil {
		return nil, fmt.Errorf("the database URL is not usable: %w", err)
	}
	for name := range config.RuntimeParams { // the pool's settings mean nothing to a connection
		if strings.HasPrefix(name, "pool_") {
			delete(config.RuntimeParams, name)
		}
	}
	return config, nil
}

func (s *Staging) begin(ctx context.Context) error {
	var alone bool
	if err := s.conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", int64(stagingLock)).Scan(&alone); err != nil {
		return failed("restoring", err)
	}
	if !alone {
		return errors.New("another process is restoring into this database: wait for it")
	}
	// Rows are read as pg_dump writes them, whatever the role's settings.
	_, err := s.conn.Exec(ctx, "SET datestyle = 'ISO, YMD'; SET intervalstyle = 'postgres'; SET timezone = 'UTC'; "+
		"SET client_encoding = 'UTF8'; SET statement_timeout = 0; "+
		"DROP SCHEMA IF EXISTS "+stagingSchema+" CASCADE; CREATE SCHEMA "+stagingSchema)
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && pgErr.Code == pgerrcode.InsufficientPrivilege {
		return fmt.Errorf("the role may not make a schema in the database: restore as the owner of the database, or "+
			"GRANT CREATE ON DATABASE to the role: %w", err)
	}
	return failed("making the staging schema", err)
}

// Close drops the staging schema, unless it has replaced the record.
func (s *Staging) Close(ctx context.Context) error {
	_, err := s.conn.Exec(ctx, "DROP SCHEMA IF EXISTS "+stagingSchema+" CASCADE")
	return errors.Join(failed("dropping the staging schema", err), s.conn.Close(ctx))
}

// URL is the URL of the staging schema, for [Open] and [Migrate].
func (s *Staging) URL() string { return s.url }

// Build makes the schema of a record to which these migrations were applied, in this order. The tables are empty.
func (s *Staging) Build(ctx context.Context, versions []int64) error {
	steps, err := stepsOf(versions)
	if err != nil {
		return err
	}
	files, err := Schema()
	if err != nil {
		return fmt.Errorf("reading the migrations: %w", err)
	}
	config, err := s.config()
	if err != nil {
		return err
	}
	sqlDB := stdlib.OpenDB(*config)
	defer sqlDB.Close()
	if err := (&migration{files: files, database: sqlDB, hasty: sqlDB}).apply(ctx, steps); err != nil {
		return err
	}
	return s.describe(ctx)
}

// stepsOf are the steps of these versions, in this order.
func stepsOf(versions []int64) ([]Step, error) {
	known, err := schemaSteps()
	if err != nil {
		return nil, err
	}
	steps := make([]Step, 0, len(versions))
	for _, version := range versions {
		at := slices.IndexFunc(known, func(s Step) bool { return s.Version == version })
		newest := known[len(known)-1].Version
		switch {
		case at < 0 && version > newest:
			return nil, fmt.Errorf("the schema has step %d, newer than the %d that this program knows: run a newer florin",
				version, newest)
		case at < 0:
			return nil, fmt.Errorf("the schema has step %d, which no florin has", version)
		}
		steps = append(steps, known[at])
	}
	return steps, nil
}

// describe reads the tables, columns and functions, and deletes the rows that migrations inserted.
func (s *Staging) describe(ctx context.Context) error {
	rows, err := s.conn.Query(ctx, `SELECT table_name::text, column_name::text FROM information_schema.columns
		WHERE table_schema = $1 AND is_generated = 'NEVER' ORDER BY table_name, ordinal_position`, stagingSchema)
	if err != nil {
		return failed("reading the schema", err)
	}
	var table, column string
	_, err = pgx.ForEachRow(rows, []any{&table, &column}, func() error {
		s.columns[table] = append(s.columns[table], column)
		return nil
	})
	if err != nil {
		return failed("reading the schema", err)
	}
	rows, err = s.conn.Query(ctx, "SELECT proname::text FROM pg_proc WHERE pronamespace = $1::regnamespace", stagingSchema)
	if err != nil {
		return failed("reading the schema", err)
	}
	if s.functions, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return failed("reading the schema", err)
	}
	names := make([]string, 0, len(s.columns))
	for name := range s.columns {
		names = append(names, pgx.Identifier{stagingSchema, name}.Sanitize())
	}
	s.tables = names
	if err := s.setTriggers(ctx, "DISABLE"); err != nil { // they would log the restored rows as changes
		return err
	}
	if _, err = s.conn.Exec(ctx, "TRUNCATE "+strings.Join(names, ", ")); err != nil {
		return failed("emptying the tables", err)
	}
	return s.looseReferences(ctx)
}

// setTriggers switches the triggers of all tables: DISABLE or ENABLE.
func (s *Staging) setTriggers(ctx context.Context, to string) error {
	for _, table := range s.tables {
		if _, err := s.conn.Exec(ctx, "ALTER TABLE "+table+" "+to+" TRIGGER USER"); err != nil {
			return failed("switching triggers", err)
		}
	}
	return nil
}

func (s *Staging) looseReferences(ctx context.Context) error {
	rows, err := s.conn.Query(ctx, `SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid)
		FROM pg_constraint WHERE contype = 'f' AND connamespace = $1::regnamespace`, stagingSchema)
	if err != nil {
		return failed("reading the schema", err)
	}
	if s.references, err = pgx.CollectRows(rows, pgx.RowToStructByPos[reference]); err != nil {
		return failed("reading the schema", err)
	}
	for _, r := range s.references {
		if _, err := s.conn.Exec(ctx, "ALTER TABLE "+r.Table+" DROP CONSTRAINT "+r.Name); err != nil {
			return failed("taking foreign keys away", err)
		}
	}
	return nil
}

// Columns lists the columns of a table that rows can give values to; nil for an unknown table.
func (s *Staging) Columns(table string) []string { return s.columns[table] }

// Functions are the names of the schema's functions.
func (s *Staging) Functions() []string { return s.functions }

// Load adds rows to a table, in the text format of COPY. COPY takes them as values only.
func (s *Staging) Load(ctx context.Context, table string, columns []string, rows io.Reader) error {
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = pgx.Identifier{column}.Sanitize()
	}
	_, err := s.conn.PgConn().CopyFrom(ctx, rows, "COPY "+pgx.Identifier{stagingSchema, table}.Sanitize()+
		" ("+strings.Join(names, ", ")+") FROM STDIN")
	return failed("loading table "+table, err)
}

// Replace replaces the record by the staging schema. With force it deletes the tables of the record's schema; without
// force that schema must have no table. It makes the whole change or none.
func (s *Staging) Replace(ctx context.Context, force bool) error {
	tx, err := s.conn.Begin(ctx)
	if err != nil {
		return failed("putting the restored record in its place", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // nothing is left to do after a commit
	found, err := occupants(ctx, tx)
	switch {
	case err != nil:
		return err
	case found.Nodes > 0:
		return fmt.Errorf("a node has connected to the database during the restore, with %d connections: stop it first",
			found.Nodes)
	case found.Tables > 0 && !force:
		return fmt.Errorf("the database has %d tables since the restore began: choose an empty database, or use --force",
			found.Tables)
	}
	if found.Tables > 0 {
		if _, err := tx.Exec(ctx, "DROP SCHEMA public CASCADE; CREATE SCHEMA public"); err != nil {
			return failed("deleting what the database holds", err)
		}
	}
	for _, step := range []string{
		// The audit checkpoint proves nothing about this record, unless the record was pruned and compared with it.
		"DELETE FROM audit_checkpoint WHERE (SELECT pruned_offset FROM ledger_head) = 0",
		`DO $$
		DECLARE object record;
		BEGIN
			FOR object IN SELECT oid::regclass AS name FROM pg_class
				WHERE relnamespace = '` + stagingSchema + `'::regnamespace AND relkind = 'r'
			LOOP
				EXECUTE format('ALTER TABLE %s SET SCHEMA public', object.name);
			END LOOP;
			FOR object IN SELECT oid::regprocedure AS name FROM pg_proc
				WHERE pronamespace = '` + stagingSchema + `'::regnamespace
			LOOP
				EXECUTE format('ALTER FUNCTION %s SET SCHEMA public', object.name);
			END LOOP;
		END $$`,
		"DROP SCHEMA " + stagingSchema, // refused if anything is left in it
	} {
		if _, err := tx.Exec(ctx, step); err != nil {
			return failed("putting the restored record in its place", err)
		}
	}
	return failed("putting the restored record in its place", tx.Commit(ctx))
}

// Finish adds the foreign keys, switches the triggers on, and makes the sequences go on after the loaded rows.
func (s *Staging) Finish(ctx context.Context) error {
	if err := s.setTriggers(ctx, "ENABLE"); err != nil {
		return err
	}
	for _, r := range s.references {
		_, err := s.conn.Exec(ctx, "ALTER TABLE "+r.Table+" ADD CONSTRAINT "+r.Name+" "+r.Definition)
		if err != nil {
			return failed("checking foreign keys", err)
		}
	}
	rows, err := s.conn.Query(ctx, `SELECT table_name::text, column_name::text FROM information_schema.columns
		WHERE table_schema = $1 AND pg_get_serial_sequence(format('%I.%I', table_schema, table_name), column_name)
			IS NOT NULL`, stagingSchema)
	if err != nil {
		return failed("reading the schema", err)
	}
	type serialColumn struct{ Table, Column string }
	serials, err := pgx.CollectRows(rows, pgx.RowToStructByPos[serialColumn])
	if err != nil {
		return failed("reading the schema", err)
	}
	for _, n := range serials {
		column := pgx.Identifier{n.Column}.Sanitize()
		_, err := s.conn.Exec(ctx,
			"SELECT setval(pg_get_serial_sequence($1, $2), coalesce(max("+column+"), 0) + 1, false) FROM "+
				pgx.Identifier{stagingSchema, n.Table}.Sanitize(), stagingSchema+"."+n.Table, n.Column)
		if err != nil {
			return failed("numbering rows", err)
		}
	}
	return nil
}
