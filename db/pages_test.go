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
		for _, user := range []*ledger.Identity{nil, new(appUser)} {
			page, err := record.Completions(t.Context(),
				db.CompletionsQuery{User: user, Parties: some, After: after, UpTo: upTo, Limit: limit})
			requireOffsets(t, page, err, func(c ledger.Completion) ledger.Offset { return c.Offset }, want)
		}
		updates := db.UpdatesQuery{Parties: some, After: after, UpTo: upTo, Limit: limit}
		ofUpdate := func(u ledger.Update) ledger.Offset { return u.Offset }
		page, err := record.Updates(t.Context(), updates)
		requireOffsets(t, page, err, ofUpdate, want)
		slices.Reverse(all)
		updates.Descending = true
		page, err = record.Updates(t.Context(), updates)
		requireOffsets(t, page, err, ofUpdate, all[:min(len(all), int(limit))])
	}
}

func requireOffsets[T any](t *testing.T, page []T, err error, offset func(T) ledger.Offset, want []ledger.Offset) {
	t.Helper()
	require.NoError(t, err)
	require.Len(t, page, len(want))
	for i, row := range page {
		require.Equal(t, want[i], offset(row))
	}
}
