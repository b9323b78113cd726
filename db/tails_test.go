package db_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

func TestTouchedParties_ListsPartiesWithNewEntries(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	hosted := ledger.Update{
		Offset: 6, ID: updateID(6), RecordTime: timeAt(6), EffectiveAt: timeAt(6),
		Topology: []ledger.Hosting{{Party: carol}},
	}
	appendEntries(t, record, db.Entries{
		Updates: []ledger.Update{
			update(1, []ledger.Party{alice}), update(2, []ledger.Party{bob}, []ledger.Party{alice, dso}),
			update(4, []ledger.Party{dso}, []ledger.Party{dso}), update(5), hosted,
		},
		Completions: []ledger.Completion{accepted(2, app, bob), refused(3, carol, alice), accepted(4, app, bob)},
	})
	for _, test := range []struct {
		after, upTo ledger.Offset
		want        []ledger.Party
	}{
		{0, 1, []ledger.Party{alice}},
		{1, 2, []ledger.Party{alice, bob, dso}},
		{2, 3, []ledger.Party{alice, carol}},
		{3, 4, []ledger.Party{bob, dso}},
		{4, 5, []ledger.Party{}},
		{5, 6, []ledger.Party{carol}},
		{6, 9, []ledger.Party{}},
		{0, 9, []ledger.Party{alice, bob, carol, dso}},
	} {
		touched, err := record.TouchedParties(t.Context(), test.after, test.upTo)
		require.NoError(t, err)
		require.ElementsMatch(t, test.want, touched, "after %d up to %d", test.after, test.upTo)
	}
}
