package db_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
)

func TestMigrate_BringsAnEmptyDatabaseToTheNewestVersion(t *testing.T) {
	t.Parallel()
	databaseURL := dbtest.Empty(t)
	record := dbtest.Open(t, databaseURL)
	require.ErrorContains(t, record.CheckSchema(t.Context()), "run `florin migrate`")

	var lines []string
	options := db.MigrateOptions{Progress: func(line string) { lines = append(lines, line) }}
	remaining, err := db.Migrate(t.Context(), databaseURL, options)
	require.NoError(t, err)
	require.Empty(t, remaining, "an empty database needs none of what contracting steps remove")
	require.NotEmpty(t, lines)
	require.Contains(t, lines[0], "applied 00001_baseline.sql in ")
	require.NoError(t, record.CheckSchema(t.Context()))

	lines = nil
	_, err = db.Migrate(t.Context(), databaseURL, options)
	require.NoError(t, err)
	require.Empty(t, lines, "no step was left to apply")
}

func TestMigrate_RunsInManyProcessesAtOnce(t *testing.T) {
	t.Parallel()
	databaseURL := dbtest.Empty(t)
	var group errgroup.Group
	for range 3 {
		group.Go(func() error {
			_, err := db.Migrate(t.Context(), databaseURL, db.MigrateOptions{})
			return err
		})
	}
	require.NoError(t, group.Wait())
	require.NoError(t, dbtest.Open(t, databaseURL).CheckSchema(t.Context()))
}

func TestCheckSchema_TellsWhatToDo(t *testing.T) {
	t.Parallel()

	t.Run("when the schema is behind", func(t *testing.T) {
		t.Parallel()
		record := dbtest.New(t)
		require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(t.Context(), "DELETE FROM goose_db_version WHERE version_id = 1")
		}))
		err := record.CheckSchema(t.Context())
		require.ErrorContains(t, err, "lacks step 00001_baseline.sql")
		require.ErrorContains(t, err, "run `florin migrate`")
	})

	t.Run("when the schema is ahead", func(t *testing.T) {
		t.Parallel()
		record := dbtest.New(t)
		require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")
		}))
		err := record.CheckSchema(t.Context())
		require.ErrorContains(t, err, "version 99999, newer than")
		require.ErrorContains(t, err, "run a newer florin")
	})
}

func TestMigrate_RefusesANewerSchema(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	_, err := connectAs(t, url, "test").Exec(t.Context(),
		"INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")
	require.NoError(t, err)
	for _, contract := range []bool{false, true} {
		_, err = db.Migrate(t.Context(), url, db.MigrateOptions{Contract: contract})
		require.ErrorContains(t, err, "the database schema is at version 99999, newer than")
		require.ErrorContains(t, err, "run a newer florin")
	}
}

func TestMigrate_NamesAnUnusableURL(t *testing.T) {
	t.Parallel()
	_, err := db.Migrate(t.Context(), "nonsense://x", db.MigrateOptions{})
	require.ErrorContains(t, err, "the database URL is not usable")
}

// A migration must not change rows of the record: in old rows, a new column is null.
func TestMigrate_ChangesNoRowsOfTheRecord(t *testing.T) {
	t.Parallel()
	changes := regexp.MustCompile(`(?i)\bUPDATE\s+(updates|completions)\b`)
	require.True(t, changes.MatchString("UPDATE completions SET user_id = ''"))
	for name, content := range schemaFiles(t) {
		require.False(t, changes.MatchString(content), "%s changes rows of the record: the audit would report each", name)
	}
}
