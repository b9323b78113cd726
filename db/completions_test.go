package db_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

func TestCompletions_AreListedForTheUserAndParties(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	appendEntries(t, record, db.Entries{Completions: []ledger.Completion{
		accepted(1, app, alice), refused(2, bob), accepted(3, app, alice, bob), accepted(4, "other", alice),
		accepted(5, app, carol), refused(6, alice),
	}})
	list := func(t *testing.T, query db.CompletionsQuery) []ledger.Offset {
		t.Helper()
		completions, err := record.Completions(t.Context(), query)
		require.NoError(t, err)
		offsets := make([]ledger.Offset, len(completions))
		for i, completion := range completions {
			offsets[i] = completion.Offset
		}
		return offsets
	}
	cases := map[string]struct {
		query db.CompletionsQuery
		want  []ledger.Offset
	}{
		"of one party": {
			db.CompletionsQuery{User: new(appUser), Parties: []ledger.Party{alice}, UpTo: 10, Limit: 10},
			[]ledger.Offset{1, 3, 6},
		},
		"of two parties, each completion once": {
			db.CompletionsQuery{User: new(appUser), Parties: []ledger.Party{bob, alice}, UpTo: 10, Limit: 10},
			[]ledger.Offset{1, 2, 3, 6},
		},
		"of parties named twice": {
			db.CompletionsQuery{User: new(appUser), Parties: []ledger.Party{bob, bob}, UpTo: 10, Limit: 10}, []ledger.Offset{
				2,
				3,
			},
		},
		"of another user": {
			db.CompletionsQuery{
				User: new(ledger.DefaultUser("other")), Parties: []ledger.Party{alice, bob}, UpTo: 10,
				Limit: 10,
			}, []ledger.Offset{4},
		},
		"of an unknown user": {
			db.CompletionsQuery{User: new(ledger.DefaultUser("nobody")), Parties: []ledger.Party{alice}, UpTo: 10, Limit: 10},
			[]ledger.Offset{},
		},
		"of another identity provider's user of the same name": {
			db.CompletionsQuery{
				User: new(ledger.Identity{IdentityProviderID: "acme", UserID: app}), Parties: []ledger.Party{alice}, UpTo: 10,
				Limit: 10,
			}, []ledger.Offset{},
		},
		"of no party": {db.CompletionsQuery{User: new(appUser), UpTo: 10, Limit: 10}, []ledger.Offset{}},
		"after an offset, which is excluded": {
			db.CompletionsQuery{User: new(appUser), Parties: []ledger.Party{alice}, After: 3, UpTo: 10, Limit: 10},
			[]ledger.Offset{6},
		},
		"up to an offset, which is included": {
			db.CompletionsQuery{User: new(appUser), Parties: []ledger.Party{alice}, UpTo: 3, Limit: 10}, []ledger.Offset{1, 3},
		},
		"up to a limit over all parties": {
			db.CompletionsQuery{User: new(appUser), Parties: []ledger.Party{alice, bob}, UpTo: 10, Limit: 2},
			[]ledger.Offset{1, 2},
		},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, list(t, test.query))
		})
	}
}

func TestCompletions_AreFoundBySubmissionKey(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	appendEntries(t, record, db.Entries{Completions: []ledger.Completion{accepted(1, app, alice)}})
	found, ok, err := record.CompletionBySubmissionKey(t.Context(), "key-1")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, accepted(1, app, alice), found)
	_, ok, err = record.CompletionBySubmissionKey(t.Context(), "key-2")
	require.NoError(t, err)
	require.False(t, ok)
}
