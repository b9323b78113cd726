package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/server/schema"
	v12 "go.temporal.io/server/schema/postgresql/v12"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/devnet/visibility"
)

const (
	mainDatabase       = "temporal"
	visibilityDatabase = visibility.Database
)

// database is the address and the login of the PostgreSQL server.
type database struct{ config *pgxpool.Config }

func parseDatabaseURL(text string) (database, error) {
	parsed, err := pgxpool.ParseConfig(text)
	if err != nil {
		return database{}, fmt.Errorf("database URL: %w", err)
	}
	return database{config: parsed}, nil
}

// prepareDatabases creates missing databases and upgrades old schemas. It needs only a few queries if all is up to
// date.
func prepareDatabases(ctx context.Context, target database) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, part := range []struct{ name, directory, version string }{
		{mainDatabase, "postgresql/v12/temporal", v12.Version},
		{visibilityDatabase, "postgresql/v12/visibility", v12.VisibilityVersion},
	} {
		group.Go(func() error {
			err := prepareDatabase(ctx, target, part.name, part.directory, part.version)
			if hasCode(err, "53100") { // disk_full
				err = fmt.Errorf("%w: the disk is full: free some space", err)
			}
			if err != nil {
				return fmt.Errorf("prepare database %s: %w", part.name, err)
			}
			return nil
		})
	}
	return group.Wait()
}

func prepareDatabase(ctx context.Context, target database, name, directory, version string) error {
	if err := createDatabase(ctx, target, name); err != nil {
		return err
	}
	conn, err := target.connect(ctx, name)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	// One at a time; the lock ends with the connection.
	if _, err := conn.Exec(ctx, "select pg_advisory_lock(hashtext('florin: schema of temporal'))"); err != nil {
		return err
	}
	current, err := schemaVersion(ctx, conn, name)
	if err != nil || current == version {
		return err
	}
	return upgradeSchema(ctx, conn, name, directory, current, version)
}

// trimIndexes drops the unused indexes of the visibility store.
func trimIndexes(ctx context.Context, target database, columns []string) error {
	conn, err := target.connect(ctx, visibilityDatabase)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return visibility.Trim(ctx, conn, columns)
}

func (d database) connect(ctx context.Context, name string) (*pgx.Conn, error) {
	config := d.config.ConnConfig.Copy()
	config.Database = name
	return pgx.ConnectConfig(ctx, config)
}

// createDatabase creates a database unless it exists.
func createDatabase(ctx context.Context, target database, name string) error {
	admin, err := target.connect(ctx, "postgres")
	if err != nil {
		return err
	}
	defer func() { _ = admin.Close(context.WithoutCancel(ctx)) }()
	var exists bool
	query := "select exists (select from pg_database where datname = $1)"
	if err := admin.QueryRow(ctx, query, name).Scan(&exists); err != nil || exists {
		return err
	}
	_, err = admin.Exec(ctx, "create database "+pgx.Identifier{name}.Sanitize()+" template template0")
	if hasCode(err, "42P04") || hasCode(err, "23505") { // duplicate_database, unique_violation: another was faster
		return nil
	}
	return err
}

func hasCode(err error, code string) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == code
}

const noSchema = "0.0"

func schemaVersion(ctx context.Context, conn *pgx.Conn, name string) (string, error) {
	var exists bool
	err := conn.QueryRow(ctx, "select to_regclass('schema_version') is not null").Scan(&exists)
	if err != nil || !exists {
		return noSchema, err
	}
	var version string
	query := "select curr_version from schema_version where version_partition = 0 and db_name = $1"
	err = conn.QueryRow(ctx, query, name).Scan(&version)
	if errors.Is(err, pgx.ErrNoRows) {
		return noSchema, nil
	}
	return version, err
}

// versionTables are the tables with the version of the schema.
const versionTables = `
create table if not exists schema_version (
	version_partition int not null, db_name varchar(255) not null, creation_time timestamp,
	curr_version varchar(64), min_compatible_version varchar(64), primary key (version_partition, db_name));
create table if not exists schema_update_history (
	version_partition int not null, year int not null, month int not null, update_time timestamp not null,
	description varchar(255), manifest_md5 varchar(64), new_version varchar(64), old_version varchar(64),
	primary key (version_partition, year, month, update_time));`

// manifest describes a version of the schema in the server's module.
type manifest struct {
	CurrVersion          string
	MinCompatibleVersion string
	SchemaUpdateCqlFiles []string
}

// upgradeSchema applies the missing versions (all of them for an empty database) in one transaction, so that an
// interrupted upgrade changes nothing.
func upgradeSchema(ctx context.Context, conn *pgx.Conn, name, directory, from, to string) error {
	if compareVersions(from, to) > 0 {
		return fmt.Errorf("its schema has version %s and this release of florin knows versions up to %s: use the "+
			"release that wrote it, or start with an empty data directory", from, to)
	}
	script, compatible, err := upgradeScript(directory, from, to)
	if err != nil {
		return err
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if err := visibility.Restore(ctx, tx); err != nil { // an upgrade may change any index
		return err
	}
	if _, err := tx.Exec(ctx, versionTables+script); err != nil {
		return contribHint(err)
	}
	_, err = tx.Exec(ctx, `insert into schema_version values (0, $1, localtimestamp, $2, $3)
		on conflict (version_partition, db_name) do update set creation_time = excluded.creation_time,
		curr_version = excluded.curr_version, min_compatible_version = excluded.min_compatible_version`,
		name, to, compatible)
	if err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// concurrently is not allowed in a transaction, and not needed while the server is down.
var concurrently = regexp.MustCompile(`(?i)\bconcurrently\b`)

// upgradeScript joins the statements of all versions after from, up to to. It also returns the oldest server version
// that the result is compatible with.
func upgradeScript(directory, from, to string) (script, compatible string, err error) {
	assets := schema.Assets()
	versioned := path.Join(directory, "versioned")
	entries, err := fs.ReadDir(assets, versioned)
	if err != nil {
		return "", "", err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return compareVersions(a.Name(), b.Name()) })
	var text strings.Builder
	for _, entry := range entries {
		if compareVersions(entry.Name(), from) <= 0 || compareVersions(entry.Name(), to) > 0 {
			continue
		}
		content, err := fs.ReadFile(assets, path.Join(versioned, entry.Name(), "manifest.json"))
		if err != nil {
			return "", "", err
		}
		var m manifest
		if err := json.Unmarshal(content, &m); err != nil {
			return "", "", err
		}
		compatible = m.MinCompatibleVersion
		for _, file := range m.SchemaUpdateCqlFiles {
			statements, err := fs.ReadFile(assets, path.Join(versioned, entry.Name(), file))
			if err != nil {
				return "", "", err
			}
			text.WriteString(concurrently.ReplaceAllString(string(statements), "") + "\n;\n")
		}
	}
	return text.String(), compatible, nil
}

// compareVersions orders versions such as v1.9 and 1.10.
func compareVersions(a, b string) int {
	numbers := func(version string) []int {
		var parts []int
		for part := range strings.SplitSeq(strings.TrimPrefix(version, "v"), ".") {
			number, _ := strconv.Atoi(part)
			parts = append(parts, number)
		}
		return parts
	}
	return slices.Compare(numbers(a), numbers(b))
}

func contribHint(err error) error {
	if hasCode(err, "0A000") || hasCode(err, "58P01") { // feature_not_supported, undefined_file
		return fmt.Errorf("%w: Temporal needs PostgreSQL's extension btree_gin; install the package of additional "+
			"modules (postgresql-contrib)", err)
	}
	return err
}
