package db_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// again is the completion of another submission of the change that was submitted at an earlier offset.
func again(offset, earlier ledger.Offset) ledger.Completion {
	completion, before := accepted(offset, app, alice), accepted(earlier, app, alice)
	completion.CommandID, completion.ChangeID = before.CommandID, before.ChangeID
	return completion
}

func TestPrune_KeepsWhatIsNeeded(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	require.NoError(t, host(t, record, carol, "")) // offset 1
	appendEntries(t, record, db.Entries{
		Updates: []ledger.Update{
			update(2, []ledger.Party{alice}, []ledger.Party{alice, bob}), update(3, []ledger.Party{bob}),
			update(5, []ledger.Party{alice}), update(6, []ledger.Party{alice}), update(7, []ledger.Party{alice}),
		},
		Completions: []ledger.Completion{
			accepted(2, app, alice, bob), accepted(3, app, alice), refused(4, alice), again(5, 3), accepted(6, app, alice),
			again(7, 6),
		},
		Created:  []db.NewContract{coin(1, 2, alice), coin(2, 2, bob), coin(3, 3, bob), coin(4, 6, alice)},
		Archived: []db.Archival{{ContractID: contractID(1), Offset: 5}, {ContractID: contractID(3), Offset: 6}},
	})
	keys := []string{"key-2", "key-3", "key-4", "key-5", "key-6", "key-7"}
	atFive := hashAt(t, record, 5)
	pruned, err := dbtest.Prune(t.Context(), record, 5)
	require.NoError(t, err)
	require.Equal(t, ledger.Offset(5), pruned.Offset)
	require.Positive(t, pruned.Batches)
	kept, err := record.CompletionsByKey(t.Context(), keys)
	require.NoError(t, err)
	require.Len(t, kept, len(keys), "submissions under way need the completions of the last day")

	later := timeAt(5).Add(db.KeptCompletions)
	require.NoError(t, appendUpTo(t.Context(), record, 8, later, db.Entries{
		Updates: []ledger.Update{update(8, []ledger.Party{alice})},
	}))
	_, err = dbtest.Prune(t.Context(), record, 5)
	require.NoError(t, err)
	head, err := record.Head(t.Context())
	require.NoError(t, err)
	head.Traffic = ledger.TrafficAccount{}
	require.Equal(t, db.Head{
		Offset: 8, RecordTime: later, Hash: hashAt(t, record, 8), Pruned: 5, PrunedTime: timeAt(5),
		PrunedHash: atFive,
	}, head)
	require.Equal(t, timeAt(5), head.Forgotten())
	head.RecordTime = timeAt(6)
	require.Equal(t, timeAt(6).Add(-db.KeptCompletions), head.Forgotten())
	require.Equal(t, []ledger.Offset{6, 7, 8}, updateOffsets(t, record, db.UpdatesQuery{UpTo: 9, Limit: 9}))
	completions, err := record.Completions(t.Context(), db.CompletionsQuery{
		User: new(appUser), Parties: []ledger.Party{alice, bob}, UpTo: 9, Limit: 9,
	})
	require.NoError(t, err)
	require.Len(t, completions, 2)
	requireNoneUpTo(t, record, "update_parties", 5)
	requireNoneUpTo(t, record, "completion_parties", 5)

	// Deduplication still finds the last accepted submission of each change. Prune keeps nothing else.
	two, three := accepted(2, app, alice, bob), accepted(3, app, alice)
	changeIDs := []ledger.ChangeID{two.ChangeID, three.ChangeID, refused(4, alice).ChangeID}
	changes, err := record.Changes(t.Context(), changeIDs)
	require.NoError(t, err)
	require.Equal(t, map[ledger.ChangeID]db.Change{
		two.ChangeID: {2, timeAt(2), "submission-2"}, three.ChangeID: {5, timeAt(5), "submission-5"},
	}, changes)
	kept, err = record.CompletionsByKey(t.Context(), keys)
	require.NoError(t, err)
	require.Len(t, kept, 4, "2 and 5 for deduplication, 6 and 7 because they are not pruned")

	active, err := record.ActiveContracts(t.Context(), db.ActiveQuery{At: 5, Limit: 9})
	require.NoError(t, err)
	require.Equal(t, []ledger.ContractID{contractID(2), contractID(3)}, ids(active), "at the pruned offset")
	_, ok, err := record.Contract(t.Context(), contractID(1))
	require.NoError(t, err)
	require.False(t, ok, "it was archived before the pruned offset")

	pruned, err = dbtest.Prune(t.Context(), record, 3)
	require.NoError(t, err, "a prune up to an earlier offset changes nothing")
	require.Equal(t, ledger.Offset(5), pruned.Offset)
	appendEntries(t, record, db.Entries{Updates: []ledger.Update{update(9, []ledger.Party{alice})}})
	require.Equal(t, []ledger.Offset{6, 7, 8, 9}, updateOffsets(t, record, db.UpdatesQuery{UpTo: 9, Limit: 9}))
}

