package db_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

func TestUpdates_AreListedForParties(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	appendEntries(t, record, db.Entries{
		Updates: []ledger.Update{
			update(1, []ledger.Party{alice}),
			update(2, []ledger.Party{bob}),
			// Offset 3 belongs to a refused submission.
			update(4, []ledger.Party{alice}, []ledger.Party{alice, bob}),
			update(5, []ledger.Party{carol}),
			update(6, []ledger.Party{carol}, []ledger.Party{alice}),
		},
		Completions: []ledger.Completion{refused(3, alice)},
	})
	cases := map[string]struct {
		query db.UpdatesQuery
		want  []ledger.Offset
	}{
		"of anyone":    {db.UpdatesQuery{UpTo: 10, Limit: 10}, []ledger.Offset{1, 2, 4, 5, 6}},
		"of no party":  {db.UpdatesQuery{Parties: []ledger.Party{}, UpTo: 10, Limit: 10}, []ledger.Offset{}},
		"of one party": {db.UpdatesQuery{Parties: []ledger.Party{alice}, UpTo: 10, Limit: 10}, []ledger.Offset{1, 4, 6}},
		"of two parties, each update once": {
			db.UpdatesQuery{Parties: []ledger.Party{alice, bob}, UpTo: 10, Limit: 10}, []ledger.Offset{1, 2, 4, 6},
		},
		"between two offsets": {
			db.UpdatesQuery{Parties: []ledger.Party{alice}, After: 1, UpTo: 4, Limit: 10}, []ledger.Offset{4},
		},
		"of anyone between two offsets": {db.UpdatesQuery{After: 1, UpTo: 5, Limit: 10}, []ledger.Offset{2, 4, 5}},
		"up to a limit over all parties": {
			db.UpdatesQuery{Parties: []ledger.Party{carol, alice}, UpTo: 10, Limit: 3}, []ledger.Offset{1, 4, 5},
		},
		"of anyone up to a limit": {db.UpdatesQuery{UpTo: 10, Limit: 2}, []ledger.Offset{1, 2}},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, updateOffsets(t, record, test.query))
		})
		t.Run(name+", descending", func(t *testing.T) {
			t.Parallel()
			query := test.query
			query.Descending, query.Limit = true, 10
			all := test.query
			all.Limit = 10
			want := updateOffsets(t, record, all)
			slices.Reverse(want)
			require.Equal(t, want, updateOffsets(t, record, query))
			query.Limit = test.query.Limit
			require.Equal(t, want[:min(len(want), int(query.Limit))], updateOffsets(t, record, query))
		})
	}
}

func TestUpdates_MissingOnesAreNotFound(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	_, ok, err := record.UpdateByOffset(t.Context(), 1)
	require.NoError(t, err)
	require.False(t, ok)
	_, ok, err = record.UpdateByID(t.Context(), updateID(1))
	require.NoError(t, err)
	require.False(t, ok)
}

func updateOffsets(t *testing.T, record *db.DB, query db.UpdatesQuery) []ledger.Offset {
	t.Helper()
	updates, err := record.Updates(t.Context(), query)
	require.NoError(t, err)
	offsets := make([]ledger.Offset, len(updates))
	for i, u := range updates {
		offsets[i] = u.Offset
	}
	return offsets
}

func TestWorkflowIDs_FindsThoseOfUpdates(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	named := update(2, []ledger.Party{alice})
	named.WorkflowID = "rent"
	appendEntries(t, record, db.Entries{Updates: []ledger.Update{update(1, []ledger.Party{alice}), named}})
	found, err := record.WorkflowIDs(t.Context(), []ledger.Offset{1, 2, 3})
	require.NoError(t, err)
	require.Equal(t, map[ledger.Offset]string{2: "rent"}, found)
}

func TestPartyHistory_ListsUpdatesThatMayConcernTheParty(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	appendEntries(t, record, db.Entries{
		Updates: []ledger.Update{
			update(1, []ledger.Party{alice}),
			update(2, []ledger.Party{alice, bob}),
			update(3, []ledger.Party{alice, bob}),
			update(4, []ledger.Party{alice}),
			update(5, []ledger.Party{bob}),
		},
		History: map[ledger.Offset][]ledger.Party{2: {bob}, 3: {alice, carol}, 4: {}},
	})
	for name, test := range map[string]struct {
		query db.HistoryQuery
		want  []ledger.Offset
	}{
		"updates without a list, too": {db.HistoryQuery{Party: alice, UpTo: 10, Limit: 10}, []ledger.Offset{3, 1}},
		"of another party":            {db.HistoryQuery{Party: bob, UpTo: 10, Limit: 10}, []ledger.Offset{5, 2}},
		"of who does not see it":      {db.HistoryQuery{Party: carol, UpTo: 10, Limit: 10}, []ledger.Offset{}},
		"the newest":                  {db.HistoryQuery{Party: alice, UpTo: 10, Limit: 1}, []ledger.Offset{3}},
		"from an offset":              {db.HistoryQuery{Party: alice, UpTo: 2, Limit: 10}, []ledger.Offset{1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := record.History(t.Context(), test.query)
			require.NoError(t, err)
			offsets := make([]ledger.Offset, len(found))
			for i, one := range found {
				offsets[i] = one.Update().Offset
			}
			require.Equal(t, test.want, offsets)
		})
	}
}
