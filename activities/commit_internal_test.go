package activities

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

func TestLoadAhead_LimitsContracts(t *testing.T) {
	t.Parallel()
	mentioned := make([]ledger.ContractID, 10_000)
	ids := loadAhead(nil, mentioned)
	require.Len(t, ids, maxSubmissionLoadedAhead)
	ids = loadAhead(ids, mentioned[:10])
	require.Len(t, ids, maxSubmissionLoadedAhead+10)
	ids = loadAhead(loadAhead(ids, mentioned), mentioned)
	require.Len(t, ids, maxLoadedAhead, "of all submissions of a commit")
}

// Users' code may take long and record nothing, so a transaction also ends by time, but not before its first
// submission.
func TestBlock_IsFullByTimeOrBytes(t *testing.T) {
	t.Parallel()
	decided := db.Entries{Completions: []ledger.Completion{{}}}
	require.False(t, (&block{since: time.Now(), entries: decided}).isFull())
	require.True(t, (&block{since: time.Now().Add(-maxTogetherTime), entries: decided}).isFull())
	require.False(t, (&block{since: time.Now().Add(-time.Minute)}).isFull(), "a block takes at least one submission")
	require.True(t, (&block{since: time.Now(), bytes: maxTogetherBytes}).isFull())
}
