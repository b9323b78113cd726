// Package dbtest gives tests a fresh, migrated database each, on a real PostgreSQL.
//
// The server is the one of package testenv: that of the environment, or one of the test process's own. The first test
// that needs a database migrates a template; all others, in all processes, clone it, which takes tens of milliseconds.
// A test's database is dropped when the test passes, and kept, with its URL in the log, when it fails.
package dbtest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/devnet/testenv"
	"github.com/florinledger/florin/ledger"
)

const (
	// templateLock is the advisory lock of the process that makes a template.
	templateLock = 0x666c6f72696e // "florin"
	// maxConns is enough for concurrent tests of one database, and little enough for many such tests at once.
	maxConns = 8
	// fileCopyVersion is the first PostgreSQL that must be told to copy files, which is faster for small templates.
	fileCopyVersion = 15
)

// New returns a fresh migrated database, open until the test ends.
func New(tb testing.TB) *db.DB {
	tb.Helper()
	return Open(tb, URL(tb))
}

// Open opens a database until the test ends.
func Open(tb testing.TB, databaseURL string) *db.DB {
	tb.Helper()
	opened, err := db.Open(tb.Context(), databaseURL, db.Options{MaxConns: maxConns})
	require.NoError(tb, err)
	tb.Cleanup(opened.Close)
	return opened
}

// URL makes a fresh migrated database and returns its URL.
func URL(tb testing.TB) string {
	tb.Helper()
	return create(tb, true)
}

// Empty makes a fresh database without any table and returns its URL.
func Empty(tb testing.TB) string {
	tb.Helper()
	return create(tb, false)
}

// Prune prunes a record without an auditor: it first moves the audit checkpoint to the head.
func Prune(ctx context.Context, record *db.DB, upTo ledger.Offset) (db.Pruned, error) {
	head, err := record.Head(ctx)
	if err != nil {
		return db.Pruned{}, err
	}
	checkpoint, _, err := record.AuditCheckpoint(ctx)
	if err != nil {
		return db.Pruned{}, err
	}
	_, err = record.MoveAuditCheckpoint(ctx, checkpoint.Version, db.AuditCheckpoint{
		Offset: head.Offset, State: fmt.Appendf(nil, `{"offset":%d}`, head.Offset),
	})
	if err != nil {
		return db.Pruned{}, err
	}
	return record.Prune(ctx, upTo)
}

func create(tb testing.TB, migrated bool) string {
	tb.Helper()
	server := testenv.Postgres(tb)
	admin, err := pgx.Connect(tb.Context(), server)
	require.NoError(tb, err, "connecting to the test server %s", server)
	defer admin.Close(context.WithoutCancel(tb.Context()))
	name := "florin_test_" + strings.ToLower(rand.Text()[:12])
	statement := "CREATE DATABASE " + quote(name) + " TEMPLATE template0 ENCODING 'UTF8'"
	if migrated {
		template, err := ensureTemplate(tb.Context(), admin, server)
		require.NoError(tb, err, "making the template of test databases")
		statement = "CREATE DATABASE " + quote(name) + " TEMPLATE " + quote(template) + copyStrategy(admin)
	}
	_, err = admin.Exec(tb.Context(), statement)
	require.NoError(tb, err, "making a test database")
	databaseURL := onDatabase(tb, server, name)
	tb.Cleanup(func() { drop(tb, server, name, databaseURL) })
	return databaseURL
}

func drop(tb testing.TB, server, name, databaseURL string) {
	tb.Helper()
	if tb.Failed() {
		tb.Logf("the test failed: its database stays as long as its server runs: psql '%s'", databaseURL)
		return
	}
	ctx := context.WithoutCancel(tb.Context())
	admin, err := pgx.Connect(ctx, server)
	require.NoError(tb, err, "connecting to the test server %s", server)
	defer admin.Close(ctx)
	_, err = admin.Exec(ctx, "DROP DATABASE "+quote(name)+" WITH (FORCE)")
	require.NoError(tb, err, "dropping a test database")
}

// ensureTemplate returns the name of a database that has this program's schema, and makes it if there is none. It
// migrates a template under another name and then renames it, so that an existing template is always complete.
func ensureTemplate(ctx context.Context, admin *pgx.Conn, server string) (string, error) {
	hash, err := schemaHash()
	if err != nil {
		return "", err
	}
	template := "florin_template_" + hash
	if found, err := exists(ctx, admin, template); found || err != nil {
		return template, err
	}
	if _, err := admin.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(templateLock)); err != nil {
		return "", err
	}
	// The lock ends with the connection.
	if found, err := exists(ctx, admin, template); found || err != nil {
		return template, err
	}
	draft := template + "_draft"
	for _, statement := range []string{
		"DROP DATABASE IF EXISTS " + quote(draft) + " WITH (FORCE)",
		"CREATE DATABASE " + quote(draft) + " TEMPLATE template0 ENCODING 'UTF8'",
	} {
		if _, err := admin.Exec(ctx, statement); err != nil {
			return "", err
		}
	}
	draftURL, err := withDatabase(server, draft)
	if err != nil {
		return "", err
	}
	if _, err := db.Migrate(ctx, draftURL, db.MigrateOptions{}); err != nil {
		return "", err
	}
	_, err = admin.Exec(ctx, "ALTER DATABASE "+quote(draft)+" RENAME TO "+quote(template))
	return template, err
}

func exists(ctx context.Context, admin *pgx.Conn, name string) (bool, error) {
	var found bool
	err := admin.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&found)
	return found, err
}

// schemaHash changes with every change of a migration, so that templates of different versions live side by side.
func schemaHash() (string, error) {
	schema, err := db.Schema()
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	err = fs.WalkDir(schema, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(schema, path)
		fmt.Fprintf(hash, "%s %d\n%s", path, len(content), content)
		return err
	})
	return hex.EncodeToString(hash.Sum(nil))[:12], err
}

func copyStrategy(admin *pgx.Conn) string {
	var major int
	_, err := fmt.Sscanf(admin.PgConn().ParameterStatus("server_version"), "%d", &major)
	if err == nil && major >= fileCopyVersion {
		return " STRATEGY FILE_COPY"
	}
	return ""
}

func onDatabase(tb testing.TB, server, name string) string {
	tb.Helper()
	databaseURL, err := withDatabase(server, name)
	require.NoError(tb, err)
	return databaseURL
}

func withDatabase(server, name string) (string, error) {
	parsed, err := url.Parse(server)
	if err != nil {
		return "", fmt.Errorf("the URL of the test server must have the form postgres://…: %w", err)
	}
	parsed.Path = "/" + name
	return parsed.String(), nil
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
