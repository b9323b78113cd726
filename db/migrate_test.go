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

	var told []string
	options := db.MigrateOptions{Progress: func(line string) { told = append(told, line) }}
	remaining, err := db.Migrate(t.Context(), databaseURL, options)
	require.NoError(t, err)
	require.Empty(t, remaining, "nobody needs what is taken away")
	require.NotEmpty(t, told)
	require.Contains(t, told[0], "applied 00001_baseline.sql in ")
	require.NoError(t, record.CheckSchema(t.Context()))

	told = nil
	_, err = db.Migrate(t.Context(), databaseURL, options)
	require.NoError(t, err)
	require.Empty(t, told, "there was nothing left to do")
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

// A row of the record says for ever what it said: a column that is added later is null in it.
func TestMigrate_ChangesNoRowsOfTheRecord(t *testing.T) {
	t.Parallel()
	changes := regexp.MustCompile(`(?i)\bUPDATE\s+(updates|completions)\b`)
	require.True(t, changes.MatchString("UPDATE completions SET user_id = ''"))
	for name, content := range schemaFiles(t) {
		require.False(t, changes.MatchString(content), "%s changes rows of the record: the audit would find each", name)
	}
}
