package activities

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

func TestCommitSubmissions_BoundsContractsLoadedAhead(t *testing.T) {
	t.Parallel()
	named := make([]ledger.ContractID, 10_000)
	loaded := loadAhead(nil, named)
	require.Len(t, loaded, maxSubmissionLoadedAhead)
	loaded = loadAhead(loaded, named[:10])
	require.Len(t, loaded, maxSubmissionLoadedAhead+10)
	loaded = loadAhead(loadAhead(loaded, named), named)
	require.Len(t, loaded, maxLoadedAhead, "of all submissions of a commit")
}

// Code of users may take long and record nothing: a transaction ends by time as well, and never before its first
// submission.
func TestCommitSubmissions_EndsATransactionByTime(t *testing.T) {
	t.Parallel()
	decided := db.Entries{Completions: []ledger.Completion{{}}}
	require.False(t, (&block{since: time.Now(), entries: decided}).isFull())
	require.True(t, (&block{since: time.Now().Add(-maxTogetherTime), entries: decided}).isFull())
	require.False(t, (&block{since: time.Now().Add(-time.Minute)}).isFull(), "the first submission is always decided")
	require.True(t, (&block{since: time.Now(), bytes: maxTogetherBytes}).isFull())
}