func requireNoneUpTo(t *testing.T, record *db.DB, table string, offset ledger.Offset) {
	t.Helper()
	require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
		left, err := tx.QueryBool(t.Context(),
			fmt.Sprintf("SELECT EXISTS (SELECT FROM %s WHERE ledger_offset <= %d)", table, offset))
		require.False(t, left, table)
		return err
	}))
}

func TestPrune_RefusesOffsetsOutsideTheRecord(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	appendEntries(t, record, db.Entries{Updates: []ledger.Update{update(1, []ledger.Party{alice})}})
	for offset, want := range map[ledger.Offset]fault.Code{
		-1: fault.NonPositiveOffset, 0: fault.NonPositiveOffset, 2: fault.OffsetAfterLedgerEnd,
	} {
		_, err := dbtest.Prune(t.Context(), record, offset)
		require.True(t, want.Matches(err), "%d: %v", offset, err)
	}
	require.Equal(t, []ledger.Offset{1}, updateOffsets(t, record, db.UpdatesQuery{UpTo: 9, Limit: 9}))
}

func TestPrune_RunsInOneProcessAtATime(t *testing.T) {
	t.Parallel()
	databaseURL := dbtest.URL(t)
	record := dbtest.Open(t, databaseURL)
	appendEntries(t, record, db.Entries{Updates: []ledger.Update{update(1, []ledger.Party{alice})}})
	other, err := pgx.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	_, err = other.Exec(t.Context(), "SELECT pg_advisory_lock($1)", db.PruneLock)
	require.NoError(t, err)
	_, err = dbtest.Prune(t.Context(), record, 1)
	require.True(t, fault.ParticipantPruningInProgress.Matches(err), "%v", err)
	require.NoError(t, other.Close(t.Context())) // which ends the lock
	require.Eventually(t, func() bool {
		_, err = dbtest.Prune(t.Context(), record, 1)
		return err == nil
	}, time.Minute, 10*time.Millisecond, "%v", err)
	_, err = dbtest.Prune(t.Context(), record, 1)
	require.NoError(t, err, "the lock was given back")
}

func TestPrune_UsesManySmallTransactions(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	const old, later = 3*db.PruneBatch + 1, 40
	entries := db.Entries{}
	for offset := ledger.Offset(1); offset <= old; offset++ {
		entries.Updates = append(entries.Updates, update(offset, []ledger.Party{alice}))
		entries.Completions = append(entries.Completions, refused(offset, alice))
	}
	appendEntries(t, record, entries)
	var group errgroup.Group
	group.Go(func() error {
		for offset := ledger.Offset(old + 1); offset <= old+later; offset++ {
			err := tryAppend(t.Context(), record, db.Entries{Updates: []ledger.Update{update(offset, []ledger.Party{alice})}})
			if err != nil {
				return err
			}
		}
		return nil
	})
	pruned, err := dbtest.Prune(t.Context(), record, old)
	require.NoError(t, err)
	require.NoError(t, group.Wait())
	require.Equal(t, 8, pruned.Batches, "four of updates, four of completions")
	left := updateOffsets(t, record, db.UpdatesQuery{Parties: []ledger.Party{alice}, UpTo: 99_999, Limit: 999})
	require.Len(t, left, later)
}
