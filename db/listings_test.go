package db_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

func TestReader_UnlistedExecutions(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	signed := func(offset ledger.Offset, recorded time.Time, executed ...db.Executed) {
		transaction, completion := update(offset, []ledger.Party{alice}), accepted(offset, app, alice)
		transaction.ExternalHash, completion.ExternalHash = string(transaction.ID), string(transaction.ID)
		transaction.RecordTime, completion.RecordTime = recorded, recorded
		require.NoError(t, appendUpTo(t.Context(), record, offset, recorded.Add(time.Millisecond), db.Entries{
			Updates: []ledger.Update{transaction}, Completions: []ledger.Completion{completion}, Executed: executed,
		}))
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
	require.Empty(t, unlisted(), "what nobody can execute any more need not be remembered")
}
