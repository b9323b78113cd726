package db_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

// appendSigned appends a transaction that was signed outside the node.
func appendSigned(t *testing.T, record *db.DB, offset ledger.Offset, recorded time.Time, executed ...db.Executed) {
	t.Helper()
	transaction, completion := update(offset, []ledger.Party{alice}), accepted(offset, app, alice)
	transaction.ExternalHash, completion.ExternalHash = string(transaction.ID), string(transaction.ID)
	transaction.RecordTime, completion.RecordTime = recorded, recorded
	require.NoError(t, appendUpTo(t.Context(), record, offset, recorded.Add(time.Millisecond), db.Entries{
		Updates: []ledger.Update{transaction}, Completions: []ledger.Completion{completion}, Executed: executed,
	}))
}

func TestUnlistedExecutions_FindsRecentMissingOnes(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	signed := func(offset ledger.Offset, recorded time.Time, executed ...db.Executed) {
		appendSigned(t, record, offset, recorded, executed...)
	}
	unlisted := func() []ledger.Offset {
		offsets, err := record.UnlistedExecutions(t.Context(), 0, 9)
		require.NoError(t, err)
		return offsets
	}
	signed(1, timeAt(1), db.Executed{TransactionUUID: "remembered", Offset: 1})
	require.Empty(t, unlisted())
	signed(2, timeAt(2))
	require.Equal(t, []ledger.Offset{2}, unlisted())
	later := timeAt(2).Add(ledger.ExecutedRetention + time.Second)
	signed(3, later, db.Executed{TransactionUUID: "another", Offset: 3})
	require.Empty(t, unlisted(), "old transactions cannot be executed again, so they need no entry")
}

func TestCountListed_CountsOneExecutionPerSignedTransaction(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	strays := func(after ledger.Offset) db.Listed {
		listed, err := record.CountListed(t.Context(), after, 9)
		require.NoError(t, err)
		return listed["executed_transactions"]
	}
	appendSigned(t, record, 1, timeAt(1), db.Executed{TransactionUUID: "one", Offset: 1})
	appendSigned(t, record, 2, timeAt(2).Add(ledger.ExecutedRetention), db.Executed{TransactionUUID: "two", Offset: 2})
	require.Zero(t, strays(0), "neither forgotten nor listed executions are strays")
	appendSigned(t, record, 3, timeAt(3).Add(ledger.ExecutedRetention),
		db.Executed{TransactionUUID: "three", Offset: 3}, db.Executed{TransactionUUID: "of a victim", Offset: 3})
	require.Equal(t, db.Listed{Within: 1}, strays(0))
	require.Zero(t, strays(3), "pruned offsets have no updates to compare with")
}
