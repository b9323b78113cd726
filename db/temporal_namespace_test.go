package db_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
)

func TestALedgerWorksInOneTemporalNamespace(t *testing.T) {
	t.Parallel()
	ctx, databaseURL := t.Context(), dbtest.URL(t)
	first, second := dbtest.Open(t, databaseURL), dbtest.Open(t, databaseURL)
	database, err := first.DatabaseID(ctx)
	require.NoError(t, err)
	shop := db.TemporalNamespace{Name: "shop", ID: "1", Database: database}
	require.NoError(t, first.CheckTemporalNamespace(ctx, shop), "nothing is noted yet")
	require.NoError(t, first.Enter(ctx, db.Process{Role: "api", Host: "here"}))
	_, err = first.EnterTemporalNamespace(ctx, shop)
	require.NoError(t, err)
	require.NoError(t, second.Enter(ctx, db.Process{Role: "worker"}))

	refused := func(given db.TemporalNamespace, words ...string) {
		t.Helper()
		var other *db.OtherNamespaceError
		require.ErrorAs(t, second.CheckTemporalNamespace(ctx, given), &other)
		_, err := second.EnterTemporalNamespace(ctx, given)
		require.ErrorAs(t, err, &other)
		for _, word := range words {
			require.ErrorContains(t, err, word)
		}
		noted, _, err := second.TemporalNamespace(ctx)
		require.NoError(t, err)
		require.Equal(t, shop, noted, "nothing has changed")
	}
	refused(db.TemporalNamespace{Name: "default", ID: "2", Database: database},
		`"shop"`, `"default"`, "--temporal-namespace=shop", "florin move-namespace default")
	anew := db.TemporalNamespace{Name: "shop", ID: "3", Database: database}
	refused(anew, first.Name(), "on here", "--temporal-address")

	// A process that runs follows a namespace that was made anew, and then others start in it.
	before, err := first.FollowTemporalNamespace(ctx, anew)
	require.NoError(t, err)
	require.Equal(t, shop, before)
	_, err = second.EnterTemporalNamespace(ctx, anew)
	require.NoError(t, err)
	shop = anew
	refused(db.TemporalNamespace{Name: "shop", ID: "4", Database: database}, first.Name(), second.Name())
	_, err = first.FollowTemporalNamespace(ctx, db.TemporalNamespace{Name: "default", ID: "2", Database: database})
	require.ErrorContains(t, err, "florin move-namespace default")

	// With nobody left, one of the same name is another Temporal's.
	require.NoError(t, first.Leave(ctx))
	require.NoError(t, second.Leave(ctx))
	require.NoError(t, second.Enter(ctx, db.Process{Role: "worker"}))
	before, err = second.EnterTemporalNamespace(ctx, db.TemporalNamespace{Name: "shop", ID: "4", Database: database})
	require.NoError(t, err)
	require.Equal(t, anew, before)

	// What a copy has of the database before does not count for it.
	require.NoError(t, second.CheckTemporalNamespace(ctx, db.TemporalNamespace{Name: "copy", ID: "5", Database: "9/9"}))
}

func TestALedgerMovesToAnotherTemporalNamespaceWhenAllOfItsProcessesHaveEnded(t *testing.T) {
	t.Parallel()
	ctx, record := t.Context(), dbtest.New(t)
	database, err := record.DatabaseID(ctx)
	require.NoError(t, err)
	shop := db.TemporalNamespace{Name: "shop", ID: "1", Database: database}
	require.NoError(t, record.Enter(ctx, db.Process{Role: "api", Host: "here", Version: "v1"}))
	_, err = record.EnterTemporalNamespace(ctx, shop)
	require.NoError(t, err)
	_, err = record.MoveToTemporalNamespace(ctx, "bank")
	var used *db.InUseError
	require.ErrorAs(t, err, &used)
	require.ErrorContains(t, err, record.Name()+" (api on here, version v1)")
	require.NoError(t, record.CheckTemporalNamespace(ctx, shop))

	require.NoError(t, record.Leave(ctx))
	before, err := record.MoveToTemporalNamespace(ctx, "bank")
	require.NoError(t, err)
	require.Equal(t, shop, before)
	require.ErrorContains(t, record.CheckTemporalNamespace(ctx, shop), "--temporal-namespace=bank")
	bank := db.TemporalNamespace{Name: "bank", ID: "2", Database: database}
	require.NoError(t, record.Enter(ctx, db.Process{Role: "api"}))
	before, err = record.EnterTemporalNamespace(ctx, bank)
	require.NoError(t, err)
	require.Empty(t, before.ID, "it has never worked there")
	noted, isNoted, err := record.TemporalNamespace(ctx)
	require.NoError(t, err)
	require.True(t, isNoted)
	require.Equal(t, bank, noted)
}

func TestALedgerMovesToAnotherTemporalOnPurposeAlone(t *testing.T) {
	t.Parallel()
	ctx, record := t.Context(), dbtest.New(t)
	database, err := record.DatabaseID(ctx)
	require.NoError(t, err)
	enter := func(given, noted db.TemporalNamespace) {
		t.Helper()
		require.NoError(t, record.Enter(ctx, db.Process{Role: "api", Host: "here"}))
		require.NoError(t, record.CheckTemporalNamespace(ctx, given))
		_, err := record.EnterTemporalNamespace(ctx, given)
		require.NoError(t, err)
		found, _, err := record.TemporalNamespace(ctx)
		require.NoError(t, err)
		require.Equal(t, noted, found)
		require.NoError(t, record.Leave(ctx))
	}
	in := func(server, id string) db.TemporalNamespace {
		return db.TemporalNamespace{Name: "shop", ID: id, Server: server, Database: database}
	}
	enter(in("", "1"), in("", "1")) // as a version noted it that did not know of servers
	enter(in("first", "1"), in("first", "1"))
	enter(in("", "1"), in("first", "1")) // what is not told takes nothing back
	enter(in("replica", "1"), in("replica", "1"))
	enter(in("first", "1"), in("first", "1"))
	enter(in("first", "2"), in("first", "2")) // made anew

	second := in("second", "3")
	require.NoError(t, record.Enter(ctx, db.Process{Role: "api", Host: "here"}))
	var other *db.OtherNamespaceError
	require.ErrorAs(t, record.CheckTemporalNamespace(ctx, second), &other)
	_, err = record.EnterTemporalNamespace(ctx, second)
	require.ErrorAs(t, err, &other)
	require.Empty(t, other.Processes)
	for _, words := range []string{
		`"shop"`, "of the Temporal first", "in the Temporal second", "--temporal-address", "florin move-namespace shop",
	} {
		require.ErrorContains(t, err, words)
	}
	noted, _, err := record.TemporalNamespace(ctx)
	require.NoError(t, err)
	require.Equal(t, in("first", "2"), noted, "nothing has changed")

	// A process that runs follows what answers at its address, and a ledger that is moved takes what is there.
	_, err = record.FollowTemporalNamespace(ctx, second)
	require.NoError(t, err)
	require.NoError(t, record.Leave(ctx))
	require.ErrorAs(t, record.CheckTemporalNamespace(ctx, in("first", "2")), &other)
	before, err := record.MoveToTemporalNamespace(ctx, "shop")
	require.NoError(t, err)
	require.Equal(t, second, before)
	enter(in("first", "2"), in("first", "2"))
}
