package db_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

func TestTrackedRequests_NewestStepDecides(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	odd := db.TrackedID{Party: alice, Requester: alice, Kind: "offer", TrackingID: strings.Repeat("\x00ö", 5000)}
	step := func(id db.TrackedID, offset ledger.Offset, state string) db.Tracked {
		return db.Tracked{TrackedID: id, Offset: offset, State: json.RawMessage(state)}
	}
	commit := func(offset ledger.Offset, steps ...db.Tracked) {
		appendEntries(t, record, db.Entries{
			Completions: []ledger.Completion{accepted(offset, "user", alice)}, Tracked: steps,
			Head: db.Head{Offset: offset, RecordTime: timeAt(offset)},
		})
	}
	commit(1, step(odd, 1, `{"status":"created"}`), step(odd, 1, `{"status":"\u0000"}`))
	state, found, err := record.TrackedState(t.Context(), odd)
	require.NoError(t, err)
	require.True(t, found)
	require.JSONEq(t, `{"status":"\u0000"}`, string(state))

	commit(2, step(odd, 2, `{"status":"failed"}`))
	state, _, err = record.TrackedState(t.Context(), odd)
	require.NoError(t, err)
	require.JSONEq(t, `{"status":"failed"}`, string(state))

	for name, other := range map[string]db.TrackedID{
		"of another party":       {Party: bob, Requester: alice, Kind: odd.Kind, TrackingID: odd.TrackingID},
		"by another party":       {Party: alice, Requester: bob, Kind: odd.Kind, TrackingID: odd.TrackingID},
		"of another kind":        {Party: alice, Requester: alice, Kind: "traffic", TrackingID: odd.TrackingID},
		"with a tracking id not": {Party: alice, Requester: alice, Kind: odd.Kind, TrackingID: "x"},
	} {
		_, found, err := record.TrackedState(t.Context(), other)
		require.NoError(t, err)
		require.False(t, found, name)
	}
}
