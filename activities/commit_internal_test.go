package activities

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
)

func TestACommitLoadsSoManyContractsAhead(t *testing.T) {
	t.Parallel()
	named := make([]ledger.ContractID, 10_000)
	loaded := loadAhead(nil, named)
	require.Len(t, loaded, maxSubmissionLoadedAhead)
	loaded = loadAhead(loaded, named[:10])
	require.Len(t, loaded, maxSubmissionLoadedAhead+10)
	loaded = loadAhead(loadAhead(loaded, named), named)
	require.Len(t, loaded, maxLoadedAhead, "of all submissions of a commit")
}
