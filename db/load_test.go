package db_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

func TestLoad_ReadsWhatACommitNeeds(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	keyed := coin(3, 2, alice)
	keyed.Key = &ledger.ContractKey{Value: json.RawMessage(`1`), Hash: "feed", Maintainers: []ledger.Party{alice}}
	// The change of offset 1 is accepted again at offset 3, and refused at offset 4.
	again, not := accepted(3, app, alice), refused(4, alice)
	again.ChangeID, not.ChangeID = accepted(1, app, alice).ChangeID, accepted(1, app, alice).ChangeID
	onlyRefused := refused(2, alice)
	appendEntries(t, record, db.Entries{
		Created:     []db.NewContract{coin(1, 1, alice), coin(2, 1, bob), keyed},
		Archived:    []db.Archival{{ContractID: contractID(2), Offset: 4}},
		Completions: []ledger.Completion{accepted(1, app, alice), onlyRefused, again, not},
	})
	_, err := record.AllocateParty(t.Context(), ledger.PartyDetails{Party: alice, IsLocal: true}, "")
	require.NoError(t, err)
	_, err = record.AllocateParty(t.Context(), ledger.PartyDetails{Party: bob}, "")
	require.NoError(t, err)

	loaded := load(t, record, db.LoadRequest{
		Keys:         []string{"key-1", "key-4", "unknown", "key-1"},
		Changes:      []ledger.ChangeID{again.ChangeID, onlyRefused.ChangeID, again.ChangeID, "never"},
		Contracts:    []ledger.ContractID{contractID(1), contractID(2), contractID(99)},
		ContractKeys: []string{"feed", "dead"},
		Parties:      []ledger.Party{alice, bob, carol, alice},
	})

	head, err := record.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, db.Head{Offset: 4, RecordTime: timeAt(4), Hash: head.Hash}, loaded.Head)
	require.Equal(t, map[string]ledger.Completion{"key-1": accepted(1, app, alice), "key-4": not}, loaded.Completions)
	require.Equal(t, map[ledger.ChangeID]db.Change{
		again.ChangeID: {Offset: 3, AcceptedAt: timeAt(3), SubmissionID: "submission-3"},
	}, loaded.Changes)
	archived := ledger.Offset(4)
	require.Equal(t, map[ledger.ContractID]db.StoredContract{
		contractID(1): {Contract: coin(1, 1, alice).Contract, Offset: 1, NodeID: 1},
		contractID(2): {Contract: coin(2, 1, bob).Contract, Offset: 1, NodeID: 2, Archived: &archived},
	}, loaded.Contracts)
	require.Equal(t, map[string]db.StoredContract{
		"feed": {Contract: keyed.Contract, Offset: 2, NodeID: 3},
	}, loaded.ContractKeys)
	require.Equal(t, map[ledger.Party]bool{alice: true, bob: false}, loaded.Parties)

	t.Run("answers like the single lookups", func(t *testing.T) {
		t.Parallel()
		completions, err := record.CompletionsByKey(t.Context(), []string{"key-1", "key-4", "unknown"})
		require.NoError(t, err)
		require.Equal(t, loaded.Completions, completions)
		changes, err := record.Changes(t.Context(), []ledger.ChangeID{again.ChangeID, onlyRefused.ChangeID})
		require.NoError(t, err)
		require.Equal(t, loaded.Changes, changes)
		parties, err := record.KnownParties(t.Context(), []ledger.Party{alice, bob, carol})
		require.NoError(t, err)
		require.Equal(t, loaded.Parties, parties)
	})

	t.Run("of nothing is the head and empty maps", func(t *testing.T) {
		t.Parallel()
		empty := load(t, record, db.LoadRequest{})
		require.Equal(t, loaded.Head, empty.Head)
		require.Empty(t, empty.Completions)
		require.Empty(t, empty.Changes)
		require.Empty(t, empty.Contracts)
		require.Empty(t, empty.ContractKeys)
		require.Empty(t, empty.Parties)
	})
}

// The lookups are sent together with the lock, but must see the rows that the earlier transaction committed.
func TestLoad_SeesTheCommitItWaitedFor(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	ctx := within(t)
	locked, done := make(chan struct{}), make(chan error, 1)
	var loaded db.Loaded
	go func() {
		<-locked
		done <- record.InTx(ctx, func(tx *db.Tx) (err error) {
			loaded, err = tx.Load(ctx, db.LoadRequest{
				Keys: []string{"key-1"}, Contracts: []ledger.ContractID{contractID(1)},
			})
			return err
		})
	}()
	err := record.InTx(ctx, func(tx *db.Tx) error {
		_, err := tx.LockHead(ctx)
		require.NoError(t, err)
		close(locked)
		waitForBlocked(ctx, t, record)
		return tx.Append(ctx, db.Entries{
			Created: []db.NewContract{coin(1, 1, alice)}, Completions: []ledger.Completion{accepted(1, app, alice)},
			Head: db.Head{Offset: 1, RecordTime: timeAt(1)},
		})
	})
	require.NoError(t, err)
	require.NoError(t, <-done)
	require.Equal(t, ledger.Offset(1), loaded.Head.Offset)
	require.Contains(t, loaded.Completions, "key-1")
	require.Contains(t, loaded.Contracts, contractID(1))
}

// waitForBlocked returns when a transaction waits for a lock in this test's database.
func waitForBlocked(ctx context.Context, t *testing.T, record *db.DB) {
	t.Helper()
	for blocked := false; !blocked; {
		require.NoError(t, ctx.Err())
		require.NoError(t, record.InTx(ctx, func(tx *db.Tx) error {
			var err error
			blocked, err = tx.QueryBool(ctx, "SELECT EXISTS (SELECT FROM pg_stat_activity "+
				"WHERE datname = current_database() AND wait_event_type = 'Lock')")
			return err
		}))
	}
}

func load(t *testing.T, record *db.DB, request db.LoadRequest) db.Loaded {
	t.Helper()
	var loaded db.Loaded
	err := record.InTx(t.Context(), func(tx *db.Tx) error {
		var err error
		loaded, err = tx.Load(t.Context(), request)
		return err
	})
	require.NoError(t, err)
	return loaded
}
