package db_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

func TestPages_OfManyPartiesHaveAllRows(t *testing.T) {
	t.Parallel()
	const last, known = 600, 24
	random := rand.New(rand.NewPCG(1, 2))
	parties := make([]ledger.Party, known)
	for i := range parties {
		parties[i] = ledger.Party(fmt.Sprintf("party-%02d::1220", i))
	}
	record := dbtest.New(t)
	var entries db.Entries
	of := map[ledger.Offset][]ledger.Party{}
	for offset := ledger.Offset(1); offset <= last; offset++ {
		few := 1 + int(offset)/40 // at first one party has all rows, at last more than half of them
		mine := ledger.SortedParties([]ledger.Party{parties[random.IntN(few)], parties[random.IntN(few)]})
		of[offset] = mine
		entries.Updates = append(entries.Updates, update(offset, mine))
		entries.Completions = append(entries.Completions, accepted(offset, app, mine...))
	}
	appendEntries(t, record, entries)
	for range 300 {
		some := slices.Clone(parties)
		random.Shuffle(known, func(i, j int) { some[i], some[j] = some[j], some[i] })
		some = some[:1+random.IntN(known)]
		after, limit := ledger.Offset(random.IntN(last)), int32(1+random.IntN(120))
		upTo := after + ledger.Offset(random.IntN(last))
		var all []ledger.Offset
		for offset := after + 1; offset <= min(upTo, last); offset++ {
			if slices.ContainsFunc(of[offset], func(p ledger.Party) bool { return slices.Contains(some, p) }) {
				all = append(all, offset)
			}
		}
		want := all[:min(len(all), int(limit))]
		query := db.CompletionsQuery{Parties: some, After: after, UpTo: upTo, Limit: limit}
		requireCompletions(t, record, query, want)
		query.User = new(appUser)
		requireCompletions(t, record, query, want)
		updates := db.UpdatesQuery{Parties: some, After: after, UpTo: upTo, Limit: limit}
		requireUpdates(t, record, updates, want)
		slices.Reverse(all)
		updates.Descending = true
		requireUpdates(t, record, updates, all[:min(len(all), int(limit))])
	}
}

func requireCompletions(t *testing.T, record *db.DB, query db.CompletionsQuery, want []ledger.Offset) {
	t.Helper()
	page, err := record.Completions(t.Context(), query)
	require.NoError(t, err)
	var got []ledger.Offset
	for _, completion := range page {
		got = append(got, completion.Offset)
	}
	require.Equal(t, append([]ledger.Offset(nil), want...), got)
}

func requireUpdates(t *testing.T, record *db.DB, query db.UpdatesQuery, want []ledger.Offset) {
	t.Helper()
	page, err := record.Updates(t.Context(), query)
	require.NoError(t, err)
	var got []ledger.Offset
	for _, one := range page {
		got = append(got, one.Offset)
	}
	require.Equal(t, append([]ledger.Offset(nil), want...), got)
}
