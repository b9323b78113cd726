package db_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

func steps(t *testing.T, databaseURL string) *goose.Provider {
	t.Helper()
	config, err := pgx.ParseConfig(databaseURL)
	require.NoError(t, err)
	sqlDB := stdlib.OpenDB(*config)
	t.Cleanup(func() { require.NoError(t, sqlDB.Close()) })
	schema, err := db.Schema()
	require.NoError(t, err)
	provider, err := goose.NewProvider(goose.DialectPostgres, sqlDB, schema)
	require.NoError(t, err)
	return provider
}

// Each step meets the data that testdata/fixtures puts in after the steps before it: add a file there with each step
// that makes a place for data.
func TestMigrationsWalkOverData(t *testing.T) {
	t.Parallel()
	databaseURL := dbtest.Empty(t)
	provider := steps(t, databaseURL)
	conn, err := pgx.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	for {
		step, err := provider.UpByOne(t.Context())
		if errors.Is(err, goose.ErrNoNextVersion) {
			break
		}
		require.NoError(t, err)
		fixture, err := os.ReadFile(fmt.Sprintf("testdata/fixtures/%05d.sql", step.Source.Version))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		require.NoError(t, err)
		_, err = conn.Exec(t.Context(), string(fixture))
		require.NoError(t, err, step.Source.Path)
	}
	record := dbtest.Open(t, databaseURL)
	requireFixtureIsReadable(t, record)
	requireRequestsBelongToSomebody(t, record)
	requireNothingBeforeTheParty(t, record)
	requireWhatWasPaidIsKnown(t, record)
	requireMakersAreKnown(t, conn)
	purchased, known, err := record.MemberTraffic(t.Context(), "PAR::participant::1220", "global::1220")
	require.NoError(t, err)
	require.True(t, known)
	require.EqualValues(t, 1_200_000, purchased)

	_, err = provider.DownTo(t.Context(), 0)
	require.NoError(t, err)
	_, err = provider.Up(t.Context())
	require.NoError(t, err)
}

func requireFixtureIsReadable(t *testing.T, record *db.DB) {
	t.Helper()
	ctx := t.Context()
	require.NoError(t, record.CheckSchema(ctx))
	node, ok, err := record.Node(ctx)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "participant::1220", node.ParticipantID)
	head, err := record.Head(ctx)
	require.NoError(t, err)
	require.Equal(t, ledger.Offset(3), head.Offset)
	active, err := record.ActiveContracts(ctx, db.ActiveQuery{Parties: []ledger.Party{"bob::1220"}, At: 3, Limit: 9})
	require.NoError(t, err)
	require.Equal(t, []ledger.ContractID{"00aa"}, ids(active))
	updates := updateOffsets(t, record, db.UpdatesQuery{Parties: []ledger.Party{"alice::1220"}, UpTo: 9, Limit: 9})
	require.Equal(t, []ledger.Offset{1}, updates)
	completions, err := record.Completions(ctx, db.CompletionsQuery{
		User: new(appUser), Parties: []ledger.Party{"alice::1220"}, UpTo: 9, Limit: 9,
	})
	require.NoError(t, err)
	require.Len(t, completions, 2)
	require.EqualValues(t, "1220cc", completions[0].ChangeID)
	acme := ledger.Identity{IdentityProviderID: "acme", UserID: "acme-user"}
	completions, err = record.Completions(ctx, db.CompletionsQuery{
		User: new(acme), Parties: []ledger.Party{"bob::1220"}, UpTo: 9, Limit: 9,
	})
	require.NoError(t, err)
	require.Len(t, completions, 1)
	require.Equal(t, ledger.NewChangeID(acme, "c", []ledger.Party{"bob::1220"}), completions[0].ChangeID)
	rights, err := record.UserRights(ctx, app)
	require.NoError(t, err)
	require.Len(t, rights, 2)
	parties, err := record.Parties(ctx, []ledger.Party{"alice::1220"})
	require.NoError(t, err)
	require.Len(t, parties, 1)
	keys, err := record.PartyKeys(ctx, []ledger.Party{"carol::1220cc"})
	require.NoError(t, err)
	require.Len(t, keys["carol::1220cc"].Keys, 1)
}

