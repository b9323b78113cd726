package db_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

// hashAt is the hash of the update at an offset.
func hashAt(t *testing.T, record *db.DB, offset ledger.Offset) db.Hash {
	t.Helper()
	updates, err := record.ChainedUpdates(t.Context(), offset-1, offset, 1)
	require.NoError(t, err)
	require.Len(t, updates, 1)
	return updates[0].Hash
}

func TestAppend_ExtendsTheChain(t *testing.T) {
	t.Parallel()
	entries := func(offsets ...ledger.Offset) (e db.Entries) {
		for _, offset := range offsets {
			if offset == 2 { // a refusal
				e.Completions = append(e.Completions, refused(offset, alice))
				continue
			}
			e.Updates = append(e.Updates, update(offset, []ledger.Party{alice}))
			if offset != 3 { // changes of the topology have no completion
				e.Completions = append(e.Completions, accepted(offset, app, alice))
			}
		}
		return e
	}
	atOnce, oneByOne := dbtest.New(t), dbtest.New(t)
	appendEntries(t, atOnce, entries(1, 2, 3, 4))
	for offset := ledger.Offset(1); offset <= 4; offset++ {
		appendEntries(t, oneByOne, entries(offset))
	}
	for _, record := range []*db.DB{atOnce, oneByOne} {
		updates, err := record.ChainedUpdates(t.Context(), 0, 4, 9)
		require.NoError(t, err)
		require.Len(t, updates, 3)
		completions, err := record.ChainedCompletions(t.Context(), 0, 4, 9)
		require.NoError(t, err)
		require.Len(t, completions, 3)
		var nothing db.Hash
		first := nothing.Next(1, updates[0].Digest, completions[0].Digest)
		second := first.Next(2, nothing, completions[1].Digest)
		third := second.Next(3, updates[1].Digest, nothing)
		fourth := third.Next(4, updates[2].Digest, completions[2].Digest)
		require.Equal(t, []db.Hash{first, third, fourth}, []db.Hash{updates[0].Hash, updates[1].Hash, updates[2].Hash})
		require.Equal(t, []db.Hash{first, second, fourth},
			[]db.Hash{completions[0].Hash, completions[1].Hash, completions[2].Hash})
		head, err := record.Head(t.Context())
		require.NoError(t, err)
		require.Equal(t, fourth, head.Hash)
		for _, completion := range completions {
			require.Equal(t, completion.Digest, completion.Digested)
		}
	}
}

func TestAppend_RefusesEntriesWithoutTheHeadLock(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	appendEntries(t, record, db.Entries{Completions: []ledger.Completion{accepted(1, app, alice)}})
	err := record.InTx(t.Context(), func(tx *db.Tx) error { // the head is not locked
		return tx.Append(t.Context(), db.Entries{
			Completions: []ledger.Completion{accepted(2, app, alice)}, Head: db.Head{Offset: 2, RecordTime: timeAt(2)},
		})
	})
	require.ErrorIs(t, err, db.ErrConflict)
}

func TestChainHead_ReadsAndWritesText(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("0a", 32)
	var head db.ChainHead
	require.NoError(t, head.UnmarshalText([]byte("12:"+hash)))
	require.Equal(t, ledger.Offset(12), head.Offset)
	require.Equal(t, "12:"+hash, head.String())
	for _, text := range []string{"", "12", "12:", "12:0a", ":" + hash, "0:" + hash, "-1:" + hash, "12:" + hash + "0a"} {
		require.Error(t, head.UnmarshalText([]byte(text)), text)
	}
}
