package db_test

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
)

var (
	comments  = regexp.MustCompile(`(?m)--.*$`)
	tableMade = regexp.MustCompile(`(?i)\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)`)
	indexMade = regexp.MustCompile(`(?is)\bCREATE\s+(?:UNIQUE\s+)?INDEX\s+(CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?` +
		`(\w+)\s+ON\s+(?:ONLY\s+)?(\w+)`)
	tableAltered = regexp.MustCompile(`(?is)\bALTER\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?(\w+)([^;]*)`)
	keyAdded     = regexp.MustCompile(`(?is)\b(?:UNIQUE|PRIMARY\s+KEY|EXCLUDE)\s*(?:NULLS\s+(?:NOT\s+)?DISTINCT\s*)?` +
		`(?:\(|USING\s+(?:gist|btree|hash|gin|spgist)\b|,|$)`)
)

// heldIndexes finds mistakes of a migration with an existing table, to which others write: it builds an index under a
// lock on the table, or leaves half an index behind when it fails.
func heldIndexes(migration string) (found []string) {
	up, _, _ := strings.Cut(migration, "-- +goose Down")
	alone := strings.Contains(up, "-- +goose NO TRANSACTION")
	up = comments.ReplaceAllString(up, "")
	var made []string
	for _, match := range tableMade.FindAllStringSubmatch(up, -1) {
		made = append(made, match[1])
	}
	for _, match := range indexMade.FindAllStringSubmatch(up, -1) {
		concurrently, index, table := match[1] != "", match[2], match[3]
		dropped := regexp.MustCompile(`(?is)\bDROP\s+INDEX\s+CONCURRENTLY\s+IF\s+EXISTS\s+` + index + `\b`)
		switch {
		case slices.Contains(made, table):
		case !concurrently:
			found = append(found, fmt.Sprintf("builds %s while %s is locked: CREATE INDEX CONCURRENTLY, in a migration of its "+
				"own with -- +goose NO TRANSACTION", index, table))
		case !alone:
			found = append(found, index+" is built concurrently: add -- +goose NO TRANSACTION")
		case !dropped.MatchString(up):
			found = append(found, "drop what a failed build has left of "+index+" first: "+
				"DROP INDEX CONCURRENTLY IF EXISTS")
		}
	}
	for _, match := range tableAltered.FindAllStringSubmatch(up, -1) {
		if table := match[1]; !slices.Contains(made, table) && keyAdded.MatchString(match[2]) {
			found = append(found, "adds a key to "+table+" whose index is built while the table is locked: build a unique "+
				"index concurrently, and use it with ADD CONSTRAINT … USING INDEX")
		}
	}
	return found
}

// Running nodes write while the migrations of a later version run.
func TestSchemaLocks_NoStepBuildsAnIndexUnderALock(t *testing.T) {
	t.Parallel()
	for name, content := range schemaFiles(t) {
		require.Empty(t, heldIndexes(content), name)
	}
}

// schemaFiles are the texts of the steps, by their names.
func schemaFiles(t *testing.T) map[string]string {
	t.Helper()
	schema, err := db.Schema()
	require.NoError(t, err)
	names, err := fs.Glob(schema, "*.sql")
	require.NoError(t, err)
	require.Contains(t, names, "00001_baseline.sql")
	files := map[string]string{}
	for _, name := range names {
		content, err := fs.ReadFile(schema, name)
		require.NoError(t, err)
		files[name] = string(content)
	}
	return files
}

func TestSchemaLocks_FindsStatementsThatLockATable(t *testing.T) {
	t.Parallel()
	const (
		alone  = "-- +goose NO TRANSACTION\n-- +goose Up\n"
		locked = "builds a while b is locked"
		key    = "adds a key to b"
		left   = "drop what a failed build has left"
		fine   = ""
	)
	for _, test := range [][2]string{
		{locked, "CREATE INDEX a ON b (c);"},
		{locked, "create unique index if not exists a\n on only b using gin (c);"},
		{locked, "CREATE TABLE d (c int); CREATE INDEX a ON b (c);"},
		{"NO TRANSACTION", "CREATE INDEX CONCURRENTLY a ON b (c);"},
		{left, alone + "CREATE INDEX CONCURRENTLY a ON b (c);"},
		{left, alone + "DROP INDEX CONCURRENTLY IF EXISTS ab; CREATE INDEX CONCURRENTLY a ON b (c);"},
		{key, "ALTER TABLE b ADD CONSTRAINT k PRIMARY KEY (c);"},
		{key, "ALTER TABLE b ADD COLUMN c int UNIQUE;"},
		{key, "ALTER TABLE b ADD COLUMN c int UNIQUE, ADD COLUMN d int;"},
		{key, "ALTER TABLE b ADD CONSTRAINT k EXCLUDE USING gist (c WITH &&);"},
		{key, "ALTER TABLE b\n  DROP CONSTRAINT k,\n  ADD CONSTRAINT k UNIQUE NULLS NOT DISTINCT (c);"},
		{fine, alone + "DROP INDEX CONCURRENTLY IF EXISTS a;\nCREATE UNIQUE INDEX CONCURRENTLY a ON b (c);"},
		{fine, "CREATE TABLE b (c int PRIMARY KEY); CREATE INDEX a ON b (c);"},
		{fine, "ALTER TABLE b ADD CONSTRAINT k UNIQUE USING INDEX a;"},
		{fine, "ALTER TABLE b ADD COLUMN c int NOT NULL DEFAULT 0;"},
		{fine, "SELECT 1; -- CREATE INDEX a ON b (c)"},
		{fine, "SELECT 1;\n-- +goose Down\nCREATE INDEX a ON b (c);"},
		{fine, "CREATE TABLE IF NOT EXISTS b (c int); ALTER TABLE b ADD CONSTRAINT k PRIMARY KEY (c);"},
	} {
		want, migration := test[0], test[1]
		found := strings.Join(heldIndexes(migration), "\n")
		if want == fine {
			require.Empty(t, found, migration)
		} else {
			require.Contains(t, found, want, migration)
		}
	}
}