func requireRequestsBelongToSomebody(t *testing.T, record *db.DB) {
	t.Helper()
	for id, requester := range map[db.TrackedID]ledger.Party{
		{Party: "alice::1220", Kind: "transfer-offer", TrackingID: "shared"}:  "alice::1220",
		{Party: "bob::1220", Kind: "transfer-offer", TrackingID: "shared"}:    "bob::1220",
		{Party: "carol::1220cc", Kind: "transfer-offer", TrackingID: "other"}: "bob::1220",
		{Party: "alice::1220", Kind: "buy-traffic", TrackingID: "shared"}:     "alice::1220",
	} {
		found, err := record.Requesters(t.Context(), id.Party, id.Kind, id.TrackingID, 9)
		require.NoError(t, err)
		require.Equal(t, []ledger.Party{requester}, found, "%v", id)
	}
}

// requireNothingBeforeTheParty requires that nobody may act as a party whose onboarding waits.
func requireNothingBeforeTheParty(t *testing.T, record *db.DB) {
	t.Helper()
	rights, err := record.UserRights(t.Context(), "early")
	require.NoError(t, err)
	require.Equal(t, []ledger.Right{{Kind: ledger.CanActAs, Party: "carol::1220cc"}}, rights)
}

// requireWhatWasPaidIsKnown requires that what the operator pays for is known from the contracts that are there.
func requireWhatWasPaidIsKnown(t *testing.T, record *db.DB) {
	t.Helper()
	paid, err := record.ProvidedPreapprovals(t.Context(), time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC),
		"alice::1220", "bob::1220", "carol::1220cc", "dave::1220", "erin::1220")
	require.NoError(t, err)
	require.Equal(t, db.ProvidedPreapprovals{Count: 2, Until: map[ledger.Party]time.Time{
		"alice::1220":   time.Date(2027, 2, 1, 0, 0, 0, 500_000_000, time.UTC),
		"carol::1220cc": time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC),
	}}, paid)
}

// requireMakersAreKnown requires that contracts which were active before are found by who made them.
func requireMakersAreKnown(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	rows, err := conn.Query(t.Context(), `SELECT party FROM active_contracts
		WHERE contract_id = '00aa' AND maker = substr(sha256('alice::1220'), 1, 16) ORDER BY party`)
	require.NoError(t, err)
	named, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, []string{"bob::1220"}, named, "and not alice, who made it herself")
}

func TestMigrateBringsAnEmptyDatabaseToTheNewestVersion(t *testing.T) {
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
	require.Contains(t, told[0], "applied 00001_node.sql in ")
	require.NoError(t, record.CheckSchema(t.Context()))

	told = nil
	_, err = db.Migrate(t.Context(), databaseURL, options)
	require.NoError(t, err)
	require.Empty(t, told, "there was nothing left to do")
}

func TestMigrateMayRunInManyProcessesAtOnce(t *testing.T) {
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

func TestCheckSchemaTellsWhatToDo(t *testing.T) {
	t.Parallel()

	t.Run("when the schema is behind", func(t *testing.T) {
		t.Parallel()
		record := dbtest.New(t)
		require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
			return tx.Exec(t.Context(), "DELETE FROM schema_expansions WHERE version_id = 153")
		}))
		err := record.CheckSchema(t.Context())
		require.ErrorContains(t, err, "lacks step 00153_processes.sql")
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

func TestMigrateNamesAnUnusableURL(t *testing.T) {
	t.Parallel()
	_, err := db.Migrate(t.Context(), "nonsense://x", db.MigrateOptions{})
	require.ErrorContains(t, err, "the database URL is not usable")
}

// A row that is sealed says for ever what it said: a column that is added later is null in it.
func TestNoMigrationChangesRowsThatAreSealed(t *testing.T) {
	t.Parallel()
	schema, err := db.Schema()
	require.NoError(t, err)
	names, err := fs.Glob(schema, "*.sql")
	require.NoError(t, err)
	changes := regexp.MustCompile(`(?i)\bUPDATE\s+(updates|completions)\b`)
	looked := 0
	for _, name := range names {
		if name < "00079" { // the first version that sealed and was released has these
			continue
		}
		looked++
		content, err := fs.ReadFile(schema, name)
		require.NoError(t, err)
		require.False(t, changes.Match(content), "%s changes rows that are sealed: the audit would find each", name)
	}
	require.Positive(t, looked)
}
